import numpy as np

import reference
from samples import random_triplets
from tete.embedding.distance_margins import distance_margins


def test_margins_are_differences_of_distances(rng):
    embedding, triplets = rng.normal(size=(12, 3)), random_triplets(rng)
    to_near, to_far = np.sqrt(reference.squared_distances(embedding, triplets.to_array()))
    np.testing.assert_allclose(distance_margins(embedding, triplets), to_far - to_near, atol=1e-5)
    turned = distance_margins(embedding[:, ::-1], triplets.reverse())
    np.testing.assert_allclose(turned, to_near - to_far, atol=1e-5)
