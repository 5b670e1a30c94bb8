import pandas as pd

from tete import TableEncoder
from tete.reduction.encoding.filled_cells import filled_cells

FITTED = pd.DataFrame(
    {"width": [1.0, 2.0, 4.0, 3.0], "kind": ["oak", "elm", "oak", "elm"], "size": ["s", "l", "s", "l"], "here": "x"}
)


def test_gaps_and_unseen_values_are_told_by_column():
    encoder = TableEncoder(ordered={"size": ["s", "m", "l"]}).fit(FITTED)
    assert filled_cells(encoder, FITTED.assign(here="there")) == "no gaps, no unseen values"
    new = FITTED.assign(width=[None, 1.0, 2.0, None], kind=["ash", None, "elm", "fir"], size=["m", "xl", "s", "l"])
    assert filled_cells(encoder, new) == (
        "3 gaps filled in; unseen values filled in: 'kind' (2 rows, first 'ash'), 'size' (1 row, first 'xl')"
    )


def test_values_that_share_an_indicator_are_not_filled_in():
    fitted = pd.DataFrame({"kind": ["oak", "elm", "fir", "oak", "elm", "oak"], "width": range(6)})
    encoder = TableEncoder(max_categories=2).fit(fitted.astype({"kind": "category"}))
    new = pd.DataFrame({"kind": pd.Categorical(["ash"]), "width": [1]})
    assert filled_cells(encoder, new) == "no gaps, no unseen values"
