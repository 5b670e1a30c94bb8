import threading

import numpy as np
import pytest

from tete.core.threads import SERIAL, ShardSum, beside, row_slices, threads


@pytest.mark.parametrize("n_jobs", [1, 2, 4, None, -1])
def test_every_piece_is_done_once(n_jobs):
    done = np.zeros(100, dtype=int)

    def work(piece):
        done[piece] += 1

    with threads(n_jobs) as workers:
        workers.run(work, 100)
        workers.run(work, 0)
    assert (done == 1).all()


def test_pieces_are_done_at_the_same_time():
    meeting = threading.Barrier(3, timeout=30)
    with threads(3) as workers:
        workers.run(lambda piece: meeting.wait(), 3)  # passes only if three threads are there


def test_threads_end_with_the_block():
    with threads(4) as workers:
        workers.run(lambda piece: None, 8)
        assert any(thread.name.startswith("tete") for thread in threading.enumerate())
    assert not any(thread.name.startswith("tete") for thread in threading.enumerate())


def test_an_error_of_a_piece_arrives():
    def work(piece):
        if piece == 7:
            raise KeyError("seven")

    for n_jobs in (1, 3):
        with pytest.raises(KeyError, match="seven"), threads(n_jobs) as workers:
            workers.run(work, 9)


def test_the_end_of_a_block_waits_for_what_runs_beside_it():
    begun, seen = threading.Event(), []

    def work():
        begun.wait(30)
        seen.append("beside")

    with beside(work):
        seen.append("block")
        begun.set()
    assert seen == ["block", "beside"]


@pytest.mark.parametrize(
    ("n_rows", "size", "most", "n_slices"), [(10, 3, 99, 3), (10, 3, 2, 2), (2, 3, 99, 1), (0, 5, 9, 1)]
)
def test_slices_cover_all_rows_in_order(n_rows, size, most, n_slices):
    slices = row_slices(n_rows, size=size, most=most)
    assert len(slices) == n_slices
    assert [row for each in slices for row in range(each.start, each.stop)] == list(range(n_rows))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_shards_are_added_up_and_divided(dtype):
    embedding = np.arange(6, dtype=dtype).reshape(3, 2)

    def work(rows, gradient):
        gradient[rows] += embedding[rows]
        return float(embedding[rows].sum())

    total = ShardSum(SERIAL)
    for _ in range(2):  # the memory is used again, and cleared
        value, gradient = total(work, [slice(0, 1), slice(1, 3), slice(0, 3)], embedding, 2.0)
        assert value == pytest.approx(15.0)
        assert gradient.dtype == dtype
        np.testing.assert_allclose(gradient, embedding)
