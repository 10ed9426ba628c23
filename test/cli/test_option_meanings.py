"""Options that would be ignored are refused, as `list-options` says: tests every option of every command in every kind of work."""
import json
import re
import shutil

import numpy as np
import pytest

# (command, kind of work, arguments): the arguments make the command do this kind of work.
SITUATIONS = [
    ("compile", "code", ("add.mlir", "-o", "out.so")),
    ("compile", "phases", ("add.mlir", "-o", "out.mlir", "--stop-after", "layout")),
    ("run", "code", ("add.mlir", "--input", "zeros", "--input", "zeros")),
    ("run", "image", ("add.so", "--input", "zeros", "--input", "zeros")),
    ("run", "interpretation", ("add.mlir", "--input", "zeros", "--input", "zeros", "--interpret")),
    ("run", "phases", ("add.mlir", "--input", "zeros", "--input", "zeros", "--interpret", "--stop-after", "layout")),
    ("bench", "code", ("add.mlir", "--seconds", "0.001")),
    ("bench", "image", ("add.so", "--seconds", "0.001")),
    ("plan", "plan", ("add.mlir",)),
    ("plan", "recorded", ("add.so",)),
    ("plan", "engine", ("add.mlir", "--target", "inf2")),
    ("plan", "library", ("add.mlir", "--target", "sm_90")),
    ("cost", "plan", ("add.mlir",)),
    ("cost", "engine", ("add.mlir", "--target", "inf2")),
    ("why", "plan", ("add.mlir",)),
    ("why", "recorded", ("add.so",)),
    ("why", "engine", ("add.mlir", "--target", "inf2")),
    ("list-operators", "engine", ("^stablehlo.abs$", "--target", "inf2")),
    ("list-operators", "library", ("^stablehlo.abs$", "--target", "sm_90")),
    ("diff", "plan", ("add.mlir", "add.mlir")),
    ("diff", "recorded", ("add.so", "add.so")),
    ("diff", "engine", ("add.mlir", "add.mlir", "--target", "inf2")),
    ("check", "code", ("add.mlir",)),
    ("reduce", "code", ("add.mlir", "--while", "true", "--max-tries", "1")),
]
# A value for each option that takes a value; None if the option can't be added to the arguments in SITUATIONS.
VALUES = {
    "--target": None, "--target-cpu": "baseline", "--numerics": "strict", "--auto-cast": "matmult", "--auto-cast-type": "bf16", "--model-type": "transformer", "--distribution-strategy": "llm-training", "--cache-size": "1GB", "--num-parallel-jobs": "1", "--memory-budget": "1GB", "--compile-memory": "100GB", "--compile-time": "1000", "--compile-operations": "100000", "--weights": "none.npz", "--weights-in-place": "sampled",
    "--dump-phases": "phases", "--dump-pass": "nothing", "--dump-llvm": "llvm", "--stop-after": "layout", "--start-from": "import", "--require": "dot@*: fused(bias)",
    "--static-args": "0", "--force-kernel": "dot=packed", "--disable-pass": "cse", "--tune": "off", "--optimization-level": "1", "--time-budget": "1", "--tune-record": "record", "--tune-seconds": "1",
    "--output": "out.npz", "--custom-call": "f=./add.so:drumlin_image", "--input": None, "--expect": "expected.npz", "--rtol": "0.1", "--ulps": "4", "--threads": "1", "--simulate-threads": "2", "--replicas": "1", "--partitions": "1", "--size": "b=8", "--fill-elided": "zeros",
    "--max-memory": "1GB", "--max-steps": "1000", "--seconds": None, "--layout": "chosen", "--lock": "lock", "--limits": "limits.json", "--kernel": "x",
    "--operation": "x", "--rule": "x", "--tolerance": "0.1", "--while": None, "--max-tries": None, "--timeout": "10", "--interpret": None, "--only": "add", "--names": "xla", "--around": "x", "--depth": None, "--computation": "main", "--against": None, "--color": "never", "--profile": "trace.json",
}
FLAGS = ["--no-cache", "--check-ranges", "--check-weights", "--print-timing", "--round-each-sum", "--kernels", "--json", "--declined", "--remarks", "--long", "--exact", "--while-differs", "--while-fails", "--metadata", "--graphviz", "--html", "--fold"]


