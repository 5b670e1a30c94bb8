"""The paper's equations again, naively, in NumPy: an independent reference for the compiled code."""

import numpy as np


def log_t(x, t):
    """Eq. (logt)."""
    return np.log(x) if t == 1 else (x ** (1 - t) - 1) / (1 - t)


def exp_t(x, t):
    """Eq. (expt)."""
    return np.exp(x) if t == 1 else np.maximum(1 + (1 - t) * x, 0) ** (1 / (1 - t))


def tete(a, b, t, t_prime):
    """Eq. (loss) inside eq. (ete-obj)."""
    return log_t(1 + exp_t(-b, t_prime) / exp_t(-a, t_prime), t)


def ste(a, b):
    """Van der Maaten & Weinberger 2012, eq. (1): minus the log probability."""
    return -np.log(np.exp(-a) / (np.exp(-a) + np.exp(-b)))


def tste(a, b, alpha):
    """Van der Maaten & Weinberger 2012, eq. (2)."""
    near, far = ((1 + d / alpha) ** (-(alpha + 1) / 2) for d in (a, b))
    return -np.log(near / (near + far))


def ckl(a, b, mu):
    """Tamuz et al. 2011."""
    return -np.log((mu + b) / (2 * mu + a + b))


def gnmds(a, b):
    """Agarwal et al. 2007."""
    return np.maximum(0.0, 1 + a - b)


def soe(a, b):
    """Terada & von Luxburg 2014, with distances that are smooth where objects meet."""
    return np.maximum(0.0, 1 + np.sqrt(a + 1e-6) - np.sqrt(b + 1e-6)) ** 2


def distance_kernel(a, b, t):
    """Eq. (ete-obj) with l of plain distances."""
    return log_t(1 + np.exp(np.sqrt(a + 1e-6) - np.sqrt(b + 1e-6)), t)


def squared_distances(embedding, rows):
    """Squared distances from anchors to near and to far objects, one triplet after the other."""
    pairs = [
        (np.sum((embedding[i] - embedding[j]) ** 2), np.sum((embedding[i] - embedding[k]) ** 2)) for i, j, k in rows
    ]
    return np.array(pairs).T


def objective(loss, embedding, rows, weights, ridge):
    """Weighted mean loss plus ridge times the mean squared norm."""
    a, b = squared_distances(embedding, rows)
    return np.average(loss(a, b), weights=weights) + ridge * np.mean(np.sum(embedding**2, axis=1))


def comparison_counts(rows, weights, n_objects):
    """The matrix B whose eigenvectors are the spectral start."""
    matrix = np.zeros((n_objects, n_objects))
    for (i, j, k), w in zip(rows, weights, strict=True):
        matrix[i, j] += w
        matrix[j, i] += w
        matrix[i, k] -= w
        matrix[k, i] -= w
        matrix[j, j] -= w
        matrix[k, k] += w
    return matrix


def numerical_gradient(function, point, step=1e-6):
    """Central differences."""
    gradient = np.zeros_like(point)
    for index in np.ndindex(*point.shape):
        shifted = point.copy()
        shifted[index] += step
        upper = function(shifted)
        shifted[index] -= 2 * step
        gradient[index] = (upper - function(shifted)) / (2 * step)
    return gradient
