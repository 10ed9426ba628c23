"""drumlin plan and why: costs beside the program, as text and JSON; filtered decisions."""
import json
import re
import subprocess

import pytest

# A GEMM with an epilogue, and a loop kernel whose value would be recomputed for each reader.
PROGRAM = """module @layers {
  func.func public @main(%x: tensor<8x64xf32>, %w: tensor<64x32xf32>, %y: tensor<512x512xf32>) -> (tensor<8x32xf32>, tensor<64x512xf32>) {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x64xf32>, tensor<64x32xf32>) -> tensor<8x32xf32>
    %1 = stablehlo.tanh %0 : tensor<8x32xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %2 = stablehlo.exponential %y : tensor<512x512xf32>
    %3 = stablehlo.reduce(%2 init: %zero) applies stablehlo.add across dimensions = [0] : (tensor<512x512xf32>, tensor<f32>) -> tensor<512xf32>
    %4 = stablehlo.broadcast_in_dim %3, dims = [1] : (tensor<512xf32>) -> tensor<64x512xf32>
    %5 = stablehlo.tanh %4 : tensor<64x512xf32>
    return %1, %5 : tensor<8x32xf32>, tensor<64x512xf32>
  }
}
"""
PHASES = ["import", "simplify", "rewrite", "fusion", "layout", "select", "schedule", "buffers"]


@pytest.fixture
def program(tmp_path):
    (tmp_path / "layers.mlir").write_text(PROGRAM)
    return "layers.mlir"


def printed(result):
    assert result.returncode == 0, result.stderr
    return result.stdout


def plan_json(call, *arguments):
    return json.loads(printed(call("plan", *arguments, "--json")))


def test_plan_text_has_costs(call, program):
    text = printed(call("plan", program))
    assert text.startswith("// total: ")
    assert "// peak memory " in text
    launches = [line for line in text.splitlines() if "plan.launch @" in line]
    kernels = [line for line in text.splitlines() if "plan.kernel @" in line]
    assert len(launches) >= 2 and len(kernels) >= 2
    assert all(re.search(r" // \S+ FLOP.* asked for.*; layers\.mlir:\d+:\d+$", line) for line in launches)
    assert all(re.search(r" // \S+ FLOP and \S+ k?M?B a call, 1 call$", line) for line in kernels)


# The GEMM has 2·8·64·32 FLOPs, the tanh in its epilogue 8·32, the exponential and the sum 512·512 each, and the other tanh 64·512.
def test_plan_json_counts_flops(call, program):
    plan = plan_json(call, program, "--target-cpu=baseline")
    total = plan["total"]
    assert total["matrix_flops"] == 2 * 8 * 64 * 32
    assert total["element_flops"] == 8 * 32 + 2 * 512 * 512 + 64 * 512
    assert total["hardware_flops"] == sum(total[key] for key in (
        "matrix_flops", "element_flops", "upcast_flops", "pad_flops", "transpose_flops", "recompute_flops"))
    gemm = [launch for launch in plan["launches"] if launch["kind"] == "gemm"]
    assert len(gemm) == 1 and gemm[0]["cost"]["element_flops"] == 8 * 32
    assert gemm[0]["cost"]["asked_bytes_read"] == 4 * (8 * 64 + 64 * 32)
    assert gemm[0]["cost"]["asked_bytes_written"] == 4 * 8 * 32
    assert gemm[0]["source"] == "layers.mlir:3:10"
    assert gemm[0]["outputs"] == [{"memory": "result", "index": 0, "offset": 0, "bytes": 4 * 8 * 32}]
    assert {kernel["name"] for kernel in plan["kernels"]} == {launch["kernel"] for launch in plan["launches"]}
    assert all(kernel["cost"]["asked_bytes_read"] == 0 for kernel in plan["kernels"])
    for key in ("hardware_flops", "asked_bytes_read", "other_bytes_written"):
        assert total[key] == sum(launch["calls"] * launch["cost"][key] for launch in plan["launches"])


def test_plan_json_counts_memory(call, program):
    memory = plan_json(call, program)["memory"]
    assert memory["argument_bytes"] == 4 * (8 * 64 + 64 * 32 + 512 * 512)
    assert memory["result_bytes"] == 4 * (8 * 32 + 512 * 64)
    assert memory["peak_bytes"] == sum(holder["bytes"] for holder in memory["holders"])
    assert memory["temporary_bytes"] <= memory["arena_bytes"]
    assert memory["holders"][0] == {"kind": "argument", "name": memory["holders"][0]["name"], "source": "",
                                    "bytes": 4 * 512 * 512}


