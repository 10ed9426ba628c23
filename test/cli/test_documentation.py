"""docs/cli.md names exactly the commands and options of `--help`."""
import pathlib
import re

import pytest

PAGE = (pathlib.Path(__file__).resolve().parents[2] / "docs" / "cli.md").read_text()
OPTION = re.compile(r"--[a-z][a-z-]*")


def commands(call):
    text = call("--help").stdout
    return re.findall(r"^  ([a-z][a-z-]+) ", text.split("SUBCOMMANDS:" if "SUBCOMMANDS:" in text else "Subcommands:")[1], re.MULTILINE)


def options(call, command):
    """Returns the options of a subcommand, read from the beginnings of the lines of its help."""
    text = call(command, "--help").stdout
    found = set()
    for line in text.splitlines():
        if line.startswith("  -"):
            found |= set(OPTION.findall(line.split("  ")[1]))
    assert "--help" in found
    return found


def documented(command):
    """Returns the options that the page lists for a command: in the table for all compiling commands, and in the tables of single commands."""
    found = set()
    compiling = PAGE.split("## Options of compilation")[1].split("## ")[0]
    if f"`{command}`" in compiling.split("|")[0]:
        found |= {option for line in compiling.splitlines() if line.startswith("| `") for option in OPTION.findall(line.split("|")[1])}
    for line in PAGE.split("## Options of single commands")[1].split("## ")[0].splitlines():
        cells = line.split("|")
        if len(cells) > 3 and command in re.split(r"[ ,]+", cells[1].strip()):
            found |= set(OPTION.findall(cells[2]))
    return found


def test_every_command_is_in_the_page(call):
    names = commands(call)
    assert {"compile", "run", "bench", "plan", "why", "list-operators"} <= set(names)
    assert {match for match in re.findall(r"^\| `drumlin ([a-z-]+)", PAGE, re.MULTILINE)} == set(names)


def test_every_option_is_in_the_page_and_the_reverse(call):
    for command in commands(call):
        assert options(call, command) - {"--help"} == documented(command), command


def test_every_option_that_the_page_mentions_exists(call):
    known = set(OPTION.findall(call("--help").stdout)).union(*(options(call, command) for command in commands(call)))
    assert set(OPTION.findall(PAGE)) <= known


@pytest.mark.parametrize("arguments", [("--help",), ("--version",)])
def test_help_is_no_error(call, arguments):
    result = call(*arguments)
    assert result.returncode == 0 and result.stdout and result.stderr == ""