def table(call, command):
    """Returns the rows of a command's options, by long name."""
    return {row["name"].split(", ")[0]: row for row in json.loads(call("list-options", command, "--json").stdout)}


def with_value(option):
    return [option, VALUES[option]] if option in VALUES else [option]


def options_of(call, command):
    """Returns the long options in the help of a command, without `--help` itself."""
    listed = re.findall(r"^  (?:-\w,)?(--[a-z-]+)", call(command, "--help").stdout, re.M)
    return [option for option in listed if option != "--help"]


@pytest.mark.parametrize("command,work,arguments", SITUATIONS, ids=[f"{each[0]}-{each[1]}" for each in SITUATIONS])
def test_what_would_be_ignored_is_refused(call, image, tmp_path, command, work, arguments):
    rows, refused = table(call, command), 0
    for option in options_of(call, command):
        assert option in VALUES or option in FLAGS, f"{option} has no value here"
        if option in FLAGS or VALUES[option]:
            if work in (rows[option]["where"] or [work]) or (option == "--stop-after" and "--interpret" in arguments):
                continue
            result = call(command, *arguments, *with_value(option))
            assert result.returncode == 2 and f"error D3018: `{option}` has no effect" in result.stderr, (option, result.stderr)
            assert "hint: leave it out" in result.stderr and not (tmp_path / "out.so").exists() and not (tmp_path / "out.mlir").exists()
            refused += 1
    assert refused or work == "code", "nothing is refused here"


@pytest.mark.slow
@pytest.mark.parametrize("command,work,arguments", SITUATIONS, ids=[f"{each[0]}-{each[1]}" for each in SITUATIONS])
def test_what_means_something_is_taken(call, image, tmp_path, command, work, arguments):
    np.savez(tmp_path / "expected.npz", out0=np.zeros(4, np.float32))
    rows = table(call, command)
    for option in options_of(call, command):
        if (option in FLAGS or VALUES[option]) and option not in arguments and work in (rows[option]["where"] or [work]):
            needed = rows[option]["needs"]
            other = ["-O3"] if option == "--time-budget" else with_value(needed) if needed else []
            result = call(command, *arguments, *with_value(option), *other)
            assert "D3018" not in result.stderr, (option, result.stderr)
            for made in ("phases", "llvm"):
                shutil.rmtree(tmp_path / made, ignore_errors=True)


@pytest.mark.parametrize("option,value", [("--require", "dot@*: fused(bias)"), ("--force-kernel", "dot=packed"), ("--static-args", "0")])
def test_phases_that_read_an_option_must_run(call, add, option, value):
    early = call("compile", add, "-o", "out.mlir", "--stop-after", "fusion", option, value)
    assert early.returncode == 2 and "if phase `layout` doesn't run" in early.stderr
    assert call("compile", add, "-o", "laid.mlir", "--stop-after", "layout").returncode == 0
    late = call("compile", "laid.mlir", "-o", "out.so", "--start-from", "layout", option, value)
    assert late.returncode == 2 and "error D3018" in late.stderr and "leave `--start-from` out" in late.stderr


def test_options_that_belong_together(call, add):
    alone = call("run", add, "--input", "zeros", "--input", "zeros", "--rtol", "0.1")
    assert alone.returncode == 2 and "--expect" in alone.stderr
    assert "error D3018: `--rtol` has no effect without `--expect`" in alone.stderr and "add `--expect`" in alone.stderr
    both = call("plan", add, "--lock", "lock", "--json")
    assert both.returncode == 2 and "--json" in both.stderr


def test_the_environment_speaks_to_all_commands(call, add, environment):
    environment["DRUMLIN_CACHE_SIZE"] = "1GB"
    assert call("plan", add).returncode == 0
