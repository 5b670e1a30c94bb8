"""Tables for `reduction.py`: the library's data sets, three that nothing was tuned on, and MNIST grown to any size.

The three are made of what installed packages carry: drawings of letters from matplotlib's fonts, documentation texts of
scientific packages, patches of scikit-learn's two photographs. Their rows depend on the versions of these packages.
"""

import ast
import unicodedata
from collections import Counter
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import matplotlib
import numpy as np
from fontTools.ttLib import TTFont
from PIL import Image, ImageDraw, ImageFont
from scipy import sparse
from sklearn.datasets import load_sample_images
from sklearn.decomposition import PCA, TruncatedSVD
from sklearn.feature_extraction.image import extract_patches_2d
from sklearn.feature_extraction.text import TfidfTransformer, TfidfVectorizer
from sklearn.preprocessing import StandardScaler, normalize

from environments import data_folder
from tete import datasets

__all__ = ["SETS", "UNSEEN", "grown", "load"]

Table = tuple[np.ndarray, np.ndarray | None]

KNOWN = ["wine", "faces", "sphere", "coil20", "digits", "mit_scenes", "swiss-roll", "usps", "newsgroups", "letters"]
UNSEEN = ["glyphs", "docstrings", "patches"]
SETS = [*KNOWN, *UNSEEN, "mammoth", "mnist"]

PACKAGES = ("numpy", "scipy", "sklearn", "pandas", "matplotlib", "numba")
TEXT_COLUMNS = 100
MOST_ROWS = 20_000


def load(name: str) -> Table:
    """Features in single precision, and classes where there are any."""
    own = {"newsgroups": newsgroups, "glyphs": glyphs, "docstrings": docstrings, "patches": patches}
    if name in own:
        return own[name]()
    if name == "swiss-roll":
        bunch = datasets.make_swiss_roll(3000, random_state=0)
    elif name == "sphere":
        bunch = datasets.make_sphere(1000, random_state=0)
    else:
        bunch = getattr(datasets, f"load_{name}")()
    data = bunch.data.reshape(len(bunch.data), -1)
    classes = bunch.target if bunch.target is not None and bunch.target.dtype.kind != "f" else None
    if name == "wine":  # its columns have units of very different sizes
        data = StandardScaler().fit_transform(data)
    return data.astype(np.float32), classes


def grown(n_rows: int) -> np.ndarray:
    """MNIST on 50 principal components, repeated with a little noise to any number of rows."""
    points = PCA(50, random_state=0).fit_transform(load("mnist")[0]).astype(np.float32)
    rng = np.random.default_rng(0)
    rows = np.arange(n_rows) % len(points)
    noise = rng.normal(size=(n_rows, points.shape[1])).astype(np.float32) * (0.2 * points.std(axis=0))
    return points[rows] + noise * (np.arange(n_rows) >= len(points))[:, None]


def newsgroups() -> Table:
    """Texts as tf-idf on 100 components, of length 1, so that methods without sparse tables can take part."""
    folder = data_folder() / "newsgroups20"
    with np.load(folder / "labels.npz") as labels:
        classes = labels["y"]
    counts = TfidfTransformer(sublinear_tf=True).fit_transform(sparse.load_npz(folder / "counts.npz"))
    return components(counts), classes


def components(rows: sparse.csr_matrix) -> np.ndarray:
    return normalize(TruncatedSVD(TEXT_COLUMNS, random_state=0).fit_transform(rows)).astype(np.float32)


def docstrings() -> Table:
    """Documentation of functions and classes, each by its words; classes are the packages."""
    texts, classes = [], []
    for number, package in enumerate(PACKAGES):
        own = sorted(set(texts_of(package)))
        texts += own
        classes += [number] * len(own)
    chosen = np.sort(np.random.default_rng(0).permutation(len(texts))[:MOST_ROWS])
    vectors = TfidfVectorizer(sublinear_tf=True, min_df=3, max_df=0.3).fit_transform([texts[row] for row in chosen])
    return components(vectors), np.array(classes)[chosen]


def texts_of(package: str) -> Iterator[str]:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return
    for path in sorted(Path(spec.origin).parent.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                text = ast.get_docstring(node) or ""
                if len(text) > 200:
                    yield text


def glyphs() -> Table:
    """Letters and signs of matplotlib's fonts as pictures of 24 x 24 points; classes are the most frequent scripts."""
    pictures, scripts = [], []
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    for path in sorted([*folder.glob("DejaVu*.ttf"), *folder.glob("STIXGeneral*.ttf")]):
        font = ImageFont.truetype(str(path), 18, layout_engine=ImageFont.Layout.BASIC)
        for code in sorted(TTFont(path).getBestCmap()):
            picture = Image.new("L", (24, 24))
            ImageDraw.Draw(picture).text((12, 12), chr(code), fill=255, font=font, anchor="mm")
            if np.any(picture):
                pictures.append(np.asarray(picture, dtype=np.uint8).ravel())
                scripts.append(unicodedata.name(chr(code), "NONE").split()[0])
    chosen = np.sort(np.random.default_rng(0).permutation(len(pictures))[:MOST_ROWS])
    frequent = [script for script, _ in Counter(scripts).most_common(12)]
    classes = [frequent.index(scripts[row]) if scripts[row] in frequent else len(frequent) for row in chosen]
    return np.stack([pictures[row] for row in chosen]).astype(np.float32), np.array(classes)


def patches() -> Table:
    """Patches of 8 x 8 points in three colours; classes are the two photographs."""
    images = load_sample_images().images
    parts = [extract_patches_2d(image, (8, 8), max_patches=MOST_ROWS // 2, random_state=0) for image in images]
    rows = np.concatenate(parts).reshape(-1, 8 * 8 * 3).astype(np.float32)
    return rows, np.repeat(np.arange(len(parts)), [len(part) for part in parts])
