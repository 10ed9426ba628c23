"""docs/numerics.md has a row for each CHLO operation, with the bounds that tests measure."""
import re
import subprocess

import pytest

from scripts import steps

MATH = steps.ROOT / "drumlin" / "codegen" / "cpu" / "math" / "MathFunctions.def"
LINE = re.compile(r'DRUMLIN_MATH_FUNCTION\(\w+_f(32|64), "(\w+)", \w+, \d, \d+, ([\d.]+)')


def rows():
    """Returns operation => (the interpreter's error bound, the bound of native code)."""
    section = (steps.ROOT / "docs" / "numerics.md").read_text().split("## CHLO")[1]
    found = {}
    for line in section.splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| `"):
            for name in re.findall(r"`(\w+)`", cells[0]):
                assert name not in found
                found[name] = (cells[2], cells[3])
    return found


def native_bounds():
    found = {}
    for width, operation, bound in LINE.findall(MATH.read_text()):
        found.setdefault(operation, {})[width] = bound
    return {operation: f"{bounds['32']}, {bounds['64']}" for operation, bounds in found.items()}


@pytest.fixture(scope="module")
def chlo_operators(operators):
    return [each for each in operators if each["operation"].startswith("chlo.")]


def test_each_operation_has_a_row(chlo_operators):
    assert set(rows()) == {each["operation"].removeprefix("chlo.") for each in chlo_operators}


def test_rows_say_whether_there_is_code(chlo_operators):
    for name, (interpreter, native) in rows().items():
        own = [each for each in chlo_operators if each["operation"] == f"chlo.{name}"]
        assert any(each["interpreted"] for each in own) == (interpreter != "—"), name
        assert any(each["native"] for each in own) == (native != "—"), name


def test_bounds_of_native_functions_are_those_that_are_measured():
    bounds = native_bounds()
    for name, (_, native) in rows().items():
        function = name.removeprefix("broadcast_")
        if function in bounds and function != "remainder":
            assert native == bounds[function], name
        elif re.match(r"\d", native):
            assert native == "0.5, 0.5" and function in ("square", "add", "subtract", "multiply", "divide"), name


def test_bounds_of_the_interpreter_are_those_that_are_measured(build_folder):
    """InterpreterNumericsTests measures these bounds for a share of the operands."""
    tests = build_folder / "bin" / "InterpreterNumericsTests"
    if not tests.exists():
        pytest.skip("built where MPFR and MPC are installed")
    stated = {name: tuple(float(bound) for bound in interpreter.split(", ")) for name, (interpreter, _) in rows().items()
              if re.match(r"\d", interpreter)}
    functions = {name.removeprefix("broadcast_") for name in stated}
    printed = subprocess.run([tests, "--gtest_filter=" + ":".join(f"All/*Numerics.StaysWithinItsBounds/{name}" for name in sorted(functions))],
                             capture_output=True, text=True, check=True).stdout
    measured = {name: (float(f32), float(f64)) for name, f32, f64 in re.findall(r"^(\w+) +([\d.]+) \| ([\d.]+)$", printed, re.M)}
    assert len(stated) > 20 and set(measured) == functions
    for name, bounds in stated.items():
        seen = measured[name.removeprefix("broadcast_")]
        assert seen[0] <= bounds[0] and seen[1] <= bounds[1], name
