"""Agreement of judges, under the name it had before: see `evaluator.statistics.agreement`."""

from __future__ import annotations

from evaluator.statistics.agreement import (
    AgreementFigures,
    AgreementMatrix,
    agreement_report,
    cohens_kappa,
    hardest_queries,
    kappa_of,
    krippendorff_alpha_interval,
    krippendorff_alpha_nominal,
    observed_agreement,
)

__all__ = [
    "AgreementFigures",
    "AgreementMatrix",
    "agreement_report",
    "cohens_kappa",
    "hardest_queries",
    "kappa_of",
    "krippendorff_alpha_interval",
    "krippendorff_alpha_nominal",
    "observed_agreement",
]
