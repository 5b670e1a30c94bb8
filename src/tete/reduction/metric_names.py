"""The names of the distances that features can be compared by."""

from tete.core.validation import check_choice

__all__ = ["PROJECTED", "check_metric", "known_metrics"]

PROJECTED = ("cosine", "euclidean")  # compared after a projection, by our own searches
# Of two columns in radians; of tables with gaps; of columns whose spreads would be those of the new rows.
WITHOUT_SENSE_HERE = {"haversine", "nan_euclidean", "mahalanobis", "seuclidean"}


def known_metrics() -> tuple[str, ...]:
    """All metrics that there are."""
    from sklearn.metrics.pairwise import PAIRWISE_DISTANCE_FUNCTIONS  # noqa: PLC0415  (these two take long to import)
    from sklearn.neighbors import VALID_METRICS  # noqa: PLC0415

    known = {*PROJECTED, "precomputed", *PAIRWISE_DISTANCE_FUNCTIONS, *VALID_METRICS["brute"]}
    return tuple(sorted(known - WITHOUT_SENSE_HERE))


def check_metric(metric: str) -> None:
    """Refuse anything but a metric that there is; the commonest are known without a look at scikit-learn's."""
    if metric not in (*PROJECTED, "precomputed"):
        check_choice("metric", metric, known_metrics())
