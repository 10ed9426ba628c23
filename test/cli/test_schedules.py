"""Schedules as users see them: in the ledger, in the plan's text, and on the command line."""
import json

import pytest

DOT = """func.func @main(%x: tensor<{m}x{k}x{type}>, %w: tensor<{n}x{k}x{type}>) -> tensor<{m}x{n}x{type}> {{
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1], precision = [DEFAULT, DEFAULT] : (tensor<{m}x{k}x{type}>, tensor<{n}x{k}x{type}>) -> tensor<{m}x{n}x{type}>
  return %0 : tensor<{m}x{n}x{type}>
}}
"""
TARGET = ("--target-cpu", "avx512")


@pytest.fixture
def dot(tmp_path):
    (tmp_path / "dot.mlir").write_text(DOT.format(m=64, n=96, k=128, type="bf16"))


def entries(call, *arguments):
    return json.loads(call("why", *arguments, *TARGET, "--json").stdout)


def test_the_ledger_has_the_choice_and_what_comes_next(call, dot):
    [entry] = [entry for entry in entries(call, "dot.mlir") if entry["rule"] == "select-schedule"]
    assert entry["phase"] == "select" and entry["detail"].startswith("packed, unit = bf16_pairs, tile = [")
    assert 0 < entry["predicted_nanoseconds"] <= entry["runner_up_nanoseconds"]
    assert entry["bound_by"] and entry["runner_up"]
    text = call("why", "dot.mlir", "--rule", "select-schedule", *TARGET).stdout
    assert "; predicted " in text and " us, bound by " in text and "; next: " in text


def test_a_choice_that_adds_in_another_order_is_said(call, dot):
    assert not [e for e in entries(call, "dot.mlir") if e["rule"] == "forced-sum-order"]
    assert [e for e in entries(call, "dot.mlir", "--force-kernel", "dot=gemv") if e["rule"] == "forced-sum-order"]
    assert not [e for e in entries(call, "dot.mlir", "--force-kernel", "dot=packed") if e["rule"] == "forced-sum-order"]


def test_a_text_says_how_a_kernel_runs(call, dot, tmp_path):
    text = call("plan", "dot.mlir", "--stop-after", "select", *TARGET).stdout
    schedule = text.split("plan.schedule = ")[1].split(">")[0] + ">"
    other = "#plan.gemm<packed, unit = fma, tile = [64, 48, 64], kernel = [6, 32], rows_along_k, columns_along_k>"
    (tmp_path / "edited.mlir").write_text(text.replace(schedule, other))
    assert other in call("plan", "edited.mlir", "--start-from", "select", *TARGET).stdout
    rules = {entry["rule"]: entry for entry in entries(call, "edited.mlir", "--start-from", "select")}
    assert "forced-sum-order" in rules and rules["select-schedule"]["detail"] in other
    result = call("check", "edited.mlir", "--start-from", "select", "--target-cpu", "native")
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize("schedule,reason", [
    ("#plan.gemm<packed, unit = fma, tile = [60, 48, 64], kernel = [6, 32], rows_along_k>", "the rows of a tile"),
    ("#plan.gemm<packed, unit = int16_pairs, tile = [64, 48, 64], kernel = [6, 32], rows_along_k>", "the unit `int16_pairs`"),
    ("#plan.gemm<packed, unit = fma, tile = [64, 48, 64], kernel = [6, 32], prefetch_rows = 5000, rows_along_k>", "a prefetch distance must be from 0 to 4096"),
    ("#plan.gemm<batch_interleaved, unit = fma, tile = [64, 96, 0]>", "its batch doesn't fill the lanes")])
def test_a_schedule_of_another_problem_is_refused(call, dot, tmp_path, schedule, reason):
    text = call("plan", "dot.mlir", "--stop-after", "select", *TARGET).stdout
    own = text.split("plan.schedule = ")[1].split(">")[0] + ">"
    (tmp_path / "edited.mlir").write_text(text.replace(own, schedule))
    result = call("compile", "edited.mlir", "-o", "edited.so", "--start-from", "select", *TARGET)
    assert result.returncode == 3 and "error D2021" in result.stderr and reason in result.stderr, result.stderr
    assert not (tmp_path / "edited.so").exists()


# Products with a long contracting dimension and few rows and columns. A tile has at least as many columns as there are vector lanes.
@pytest.mark.parametrize("m,n,k", [(12, 6, 10_000), (6, 12, 10_000), (40, 1, 100_000)])
def test_few_rows_and_columns(call, tmp_path, m, n, k):
    (tmp_path / "dot.mlir").write_text(DOT.format(m=m, n=n, k=k, type="f32"))
    result = call("compile", "dot.mlir", "-o", "dot.so", *TARGET)
    assert result.returncode == 0, result.stderr


SOFTMAX = """func.func @main(%x: tensor<40x100xf32>) -> tensor<40x100xf32> {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %e = stablehlo.exponential %x : tensor<40x100xf32>
  %s = stablehlo.reduce(%e init: %z) applies stablehlo.add across dimensions = [1] : (tensor<40x100xf32>, tensor<f32>) -> tensor<40xf32>
  %b = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<40xf32>) -> tensor<40x100xf32>
  %r = stablehlo.divide %e, %b : tensor<40x100xf32>
  return %r : tensor<40x100xf32>
}
"""


