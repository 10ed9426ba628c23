"""drumlin bench and limits: times, rates, the share of the machine's limits, and the time of each kernel."""
import json
import re

import pytest

# Two kernels; the second kernel runs three times.
PROGRAM = """module @steps {
  func.func public @main(%x: tensor<64x128xf32>, %w: tensor<128x128xf32>) -> tensor<64x128xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %0 = stablehlo.exponential %x : tensor<64x128xf32>
    %1:2 = stablehlo.while(%i = %zero, %a = %0) : tensor<i32>, tensor<64x128xf32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<64x128xf32>, tensor<128x128xf32>) -> tensor<64x128xf32>
        stablehlo.return %j, %b : tensor<i32>, tensor<64x128xf32>
      }
    return %1#1 : tensor<64x128xf32>
  }
}
"""
SHORT = ("--seconds", "0.02")


@pytest.fixture
def program(tmp_path):
    (tmp_path / "steps.mlir").write_text(PROGRAM)
    return "steps.mlir"


def printed(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_text(call, program):
    lines = printed(call("bench", program, *SHORT)).splitlines()
    assert len(lines) == 3
    run = re.fullmatch(r"run: median ([\d.]+) us, 10 % ([\d.]+) us, 90 % ([\d.]+) us, (\d+) runs, \d+ threads", lines[0])
    assert float(run[2]) <= float(run[1]) <= float(run[3]) and int(run[4]) >= 5
    assert re.fullmatch(r"work: \S+ FLOP, \S+ kB: [\d.]+ GFLOP/s, [\d.]+ GB/s", lines[1])
    assert re.fullmatch(r"limit: [\d.]+ us \(f32 [\d.]+ GFLOP/s, memory read [\d.]+ GB/s\), [\d.]+ % reached(: its data stay in a cache)?",
                        lines[2])


# The rates and the share of the limit follow from the plan's counts and the median time.
def test_rates_follow_from_the_plan(call, program):
    plan = json.loads(printed(call("plan", program, "--json")))
    bench = json.loads(printed(call("bench", program, "--json", "--threads", 1, *SHORT)))
    assert bench["threads"] == 1 and bench["kernels"] == []
    assert bench["cost"] == plan["total"]
    flops = plan["total"]["matrix_flops"] + plan["total"]["element_flops"]
    bytes_asked = plan["total"]["asked_bytes_read"] + plan["total"]["asked_bytes_written"]
    assert plan["total"]["matrix_flops"] == 3 * 2 * 64 * 128 * 128
    assert bench["flops_per_second"] == pytest.approx(flops / bench["median_seconds"])
    assert bench["bytes_per_second"] == pytest.approx(bytes_asked / bench["median_seconds"])
    limit = max(flops / bench["limit_flops_per_second"], bytes_asked / bench["limit_bytes_per_second"])
    assert bench["limit_seconds"] == pytest.approx(limit)
    assert bench["limit_share"] == pytest.approx(limit / bench["median_seconds"])


def test_images_know_their_cost(call, program):
    printed(call("compile", program, "-o", "steps.so"))
    from_image = json.loads(printed(call("bench", "steps.so", "--json", *SHORT)))
    from_program = json.loads(printed(call("bench", program, "--json", *SHORT)))
    assert from_image["cost"] == from_program["cost"]


def test_kernels(call, program):
    plan = json.loads(printed(call("plan", program, "--json")))
    bench = json.loads(printed(call("bench", program, "--kernels", "--json", *SHORT)))
    assert {kernel["name"]: kernel["calls"] for kernel in bench["kernels"]} == {
        kernel["name"]: kernel["calls"] for kernel in plan["kernels"]}
    assert {kernel["calls"] for kernel in bench["kernels"] if kernel["name"].startswith("gemm")} == {3}
    times = [kernel["seconds"] for kernel in bench["kernels"]]
    assert times == sorted(times, reverse=True) and times[-1] > 0
    planned = {kernel["name"]: kernel for kernel in plan["kernels"]}
    for kernel in bench["kernels"]:
        work = max(kernel["flops"] / bench["limit_flops_per_second"], kernel["bytes"] / bench["limit_bytes_per_second"])
        assert kernel["limit_share"] == pytest.approx(work * kernel["calls"] / kernel["seconds"])
        assert kernel["name"] in planned
    text = printed(call("bench", program, "--kernels", *SHORT)).splitlines()
    rows = [re.fullmatch(r" +(\w+) +[\d.]+ us +([\d.]+) % +(\d+) calls +[\d.]+ GFLOP/s +[\d.]+ GB/s +[\d.]+ % of limit", line)
            for line in text[3:]]
    assert all(rows) and {row[1] for row in rows} == {kernel["name"] for kernel in plan["kernels"]}
    assert sum(float(row[2]) for row in rows) == pytest.approx(100, abs=0.1 * len(rows))


# Each kernel's items are those of the plan, and simulated times add up; one simulated thread is as fast as one thread.
@pytest.mark.parametrize("threads", [1, 16])
def test_simulated_threads(call, program, threads):
    plan = json.loads(printed(call("plan", program, "--json")))
    bench = json.loads(printed(call("bench", program, "--simulate-threads", threads, "--json", *SHORT)))
    simulated = bench["simulated"]
    assert simulated["threads"] == threads and bench["kernels"] == []
    kernels = {kernel["name"]: kernel for kernel in simulated["kernels"]}
    assert {name: kernel["launches"] for name, kernel in kernels.items()} == {kernel["name"]: kernel["calls"] for kernel in plan["kernels"]}
    for kernel in kernels.values():
        assert kernel["items"] >= kernel["launches"] and kernel["speed_up"] == pytest.approx(kernel["seconds_on_one_thread"] / kernel["seconds"])
        if threads == 1:
            assert kernel["speed_up"] == 1 and kernel["limit"] == ""
        else:
            assert kernel["limit"] in ("", "one item", "items", "imbalance", "hand-overs", "serial part", "memory")
    times = [kernel["seconds"] for kernel in simulated["kernels"]]
    assert times == sorted(times, reverse=True)
    assert simulated["seconds"] == pytest.approx(sum(times) + simulated["seconds_between_kernels"])
    lines = printed(call("bench", program, "--simulate-threads", threads, *SHORT)).splitlines()
    assert re.fullmatch(rf"simulated: {threads} threads [\d.]+ us, one thread [\d.]+ us: speed-up [\d.]+, efficiency \d+ %; "
                        r"[\d.]+ us between kernels", lines[3])
    rows = [re.fullmatch(r" +(\w+) +[\d.]+ us, alone +[\d.]+ us +\d+ launches +[\d.]+ items each: +[\d.]+ times as fast, "
                         r"efficiency +\d+ %  [a-z -]*", line) for line in lines[4:]]
    assert all(rows) and {row[1] for row in rows} == set(kernels)


# This machine can't execute code for aarch64: the times of work items are predicted.
def test_predicted_threads(call, program):
    call_of = ("bench", program, "--target-cpu", "neoverse-v2", "--simulate-threads")
    alone, many = (json.loads(printed(call(*call_of, threads, "--json")))["simulated"] for threads in (1, 16))
    assert alone["predicted"] and many["predicted"]
    plan = json.loads(printed(call("plan", program, "--json", "--target-cpu", "neoverse-v2")))
    launches = {kernel["name"]: kernel["calls"] for kernel in plan["kernels"]}
    assert {kernel["name"]: kernel["launches"] for kernel in many["kernels"]} == launches
    assert alone["speed_up"] == pytest.approx(1) and 1 <= many["speed_up"] <= 16
    assert alone["seconds"] == pytest.approx(many["seconds_on_one_thread"])
    assert many["seconds"] == pytest.approx(sum(kernel["seconds"] for kernel in many["kernels"]))
    assert printed(call(*call_of, 16)).startswith("predicted: 16 threads")
    result = call(*call_of[:-1], *SHORT)
    assert result.returncode == 4 and "error D6004" in result.stderr


@pytest.mark.parametrize("number, fault", [("0", "less than 1"), ("-1", "less than 1"), ("4097", "more than 4096"), ("many", "")])
def test_simulated_threads_that_are_no_number(call, program, number, fault):
    result = call("bench", program, "--simulate-threads", number, *SHORT)
    assert result.returncode == 2 and "--simulate-threads" in result.stderr and fault in result.stderr, result.stderr


# Results are the same with timers; images never contain timers.
def test_kernels_of_an_image(call, program):
    printed(call("compile", program, "-o", "steps.so"))
    for option in (("--kernels",), ("--simulate-threads", 4)):
        result = call("bench", "steps.so", *option, *SHORT)
        assert result.returncode == 2
        assert "error D3008" in result.stderr and option[0] in result.stderr


def test_limits(call):
    limits = json.loads(printed(call("limits", "--json", "--threads", 1)))
    assert limits["threads"] == 1
    assert set(limits) == {"threads", "f32", "bf16", "int8", "read"}
    # Any x86-64 processor of the last fifteen years is within these limits.
    assert 1e9 < limits["f32"] < 1e12 and 1e9 < limits["read"] < 1e12
    # On some processors bf16 pair instructions run at half the f32 rate. Tile instructions are far faster, but may be hidden from programs.
    assert limits["bf16"] >= 0.4 * limits["f32"] and limits["int8"] >= 0.5 * limits["f32"]
    assert re.fullmatch(r"\d+ threads: f32 [\d.]+ GFLOP/s, bf16 [\d.]+ GFLOP/s, int8 [\d.]+ GOP/s, "
                        r"memory read [\d.]+ GB/s\n", printed(call("limits")))
