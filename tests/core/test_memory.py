"""How much memory there is, on systems that say it and on others."""

import os

import pytest

from tete.core import memory


def test_what_is_free_is_part_of_what_there_is():
    assert 0 < memory.free_memory() <= memory.whole_memory()


@pytest.mark.parametrize("content", [None, "", "MemAvailable:", "MemAvailable: many kB"])
def test_where_the_system_does_not_say_what_is_free(monkeypatch, tmp_path, content):
    if content is not None:
        (tmp_path / "info").write_text(content)
    monkeypatch.setattr(memory, "MEMORY_INFO", tmp_path / "info")
    assert memory.free_memory() == memory.whole_memory()


def test_where_it_says_nothing(monkeypatch):
    def unknown(_):
        raise ValueError("unrecognized configuration name")

    monkeypatch.setattr(os, "sysconf", unknown)
    assert memory.whole_memory() == float("inf")
