"""Writes the programs of programs.py as StableHLO text with inputs and jaxlib's results: python make.py FOLDER [NAME ...]

For each program these are FOLDER/NAME/program.mlir, optimized.hlo (the text of XLA's CPU backend after optimization), inputs.npz (in0, in1,
...), expected.npz (out0, out1, ...) and types.json. Types that numpy lacks are stored as raw bits (uint8, uint16) and named in types.json.
Also updates FOLDER/kernels.json: the number of kernels that XLA's CPU backend runs for the same program (see count_kernels). Needs
scripts/packages/test.txt.
"""
import json
import os
import pathlib
import re
import sys

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np

import programs

COMPUTATION = re.compile(r"^(ENTRY )?%?([\w.\-]+) \(.*\{$")
RUN_ELSEWHERE = re.compile(r"(?:body|condition|to_apply|branch_computations|true_computation|false_computation)="
                           r"\{?((?:%[\w.\-]+(?:, )?)+)")


def count_kernels(hlo):
    """Counts the instructions of an optimized HLO module that launch a kernel: {"fusions": ..., "calls": ...}.

    Counts the lines with ` fusion(` and with ` call(` in the entry computation and in all computations that its whiles, calls and
    conditionals reach. Each computation counts once, however often it runs. Instructions inside a fusion aren't counted. Neither are
    unfused instructions (dot, convolution, sort, custom-call, copy), so the sum is at most the number of kernels that XLA launches.
    """
    bodies, entry, current = {}, None, None
    for line in hlo.splitlines():
        match = COMPUTATION.match(line)
        if match:
            current = match[2]
            bodies[current] = []
            entry = current if match[1] else entry
        elif line == "}":
            current = None
        elif current:
            bodies[current].append(line)
    reached, waiting = set(), [entry]
    counts = {"fusions": 0, "calls": 0}
    while waiting:
        name = waiting.pop()
        if name in reached:
            continue
        reached.add(name)
        for line in bodies[name]:
            counts["fusions"] += " fusion(" in line
            counts["calls"] += " call(" in line
            if any(word in line for word in (" while(", " call(", " conditional(")):
                for names in RUN_ELSEWHERE.findall(line):
                    waiting += [found.lstrip("%") for found in names.split(", ") if found]
    return counts


def storable(array):
    """Returns an array that numpy can save: types that numpy lacks become unsigned integers of the same width."""
    known = array.dtype.kind in "biufc" and not str(array.dtype).startswith(("bfloat", "float8"))
    return array if known else array.view({1: np.uint8, 2: np.uint16}[array.dtype.itemsize])


def write_arrays(path, prefix, tree, types):
    arrays = {f"{prefix}{index}": np.asarray(leaf) for index, leaf in enumerate(jax.tree.leaves(tree))}
    types |= {name: str(array.dtype) for name, array in arrays.items()}
    np.savez(path, **{name: storable(array) for name, array in arrays.items()})


def write_program(folder, name):
    function, arguments = programs.PROGRAMS[name](programs.Draw(name))
    lowered = jax.jit(function, keep_unused=True).lower(*arguments)
    compiled = lowered.compile()
    results = jax.block_until_ready(compiled(*arguments))
    target = folder / name
    target.mkdir(parents=True, exist_ok=True)
    (target / "program.mlir").write_text(lowered.as_text())
    types = {}
    write_arrays(target / "inputs.npz", "in", arguments, types)
    write_arrays(target / "expected.npz", "out", results, types)
    (target / "types.json").write_text(json.dumps(types) + "\n")
    hlo = compiled.as_text()
    # Removes the folder from the functions' source paths.
    (target / "optimized.hlo").write_text(hlo.replace(f"{pathlib.Path(__file__).resolve().parent}/", "").rstrip("\n") + "\n")
    return count_kernels(hlo)


def write_kernels(path, counts):
    """Writes one line per program, so that a changed program changes one line."""
    lines = ",\n".join(f'  "{name}": {json.dumps(counts[name])}' for name in sorted(counts))
    path.write_text("{\n" + lines + "\n}\n")


def main():
    if len(sys.argv) < 2:
        raise SystemExit(__doc__)
    folder, names = pathlib.Path(sys.argv[1]), sys.argv[2:] or sorted(programs.PROGRAMS)
    for name in names:
        if name not in programs.PROGRAMS:
            raise SystemExit(f"no program `{name}`; there are: {', '.join(sorted(programs.PROGRAMS))}")
    folder.mkdir(parents=True, exist_ok=True)
    kernels = folder / "kernels.json"
    counts = json.loads(kernels.read_text()) if kernels.exists() else {}
    for name in names:
        counts[name] = write_program(folder, name)
        print(name, counts[name], flush=True)
    write_kernels(kernels, counts)


if __name__ == "__main__":
    main()
