"""`--model-type` changes decisions only if the program is such a model. The ledger records the changes, and the results stay the same."""
import json
import os
import subprocess

os.environ["JAX_PLATFORMS"] = "cpu"
import jax
import numpy as np
import pytest

import named_models

PROGRAMS = {
    "transformer": (named_models.encoder_layer, named_models.encoder_arguments, "stablehlo.add", 1),
    "unet-inference": (named_models.unet_block, named_models.unet_arguments, "stablehlo.multiply", 3),
}
OTHER = {"transformer": "unet-inference", "unet-inference": "transformer"}
TOLERANCE = 2e-5


@pytest.fixture(params=PROGRAMS)
def program(request, tmp_path):
    """Fixture: writes a program, its inputs and JAX's results into tmp_path, and returns the program's model type."""
    function, make, _, _ = PROGRAMS[request.param]
    arguments = make()
    lowered = jax.jit(function).lower(*arguments)
    (tmp_path / "program.mlir").write_text(lowered.as_text(debug_info=True))
    np.savez(tmp_path / "inputs.npz", **{f"in{i}": leaf for i, leaf in enumerate(jax.tree.leaves(arguments))})
    np.savez(tmp_path / "expected.npz", out0=np.asarray(lowered.compile()(*arguments)))
    return request.param


@pytest.fixture
def call(build_folder, tmp_path):
    def run(*arguments):
        done = subprocess.run([build_folder / "bin" / "drumlin", *arguments], cwd=tmp_path, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout
    return run


def test_decisions_change_and_are_in_the_ledger(program, call):
    _, _, operation, count = PROGRAMS[program]
    entries = json.loads(call("why", "program.mlir", "--json", "--model-type", program))
    kept = [entry for entry in entries if entry["rule"] == "gemm-absorb-producer" and entry["decision"] == "model-type"]
    assert [entry["operation"] for entry in kept] == [operation] * count
    assert all(f"--model-type {program}" in entry["remedy"] for entry in kept)
    option, = (entry for entry in entries if entry["rule"] == "model-type")
    assert option["decision"] == "taken" and f"--model-type {program}" in option["detail"]
    assert call("plan", "program.mlir") != call("plan", "program.mlir", "--model-type", program)


def test_numbers_stay_bit_for_bit(program, call, tmp_path):
    results = []
    for type in ("generic", program):
        call("run", "program.mlir", "--input", "inputs.npz", "--expect", "expected.npz", "--rtol", str(TOLERANCE), "--output", "out.npz",
             "--model-type", type)
        results.append(np.load(tmp_path / "out.npz")["out0"].view(np.uint32))
    np.testing.assert_array_equal(*results)


def test_generic_is_what_happens_without_the_option(program, call, tmp_path):
    call("compile", "program.mlir", "-o", "without.so")
    call("compile", "program.mlir", "-o", "with.so", "--model-type", "generic")
    assert (tmp_path / "without.so").read_bytes() == (tmp_path / "with.so").read_bytes()


def test_a_type_that_changes_nothing_is_an_entry(program, call):
    entries = json.loads(call("why", "program.mlir", "--rule", "model-type", "--json", "--model-type", OTHER[program]))
    assert [entry["decision"] for entry in entries] == ["nothing-of-model-type"]
    assert call("plan", "program.mlir") == call("plan", "program.mlir", "--model-type", OTHER[program])
    assert json.loads(call("why", "program.mlir", "--rule", "model-type", "--json")) == []
    off = ("--model-type", program, "--disable-pass", "gemm-absorb-producer")
    assert [entry["decision"] for entry in json.loads(call("why", "program.mlir", "--rule", "model-type", "--json", *off))] == ["nothing-of-model-type"]
