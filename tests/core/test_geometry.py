import numpy as np
import pytest

from tete.core.geometry import aligned, principal_axes


def test_principal_axes_keep_as_much_spread_as_possible(rng):
    embedding = rng.normal(size=(50, 3)) * [0.1, 5.0, 2.0] + 7
    kept = principal_axes(embedding, 2)
    strengths = np.linalg.svd(embedding - embedding.mean(axis=0), compute_uv=False)
    np.testing.assert_allclose(np.linalg.norm(kept, axis=0), strengths[:2])
    assert principal_axes(embedding, 3) is embedding


@pytest.mark.parametrize("scale", [True, False])
def test_aligned_undoes_turns_moves_and_sizes(rng, scale):
    reference, turn = rng.normal(size=(12, 3)), np.linalg.qr(rng.normal(size=(3, 3)))[0]
    found = aligned(reference, (5.0 if scale else 1.0) * reference @ turn + 7.0, scale=scale)
    np.testing.assert_allclose(found, reference, atol=1e-12)


def test_some_rows_say_where_all_go(rng):
    reference = rng.normal(size=(12, 2))
    embedding = 3.0 * reference[:, ::-1] - 1.0
    embedding[8:] += 10.0  # what does not say where to go is carried along
    found = aligned(reference, embedding, by=np.arange(12) < 8)
    np.testing.assert_allclose(found[:8], reference[:8], atol=1e-12)
    np.testing.assert_allclose(found[8:], reference[8:] + 10.0 / 3.0, atol=1e-12)


def test_a_map_in_one_point_is_moved_only(rng):
    reference = rng.normal(size=(4, 2))
    np.testing.assert_allclose(aligned(reference, np.ones((4, 2))), np.tile(reference.mean(axis=0), (4, 1)))
