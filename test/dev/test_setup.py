"""If setting up fails, `./dev` names the missing piece and its remedy."""
import pytest

from scripts import setup, steps


@pytest.mark.parametrize("output, what", [
    ("Err:1 http://archive bookworm InRelease\n  Temporary failure resolving 'archive'\nE: Unable to locate package x", "no network"),
    ("E: Unable to locate package libmlir-22-dev", "not in this machine's Debian archive"),
    ("E: Could not get lock /var/lib/dpkg/lock-frontend", "another program is installing packages"),
])
def test_apt_failures(output, what):
    failure = setup.explain_apt(output)
    assert what in failure.what and failure.remedy


@pytest.mark.parametrize("output, what", [
    ("WARNING: Retrying after connection broken by 'NewConnectionError'\nERROR: No matching distribution", "no network"),
    ("ERROR: No matching distribution found for clang-tidy==22.1.8", "no build for this Python version"),
])
def test_pip_failures(output, what):
    failure = setup.explain_pip(output)
    assert what in failure.what and failure.remedy


def test_unknown_failures_are_shown_as_they_are():
    assert setup.explain_apt("E: something new") is None
    assert setup.explain_pip("something new") is None


def test_neither_root_nor_sudo(monkeypatch):
    monkeypatch.setattr(setup.os, "geteuid", lambda: 1000)
    monkeypatch.setattr(setup.shutil, "which", lambda name: None)
    assert setup.root_command() is None


def test_missing_packages_are_named():
    assert setup.missing_packages(["a-package-that-nobody-made"]) == ["a-package-that-nobody-made"]


def test_too_little_disk():
    with pytest.raises(steps.Failure) as failure:
        steps.free_space_check("/", 1e9)
    assert "free some disk space" in failure.value.remedy


def test_program_that_is_not_there(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    with pytest.raises(steps.Failure) as failure:
        steps.run("a step", [tmp_path / "missing"], log="missing")
    assert "can't start" in failure.value.what


def test_failing_program_names_its_log(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(steps, "LOGS", tmp_path)
    monkeypatch.setattr(steps, "ROOT", tmp_path)
    with pytest.raises(steps.Failure) as failure:
        steps.run("a step", ["sh", "-c", "echo seen; exit 3"], log="failing", cwd=tmp_path)
    assert "exit status 3" in failure.value.what and "failing.log" in failure.value.what
    assert "seen" in capsys.readouterr().out


def test_done_once_for_each_key(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "STAMPS", tmp_path)
    for key, expected in (("1", True), ("1", False), ("2", True), ("2", False)):
        with steps.once("work", key) as needed:
            assert needed is expected


def test_work_that_failed_is_not_remembered(tmp_path, monkeypatch):
    monkeypatch.setattr(steps, "STAMPS", tmp_path)
    with pytest.raises(ValueError), steps.once("work", "1"):
        raise ValueError
    with steps.once("work", "1") as needed:
        assert needed