def test_plan_of_an_image_is_the_program_s(call, program):
    printed(call("compile", program, "-o", "layers.so"))
    texts = [printed(call("plan", name)).replace(' attributes {plan.program = "layers"}', "")
             for name in ("layers.so", program)]
    assert texts[0] == texts[1]
    from_image, from_program = plan_json(call, "layers.so"), plan_json(call, program)
    assert from_image["total"] == from_program["total"]
    assert from_image["memory"]["peak_bytes"] == from_program["memory"]["peak_bytes"]


@pytest.mark.parametrize("command", [("cost",), ("check",), ("compile", "-o", "other.so"),
                                     ("run", "--interpret", "--input=zeros")])
def test_an_image_is_no_program(call, program, tmp_path, command):
    printed(call("compile", program, "-o", "layers.so"))
    before = set(tmp_path.iterdir())
    result = call(command[0], "layers.so", *command[1:])
    assert result.returncode == 4 and "layers.so: error D4005: a program is needed" in result.stderr, result.stderr
    assert set(tmp_path.iterdir()) == before


def test_every_phase_has_its_costs(call, program, tmp_path):
    printed(call("plan", program, "--dump-phases=phases"))
    for number, phase in enumerate(PHASES):
        stem = tmp_path / "phases" / f"{number:02}-{phase}"
        assert stem.with_suffix(".mlir").exists()
        assert stem.with_suffix(".ledger.json").exists()
        costs = json.loads(stem.with_suffix(".costs.json").read_text())
        assert costs["total"]["matrix_flops"] == 2 * 8 * 64 * 32
        assert bool(costs["kernels"]) == (phase in ("schedule", "buffers"))


def test_why_ends_with_a_summary(call, program):
    lines = printed(call("why", program)).splitlines()
    found = re.fullmatch(r"(\d+) decisions: (\d+) taken, (\d+) declined(?: \((.*)\))?", lines[-1])
    assert found, lines[-1]
    counted = [line for line in lines if re.fullmatch(r"[a-z-]+: \d+ operations?", line)]
    assert int(found[1]) == len(lines) - 1 - len(counted) == int(found[2]) + int(found[3])
    assert sum(int(part.split()[1]) for part in found[4].split(", ")) == int(found[3])


def test_why_filters(call, program):
    everything = json.loads(printed(call("why", program, "--json")))
    declined = json.loads(printed(call("why", program, "--json", "--declined")))
    assert declined == [entry for entry in everything if entry["decision"] != "taken"] != []
    rule = "gemm-absorb-consumer"
    assert json.loads(printed(call("why", program, "--json", "--rule", rule))) == [
        entry for entry in everything if entry["rule"] == rule] != []
    assert json.loads(printed(call("why", program, "--json", "--operation", "tanh$"))) == [
        entry for entry in everything if entry["operation"] == "stablehlo.tanh"] != []
    assert json.loads(printed(call("why", program, "--json", "--operation", r"mlir:7:"))) == [
        entry for entry in everything if ":7:" in entry["source"]] != []
    assert printed(call("why", program, "--rule", "none")) == "0 decisions: 0 taken, 0 declined\n"


# The tanh after the GEMM is in the GEMM's kernel; the other tanh is not.
def test_why_of_one_place(call, program):
    """`why PROGRAM PLACE` prints the ledger's entries for one line of the program. PLACE is the line or the name of its result."""
    lines = printed(call("why", program)).splitlines()[:-1]
    tanh = PROGRAM.splitlines().index(next(line for line in PROGRAM.splitlines() if "%1 =" in line)) + 1
    expected = [line for line in lines if line.startswith(f"layers.mlir:{tanh}:")]
    assert expected
    for place in ("%1", str(tanh), f"layers.mlir:{tanh}"):
        assert printed(call("why", program, place)).splitlines()[:-1] == expected, place
    assert printed(call("why", program, "1")).startswith("0 decisions")


def test_why_of_no_result(call, program):
    result = call("why", program, "%55")
    assert result.returncode == 2 and "D3007" in result.stderr and "`%55`" in result.stderr, result.stderr


