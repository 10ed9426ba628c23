"""`./dev numerics` writes the table of measured errors into docs/numerics.md."""
import re
import subprocess

import pytest

from scripts import numerics, steps

PAGE = """before
<!-- measured by `./dev numerics` -->

| `exp_f32` | all | 1.0 | 0.8000 at 0x1p+0 | 0.7000 at 0x1p+1 | 0.9000 at 0x1p+2 |

<!-- end -->
after
"""
PRINTED = ("tanh_f64\tx86-64\t0.665387\t-0x1.8p+0\t2500000\n"
           "exp_f32\tx86-64\t0.825613\t-0x1.76c8eap+2\t4294967296\n"
           "exp_f32\tx86-64-v3\t0.826257\t0x1p-149\t4294967296\n")


@pytest.fixture(scope="module")
def rows():
    return numerics.read_rows(numerics.PAGE.read_text())


def test_rows_replace_those_of_the_same_function_and_stay_in_order():
    page = numerics.with_rows(PAGE, numerics.measured_rows(PRINTED))
    assert page.startswith("before\n") and page.endswith("after\n")
    assert numerics.read_rows(page) == {
        # This processor runs only two variants, so the third variant's measurement is kept.
        "exp_f32": ["all", "1.0", "0.8256 at -0x1.76c8eap+2", "0.8263 at 0x1p-149", "0.9000 at 0x1p+2"],
        "tanh_f64": ["2.5 million", "1.0", "0.6654 at -0x1.8p+0", "—", "—"]}
    assert list(numerics.read_rows(page)) == ["exp_f32", "tanh_f64"]
    assert numerics.with_rows(page, {}) == page


def test_functions_are_named_as_symbols_or_operations():
    assert numerics.asked(["exp_f64", "tanh"]) == ["exp_f64", "tanh_f32", "tanh_f64"]
    assert len(numerics.asked([])) > 50
    with pytest.raises(steps.Failure, match="no function of one operand is named `power`"):
        numerics.asked(["power"])


def test_measured_errors_are_within_the_bounds(rows):
    known = numerics.functions()
    assert set(rows) <= set(known)
    for name, (operands, bound, *variants) in rows.items():
        assert bound == known[name][1], name
        assert operands == "all" if name.endswith("_f32") else operands.endswith("million"), name
        for cell in variants:
            assert cell == numerics.UNMEASURED or float(cell.split(" at ")[0]) <= float(bound), name


def test_measured_errors_are_found_again(rows, build_folder):
    """Measures each function's error again at the operands that the table gives for this processor's variants. If a function was changed, `./dev
    numerics` must be run again."""
    binary = build_folder / "bin" / "MathErrors"
    if not binary.exists():
        pytest.skip("built where MPFR is installed")
    found = 0
    for name, (_, _, *variants) in rows.items():
        for operand in {cell.split(" at ")[1] for cell in variants if cell != numerics.UNMEASURED}:
            printed = subprocess.run([binary, f"--at={operand}", name], capture_output=True, text=True, check=True).stdout
            for _, variant, error, _, _ in (line.split("\t") for line in printed.splitlines()):
                cell = variants[numerics.VARIANTS.index(variant)]
                if cell.endswith(f" at {operand}"):
                    assert re.match(rf"{float(error):.4f} at ", cell), f"{name}, {variant}: {error}, not {cell}"
                    found += 1
    assert found or not rows
