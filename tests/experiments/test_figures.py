"""Every experiment on small stand-ins for its data: a tidy table, a picture, claims that can go either way.

Each is an `experiments.experiment`: `experiments.figure1`, `experiments.figure2`, `experiments.figure3` with
`experiments.claims_figure3`, `experiments.figure4`, `experiments.figure5`, `experiments.figure6` with
`experiments.claims_figure6`, `experiments.alien_eggs`, `experiments.other_noise`, `experiments.starts`. They share
`experiments.inputs`, `experiments.methods` and `experiments.style`.
"""

import numpy as np
import pandas as pd
import pytest

from experiment_data import forget, small, stand_in
from tete.exceptions import InvalidParameterError
from tete.experiments import EXPERIMENT_NAMES, load_experiment
from tete.experiments.experiment import HOLDS, PARTLY, UNKNOWN, WRONG, Check, Claim
from tete.experiments.methods import make_method, paper_temperature
from tete.experiments.runner import run_experiment, workers


@pytest.fixture(autouse=True)
def small_data(monkeypatch):
    stand_in(monkeypatch)
    yield
    forget()


@pytest.mark.slow
@pytest.mark.parametrize("name", EXPERIMENT_NAMES)
def test_an_experiment_gives_a_table_a_picture_and_claims(name):
    experiment = small(name)
    with workers(1) as team:
        run = run_experiment(experiment, team, quick=True)
    wanted = experiment.settings(True)
    assert len(run.table) >= len(wanted) > 0
    assert set(wanted[0]) <= set(run.table.columns)
    assert not run.missing
    summary = experiment.summary(run.table)
    assert 0 < len(summary) <= len(run.table)
    figure = experiment.draw(run.table, run.maps)
    figure.draw_without_rendering()
    claims = experiment.claims(run.table)
    assert claims
    assert all(claim.verdict in {HOLDS, PARTLY, WRONG} for claim in claims)


@pytest.mark.parametrize("name", EXPERIMENT_NAMES)
def test_full_settings_are_distinct_and_name_known_data(name):
    from tete.experiments.inputs import SOURCES

    experiment = load_experiment(name)
    for quick in (False, True):
        settings = experiment.settings(quick)
        assert len({tuple(sorted(setting.items())) for setting in settings}) == len(settings)
        assert {setting["data"] for setting in settings if "data" in setting} <= set(SOURCES)


def test_a_verdict_needs_all_checks():
    good, bad = Check("a", True), Check("b", False)
    assert Claim("", "", [good, good]).verdict == HOLDS
    assert Claim("", "", [good, bad]).verdict == PARTLY
    assert Claim("", "", [bad]).verdict == WRONG
    assert Claim("", "", []).verdict == UNKNOWN


def test_the_claims_of_figure_3_turn_with_the_numbers():
    experiment = load_experiment("figure3")
    table = pd.DataFrame(experiment.settings(False))
    robust = table["method"] == "t-ETE"
    unaffected = 3
    perfect = table.assign(
        triplet_accuracy=np.where(robust, 0.95, 0.9 - table["noise"].fillna(0.0)),
        neighbor_accuracy=np.where(robust, 0.6, 0.5 - table["noise"].fillna(0.0)),
    )
    assert [claim.verdict for claim in experiment.claims(perfect)][:4] == [HOLDS] * 4
    worse = perfect.assign(triplet_accuracy=np.where(robust, 0.8 - table["noise"].fillna(0.0), 0.9))
    assert experiment.claims(worse)[0].verdict == WRONG
    assert experiment.claims(worse)[unaffected].verdict == PARTLY  # its neighbours are as they were


def test_paper_settings():
    assert [round(paper_temperature(d), 3) for d in (1, 2, 3, 10)] == [2.0, 2.0, 1.817, 1.56]
    paper = make_method("t-ETE", 3, t=1.7, start="paper", random_state=4)
    assert (paper.t, paper.t_prime, paper.ridge, paper.init) == (1.7, 1.7, 0.0, "random")
    assert (paper.optimizer, paper.n_components, paper.random_state) == ("gradient_descent", 3, 4)
    assert make_method("t-ETE (default)").t_prime == "auto"


def test_an_unknown_experiment_is_refused():
    with pytest.raises(InvalidParameterError, match="must be one of figure1, figure2, "):
        load_experiment("figure7")