def test_why_by_kernel(call, program):
    gemm = json.loads(printed(call("why", program, "--json", "--kernel", "^gemm_")))
    assert {entry["source"] for entry in gemm} >= {"layers.mlir:4:10"}
    assert not any(":9:" in entry["source"] for entry in gemm)
    loops = json.loads(printed(call("why", program, "--json", "--kernel", "^loop_")))
    assert not any(":4:" in entry["source"] for entry in loops)


# Unfused, the 512·512 exponentials would be stored and reloaded; fused, nothing is recomputed.
def test_why_states_the_costs_of_fusion(call, program):
    entries = json.loads(printed(call("why", program, "--json", "--rule", "loop-fuse-producer")))
    [exponential] = [entry for entry in entries if entry["operation"] == "stablehlo.exponential"]
    assert exponential["bytes_apart"] == 2 * 4 * 512 * 512
    text = printed(call("why", program, "--operation", "exponential"))
    assert f"unfused: {2 * 4 * 512 * 512} bytes through memory, fused: " in text


@pytest.mark.parametrize("option", ["--kernel", "--operation"])
def test_filter_invalid(call, program, option):
    result = call("why", program, option, "(")
    assert result.returncode == 2
    assert result.stderr.startswith(f"{option}: error D3007: `(` is no regular expression")


# The ledger that is written beside a phase's text keeps the costs that were compared.
def test_costs_of_fusion_outlive_a_phase(call, program):
    printed(call("compile", program, "--stop-after=fusion", "-o", "fused.mlir"))
    rule = ("--json", "--rule", "loop-fuse-producer")
    later = json.loads(printed(call("why", "fused.mlir", "--start-from=fusion", *rule)))
    assert later == json.loads(printed(call("why", program, *rule)))
    assert all("bytes_apart" in entry and "operations_joined" in entry for entry in later if entry["decision"] == "taken")


# Eighty calls of a layer are eighty decisions, printed as one line.
def test_calls_are_decisions_of_their_own(call, tmp_path):
    layers = 80
    body = "".join(f"  %{i + 1} = func.call @layer(%{i}) : (tensor<8x8xf32>) -> tensor<8x8xf32>\n" for i in range(layers))
    (tmp_path / "deep.mlir").write_text(f"""func.func @main(%0: tensor<8x8xf32>) -> tensor<8x8xf32> {{
{body}  return %{layers} : tensor<8x8xf32>
}}
func.func private @layer(%x: tensor<8x8xf32>) -> tensor<8x8xf32> {{
  %d = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : (tensor<8x8xf32>, tensor<8x8xf32>) -> tensor<8x8xf32>
  %t = stablehlo.tanh %d : tensor<8x8xf32>
  return %t : tensor<8x8xf32>
}}
""")
    entries = [each for each in json.loads(call("why", "deep.mlir", "--json").stdout)
               if each["rule"] == "gemm-absorb-consumer" and each["operation"] == "stablehlo.tanh"]
    assert len(entries) == layers
    assert len({tuple(each["calls"]) for each in entries}) == layers
    lines = [line for line in printed(call("why", "deep.mlir")).splitlines() if "tanh: gemm-absorb-consumer: taken" in line]
    assert len(lines) == 1 and lines[0].endswith(f"({layers} calls)"), lines


# `why` prints how many operations each pass of small rewrites changed; with --rule, it lists these operations.
def test_counts_of_passes(call, tmp_path):
    (tmp_path / "twice.mlir").write_text("""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = stablehlo.negate %x : tensor<4xf32>
  %1 = stablehlo.negate %0 : tensor<4xf32>
  %2 = stablehlo.tanh %1 : tensor<4xf32>
  return %2 : tensor<4xf32>
}
""")
    lines = printed(call("why", "twice.mlir")).splitlines()
    assert any(line.startswith("simplify-elementwise: ") for line in lines), lines
    assert "twice.mlir:3:8: stablehlo.negate: simplify-elementwise: taken" in printed(
        call("why", "twice.mlir", "--rule", "simplify-elementwise"))


@pytest.mark.parametrize("rule", ["reshape-bitcast", "hero-kernel", "gemm-bf16-dot"])
def test_reports_cannot_be_turned_off(call, program, rule):
    result = call("plan", program, "--disable-pass", rule)
    assert result.returncode == 2 and f"rule `{rule}` reports something that is always done" in result.stderr


