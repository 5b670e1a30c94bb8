import numpy as np
import pytest

from tete.core.progress import progress

PLACES = np.zeros((3, 2))


def test_nothing_is_shown_unless_asked(capsys):
    def callback(*_):
        return True

    with progress("Fit", total=3, shown=False, callback=callback) as (announce, given):
        announce("search")
        assert given is callback
    with progress("Fit", total=3, shown=False, callback=None) as (_, given):
        assert given is None
    assert capsys.readouterr() == ("", "")


def test_stages_and_losses_are_shown_on_stderr(capsys):
    with progress("Fit", total=2, shown=True, callback=None) as (announce, advance):
        announce("neighbours")
        assert [advance(iteration, 0.125, PLACES) for iteration in (1, 2)] == [False, False]
    shown = capsys.readouterr()
    assert shown.out == ""
    for part in ("Fit: neighbours", "2/2", "loss=0.12500"):
        assert part in shown.err


def test_a_stage_may_say_how_many_iterations_it_has(capsys):
    with progress("Fit", total=2, shown=True, callback=None) as (announce, advance):
        announce("map", total=4)
        for iteration in (1, 2, 3):
            advance(iteration, 0.5, PLACES)
    assert "3/4" in capsys.readouterr().err


def test_the_users_callback_is_asked_as_well(capsys):
    seen = []
    with progress("Fit", total=5, shown=True, callback=lambda *state: seen.append(state) or state[0] == 2) as (
        _,
        advance,
    ):
        assert [advance(iteration, 1.0 / iteration, PLACES) for iteration in (1, 2)] == [False, True]
    assert [(iteration, value) for iteration, value, _ in seen] == [(1, 1.0), (2, 0.5)]
    assert seen[0][2] is PLACES


def test_an_error_ends_the_bar(capsys):
    with pytest.raises(KeyError), progress("Fit", total=5, shown=True, callback=None):
        raise KeyError
    assert capsys.readouterr().err.endswith("\n")
