"""What pages of docs/ show of a shell is what the commands print, where the page says that it is tested. An indented block that begins with `$ ` is commands and their output,
`…` any lines; a block after a line that begins with `NAME.hlo` or `NAME.mlir` in backquotes is that file."""
import os
import pathlib
import re
import subprocess

import pytest

DOCS = pathlib.Path(__file__).resolve().parents[2] / "docs"
FILE = re.compile(r"^`([\w-]+\.(?:hlo|mlir))`")


def blocks(text):
    """(the paragraph before, the lines) of each indented block."""
    before, lines = "", []
    for line in [*text.splitlines(), "end"]:
        if line.startswith("    ") or (not line and lines):
            lines.append(line[4:])
            continue
        if lines:
            yield before, "\n".join(lines).rstrip("\n").split("\n")
            before, lines = "", []
        if line:
            before = line if not before.strip() else f"{before}\n{line}"
        else:
            before = "" if not before.endswith(":") else before


def commands(lines):
    """(command, the lines that it prints)."""
    found = []
    for line in lines:
        if line.startswith("$ "):
            found.append((line[2:], []))
        elif found:
            found[-1][1].append(line)
    return found


PAGES = sorted(path.name for path in DOCS.glob("*.md") if "The commands of this page are run by a test" in path.read_text())


def test_there_are_such_pages():
    assert "coming-from-xla.md" in PAGES


@pytest.mark.parametrize("page", PAGES)
def test_page(build_folder, tmp_path, page):
    environment = {**os.environ, "PATH": f"{build_folder / 'bin'}:{os.environ['PATH']}", "DRUMLIN_CACHE": str(tmp_path / "cache")}
    ran = 0
    for before, lines in blocks((DOCS / page).read_text()):
        if named := FILE.match(before):
            (tmp_path / named[1]).write_text("\n".join(lines) + "\n")
        for command, printed in commands(lines):
            done = subprocess.run(["bash", "-c", command], cwd=tmp_path, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                                  text=True, timeout=120)
            pattern = "\n".join("(?:.*\n?)*?" if line == "…" else re.escape(line) for line in "\n".join(printed).rstrip("\n").split("\n"))
            pattern = pattern.replace("(?:.*\n?)*?\n", "(?:.*\n)*?").replace("\n(?:.*\n?)*?", "(?:\n.*)*?")
            assert re.fullmatch(pattern, done.stdout.rstrip("\n")), f"{command}\n{done.stdout}"
            ran += 1
    assert ran