# Plans for tensor engines have decisions, locks, diffs and requirements like CPU plans.
def test_tensor_engines(call, tmp_path):
    (tmp_path / "layer.mlir").write_text("""func.func @main(%x: tensor<8x64xbf16>, %w: tensor<32x64xbf16>) -> tensor<8x32xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<8x64xbf16>, tensor<32x64xbf16>) -> tensor<8x32xbf16>
  return %0 : tensor<8x32xbf16>
}
""")
    engine = ("--target", "trn1")
    assert "transpose-rhs: transposed-at-each-call" in printed(call("why", "layer.mlir", *engine))
    assert "transpose-rhs: taken" in printed(call("why", "layer.mlir", *engine, "--static-args", 1))
    printed(call("plan", "layer.mlir", *engine, "--static-args", 1, "--lock", "static.lock"))
    assert "part rhs_fits" in (tmp_path / "static.lock").read_text()
    assert call("diff", "static.lock", "layer.mlir", *engine, "--static-args", 1).stdout == "the plans are the same\n"
    worse = call("diff", "static.lock", "layer.mlir", *engine)
    assert worse.returncode == 5 and "no longer has rhs_fits" in worse.stdout
    for require, options, status in (("dot: no_transpose(rhs)", (), 5), ("dot: no_transpose(rhs)", ("--static-args", 1), 0),
                                     ("program: no_transpose", (), 5), ("dot: dtype(lhs=bf16, out=bf16)", (), 0),
                                     ("dot: dtype(lhs=f32)", (), 5), ("dot: fused(bias)", (), 2), ("tanh: no_transpose", (), 5)):
        assert call("cost", "layer.mlir", *engine, "--require", require, *options).returncode == status, require
    text = (tmp_path / "layer.mlir").read_text()
    (tmp_path / "layer.mlir").write_text(f'module attributes {{drumlin.require = "dot: no_transpose(rhs)"}} {{\n{text}}}\n')
    assert call("cost", "layer.mlir", *engine).returncode == 5


def test_turned_arguments_are_compared(call, tmp_path):
    (tmp_path / "turn.mlir").write_text("""func.func @main(%x: tensor<4x8xf32>) -> tensor<8x4xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x8xf32>) -> tensor<8x4xf32>
  return %0 : tensor<8x4xf32>
}
""")
    printed(call("plan", "turn.mlir", "--target", "trn1", "--lock", "turn.lock"))
    assert "kernel transpose" in (tmp_path / "turn.lock").read_text()
    assert call("diff", "turn.lock", "turn.mlir", "--target", "trn1").stdout == "the plans are the same\n"


def test_remarks_are_the_decisions(call, program, tmp_path):
    """The remarks are readable by LLVM's own tool."""
    decisions = json.loads(printed(call("why", program, "--json")))
    text = printed(call("why", program, "--remarks"))
    (tmp_path / "layers.opt.yaml").write_text(text)
    counted = subprocess.run(["llvm-remarkutil-22", "instruction-count", "--parser=yaml", "layers.opt.yaml"], cwd=tmp_path, capture_output=True, text=True)
    assert counted.returncode == 0, counted.stderr
    remarks = re.findall(r"--- !(\w+)\nPass: +(\S+)\nName: +(\S+)\n(?:DebugLoc: +\{ File: '?([^',]+)'?, Line: (\d+), Column: (\d+) \}\n)?Function: +main\n"
                         r"Args:\n +- Operation: +(\S+)\n +- String: +(.*(?:\n     .*)*)\n\.\.\.", text)
    assert len(remarks) == len(decisions) > 10 and {kind for kind, *_ in remarks} == {"Passed", "Missed", "Analysis"}
    for (kind, phase, rule, file, line, column, operation, _), decision in zip(remarks, decisions):
        assert (phase, rule, operation) == (decision["phase"], decision["rule"], decision["operation"])
        assert kind == "Analysis" or (kind == "Passed") == (decision["decision"] == "taken")
        assert not line or decision["source"] == f"{file}:{line}:{column}"
    assert any(line for _, _, _, _, line, *_ in remarks)


def test_remarks_are_no_json(call, program):
    assert call("why", program, "--remarks", "--json").returncode == 2
