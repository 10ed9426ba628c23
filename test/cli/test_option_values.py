"""Every option that takes a value refuses invalid values, in every command, instead of replacing them by valid ones."""
import json

import pytest

NUMBERS = {"number": "1", "bytes": "1MB"}


@pytest.fixture
def rows(call):
    """Returns (row, preceding words) for each option or argument that takes a value."""
    found = []
    for row in json.loads(call("list-options", "--json").stdout):
        if row["type"] != "flag":
            found.append((row, [row["command"], *([] if row["argument"] else [row["name"].split(", ")[0]])]))
    assert len(found) > 300
    return found


def refused(done, row):
    return done.returncode == 2 and done.stderr.strip() and (row["argument"] or any(name in done.stderr for name in row["name"].split(", ")))


@pytest.mark.parametrize("value", ["", " \t"], ids=["empty", "blank"])
def test_no_value(call, rows, value):
    taken = [" ".join(words) for row, words in rows if not refused(call(*words, value), row)]
    assert not taken


@pytest.mark.parametrize("value", ["3x", "1 2", "0x", "-"])
def test_no_number(call, rows, value):
    taken = [" ".join(words) for row, words in rows if row["type"] in NUMBERS and not refused(call(*words, value), row)]
    assert not taken


@pytest.mark.parametrize("value", [",", "1,", ",1", "1,,2", "1, ,2"])
def test_nothing_between_commas(call, rows, value):
    lists = [words for row, words in rows if row["name"] == "--static-args"]
    assert lists and not [" ".join(words) for words in lists if "A value between commas is empty" not in call(*words, value).stderr]


def test_repeated(call, rows):
    """Options with one value can be given only once: taking the first or the last would be a guess."""
    taken = []
    for row, words in rows:
        if not row["repeats"] and not row["argument"]:
            value = row["values"][0] if row["values"] else NUMBERS.get(row["type"], "x.npz")
            if not refused(call(*words, value, *words[1:], value), row):
                taken.append(" ".join(words))
    assert not taken
