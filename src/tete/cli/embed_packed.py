"""What `tete embed` does with a folder of packed answers."""

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from tete.cli.clusters import Cluster
from tete.cli.outputs import Outputs
from tete.reliability.fit_report import FitReport, fit_and_report

if TYPE_CHECKING:
    from tete.distributed import TripletShards
    from tete.embedding.fitting import TripletEmbedding
    from tete.io import Map

__all__ = ["embed_packed"]


def embed_packed(
    answers: "TripletShards",
    known: "Map",
    estimator: "TripletEmbedding",
    outputs: Outputs,
    label: str | None,
    cluster: Cluster,
    checkpoint: Path | None,
) -> FitReport:
    """Make the map, on a cluster if there is one, test it on a sample held out, and write what was asked for."""
    with cluster.used():
        fitted, report = fit_and_report(estimator, answers, checkpoint=checkpoint)
    outputs.write_trust(report.trust)
    found = replace(known, embedding=fitted.embedding_)
    outputs.write_map(found)
    outputs.draw(found, None, label, answers.path.stem)
    return report
