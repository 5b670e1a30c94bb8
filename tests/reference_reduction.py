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


def pooled_loss(embedding, near, shares, kappa, means, t, exaggeration=1.0):
    """sum_ij p_ij log_t(1 + kappa pooled_i^(1 / exaggeration) / q_ij); pooled_i has a third of mean_k q_ik."""
    total = 0.0
    for i in range(len(near)):
        pooled = (means[i] + 2.0 * np.mean(means)) / 3.0
        for place, j in enumerate(near[i]):
            ratio = float(kappa[i]) * pooled ** (1.0 / exaggeration) * (1.0 + square(embedding[i], embedding[j]))
            total += float(shares[i, place]) * float(tempered.log_t(1.0 + ratio, t))
    return total


def exact_means(embedding):
    """mean_k q_ik over all points k."""
    return np.mean(1.0 / (1.0 + np.sum((embedding[:, None] - embedding[None]) ** 2, axis=2)), axis=1)


def one_sided(embedding, near, shares, weights, kappa, competitors, loss):
    """Value, gradient, means and slopes of the listwise loss from given competitors, formula by formula.

    ``competitors[i]`` are places, weights and weights times slopes of what point i competes with; `loss` has t, the
    power, mean_ik q_ik and what all slopes have in common.
    """
    t, power, overall_mean, overall_slope = loss
    gradient, value = np.zeros_like(embedding), 0.0
    means, slopes = np.zeros(len(near)), np.zeros(len(near))
    for i, (places, parts, reactions) in enumerate(competitors):
        q = 1.0 / (1.0 + np.sum((embedding[i] - places) ** 2, axis=1))
        means[i] = parts @ q
        pooled = means[i] / 3.0 + 2.0 * overall_mean / 3.0
        for place, j in enumerate(near[i]):
            distance = 1.0 + square(embedding[i], embedding[j])
            rank = 1.0 + kappa[i] * pooled**power * distance
            share = float(weights[i]) * float(shares[i, place])
            value += share * float(tempered.log_t(rank, t))
            pull = share * rank**-t * kappa[i] * pooled**power  # derivative in the squared distance
            gradient[i] += 2.0 * pull * (embedding[i] - embedding[j])
            gradient[j] -= 2.0 * pull * (embedding[i] - embedding[j])
            slopes[i] += pull * distance * power / pooled / 3.0
        push = (slopes[i] + overall_slope) * parts + reactions
        gradient[i] -= 2.0 * np.sum((push * q**2)[:, None] * (embedding[i] - places), axis=0)
    return value, gradient, means, slopes


def exact_neighbors(points, count):
    """Nearest others by plain distances, equal ones by number."""
    points = np.asarray(points, dtype=np.float64)
    distances = np.sqrt(np.sum((points[:, None] - points[None]) ** 2, axis=2))
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :count]
    return order, np.take_along_axis(distances, order, axis=1)
