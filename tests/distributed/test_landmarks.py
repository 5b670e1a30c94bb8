import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tete.core.hashed_draws import stream
from tete.distributed import draw_landmarks
from tete.distributed.landmarks import STREAM, given_rows, landmark_rows
from tete.exceptions import InvalidParameterError


@settings(max_examples=30, deadline=None)
@given(n_rows=st.integers(1, 400), count=st.integers(1, 500), seed=st.integers(0, 2**31 - 1))
def test_landmarks_are_the_rows_of_the_smallest_hashes(n_rows, count, seed):
    hashes = [stream(stream(seed, STREAM, 0), STREAM, row) for row in range(n_rows)]
    expected = sorted(np.argsort(hashes, kind="stable")[:count].tolist())
    assert landmark_rows(n_rows, count, seed).tolist() == expected


def test_pieces_of_the_numbering_change_nothing(monkeypatch):
    whole = landmark_rows(5000, 300, 7)
    monkeypatch.setattr("tete.distributed.landmarks.ROWS_AT_ONCE", 333)
    np.testing.assert_array_equal(landmark_rows(5000, 300, 7), whole)
    assert len(whole) == 300
    assert not np.array_equal(landmark_rows(5000, 300, 8), whole)
    share = np.histogram(landmark_rows(10**6, 20_000, 0), bins=10, range=(0, 10**6))[0]
    assert np.abs(share - 2000).max() < 250  # everywhere alike: six standard deviations


def test_the_same_rows_from_files_and_from_memory(tmp_path):
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(500, 3)).astype(np.float32)
    kinds = rng.choice(["a", "b"], size=500)
    frame = pd.DataFrame(rows, columns=list("uvw")).assign(kind=kinds, id=np.arange(500))
    for number in range(2):
        path = tmp_path / f"{number}.parquet"
        frame.iloc[number * 250 : number * 250 + 250].to_parquet(path, index=False, row_group_size=70)
        np.save(tmp_path / f"{number}.npy", rows[number * 250 : number * 250 + 250])
    chosen = landmark_rows(500, 60, 3)
    found = draw_landmarks(sorted(tmp_path.glob("*.parquet")), 60, seed=3, labels=["kind"])
    np.testing.assert_array_equal(found.matrix, rows[chosen])
    assert found.feature_names == ("u", "v", "w")
    assert found.columns["kind"].tolist() == kinds[chosen].tolist()
    assert list(found.columns) == ["kind"]
    for source in (rows, sorted(tmp_path.glob("*.npy"))):
        np.testing.assert_array_equal(draw_landmarks(source, 60, seed=3).matrix, rows[chosen])
    assert draw_landmarks(rows, 1000).matrix.shape == (500, 3)


def test_given_landmarks():
    assert given_rows(np.array([5, 2, 3]), 6).tolist() == [2, 3, 5]
    assert given_rows(np.array([True, False, True]), 3).tolist() == [0, 2]
    for wrong in (
        np.array([1, 1]),
        np.array([6]),
        np.array([-1]),
        np.array([0.5]),
        np.array([True]),
        np.zeros((2, 2), int),
    ):
        with pytest.raises(InvalidParameterError, match="`landmarks` must be different row numbers from 0 to 5"):
            given_rows(wrong, 6)
    with pytest.raises(InvalidParameterError, match="`count` must be"):
        draw_landmarks(np.zeros((4, 2)), 0)
