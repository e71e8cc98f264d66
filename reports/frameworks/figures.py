"""The figures of the framework packs, each pack's in a table of its own."""

from reports.frameworks.cis import cis_figures
from reports.frameworks.cmmc import cmmc_figures
from reports.frameworks.gdpr import gdpr_figures
from reports.frameworks.hipaa import hipaa_figures
from reports.frameworks.iso27001 import iso_figures
from reports.frameworks.nist import nist_figures
from reports.frameworks.pci import pci_figures
from reports.frameworks.poam import poam_figures
from reports.frameworks.soc2 import type_ii_figures

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
