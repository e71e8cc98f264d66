-- Each framework in its own words.

-- iso_requirements
SELECT count(*) FROM iso;
-- iso_annex_a
SELECT count(*) FROM iso WHERE part = 'annex_a';
-- iso_annex_a_excluded
SELECT count(*) FROM iso WHERE part = 'annex_a' AND NOT applicable;
-- iso_applicable
SELECT count(*) FROM iso WHERE applicable;
-- iso_not_applicable
SELECT count(*) FROM iso WHERE NOT applicable;
-- iso_effective
SELECT count(*) FROM iso WHERE state = 'effective';
-- iso_ineffective
SELECT count(*) FROM iso WHERE state = 'ineffective';
-- iso_partial
SELECT count(*) FROM iso WHERE state = 'partial';
-- iso_stale
SELECT count(*) FROM iso WHERE state = 'stale';
-- iso_no_data
SELECT count(*) FROM iso WHERE state = 'no_data';
-- iso_improvements
SELECT count(*) FROM iso WHERE state IN ('partial', 'stale') AND coalesce(declared_applicable, true);
-- iso_inclusions_without_justification
SELECT count(*) FROM iso WHERE part = 'annex_a' AND applicable AND NOT justified;
-- iso_major_candidates
SELECT count(*) FROM iso WHERE (part = 'clause' AND NOT (applicable AND coalesce(declared_applicable, true))) OR (state = 'ineffective' AND weight >= 4);
-- iso_minor_candidates
SELECT count(*) FROM iso
WHERE NOT (part = 'clause' AND NOT coalesce(declared_applicable, true)) AND NOT (state = 'ineffective' AND weight >= 4)
    AND (state IN ('ineffective', 'no_data') OR (part = 'annex_a' AND NOT declared_applicable AND applicable));
