import json

import numpy as np
import pandas as pd
import pytest

from tete import TableEncoder
from tete.core.checked_arrays import CheckedArrays
from tete.exceptions import InvalidFileError
from tete.reduction.encoding.encoder_arrays import ENCODER_ARRAYS, encoder_from_arrays, encoder_to_arrays

FRAME = pd.DataFrame(
    {
        "width": [1.0, None, 3.0, 5.0, 2.0],
        "kind": ["a", "b", "a", None, "b"],
        "size": pd.Categorical(["s", "l", "s", "l", None], ["s", "l"], ordered=True),
        "name": ["x", "y", "z", "u", "v"],
    }
)


@pytest.mark.parametrize("standardize", [True, False])
def test_the_same_encoder_comes_back(standardize):
    encoder = TableEncoder(standardize=standardize).fit(FRAME)
    arrays = encoder_to_arrays(encoder)
    assert set(arrays) <= set(ENCODER_ARRAYS)
    assert all(array.dtype.kind in "fU" for array in arrays.values())
    checked = CheckedArrays(arrays)
    again = encoder_from_arrays(checked)
    checked.finish()
    np.testing.assert_array_equal(again.transform(FRAME), encoder.transform(FRAME))
    assert again.summary() == encoder.summary()
    assert list(again.feature_names_in_) == list(FRAME.columns)
    unnamed = encoder_from_arrays(CheckedArrays(encoder_to_arrays(TableEncoder().fit(FRAME.to_numpy()))))
    assert not hasattr(unnamed, "feature_names_in_")


def changed(**entries):
    arrays = encoder_to_arrays(TableEncoder().fit(FRAME))
    header = json.loads(str(arrays["encoder"])) | entries
    return arrays | {"encoder": np.array(json.dumps(header))}


def column(**entries):
    columns = json.loads(str(changed()["encoder"]))["columns"]
    columns[1] |= entries
    return changed(columns=columns)


@pytest.mark.parametrize(
    ("arrays", "match"),
    [
        (changed() | {"encoder": np.array("[")}, "`encoder` must be a table of columns"),
        (changed() | {"encoder": np.array(3.0)}, "`encoder` must be a single value"),
        (changed(more=1), "`encoder` must be a table of columns"),
        (changed(columns=[]), "one that is used"),
        (changed(standardize=1), "must say true or false"),
        (changed(n_gaps=0.5), "count its gaps"),
        (column(kind="mood"), "must describe each column"),
        (column(values=["a", "a"]), "must list different values"),
        (column(values=[]), "must list different values"),
        (column(values=[1, 2]), "must describe each column"),
        (column(name="width"), "columns of different names"),
        (column(values=["a", "b", "c"]), "`encoder_center` must have the shape"),
        (changed() | {"encoder_spread": np.zeros(4)}, "`encoder_spread` must be from"),
    ],
)
def test_what_is_wrong_is_refused_by_name(arrays, match):
    with pytest.raises(InvalidFileError, match=match):
        encoder_from_arrays(CheckedArrays(arrays))