@pytest.fixture
def softmax(tmp_path):
    (tmp_path / "softmax.mlir").write_text(SOFTMAX)


def with_schedule(call, tmp_path, schedule):
    text = call("plan", "softmax.mlir", "--stop-after", "select", *TARGET).stdout
    own = "#plan.loop<[rows, lanes = 64, tile = 163]>"
    assert own in text
    (tmp_path / "edited.mlir").write_text(text.replace(own, schedule))


def test_each_kernel_has_an_entry(call, softmax):
    entry, = [entry for entry in entries(call, "softmax.mlir") if entry["rule"] == "select-schedule"]
    assert "predicted_nanoseconds" not in entry
    assert entry["detail"] == "[rows, lanes = 64, tile = 163]" and entry["operation"] == "stablehlo.divide"
    assert entry["runner_up"] == "single" and entry["runner_up_taken"] == "with rows of fewer than 12 elements"
    text = call("why", "softmax.mlir", "--rule", "select-schedule", *TARGET).stdout
    assert "; next: single, which would be taken with rows of fewer than 12 elements\n" in text


@pytest.mark.parametrize("schedule,other_sums", [("#plan.loop<[single, lanes = 32, tile = 7]>", True), ("#plan.loop<[rows, lanes = 64, tile = 3]>", False)])
def test_a_text_says_how_a_loop_runs(call, softmax, tmp_path, schedule, other_sums):
    with_schedule(call, tmp_path, schedule)
    assert schedule in call("plan", "edited.mlir", "--start-from", "select", *TARGET).stdout
    rules = {entry["rule"]: entry for entry in entries(call, "edited.mlir", "--start-from", "select")}
    assert ("forced-sum-order" in rules) == other_sums and rules["select-schedule"]["detail"] in schedule
    result = call("check", "edited.mlir", "--start-from", "select", "--target-cpu", "native")
    assert result.returncode == 0, result.stdout + result.stderr


def test_memory_that_only_one_task_may_share(call, tmp_path):
    """A kernel's result overwrites the beginning of its operand, which only one task can do. A text that splits this kernel into several tasks
    is refused."""
    (tmp_path / "halves.mlir").write_text("""func.func @main(%x: tensor<64xf32>) -> tensor<4xf32> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<64xf32>
  %1 = stablehlo.optimization_barrier %0 : tensor<64xf32>
  %2 = stablehlo.slice %1 [0:64:2] : (tensor<64xf32>) -> tensor<32xf32>
  %3 = stablehlo.optimization_barrier %2 : tensor<32xf32>
  %4 = stablehlo.reverse %3, dims = [0] : tensor<32xf32>
  %5 = stablehlo.slice %4 [0:4] : (tensor<32xf32>) -> tensor<4xf32>
  return %5 : tensor<4xf32>
}
""")
    call("compile", "halves.mlir", "--stop-after", "buffers", "-o", "placed.mlir", *TARGET)
    text = (tmp_path / "placed.mlir").read_text()
    assert "#plan.buffer<arena, 0, 0, 256>" in text and "#plan.buffer<arena, 0, 0, 128>" in text
    assert call("compile", "placed.mlir", "--start-from", "buffers", "-o", "halves.so", *TARGET).returncode == 0
    (tmp_path / "edited.mlir").write_text(text.replace("tile = 16384", "tile = 16"))
    result = call("compile", "edited.mlir", "--start-from", "buffers", "-o", "edited.so", *TARGET)
    assert result.returncode == 3 and "D2009: a kernel overwrites elements that it still reads" in result.stderr
    assert not (tmp_path / "edited.so").exists()


@pytest.mark.parametrize("schedule,reason", [
    ("#plan.loop<[scan, tile = 1]>", "there is no prefix scan to follow"),
    ("#plan.loop<[rows, lanes = 20, tile = 1]>", "`lanes` must be 16 times a power of two"),
    ("#plan.loop<[rows, tile = 1], [flat, tile = 16]>", "it has 2 traversals for results of 1 shapes"),
    ("#plan.loop<[blocked, dimension = 1, tile = 1]>", "`dimension` must be before the last dimension")])
def test_a_schedule_of_another_loop_is_refused(call, softmax, tmp_path, schedule, reason):
    with_schedule(call, tmp_path, schedule)
    result = call("compile", "edited.mlir", "-o", "edited.so", "--start-from", "select", *TARGET)
    assert result.returncode == 3 and "error D2021" in result.stderr and reason in result.stderr, result.stderr
    assert not (tmp_path / "edited.so").exists()


def test_a_schedule_of_another_kind_is_none(call, softmax, tmp_path):
    with_schedule(call, tmp_path, "#plan.sort<radix, tile = 1>")
    result = call("compile", "edited.mlir", "-o", "edited.so", "--start-from", "select", *TARGET)
    assert result.returncode == 3 and "error D2009: a kernel has no schedule" in result.stderr, result.stderr
