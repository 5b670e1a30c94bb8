"""The transformer that makes numbers of a table as people have it: `column_codes` -> gaps -> every column alike."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Literal, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_array, check_is_fitted, validate_data

from tete.core.any_frame import as_pandas
from tete.core.matrices import is_sparse
from tete.core.printing import counted
from tete.core.threads import threads
from tete.core.validation import check_interval, check_n_jobs, check_whole
from tete.exceptions import InvalidFeaturesError, InvalidParameterError
from tete.reduction.encoding.column_codes import KINDS, LEFT_OUT, ColumnCode, Rules, describe, encode
from tete.reduction.encoding.gap_filling import fit_filler
from tete.reduction.missing_codes import warn_missing_codes
from tete.reduction.row_order import row_hashes

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["TableEncoder"]

STAND_IN = -1.2345678912345e300  # of gaps in hashes of rows: not-a-number has many bit patterns
IN_ONE_UNIT = ("number", "truth", LEFT_OUT)  # or taken to be, as where a table has nothing but these
PLURALS = {
    "number": ("number", "numbers"),
    "truth": ("column of true and false", "columns of true and false"),
    "ordered": ("ordered category", "ordered categories"),
    "category": ("category", "categories"),
    "date": ("date", "dates"),
    "duration": ("duration", "durations"),
}


@dataclass(eq=False, repr=False)
class TableEncoder(TransformerMixin, BaseEstimator):  # type: ignore[misc]  # scikit-learn has no types
    """Numbers from a table as people have it: mixed columns, gaps, ids, constants.

    Numbers stay, categories and texts of few values become an indicator for each value, ordered categories their place
    in the order, true and false 1 and 0, dates days. Columns that cannot say which rows are alike are left out: empty
    or constant ones, ids, free text. Gaps get their conditional means under a Gaussian of all columns, which EM fits to
    the cells that are there, moved towards the means of the nearest rows as far as is best for cells that are hidden
    for a test; so do, in new rows, values that the fitted table does not have.

    Parameters
    ----------
    standardize : "auto" or bool, default="auto"
        Whether each column of the table weighs alike: its numbers are centred and divided by the root of their summed
        variances, so that a category of many values weighs as much as a number. Else numbers stay as they are. "auto":
        where a column that is used holds categories, dates or durations, which have no unit in common with numbers.
    ordered : mapping of columns to sequences of values or None, default=None
        Columns whose values have an order, and all their values from the least on. pandas' ordered categories have
        theirs.
    max_categories : int, default=30
        A category of more values has indicators for its commonest so many and one for all others; text of more values
        that hardly repeat is left out.
    max_missing : float in [0, 1], default=0.8
        A column with a larger share of gaps is left out.
    drop_ids : bool, default=True
        Whether to leave out columns of texts that are all different, and numbers that only number the rows.
    n_jobs : int or None, default=-1
        Threads; -1 means all cores. The result is the same to the last bit for any number.

    Attributes
    ----------
    columns_ : tuple of ColumnCode
        For each column its kind, its values, and why it is left out if it is.
    gaps_ : GapFiller
        What fills gaps in.
    center_ : array of n_outputs numbers
        The mean of each number that comes out, before it is divided.
    spread_ : array of n_outputs numbers
        Its standard deviation.
    divisor_ : array of n_outputs numbers
        What it is divided by if `standardized_` is true.
    standardized_ : bool
        Whether each column weighs alike.
    n_gaps_ : int
        How many cells of the fitted table were filled in.
    n_features_in_ : int
        Number of columns.
    feature_names_in_ : array of str
        Their names, if they have any.

    Examples
    --------
    >>> import pandas as pd
    >>> from tete import TableEncoder
    >>> table = pd.DataFrame(
    ...     {"width": [1.0, 2.0, None, 4.0], "wet": [True, False, True, True], "kind": ["oak", "elm", "oak", "elm"]}
    ... )
    >>> encoder = TableEncoder().fit(table)
    >>> list(encoder.get_feature_names_out())
    ['width', 'wet', 'kind_elm', 'kind_oak']
    >>> encoder.summary()
    '3 columns: 1 number, 1 column of true and false, 1 category; 1 gap filled in; columns weigh alike'
    >>> encoder.transform(pd.DataFrame({"width": [3.0], "wet": [None], "kind": ["ash"]})).shape
    (1, 4)
    """

    _: KW_ONLY
    standardize: bool | Literal["auto"] = "auto"
    ordered: Mapping[str, Sequence[Any]] | None = None
    max_categories: int = 30
    max_missing: float = 0.8
    drop_ids: bool = True
    n_jobs: int | None = -1

    def fit(self, X: Any, y: Any = None) -> Self:
        """Find the kinds of the columns and what fills gaps in.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            The table, with None, not-a-number or blank texts where cells are missing.
        y : object, optional
            Ignored; estimators in a pipeline get it.

        Returns
        -------
        self : TableEncoder
            With the kinds of the columns in `columns_`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidFeaturesError
            If nothing remains of the table, or a row has no cell at all.
        """
        self._fit(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> NDArray[np.float64]:
        """Find the kinds of the columns, and return the table as numbers.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            The table, with None, not-a-number or blank texts where cells are missing.
        y : object, optional
            Ignored; estimators in a pipeline get it.

        Returns
        -------
        array of shape (n_rows, n_outputs)
            Finite numbers, of the names in `get_feature_names_out`.

        Raises
        ------
        InvalidParameterError
            If a parameter breaks its rule.
        InvalidFeaturesError
            If nothing remains of the table, or a row has no cell at all.
        """
        return self._finished(self._fit(X))

    def _fit(self, X: Any) -> NDArray[np.float64]:
        """Learn from a table; returns its cells as numbers with gaps."""
        check_whole("max_categories", self.max_categories, least=2)
        check_interval("max_missing", self.max_missing, 0.0, 1.0)
        check_n_jobs(self.n_jobs)
        if not (isinstance(self.standardize, bool) or self.standardize == "auto"):
            raise InvalidParameterError(f"`standardize` must be 'auto', True or False, got {self.standardize!r}.")
        frame = self._frame(X, reset=True)
        if len(frame) < 2:
            raise InvalidFeaturesError(f"`X` must have at least 2 rows, got {len(frame)} (n_samples={len(frame)}).")
        orders = self._orders(frame)
        rules = Rules(self.max_categories, float(self.max_missing), self.drop_ids)
        names = [str(name) for name in frame.columns]
        self.columns_ = tuple(
            describe(name, frame.iloc[:, position], orders.get(name), rules) for position, name in enumerate(names)
        )
        self.standardized_ = self._weighs_alike()
        encoded = self._encoded(frame)
        self._warn_codes(frame, encoded)
        self._learn_spreads(encoded)
        self.n_gaps_ = self._count_gaps(encoded)
        with threads(self.n_jobs) as workers:
            order = np.argsort(row_hashes(np.where(np.isnan(encoded), STAND_IN, encoded), workers), kind="stable")
            columns = np.repeat(np.arange(len(self._widths())), self._widths())
            self.gaps_ = fit_filler(self._reduced(encoded[order]), columns, workers)
        return encoded

    def transform(self, X: Any) -> NDArray[np.float64]:
        """A table of the same columns as numbers, each row by itself.

        Parameters
        ----------
        X : data frame or array of shape (n_rows, n_columns)
            The table. Values of categories that the fitted table does not have count as missing.

        Returns
        -------
        array of shape (n_rows, n_outputs)
            Finite numbers, of the names in `get_feature_names_out`.

        Raises
        ------
        InvalidFeaturesError
            If a cell is not of its column's kind, or a row has no cell at all; the message names the row.
        """
        check_is_fitted(self, "gaps_")
        return self._finished(self._encoded(self._frame(X, reset=False)))

    def summary(self) -> str:
        """What was made of the fitted table, in one line.

        Returns
        -------
        str
            How many columns of which kinds there are, how many gaps were filled in, whether columns weigh alike, and
            what was left out and why.
        """
        check_is_fitted(self, "gaps_")
        counts = Counter(code.kind for code in self.columns_)
        kinds = [
            f"{counts[kind]} {PLURALS[kind][counts[kind] > 1]}" for kind in KINDS if kind in PLURALS and counts[kind]
        ]
        parts = [f"{counted(len(self.columns_), 'column')}: {', '.join(kinds)}"]
        if self.n_gaps_:
            parts.append(f"{self.n_gaps_:,} gap{'s' if self.n_gaps_ > 1 else ''} filled in")
        if self.standardized_:
            parts.append("columns weigh alike")
        left_out = [f"{code.name!r} ({code.reason})" for code in self.columns_ if code.kind == LEFT_OUT]
        if left_out:
            more = f", and {len(left_out) - 8} more" if len(left_out) > 8 else ""
            parts.append(f"left out: {', '.join(left_out[:8])}{more}")
        return "; ".join(parts)

    def get_feature_names_out(self, input_features: Any = None) -> NDArray[Any]:
        """Names of the numbers that come out.

        Parameters
        ----------
        input_features : array of str, optional
            Names of the columns, if they had none; else they must be those of the fitted table.

        Returns
        -------
        array of str
            The column's name, for categories with the value after an underscore.
        """
        check_is_fitted(self, "gaps_")
        codes = self.columns_
        if input_features is not None:
            given = [str(name) for name in input_features]
            if len(given) != len(codes) or (
                hasattr(self, "feature_names_in_") and given != [str(name) for name in self.feature_names_in_]
            ):
                raise ValueError("input_features is not equal to feature_names_in_, or has another length")
            codes = tuple(
                ColumnCode(name, code.kind, code.values, code.rest) for name, code in zip(given, codes, strict=True)
            )
        return np.array([name for code in codes for name in code.outputs], dtype=object)

    def _weighs_alike(self) -> bool:
        """Whether columns are made to weigh alike: what is left out does not count."""
        if self.standardize == "auto":
            return any(code.kind not in IN_ONE_UNIT for code in self.columns_)
        return bool(self.standardize)

    # The walk ----------------------------------------------------------------------------------------------------

    def _frame(self, X: Any, *, reset: bool) -> "pd.DataFrame":
        """The table as a data frame, its columns counted and named as scikit-learn does."""
        if is_sparse(X):
            raise TypeError("Sparse data have no gaps and no categories: `TableEncoder` takes dense tables.")
        import pandas as pd  # noqa: PLC0415  (keeps `import tete` quick)

        table = as_pandas(X)
        if not isinstance(table, pd.DataFrame):
            table = check_array(table, dtype=None, ensure_all_finite=False, ensure_min_samples=1, input_name="X")
        validate_data(self, table, reset=reset, skip_check_array=True)
        if not isinstance(table, pd.DataFrame):
            table = pd.DataFrame(table, columns=[f"x{position}" for position in range(table.shape[1])])
        if table.shape[1] == 0 or len(table) == 0:
            raise InvalidFeaturesError(f"`X` must have rows and columns, got the shape {table.shape} (0 feature(s)).")
        return table

    def _orders(self, frame: "pd.DataFrame") -> dict[str, Sequence[Any]]:
        orders = dict(self.ordered or {})
        names = {str(name) for name in frame.columns}
        for name, values in orders.items():
            if name not in names:
                raise InvalidParameterError(f"`ordered` must name columns of `X`, got {name!r}.")
            if isinstance(values, str) or len(values) < 2 or len({str(value) for value in values}) < len(values):
                raise InvalidParameterError(
                    f"`ordered[{name!r}]` must be at least two different values, got {values!r}."
                )
        return orders

    def _encoded(self, frame: "pd.DataFrame") -> NDArray[np.float64]:
        """All cells as numbers with gaps; a row of nothing but gaps is refused."""
        parts = [
            encode(code, frame.iloc[:, position])
            for position, code in enumerate(self.columns_)
            if code.kind != LEFT_OUT
        ]
        if not parts:
            reasons = ", ".join(f"{code.name!r} ({code.reason})" for code in self.columns_[:5])
            raise InvalidFeaturesError(f"No column of `X` can say which rows are alike: {reasons}.")
        encoded = np.hstack(parts)
        empty = np.flatnonzero(np.isnan(encoded).all(axis=1))
        if len(empty):
            raise InvalidFeaturesError(
                f"Row {empty[0]} of `X` has no cell to go by in the {counted(len(parts), 'column')} used: "
                f"leave it out ({counted(len(empty), 'such row')})."
            )
        return encoded

    def _learn_spreads(self, encoded: NDArray[np.float64]) -> None:
        """Means and spreads of the cells that are there; the outputs of one column share their divisor."""
        known = ~np.isnan(encoded)
        counts = np.maximum(known.sum(axis=0), 1)
        size = np.maximum(np.nanmax(np.abs(np.where(known, encoded, 0.0)), axis=0), np.finfo(float).tiny)
        scaled = np.sort(encoded / size, axis=0)  # sorted, so that sums do not depend on the order of the rows
        center = np.nansum(scaled, axis=0) / counts
        spread = np.sqrt(np.nansum((scaled - center) ** 2, axis=0) / counts)
        self.center_, self.spread_ = center * size, np.where(spread > 0.0, spread * size, 1.0)
        widths = self._widths()
        starts = np.cumsum([0, *widths[:-1]])
        totals = np.hypot.reduceat(np.where(spread > 0.0, self.spread_, 0.0), starts)
        self.divisor_ = np.repeat(np.where(totals > 0.0, totals, 1.0), widths)

    def _widths(self) -> list[int]:
        """How many numbers each column that is used becomes."""
        return [len(code.outputs) for code in self.columns_ if code.kind != LEFT_OUT]

    def _reduced(self, encoded: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.asarray((encoded - self.center_) / self.spread_)

    def _finished(self, encoded: NDArray[np.float64]) -> NDArray[np.float64]:
        """Gaps filled in, and columns divided."""
        gaps = np.isnan(encoded)
        if gaps.any():
            rows = np.flatnonzero(gaps.any(axis=1))
            with threads(self.n_jobs) as workers:
                filled = self.gaps_.filled(self._reduced(encoded[rows]), workers)
            encoded[rows] = np.where(gaps[rows], filled * self.spread_ + self.center_, encoded[rows])
        return (encoded - self.center_) / self.divisor_ if self.standardized_ else encoded

    def _count_gaps(self, encoded: NDArray[np.float64]) -> int:
        first = np.cumsum([0, *self._widths()])[:-1]
        return int(np.isnan(encoded[:, first]).sum())

    def _warn_codes(self, frame: "pd.DataFrame", encoded: NDArray[np.float64]) -> None:
        """Say which numbers probably mean "missing": once they are divided, nobody can tell."""
        names = [str(name) for name in frame.columns]
        kinds = {code.name: code.kind for code in self.columns_}
        outputs = [code.name for code in self.columns_ for _ in code.outputs]
        table = np.zeros((len(encoded), len(names)))
        for output, name in enumerate(outputs):
            if kinds[name] == "number":
                column = encoded[:, output]
                table[:, names.index(name)] = np.where(np.isnan(column), np.nanmedian(column), column)
        warn_missing_codes(table, (table.min(axis=0), table.max(axis=0)), names)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = True
        tags.input_tags.string = True
        tags.input_tags.categorical = True
        tags.transformer_tags.preserves_dtype = []
        return tags
