"""`run --profile`: Chrome trace events with nested spans that sum to about the run's time and agree with the plan."""
import json

import pytest

# GEMMs that take milliseconds, with an elementwise operation between them, three times.
PROGRAM = """module @steps {
  func.func public @main(%x: tensor<512x1024xf32>, %w: tensor<1024x1024xf32>) -> tensor<512x1024xf32> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<512x1024xf32>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<512x1024xf32>, tensor<1024x1024xf32>) -> tensor<512x1024xf32>
        %c = stablehlo.tanh %b : tensor<512x1024xf32>
        stablehlo.return %j, %c : tensor<i32>, tensor<512x1024xf32>
      }
    return %1#1 : tensor<512x1024xf32>
  }
}
"""


@pytest.fixture
def program(tmp_path):
    (tmp_path / "steps.mlir").write_text(PROGRAM)
    return "steps.mlir"


@pytest.fixture
def trace(call, program, tmp_path):
    def run(*options):
        result = call("run", program, "--input", "zeros", "--profile", "trace.json", *options)
        assert result.returncode == 0 and result.stdout == result.stderr == "", result.stderr
        return json.loads((tmp_path / "trace.json").read_text())
    return run


def spans(events, kind):
    return [event for event in events if event.get("cat") == kind]


def end(span):
    return span["ts"] + span["dur"]


@pytest.mark.parametrize("threads", [1, 2, 3])
def test_spans_nest_and_sum(trace, threads):
    made = trace("--threads", threads)
    events = made["traceEvents"]
    assert made["otherData"]["spans_left_out"] == 0
    (run,) = [event for event in events if event["name"] == "run"]
    launches, tiles = spans(events, "launch"), spans(events, "tiles")
    assert run["ts"] == 0 and run["tid"] == 0 and all(event["pid"] == 1 for event in events)
    # Launches are consecutive on the caller's thread, are inside of the run, and make up most of it.
    assert all(launch["tid"] == 0 for launch in launches) and launches == sorted(launches, key=lambda each: each["ts"])
    assert run["ts"] <= launches[0]["ts"] and end(launches[-1]) <= end(run)
    assert all(end(before) <= after["ts"] for before, after in zip(launches, launches[1:]))
    assert 0.7 * run["dur"] < sum(launch["dur"] for launch in launches) <= run["dur"]
    # The spans of tiles are inside of their kernel's launch and don't overlap on a thread. Each tile is computed once.
    for thread in {span["tid"] for span in tiles}:
        own = sorted((span for span in tiles if span["tid"] == thread), key=lambda each: each["ts"])
        assert all(end(before) <= after["ts"] + 1e-3 for before, after in zip(own, own[1:]))
    computed = 0
    for launch in launches:
        inside = [span for span in tiles if launch["ts"] <= span["ts"] and end(span) <= end(launch)]
        assert {span["name"] for span in inside} <= {launch["name"]}
        ranges = sorted((span["args"]["first"], span["args"]["tiles"]) for span in inside)
        assert [first for first, _ in ranges] == [sum(count for _, count in ranges[:i]) for i in range(len(ranges))]
        assert sum(count for _, count in ranges) == launch["args"]["tiles"]
        computed += len(inside)
    assert computed == len(tiles) and len({span["tid"] for span in tiles}) <= threads
    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    assert names[0] == "caller" and set(names) == {0} | {span["tid"] for span in tiles}


def test_launches_are_the_plan_s(call, program, trace):
    plan = json.loads(call("plan", program, "--json").stdout)
    events = trace()["traceEvents"]
    (run,) = [event for event in events if event["name"] == "run"]
    launches = spans(events, "launch")
    assert {kernel["name"]: kernel["calls"] for kernel in plan["kernels"]} == {
        name: len([launch for launch in launches if launch["name"] == name]) for name in {launch["name"] for launch in launches}}
    flops = plan["total"]["matrix_flops"] + plan["total"]["element_flops"]
    assert run["args"] == {"program": "steps", "flops": flops, "bytes": plan["total"]["asked_bytes_read"] + plan["total"]["asked_bytes_written"]}
    assert sum(launch["args"]["flops"] for launch in launches) == flops
    # The counters rise and fall with each launch.
    for name, amount in (("GFLOP/s", lambda args: args["flops"]), ("GB/s", lambda args: args["bytes_read"] + args["bytes_written"])):
        rates = [(event["ts"], event["args"][name]) for event in events if event["ph"] == "C" and event["name"] == name]
        assert rates[1::2] == [(pytest.approx(end(launch)), 0) for launch in launches]
        assert rates[::2] == [(launch["ts"], pytest.approx(amount(launch["args"]) / launch["dur"] / 1e3, rel=1e-3)) for launch in launches]


def test_results_are_the_same(call, program, tmp_path):
    for name, options in (("plain.npz", ()), ("traced.npz", ("--profile", "trace.json"))):
        assert call("run", program, "--input", "random:1", "--output", name, *options).returncode == 0
    assert (tmp_path / "plain.npz").read_bytes() == (tmp_path / "traced.npz").read_bytes()


def test_where_it_is_refused(call, program, tmp_path, locked):
    assert call("compile", program, "-o", "steps.so").returncode == 0
    for arguments in (("steps.so",), (program, "--interpret")):
        result = call("run", *arguments, "--input", "zeros", "--profile", "trace.json")
        assert result.returncode == 2 and "D3018" in result.stderr and not (tmp_path / "trace.json").exists()
    result = call("run", program, "--input", "zeros", "--profile", locked / "trace.json")
    assert result.returncode == 1 and "D1002" in result.stderr
    result = call("run", program, "--input", "zeros", "--profile", program)
    assert result.returncode == 2 and "D3016" in result.stderr
