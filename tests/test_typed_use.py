"""A program of a user passes mypy in strict mode, because the package says that it has types (`py.typed`)."""

import subprocess
import sys
import textwrap

import pytest

pytestmark = pytest.mark.slow

PROGRAM = """
    import numpy as np
    import pandas as pd
    from numpy.typing import NDArray

    import tete
    from tete import TETE, ListwiseTETE, MapPage, Triplets, map_quality, read_answers, trust
    from tete.datasets import make_uniform_triplets
    from tete.exceptions import InvalidTripletsError
    from tete.metrics import trustworthiness


    def embed(path: str) -> NDArray[np.float64]:
        answers: Triplets = read_answers(path)
        model = TETE(2, random_state=0).fit(answers)
        share: float = model.score(answers)
        table: pd.DataFrame = trust(model, answers).answers
        return model.embedding_[: int(share) + len(table)]


    def reduce(table: pd.DataFrame) -> float:
        model = ListwiseTETE(n_components=2, quality="fast").fit(table)
        page: MapPage = model.explore({"kind": ["a", "b"]}, height=400)
        page.save("map.html", force=True)
        model.plot(np.zeros(3)).set_title("map")
        known: float | None = map_quality(table, model.embedding_).trustworthiness
        return trustworthiness(table, model.embedding_) + (known or 0.0)


    def numbers(frame: pd.DataFrame) -> int | str:
        try:
            return Triplets.from_frame(frame).n_objects + len(make_uniform_triplets(np.zeros((3, 2)), 10))
        except InvalidTripletsError as error:
            return f"{error}, {tete.__version__}"
"""
MISTAKES = """
    from tete import TETE, ListwiseTETE

    ListwiseTETE(quality="best")
    TETE().plot(theme="blue")
"""


def mypy(path, program):
    pytest.importorskip("mypy")
    path.write_text(textwrap.dedent(program))
    command = [sys.executable, "-m", "mypy", "--strict", f"--cache-dir={path.parent / 'cache'}", str(path)]
    return subprocess.run(command, cwd=path.parent, capture_output=True, text=True, check=False)


def test_programs_with_types_pass_and_mistakes_do_not(tmp_path):
    result = mypy(tmp_path / "good.py", PROGRAM)
    assert result.returncode == 0, result.stdout + result.stderr
    result = mypy(tmp_path / "bad.py", MISTAKES)
    assert [line.split("[")[-1] for line in result.stdout.splitlines() if ": error:" in line] == [
        "arg-type]",
        "arg-type]",
    ], result.stdout