-- cis_safeguards
SELECT count(*) FROM said WHERE framework = 'cis-v8';
-- cis_applicable
SELECT count(*) FROM safeguards;
-- cis_in_place
SELECT count(*) FROM safeguards WHERE state = 'effective';
-- cis_ig1_in_place_pct
SELECT round(100 * avg((state = 'effective')::INT), 1) FROM safeguards WHERE ig1;
-- cis_ig2_in_place_pct
SELECT round(100 * avg((state = 'effective')::INT), 1) FROM safeguards WHERE ig1 OR ig2;
-- cis_ig3_in_place_pct
SELECT round(100 * avg((state = 'effective')::INT), 1) FROM safeguards WHERE ig1 OR ig2 OR ig3;
-- cis_policy_defined_pct
SELECT CASE WHEN count(policy_pct) > 0 THEN round(avg(coalesce(policy_pct, 0)), 1) END FROM safeguards;
-- cis_implemented_pct
SELECT CASE WHEN count(implemented_pct) > 0 THEN round(avg(coalesce(implemented_pct, 0)), 1) END FROM safeguards;
-- cis_automated_pct
SELECT CASE WHEN count(automated_pct) > 0 THEN round(avg(coalesce(automated_pct, 0)), 1) END FROM safeguards;
-- cis_reported_pct
SELECT CASE WHEN count(reported_pct) > 0 THEN round(avg(coalesce(reported_pct, 0)), 1) END FROM safeguards;
-- cis_self_assessed
SELECT count(*) FROM safeguards WHERE coalesce(policy_pct, implemented_pct, automated_pct, reported_pct) IS NOT NULL;
-- csf_outcomes
SELECT count(*) FROM said WHERE framework = 'nist-csf';
-- csf_in_scope
SELECT count(*) FROM outcomes;
-- csf_target_not_set
SELECT count(*) FROM outcomes WHERE target IS NULL AND target_pct IS NULL;
-- csf_at_target
SELECT count(*) FROM outcomes WHERE reached >= wanted;
-- csf_below_target
SELECT count(*) FROM outcomes WHERE reached < wanted;
-- gdpr_measures
SELECT count(*) FROM said WHERE framework = 'gdpr-art32';
-- gdpr_applicable
SELECT count(*) FROM measures;
-- gdpr_demonstrated
SELECT count(*) FROM measures WHERE state = 'effective' AND NOT of_unknown;
-- gdpr_demonstrated_in_part
SELECT count(*) FROM measures WHERE state IN ('partial', 'stale') OR state = 'effective' AND of_unknown;
-- gdpr_demonstrated_pct
SELECT round(100 * avg((state = 'effective' AND NOT of_unknown)::INT), 1) FROM measures;
-- gdpr_not_demonstrated
SELECT count(*) FROM measures WHERE state IN ('no_data', 'ineffective');
-- gdpr_never_tested
SELECT count(*) FROM measures WHERE untested;
-- gdpr_risk_not_assessed
SELECT count(*) FROM measures WHERE unassessed;
-- hipaa_required
SELECT count(*) FROM hipaa WHERE required_or_addressable = 'required';
-- hipaa_addressable
SELECT count(*) FROM hipaa WHERE required_or_addressable = 'addressable';
-- hipaa_required_met
SELECT count(*) FROM hipaa WHERE required_or_addressable = 'required' AND finding = 'met';
-- hipaa_required_met_pct
SELECT round(100 * avg((finding = 'met')::INT), 1) FROM hipaa WHERE required_or_addressable = 'required';
-- hipaa_addressable_met
SELECT count(*) FROM hipaa WHERE required_or_addressable = 'addressable' AND finding IN ('met', 'reasoned');
-- hipaa_addressable_met_pct
SELECT round(100 * avg((finding IN ('met', 'reasoned'))::INT), 1) FROM hipaa WHERE required_or_addressable = 'addressable';
-- hipaa_not_implemented_with_reason
SELECT count(*) FROM hipaa WHERE finding = 'reasoned';
-- hipaa_violations
SELECT count(*) FROM hipaa WHERE finding = 'violation';
-- pci_requirements
SELECT count(*) FROM pci;
-- pci_requirements_in_place
SELECT count(*) FROM pci WHERE finding = 'in_place';
-- pci_requirements_not_in_place
SELECT count(*) FROM pci WHERE finding = 'not_in_place';
-- pci_requirements_not_applicable
SELECT count(*) FROM pci WHERE finding = 'not_applicable';
-- pci_requirements_not_tested
SELECT count(*) FROM pci WHERE finding = 'not_tested';
-- pci_compensating
SELECT count(*) FROM pci WHERE method = 'compensating';
-- pci_customised
SELECT count(*) FROM pci WHERE method = 'customised';
-- pci_in_place_pct
SELECT round(100 * avg((finding = 'in_place')::INT), 1) FROM pci WHERE finding <> 'not_applicable';
-- pci_principals_met
SELECT count(*) FROM (SELECT principal FROM pci GROUP BY ALL HAVING bool_and(finding IN ('in_place', 'not_applicable')));
-- pci_assessment
SELECT CASE WHEN bool_or(finding = 'not_tested') THEN 'partial' WHEN count(*) > 0 THEN 'full' END FROM pci;
-- cmmc_requirements
SELECT count(*) FROM cmmc;
-- cmmc_met
SELECT count(*) FROM cmmc WHERE result = 'MET';
-- cmmc_not_met
SELECT count(*) FROM cmmc WHERE result = 'NOT MET';
-- cmmc_not_applicable
SELECT count(*) FROM cmmc WHERE result = 'N/A';
-- cmmc_met_by_enduring_exception
SELECT count(*) FROM cmmc WHERE result = 'MET' AND basis = 'enduring';
-- cmmc_met_by_temporary_deficiency
SELECT count(*) FROM cmmc WHERE result = 'MET' AND basis = 'temporary';
-- cmmc_points_lost
SELECT coalesce(sum(lost), 0)::INT FROM cmmc;
-- cmmc_barred_from_poam
SELECT count(*) FROM barred;
-- sprs_score
SELECT score FROM sprs;
-- cmmc_points_to_conditional
SELECT CASE WHEN score IS NOT NULL THEN greatest(88 - score, 0) END FROM sprs;
-- cmmc_close_out_on
SELECT as_of + 180 FROM asked, sprs WHERE score >= 88 AND NOT EXISTS (SELECT 1 FROM barred)
    AND EXISTS (SELECT 1 FROM cmmc WHERE result = 'NOT MET')
UNION ALL SELECT NULL LIMIT 1;
-- type_ii_criteria
SELECT count(*) FROM status WHERE framework = 'soc2';
-- type_ii_applicable
SELECT count(*) FROM applicable WHERE framework = 'soc2';
-- type_ii_cuecs
SELECT count(DISTINCT (control_id, customer_side)) FROM inherited WHERE framework = 'soc2';
