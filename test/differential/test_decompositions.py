"""Operations that the compiler decomposes: compares compiled programs with the interpreter, which computes them directly."""
import numpy as np
import pytest

import decomposed
from test_differential import close, report, results_of, run

pytestmark = pytest.mark.long

FAST = [("normalizations", "f32"), ("einsums", "bf16"), ("maps", "i32"), ("scans", "f32"), ("bits", "ui8"), ("draws", "f16"), ("products", "f32")]


@np.errstate(all="ignore")
def differences(cases, ours, theirs):
    found = []
    for case, operands, each, a, b in results_of(cases, ours, theirs):
        bad = ~(close(case, operands, a, b, each.type) | (a == b))
        if bad.any():
            first = tuple(int(i) for i in np.argwhere(bad)[0])
            found.append(f"{case.label()}: {int(bad.sum())} of {bad.size} differ, first at {first}: {a[first]}, the interpreter's {b[first]}\n{case.body}")
    return found


@pytest.mark.parametrize("family, type", [pytest.param(*group, id="-".join(group), marks=() if group in FAST else pytest.mark.slow)
                                          for group in decomposed.groups()])
def test_as_interpreted(build_folder, tmp_path, family, type):
    cases = list(decomposed.FAMILIES[family](type))
    # -O2 takes twice as long, and other tests cover the resulting operations at -O2 on every type.
    level = "-O2" if (family, type) in FAST else "-O1"
    report(differences(cases, run(build_folder, tmp_path, cases, "--no-cache", level), run(build_folder, tmp_path, cases, "--interpret")))
