"""A fixed set of random programs of symbolic sizes (fuzz/sizes), compared with the interpreter at several sizes."""
import json
import os
import pathlib
import subprocess
import sys

import numpy
import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "fuzz" / "sizes"))

import check
import drawing
import operations
from tape import Tape

RANGES = [(first, 10) for first in range(0, 40, 10)]


# The programs run in separate processes, since a compiler fault may crash the process.
@pytest.mark.slow
@pytest.mark.parametrize("first,count", RANGES)
def test_programs(build_folder, first, count):
    done = subprocess.run([sys.executable, ROOT / "fuzz" / "sizes" / "check.py", "--build", build_folder, "--first", str(first), "--count", str(count)],
                          capture_output=True, text=True, env={**os.environ, "JAX_PLATFORMS": "cpu"})
    said = [json.loads(line) for line in done.stdout.splitlines()]
    assert done.returncode == 0, f"seed {said[-1]}: {done.stderr[-2000:]}"
    assert not [each for each in said if "finding" in each]
    numbers = said[-1]["counts"]["numbers"]
    assert numbers["programs"] == count and numbers["runs"] > 2 * count
    # Programs that can't be compiled or exported yet are the minority.
    assert numbers.get("refused", 0) + numbers.get("not exported", 0) < count / 2


def test_every_family_is_drawn():
    drawn = set().union(*(drawing.draw(Tape(seed)).drawn for seed in range(150)))
    assert drawn == set(operations.FAMILIES)


def test_a_seed_gives_the_same_program():
    for seed in 3, 5:
        texts = {check.Program(tape, tape.draw_results()).text() for tape in (drawing.draw(Tape(seed)), drawing.draw(Tape(seed)))}
        assert len(texts) == 1


class Faulty(check.Library):
    """A faulty library that adds one to the last element of f32 results."""

    def run(self, executable, arguments, types):
        results = super().run(executable, arguments, types)
        for result in results:
            if result.size > 3 and result.dtype == numpy.float32:
                result.reshape(-1)[-1] += 1
        return results


def test_finds_and_shrinks_a_fault(build_folder):
    checker = check.Checker(build_folder)
    checker.library = Faulty(build_folder)
    for seed in range(20):
        found = checker.check(seed, lambda said: None)
        if found:
            break
    assert found and found["kind"] == "native"
    program, (text, message) = checker.shrink(seed, "native")
    inside = [i for i in program.tape.needed(program.results, program.cut) if program.tape.values[i].function and i not in program.cut]
    assert len(inside) == 1 and "func.func public @main" in text and "differ" in message
