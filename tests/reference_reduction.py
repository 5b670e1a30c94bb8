"""The losses of feature maps again, naively, as written in the paper and in the docstrings: loops over triplets."""

import numpy as np

from tete import tempered


def square(first, second):
    return float(np.sum((np.asarray(first, dtype=np.float64) - np.asarray(second, dtype=np.float64)) ** 2))


def weighted_tete(embedding, near, far, omega, t, t_prime):
    """Eq. (wtete) with the weights omega[i, j, k]."""
    total = 0.0
    for i in range(len(near)):
        for place_j, j in enumerate(near[i]):
            for place_k, k in enumerate(far[i]):
                to_far = tempered.exp_t(-square(embedding[i], embedding[k]), t_prime)
                to_near = tempered.exp_t(-square(embedding[i], embedding[j]), t_prime)
                total += omega[i, place_j, place_k] * float(tempered.log_t(1.0 + to_far / to_near, t))
    return total


def paper_weights(near_distances, far_distances, near, far, sigma, gamma):
    """Eq. (weight), divided by the maximum, plus gamma."""
    omega = np.empty((len(near), near.shape[1], far.shape[1]))
    for i in range(len(near)):
        for j in range(near.shape[1]):
            for k in range(far.shape[1]):
                numerator = np.exp(-(near_distances[i, j] ** 2) / (sigma[i] * sigma[near[i, j]]))
                omega[i, j, k] = numerator / np.exp(-(far_distances[i, k] ** 2) / (sigma[i] * sigma[far[i, k]]))
    return omega / omega.max() + gamma


def listwise(embedding, near, shares, kappa, mean_kernel, t):
    """sum_ij p_ij log_t(1 + kappa mean_k q_ik / q_ij); `mean_kernel(i)` gives mean_k q_ik."""
    total = 0.0
    for i in range(len(near)):
        for place, j in enumerate(near[i]):
            ratio = float(kappa[i]) * mean_kernel(i) * (1.0 + square(embedding[i], embedding[j]))
            total += float(shares[i, place]) * float(tempered.log_t(1.0 + ratio, t))
    return total


def exact_neighbors(points, count):
    """Nearest others by plain distances, equal ones by number."""
    points = np.asarray(points, dtype=np.float64)
    distances = np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=2))
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(distances, order, axis=1)
