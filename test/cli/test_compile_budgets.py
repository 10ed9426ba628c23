"""--compile-time, --compile-memory, --compile-operations: if a limit is exceeded, compilation ends with status 6 and writes nothing."""
import re

import pytest

COMMANDS = {"compile": ("-o", "out.so"), "plan": (), "cost": (), "why": (), "run": ("--input", "zeros"), "bench": (), "check": (), "diff": ("add.mlir",)}


@pytest.fixture
def sums(tmp_path):
    """Writes a function of ten sums that is called ten times."""
    calls = "\n".join(f"  %{i + 1} = func.call @ten(%{i}) : (tensor<4xf32>) -> tensor<4xf32>" for i in range(10))
    ten = "\n".join(f"  %{i + 1} = stablehlo.add %{i}, %{i} : tensor<4xf32>" for i in range(10))
    (tmp_path / "sums.mlir").write_text(f"func.func @main(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{calls}\n  return %10 : tensor<4xf32>\n}}\n"
                                        f"func.func private @ten(%0: tensor<4xf32>) -> tensor<4xf32> {{\n{ten}\n  return %10 : tensor<4xf32>\n}}\n")
    return "sums.mlir"


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("option, value, code", [("--compile-time", "0.0000001", "D1012: compilation has taken"),
                                                 ("--compile-memory", "1", "D1011: compilation holds"),
                                                 ("--compile-operations", "1", "D1013: the program has 4 operations, more than 1")])
def test_each_command_ends(call, tmp_path, add, command, option, value, code):
    done = call(command, add, *COMMANDS[command], option, value)
    assert done.returncode == 6 and re.search(rf"^add\.mlir:\d+:\d+: error {code}", done.stderr, re.MULTILINE), done.stderr
    assert f"hint: raise it with `{option}`" in done.stderr
    assert not list(tmp_path.glob("out.so*")) and not list(tmp_path.glob("*.tmp"))


def test_calls_count_as_often_as_they_are_inlined(call, sums):
    refused = call("plan", sums, "--compile-operations", "100")
    assert refused.returncode == 6 and "error D1013: `@main` has more than 100 operations once its calls are inlined" in refused.stderr
    assert call("plan", sums, "--compile-operations", "130").returncode == 0


def test_what_is_within_the_budgets_compiles(call, sums):
    done = call("compile", sums, "-o", "out.so", "--compile-time", "100", "--compile-memory", "1GB", "--compile-operations", "1000")
    assert done.returncode == 0, done.stderr


def test_the_place_is_the_program(call, sums):
    refused = call("compile", sums, "-o", "out.so", "--compile-time", "0.0000001")
    assert "sums.mlir:1:1: error D1012" in refused.stderr


def test_the_default_of_memory_is_less_than_the_process_may_take(call, add):
    # The limit is too small for any compilation, but large enough for the process to start.
    done = call("compile", add, "-o", "out.so", preexec_fn=lambda: __import__("resource").setrlimit(
        __import__("resource").RLIMIT_DATA, (48 << 20, 48 << 20)))
    assert done.returncode in (0, 6), done.stderr
    assert done.returncode == 0 or "D1011" in done.stderr or "D1005" in done.stderr
