"""The figures of the framework packs, each pack's in a table of its own."""

from reports.frameworks import (
    cis_figures,
    cmmc_figures,
    gdpr_figures,
    hipaa_figures,
    iso_figures,
    nist_figures,
    pci_figures,
    poam_figures,
    type_ii_figures,
)

FIGURES = (
    *type_ii_figures.FIGURES,
    *iso_figures.FIGURES,
    *pci_figures.FIGURES,
    *hipaa_figures.FIGURES,
    *nist_figures.FIGURES,
    *cis_figures.FIGURES,
    *cmmc_figures.FIGURES,
    *gdpr_figures.FIGURES,
    *poam_figures.FIGURES,
)
