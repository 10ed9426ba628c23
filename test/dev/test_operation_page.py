"""docs/adding-an-op.md is true of the tree: the files that it names exist, and its lines are in them. So are the tables of
measured functions that it asks for."""
import functools
import re

import pytest

from scripts import lint, steps

PAGE = (steps.ROOT / "docs" / "adding-an-op.md").read_text()
FILE = re.compile(r"[\w/.-]+\.(?:cpp|h|c|py|td|def|txt|mlir|md)")
# What the page's reader chooses.
PLACEHOLDER = re.compile(r"FAMILY|^\.(?:td|cpp)$")
TEST = steps.ROOT / "drumlin" / "interpreter" / "kernels" / "test" / "numerics"


@functools.cache
def tracked():
    return [f"/{path}" for path in lint.tracked()]


def named(path):
    """The files of the tree that a name of the page may mean."""
    return [each for each in tracked() if each.endswith(f"/{path}")]


def quoted_files():
    return sorted({name for name in re.findall(r"`([^`\n]+)`", PAGE) if FILE.fullmatch(name) and not PLACEHOLDER.search(name)})


def quoted_folders():
    return sorted({name.rstrip("/") for name in re.findall(r"`([\w/.-]+)`", PAGE)
                   if "/" in name and not FILE.fullmatch(name) and not name.startswith((".", "build/"))})


def examples():
    """The lines of the page's code, each with the file that has it."""
    return [tuple(part.strip() for part in line.rsplit("//", 1)) for line in PAGE.splitlines() if line.startswith("    ") and "//" in line]


@pytest.mark.parametrize("name", quoted_files())
def test_file_exists(name):
    assert named(name)


@pytest.mark.parametrize("name", quoted_folders())
def test_folder_exists(name):
    assert any(f"/{name}/" in path for path in tracked())


@pytest.mark.parametrize("line, path", examples())
def test_line_is_in_its_file(line, path):
    """`…` stands for anything."""
    pattern = r"\s*".join(".*?" if part == "…" else re.escape(part) for part in re.findall(r"…|[^\s…]+", line))
    files = named(path)
    assert len(files) == 1, files
    assert re.search(pattern, (steps.ROOT / files[0].lstrip("/")).read_text(), re.S)


def rows(page, columns):
    """Functions => cells of the tables with so many columns after the first, which names one or more."""
    found = {}
    for line in (steps.ROOT / "docs" / page).read_text().splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if re.match(r"\| `", line) and len(cells) == columns + 1 and re.match(r"[\d.,]+$|exact$", cells[1]):
            found |= {name: cells[1:] for name in re.findall(r"`([\w.]+)`", cells[0])}
    return found


@pytest.mark.parametrize("source, columns", [("ExactReal.cpp", 2), ("ExactComplex.cpp", 4)])
def test_each_measured_function_has_its_row(source, columns):
    names = (steps.ROOT / "drumlin" / "interpreter" / "kernels" / "Elementwise.h").read_text()
    mnemonics = dict(re.findall(r'X\((\w+), "(\w+)"\)', names))
    measured = {mnemonics[name] for name in re.findall(r"\{(\w+), (?:::)?\w", (TEST / source).read_text()) if name in mnemonics}
    assert len(measured) > 20 and measured == set(rows("numerics.md", columns))


def test_bounds_of_native_functions_are_those_of_the_table():
    table = (steps.ROOT / "drumlin" / "codegen" / "cpu" / "math" / "MathFunctions.def").read_text()
    bounds = {}
    for operation, width, bound in re.findall(r'^DRUMLIN_MATH_FUNCTION\(\w+, "(\w+)", F(32|64), \d, \d+, ([\d.]+)', table, re.M):
        bounds.setdefault(operation, {})[width] = float(bound)
    stated = {name.removeprefix("chlo."): {width: 0.0 if cell == "exact" else float(cell) for width, cell in zip(("32", "64"), cells)}
              for name, cells in rows("architecture.md", 2).items()}
    assert len(bounds) > 20 and stated == bounds
