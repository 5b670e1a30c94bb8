"""Maps of cells in AnnData objects, as scanpy's tools make them; neither scanpy nor anndata is imported.

A map goes to ``obsm`` and what it was made with to ``uns``, so that scanpy draws it: ``scanpy.pl.embedding(adata,
"X_tete", color="louvain")``. Neighbours that ``scanpy.pp.neighbors`` has found are used where `neighbors_key` names
them.
"""

from typing import TYPE_CHECKING, Any, Literal

from tete.core.docstrings import filled_from
from tete.core.randomness import RandomState
from tete.exceptions import InvalidParameterError
from tete.reduction.estimators import ListwiseTETE, WeightedTETE
from tete.reduction.feature_map import FeatureMap

if TYPE_CHECKING:
    from anndata import AnnData

__all__ = ["listwise", "weighted"]


@filled_from(ListwiseTETE)
def listwise(
    adata: "AnnData",
    *,
    use_rep: str | None = "X_pca",
    neighbors_key: str | None = None,
    key_added: str = "X_tete",
    n_components: int = 2,
    n_neighbors: int = 15,
    quality: Literal["fast", "default", "high"] = "default",
    exaggeration: float = 1.0,
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    copy: bool = False,
) -> "AnnData | None":
    """Map cells by `ListwiseTETE`, which keeps neighbourhoods and classes.

    Parameters
    ----------
    adata : AnnData
        The cells.
    use_rep : str or None, default="X_pca"
        What describes the cells: a key of ``obsm``, or "X" for the matrix itself. None takes nothing but the graph of
        `neighbors_key`.
    neighbors_key : str or None, default=None
        Where ``scanpy.pp.neighbors`` has put its graph, usually "neighbors": then the distances in ``obsp`` say which
        cells are neighbours. None finds them anew.
    key_added : str, default="X_tete"
        The key of the map in ``obsm``; in ``uns`` the same without the ``X_``.
    random_state : int, generator or None, default=0
        Seed of all draws; None takes another one each time.
    copy : bool, default=False
        Whether to leave `adata` alone and return a copy with the map.

    Returns
    -------
    AnnData or None
        The copy, if one was asked for. Else `adata` has in ``obsm[key_added]`` the map, and in ``uns`` its parameters,
        its loss and its number of iterations.

    Raises
    ------
    InvalidParameterError
        If `adata` has no such representation or graph, or another parameter breaks its rule.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import tete
    >>> adata = anndata.AnnData(np.random.default_rng(0).normal(size=(60, 5)))
    >>> tete.anndata.listwise(adata, use_rep="X")
    >>> adata.obsm["X_tete"].shape, int(adata.uns["tete"]["params"]["n_neighbors"])
    ((60, 2), 15)
    """
    model = ListwiseTETE(
        n_components,
        n_neighbors=n_neighbors,
        quality=quality,
        exaggeration=exaggeration,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    told = {"n_neighbors": n_neighbors, "quality": quality, "exaggeration": exaggeration}
    return _mapped(adata, model, "listwise", use_rep, neighbors_key, key_added, told, copy)


@filled_from(listwise, WeightedTETE)
def weighted(
    adata: "AnnData",
    *,
    use_rep: str | None = "X_pca",
    neighbors_key: str | None = None,
    key_added: str = "X_tete",
    n_components: int = 2,
    n_neighbors: int = 20,
    n_outliers: int = 20,
    weights: Literal["paper", "log", "uniform"] = "paper",
    random_state: RandomState = 0,
    n_jobs: int | None = -1,
    verbose: bool = False,
    copy: bool = False,
) -> "AnnData | None":
    """Map cells by `WeightedTETE`, which keeps surfaces and the shape of the whole, such as trajectories.

    Parameters
    ----------
    n_neighbors : int, default=20
        Nearest neighbours of each cell, the paper's m.
    weights : "paper", "log" or "uniform", default="paper"
        As in `WeightedTETE`; a graph alone (`use_rep` None) has no distances to outliers and needs "uniform".

    Returns
    -------
    AnnData or None
        The copy, if one was asked for; else the map is in `adata`, as after `listwise`.

    Raises
    ------
    InvalidParameterError
        If `adata` has no such representation or graph, or another parameter breaks its rule.

    Examples
    --------
    >>> import anndata
    >>> import numpy as np
    >>> import tete
    >>> adata = anndata.AnnData(np.random.default_rng(0).normal(size=(60, 5)))
    >>> tete.anndata.weighted(adata, use_rep="X", key_added="X_shape", copy=True).obsm["X_shape"].shape
    (60, 2)
    """
    model = WeightedTETE(
        n_components,
        n_neighbors=n_neighbors,
        n_outliers=n_outliers,
        weights=weights,
        random_state=random_state,
        n_jobs=n_jobs,
        verbose=verbose,
    )
    told = {"n_neighbors": n_neighbors, "n_outliers": n_outliers, "weights": weights}
    return _mapped(adata, model, "weighted", use_rep, neighbors_key, key_added, told, copy)


def _mapped(
    adata: Any,
    model: FeatureMap,
    method: str,
    use_rep: str | None,
    neighbors_key: str | None,
    key_added: str,
    told: dict[str, Any],
    copy: bool,
) -> Any:
    """Fit the model to the cells and put the map where scanpy's tools put theirs."""
    if not all(hasattr(adata, part) for part in ("obsm", "obsp", "uns")):
        raise InvalidParameterError(f"`adata` must be an AnnData object, got {type(adata).__name__}.")
    graph = None if neighbors_key is None else _graph(adata, neighbors_key)
    if use_rep is None:
        if graph is None:
            raise InvalidParameterError("`use_rep` may be None only with a `neighbors_key`, got None for both.")
        model.set_params(metric="precomputed").fit(graph)
    else:
        model.set_params(precomputed_knn=graph).fit(_representation(adata, use_rep))
    found = adata.copy() if copy else adata
    where = {"use_rep": use_rep, "neighbors_key": neighbors_key}
    seed = {"random_state": model.random_state} if isinstance(model.random_state, int) else {}
    params = {"method": method, "n_components": model.n_components, **where, **told, **seed}
    found.obsm[key_added] = model.embedding_
    found.uns[key_added.removeprefix("X_")] = {
        "params": {name: value for name, value in params.items() if value is not None},  # files hold no None
        "loss": model.loss_,
        "n_iter": model.n_iter_,
    }
    return found if copy else None


def _representation(adata: Any, use_rep: str) -> Any:
    if use_rep == "X" and adata.X is not None:
        return adata.X
    if use_rep not in adata.obsm:
        known = ", ".join(map(repr, adata.obsm)) or "none"
        raise InvalidParameterError(
            f"`use_rep` must be 'X' for the matrix itself or a key of `adata.obsm` ({known}), got {use_rep!r}."
        )
    return adata.obsm[use_rep]


def _graph(adata: Any, neighbors_key: str) -> Any:
    """The distances to neighbours, where scanpy says that they are."""
    if neighbors_key not in adata.uns:
        raise InvalidParameterError(
            f"`neighbors_key` must be a key of `adata.uns` that scanpy.pp.neighbors has written, got {neighbors_key!r}."
        )
    distances_key = adata.uns[neighbors_key].get("distances_key", "distances")
    if distances_key not in adata.obsp:
        raise InvalidParameterError(
            f"`adata.obsp` must have the distances {distances_key!r} of `neighbors_key` {neighbors_key!r}, got none."
        )
    return adata.obsp[distances_key]
