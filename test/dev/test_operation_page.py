"""docs/adding-an-op.md matches the tree: the files that it names exist and contain the lines that it shows."""
import functools
import pathlib
import re

import pytest

from scripts import lint, steps

PAGE = (steps.ROOT / "docs" / "adding-an-op.md").read_text()
FILE = re.compile(r"[\w/.-]+\.(?:cpp|h|c|py|td|def|txt|mlir|md)")
# Names that the page's reader chooses.
PLACEHOLDER = re.compile(r"FAMILY|^\.(?:td|cpp)$")


@functools.cache
def tracked():
    return [f"/{path}" for path in lint.tracked()]


def named(path):
    """Returns the repository's files whose paths end with a path that the page names."""
    return [each for each in tracked() if each.endswith(f"/{path}")]


def quoted_files():
    return sorted({name for name in re.findall(r"`([^`\n]+)`", PAGE) if FILE.fullmatch(name) and not PLACEHOLDER.search(name)})


def quoted_folders():
    return sorted({name.rstrip("/") for name in re.findall(r"`([\w/.-]+)`", PAGE)
                   if "/" in name and not FILE.fullmatch(name) and not name.startswith((".", "build/"))})


def examples():
    """Returns the lines of the page's code, each with the file that contains it."""
    return [tuple(part.strip() for part in line.rsplit("//", 1)) for line in PAGE.splitlines() if line.startswith("    ") and "//" in line]


@pytest.mark.parametrize("name", quoted_files())
def test_file_exists(name):
    assert named(name)


@pytest.mark.parametrize("name", quoted_folders())
def test_folder_exists(name):
    assert any(f"/{name}/" in path for path in tracked())


@pytest.mark.parametrize("line, path", examples())
def test_line_is_in_its_file(line, path):
    """`…` in a line stands for any text."""
    pattern = r"\s*".join(".*?" if part == "…" else re.escape(part) for part in re.findall(r"…|[^\s…]+", line))
    files = named(path)
    assert len(files) == 1, files
    assert re.search(pattern, (steps.ROOT / files[0].lstrip("/")).read_text(), re.S)


def naming(name):
    """Returns the files that contain a pattern, except documents and this file."""
    sources = [path for path in tracked() if FILE.fullmatch(path.lstrip("/")) and not path.endswith(".md") and not path.endswith(pathlib.Path(__file__).name)]
    assert len(sources) > 1000
    return {path for path in sources if name.search((steps.ROOT / path.lstrip("/")).read_bytes().decode(errors="replace"))}


def test_an_operation_is_named_in_the_files_of_the_page_alone():
    """Only the files that the page names have to change for an operation such as `round_nearest_afz`, which no model and no pass uses."""
    name = re.compile(r"\bround_nearest_afz\b|\bRoundOp\b")
    found = naming(name)
    assert found == {path for line, file in examples() if name.search(line) for path in named(file)}
    assert len(found) <= 6


def test_a_kind_of_kernel_is_named_in_the_files_of_its_page_alone():
    page = (steps.ROOT / "docs" / "adding-a-kernel-kind.md").read_text()
    files = {f"/{name}" for name in re.findall(r"`([\w/]+\.\w+)`", page) if (steps.ROOT / name).exists()}
    found = {path for path in naming(re.compile(r"\b(Plan_)?Window(Op|ScheduleAttr|Problem)\b|KernelKind::window\b")) if "/test/" not in path}
    assert found <= files and len(found) == 6
