"""What fitted estimators show of themselves: a picture, and a page to explore, also in notebooks.

Pictures and pages are made by rooms that come long after this one. They are called as users call them, by their public
names, which are loaded at that moment: nothing below depends on them.
"""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from tete.core.any_frame import named_columns

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from narwhals.typing import IntoFrame

    from tete.comparisons.triplets import Triplets
    from tete.page.notebook import MapPage
    from tete.reliability.uncertainty import Uncertainty

__all__ = ["ExploredMap", "ShownMap"]

MOST_NAMES_DRAWN = 20_000  # of more objects, hardly a name would find room in a picture


class ExploredMap:
    """An estimator whose map, or maps of the same objects, can be explored once it is fitted."""

    def _maps(self) -> Mapping[str, Any]:
        """The maps by name; a map that has none beside it needs no name."""
        check_is_fitted(self, "embedding_")
        return {"": getattr(self, "embedding_")}  # noqa: B009  (estimators have it, each in its own type)

    def _names(self) -> Sequence[Any] | None:
        return getattr(self, "object_names_", None)

    def explore(
        self,
        columns: "Mapping[str, ArrayLike] | IntoFrame | None" = None,
        *,
        label: str | None = None,
        names: Sequence[Any] | None = None,
        triplets: "Triplets | None" = None,
        wrong: ArrayLike | None = None,
        uncertainty: "Uncertainty | None" = None,
        images: Sequence[str] | None = None,
        title: str = "Map",
        height: int = 640,
    ) -> "MapPage":
        """The interactive page of the map, which a notebook shows under the cell.

        Parameters
        ----------
        columns : mapping of names to arrays of n_objects values, or data frame, optional
            What to colour by: classes or numbers.
        label : str, optional
            The column to colour by at first; by default the first one.
        names : sequence of n_objects names, optional
            What the objects are called; by default as in the answers, or their numbers.
        triplets : Triplets, optional
            Answers, to be listed with the object that is clicked.
        wrong : array, one number for each triplet, optional
            Probability that it is wrong, from `tete.trust`.
        uncertainty : Uncertainty, optional
            From `tete.position_uncertainty`: an ellipse about each place.
        images : sequence of n_objects data addresses, optional
            Pictures of the objects, shown under the mouse.
        title : str, default="Map"
            The title of the page.
        height : int, default=640
            Height in the notebook, in pixels.

        Returns
        -------
        MapPage
            A notebook shows it; ``page.save("map.html")`` writes a file for any browser.

        Examples
        --------
        >>> from pathlib import Path
        >>> from tempfile import mkdtemp
        >>> from tete import TETE
        >>> model = TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)])
        >>> page = model.explore({"kind": ["tea", "tea", "cocoa"]}, label="kind")
        >>> page.save(Path(mkdtemp(), "map.html"))
        """
        import tete  # noqa: PLC0415  (its public names are loaded when they are used)

        known = named_columns(columns)
        (map_name, first), *further = self._maps().items()
        page = tete.make_page(
            first,
            names=self._names() if names is None else names,
            columns=known,
            label=next(iter(known), None) if label is None else label,
            triplets=triplets,
            wrong=wrong,
            uncertainty=uncertainty,
            images=images,
            others=dict(further) or None,
            map_name=map_name,
            title=title,
        )
        return tete.MapPage(page, height=height)


class ShownMap(ExploredMap):
    """An estimator whose one map can also be drawn."""

    def plot(
        self,
        labels: ArrayLike | None = None,
        *,
        label_name: str | None = None,
        class_names: bool = False,
        names: Sequence[Any] | None = None,
        uncertainty: "Uncertainty | None" = None,
        title: str | None = None,
        theme: Literal["light", "dark"] = "light",
        axes: "Axes | None" = None,
    ) -> "Axes":
        """Draw the map; `tete.plot_map` has more to choose from.

        Parameters
        ----------
        labels : array of n_objects classes or numbers, optional
            What to colour by.
        label_name : str, optional
            The title of the legend or of the colour scale.
        class_names : bool, default=False
            Whether to write the name of each class in its midst.
        names : sequence of n_objects names, optional
            Written beside the points wherever there is room; by default those of the answers.
        uncertainty : Uncertainty, optional
            From `tete.position_uncertainty`: an ellipse about each place.
        title : str, optional
            What to write above the map.
        theme : "light" or "dark", default="light"
            Dark writes and draws on dark paper, that of the whole figure.
        axes : matplotlib axes, optional
            Where to draw; by default a new figure, to be had as ``axes.figure``.

        Returns
        -------
        matplotlib axes
            What was drawn on.

        Examples
        --------
        >>> from tete import TETE
        >>> axes = TETE().fit([(0, 1, 2), (1, 0, 2), (2, 1, 0)]).plot(["tea", "tea", "cocoa"], title="drinks")
        >>> axes.get_title()
        'drinks'
        """
        import tete  # noqa: PLC0415

        (places,) = self._maps().values()
        known = self._names() if len(places) <= MOST_NAMES_DRAWN else None
        return tete.plot_map(
            places,
            labels=labels,
            label_name=label_name,
            class_names=class_names,
            names=known if names is None else names,
            uncertainty=uncertainty,
            title=title,
            theme=theme,
            axes=axes,
        )
