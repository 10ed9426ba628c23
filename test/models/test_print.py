"""`drumlin print` on every model: as text, as JSON, folded, and with the plan. Also on the HLO that XLA wrote for the models, in this folder and
in the folder that `./dev nightly --data` names."""
import json
import os
import pathlib
import re
import subprocess

import pytest

MODELS = pathlib.Path(__file__).parent
FOLDERS = [MODELS, *map(pathlib.Path, filter(None, [os.environ.get("DRUMLIN_DATA")]))]
PROGRAMS = sorted(path for path in MODELS.glob("*/program.mlir"))
OPTIMIZED = sorted(path for folder in FOLDERS for path in folder.glob("**/optimized.hlo"))


def run(build_folder, *arguments):
    result = subprocess.run([build_folder / "bin" / "drumlin", *map(str, arguments)], capture_output=True, check=False, timeout=120)
    assert result.returncode == 0, result.stderr.decode()
    return result.stdout


def instructions_of(computations):
    for computation in computations:
        for instruction in computation["instructions"]:
            yield instruction
            yield from instructions_of(instruction.get("regions", []))


def check_all_forms(build_folder, path):
    assert run(build_folder, "print", path) == run(build_folder, "print", path)
    computations = json.loads(run(build_folder, "print", path, "--json"))["computations"]
    for computation in computations:
        names = {each["name"] for each in instructions_of([computation])}
        for each in instructions_of([computation]):
            assert {operand.split("#")[0] for operand in each["operands"]} <= names
    folded = json.loads(run(build_folder, "print", path, "--fold", "--json"))["computations"]
    assert len(folded) <= len(computations)
    assert run(build_folder, "print", path, "--graphviz").startswith(b"digraph ")
    # Selects one instruction of the entry computation, and then all instructions with the same opcode. The entry is the computation marked
    # `entry` or, without a mark, the last computation.
    entry = next((each for each in computations if each.get("entry")), computations[-1])["instructions"]
    name, opcode = entry[len(entry) // 2]["name"], entry[len(entry) // 2]["opcode"]
    for selection in (("--around", name, "--depth", "2"), ("--only", re.escape(opcode))):
        selected = json.loads(run(build_folder, "print", path, *selection, "--json"))["computations"]
        assert name in {each["name"] for each in instructions_of(selected)}
        assert run(build_folder, "print", path, *selection, "--graphviz").startswith(b"digraph ")
        assert run(build_folder, "print", path, *selection, "--fold")
    return folded


@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.parent.name)
def test_programs_and_plans(build_folder, tmp_path, path):
    check_all_forms(build_folder, path)
    run(build_folder, "compile", path, "--stop-after", "buffers", "-o", tmp_path / "plan.mlir")
    folded = check_all_forms(build_folder, tmp_path / "plan.mlir")
    assert all("expression" in each for each in instructions_of(folded) if each["opcode"] == "plan.launch")


@pytest.mark.parametrize("path", OPTIMIZED, ids=lambda path: path.parent.name)
def test_optimized_modules(build_folder, path):
    assert run(build_folder, "print", path, "--exact") == path.read_bytes()
    folded = check_all_forms(build_folder, path)
    assert all("expression" in each for each in instructions_of(folded) if each["opcode"] == "fusion")
