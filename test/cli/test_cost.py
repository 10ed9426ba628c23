"""drumlin cost and plans for tensor engines: the most expensive operations come first, and each transpose has a cost and a reason."""
import itertools
import json
import pathlib

import numpy as np
import pytest

ENGINES = ["inf2", "trn1", "trn1n", "trn2"]


def dot(tokens, hidden, output, spelling="canonical", element="bf16", batch=None):
    """Returns a dense layer whose right operand is [hidden, output] or, as in checkpoints, [output, hidden]."""
    front = "" if batch is None else f"{batch}x"
    right = f"{hidden}x{output}" if spelling == "canonical" else f"{output}x{hidden}"
    lhs, rhs, result = (f"tensor<{front}{shape}x{element}>" for shape in
                        (f"{tokens}x{hidden}", right, f"{tokens}x{output}"))
    shift = 0 if batch is None else 1
    batching = "" if batch is None else "batching_dims = [0] x [0], "
    contracted = shift + (0 if spelling == "canonical" else 1)
    return f"""module @layer {{
  func.func public @main(%x: {lhs}, %w: {rhs}) -> {result} {{
    %0 = stablehlo.dot_general %x, %w, {batching}contracting_dims = [{shift + 1}] x [{contracted}] : ({lhs}, {rhs}) -> {result}
    return %0 : {result}
  }}
}}
"""


@pytest.fixture
def cost(call, tmp_path):
    """Fixture cost(program text, *options): returns the JSON report for an engine, by default `trn1`."""
    def run(text, *options):
        (tmp_path / "layer.mlir").write_text(text)
        if not any(str(option).startswith("--target") for option in options):
            options += ("--target=trn1",)
        result = call("cost", "layer.mlir", "--json", *options)
        assert result.returncode == 0, result.stderr
        return json.loads(result.stdout)
    return run


def tiles(extent, size):
    return [min(size, extent - start) for start in range(0, extent, size)]


def enumerate_tiles(tokens, hidden, output, turned, batch=1):
    """Returns the (matmul, transposes) FLOPs, counted instruction by instruction. `turned` lists the sizes of the operands to transpose."""
    product = min(
        sum(2 * 128 * 128 * elements for _ in tiles(hidden, 128) for _ in tiles(held, 128) for elements in tiles(moving, 512))
        for held, moving in ((output, tokens), (tokens, output)))
    transposes = sum(2 * 128 * 128 * rows for extent in turned for rows in tiles(extent, 128) for _ in tiles(hidden, 128))
    return batch * product, batch * transposes


# An 8-bit weight with a scale for each row, as in checkpoints.
QUANTIZED = """func.func @main(%x: tensor<1x512xbf16>, %w: tensor<512x512xi8>, %s: tensor<512xbf16>) -> tensor<1x512xbf16> {
  %0 = stablehlo.convert %w : (tensor<512x512xi8>) -> tensor<512x512xbf16>
  %1 = stablehlo.broadcast_in_dim %s, dims = [0] : (tensor<512xbf16>) -> tensor<512x512xbf16>
  %2 = stablehlo.multiply %0, %1 : tensor<512x512xbf16>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [1] : (tensor<1x512xbf16>, tensor<512x512xbf16>) -> tensor<1x512xbf16>
  return %3 : tensor<1x512xbf16>
}
"""
NAMED = """func.func @main(%x: tensor<64x512xbf16> loc("x"), %w: tensor<512x512xbf16> loc("params['dense'].w"), %n: tensor<512x512xi32> loc("x")) -> tensor<64x512xbf16> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x512xbf16>, tensor<512x512xbf16>) -> tensor<64x512xbf16>
  return %0 : tensor<64x512xbf16>
}
"""
# The dot multiplies rows of a table, selected by token, by a function of the same rows, so neither operand is a weight.
COMPUTED = """func.func @main(%t: tensor<512xi32>, %w: tensor<900x512xbf16>) -> tensor<512x512xbf16> {
  %0 = "stablehlo.gather"(%w, %t) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0],
      index_vector_dim = 1>, slice_sizes = array<i64: 1, 512>} : (tensor<900x512xbf16>, tensor<512xi32>) -> tensor<512x512xbf16>
  %1 = stablehlo.tanh %0 : tensor<512x512xbf16>
  %2 = stablehlo.dot_general %0, %1, contracting_dims = [1] x [1] : (tensor<512x512xbf16>, tensor<512x512xbf16>) -> tensor<512x512xbf16>
  return %2 : tensor<512x512xbf16>
}
"""
# Each trip uses one layer of stacked quantized weights. The activations and the counter change from trip to trip, the weights never.
SCAN = """func.func @main(%x: tensor<1x512xbf16> loc("x"), %w: tensor<4x512x512xi8> loc("w"), %s: tensor<4xbf16> loc("s")) -> tensor<1x512xbf16> {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %0:4 = stablehlo.while(%i = %zero, %a = %x, %b = %w, %c = %s) : tensor<i32>, tensor<1x512xbf16>, tensor<4x512x512xi8>, tensor<4xbf16>
  cond {
    %trips = stablehlo.constant dense<4> : tensor<i32>
    %1 = stablehlo.compare LT, %i, %trips, SIGNED : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %1 : tensor<i1>
  } do {
    %none = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %1 = stablehlo.dynamic_slice %b, %i, %none, %none, sizes = [1, 512, 512] : (tensor<4x512x512xi8>, tensor<i32>, tensor<i32>, tensor<i32>) -> tensor<1x512x512xi8>
    %2 = stablehlo.convert %1 : (tensor<1x512x512xi8>) -> tensor<1x512x512xbf16>
    %3 = stablehlo.dynamic_slice %c, %i, sizes = [1] : (tensor<4xbf16>, tensor<i32>) -> tensor<1xbf16>
    %4 = stablehlo.broadcast_in_dim %3, dims = [0] : (tensor<1xbf16>) -> tensor<1x512x512xbf16>
    %5 = stablehlo.multiply %2, %4 : tensor<1x512x512xbf16>
    %6 = stablehlo.reshape %5 : (tensor<1x512x512xbf16>) -> tensor<512x512xbf16>
    %7 = stablehlo.dot_general %a, %6, contracting_dims = [1] x [1] : (tensor<1x512xbf16>, tensor<512x512xbf16>) -> tensor<1x512xbf16>
    %8 = stablehlo.tanh %7 : tensor<1x512xbf16>
    %9 = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %9, %8, %b, %c : tensor<i32>, tensor<1x512xbf16>, tensor<4x512x512xi8>, tensor<4xbf16>
  }
  return %0#1 : tensor<1x512xbf16>
}
"""


def test_remedy_goes_through_computed_operands(cost):
    right = cost(QUANTIZED)["operations"][-1]["rhs"]
    assert right["layout"] == "transposed"
    assert right["reason"].endswith("computed at every call; to avoid it: make arguments 1 and 2 static (`--static-args 1,2`)")
    assert cost(QUANTIZED, "--static-args=1,2")["operations"][-1]["rhs"]["transpose_flops"] == 0
    computed = [side for operation in cost(COMPUTED)["operations"] for side in (operation["lhs"], operation["rhs"]) if side]
    assert "transposed" in [side["layout"] for side in computed]
    assert not any("static" in (side["reason"] or "") for side in computed)


def test_remedy_goes_through_loops(cost, call, tmp_path):
    product = [operation for operation in cost(SCAN)["operations"] if operation["rhs"]][-1]
    assert product["rhs"]["layout"] == "transposed"
    assert product["rhs"]["reason"].endswith("computed at every call; to avoid it: make arguments `w` and `s` static (`--static-args w,s`)")
    assert "static" not in (product["lhs"]["reason"] or "")
    static = [operation for operation in cost(SCAN, "--static-args=w,s")["operations"] if operation["rhs"]][-1]
    assert static["rhs"]["transpose_flops"] == 0
    # The ledger, the HTML page and the lock agree.
    remedy = "make arguments `w` and `s` static (`--static-args w,s`)"
    (tmp_path / "scan.mlir").write_text(SCAN)
    assert f"to change it: {remedy}" in call("why", "scan.mlir", "--target=inf2", "--rule=transpose-rhs").stdout
    assert f"to avoid it: {remedy}" in call("plan", "scan.mlir", "--target=inf2", "--html").stdout
    assert call("plan", "scan.mlir", "--target=inf2", "--lock=scan.lock").returncode == 0
    assert f"calls=4 flops={product['hardware_flops']} read={4 * 2 * (512 + 512 * 512)} written={4 * 2 * 512}" in (tmp_path / "scan.lock").read_text()


# Remedies name an argument if its name is unique, since numbers change when weights are bound.
def test_remedies_name_arguments(cost, call):
    left, right = (cost(NAMED)["operations"][-1][side]["reason"] for side in ("lhs", "rhs"))
    assert "argument `params.dense.w` may differ" in right and "if it is the same at every call, make it static (`--static-args params.dense.w`)" in right
    assert "argument 0 may differ" in left and "--static-args 0" in left
    assert cost(NAMED, "--static-args=params.dense.w")["operations"][-1]["rhs"]["transpose_flops"] == 0


# Without a unique name, remedies use the argument's number in the original program. Binding the weights that precede the argument doesn't change this number.
def test_remedies_number_arguments_as_the_program_does(call, tmp_path):
    np.savez(tmp_path / "bias.npz", in0=np.ones((64, 512), np.float32))
    (tmp_path / "bound.mlir").write_text("""func.func @main(%b: tensor<64x512xf32>, %x: tensor<64x512xf32>, %w: tensor<512x512xf32>) -> tensor<64x512xf32> {
  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [1] : (tensor<64x512xf32>, tensor<512x512xf32>) -> tensor<64x512xf32>
  %1 = stablehlo.add %0, %b : tensor<64x512xf32>
  return %1 : tensor<64x512xf32>
}
""")
    result = call("cost", "bound.mlir", "--target=inf2", "--weights", "bias.npz", "--json")
    assert result.returncode == 0, result.stderr
    right = next(operation["rhs"] for operation in json.loads(result.stdout)["operations"] if operation.get("rhs"))
    assert "argument 2 may differ" in right["reason"] and "--static-args 2`" in right["reason"]
    again = call("cost", "bound.mlir", "--target=inf2", "--weights", "bias.npz", "--static-args=2", "--json")
    assert [operation["rhs"]["transpose_flops"] for operation in json.loads(again.stdout)["operations"] if operation.get("rhs")] == [0]


# Numbers from a report on a vendor's compiler.
@pytest.mark.parametrize("target", ENGINES)
def test_reported_figures(cost, target):
    options = (f"--target={target}", "--layout=as-written")
    canonical = cost(dot(1, 4096, 4096), *options)
    assert canonical["model_flops"] == 33_554_432
    assert canonical["transpose_flops"] == 1_048_576
    assert canonical["hardware_flops"] == 34_603_008
    checkpoint = cost(dot(1, 4096, 4096, "checkpoint"), *options)
    assert checkpoint["model_flops"] == 33_554_432
    assert checkpoint["transpose_flops"] == 4_296_015_872
    assert checkpoint["hardware_flops"] == 4_329_570_304


@pytest.mark.parametrize("spelling", ["canonical", "checkpoint"])
def test_spellings_cost_the_same_once_static(cost, spelling):
    report = cost(dot(1, 4096, 4096, spelling), "--static-args=1")
    assert report["hardware_flops"] == 34_603_008
    assert report["operations"][0]["rhs"]["layout"] == ("fits" if spelling == "canonical" else "static")
    assert report["operations"][0]["rhs"]["transpose_flops"] == 0


# The attribute `drumlin.static` of an argument, and a constant, have the same effect as `--static-args`.
def test_ways_to_be_static(cost):
    text = dot(1, 256, 256, "checkpoint")
    assert cost(text)["operations"][0]["rhs"]["layout"] == "transposed"
    marked = text.replace("%w: tensor<256x256xbf16>", "%w: tensor<256x256xbf16> {drumlin.static}")
    assert marked != text
    assert cost(marked)["operations"][0]["rhs"]["layout"] == "static"
    constant = text.replace(", %w: tensor<256x256xbf16>", "").replace(
        "    %0 =", "    %w = stablehlo.constant dense<0.5> : tensor<256x256xbf16>\n    %0 =")
    assert cost(constant)["operations"][0]["rhs"]["transpose_flops"] == 0


def test_reason_of_a_transpose(call, cost, tmp_path):
    report = cost(dot(1, 4096, 4096, "checkpoint"))
    assert report["hardware_flops"] == 4_329_570_304
    right = report["operations"][0]["rhs"]
    assert right["layout"] == "transposed" and right["transpose_flops"] == 2**32
    assert "argument 1 may differ at every call" in right["reason"] and "--static-args 1" in right["reason"]
    text = call("cost", "layer.mlir", "--target=trn1").stdout
    assert "transposes are 99.2 % of the hardware FLOPs" in text
    assert "4.29G a call for a transpose: the right operand's rows run along the contracted dimension" in text
    assert "transposes are" not in call("cost", "layer.mlir", "--target=trn1", "--static-args", 1).stdout


@pytest.mark.parametrize("spelling", ["canonical", "checkpoint"])
def test_agrees_with_an_enumeration(cost, spelling):
    for tokens, hidden, output, batch in itertools.product((1, 127, 130, 600), (64, 128, 300), (1, 128, 1000), (None, 3)):
        for layout in ("as-written", "chosen"):
            report = cost(dot(tokens, hidden, output, spelling, batch=batch), f"--layout={layout}")
            turned = [tokens] + ([output] if spelling == "checkpoint" else [])
            # A dimension of size one gives no contiguous rows, so this operand is transposed, too.
            if spelling == "canonical" and output == 1:
                turned += [output]
            matmul, transposes = enumerate_tiles(tokens, hidden, output, turned, batch or 1)
            assert report["model_flops"] == 2 * (batch or 1) * tokens * hidden * output
            assert report["transpose_flops"] == transposes, (tokens, hidden, output, batch)
            assert report["hardware_flops"] == matmul + transposes, (tokens, hidden, output, batch)


@pytest.mark.parametrize("element, factor", [("bf16", 1), ("f16", 1), ("f32", 4), ("f8E4M3FN", None), ("f8E5M2", None)])
@pytest.mark.parametrize("target", ENGINES)
def test_adjusted_by_type(cost, target, element, factor):
    if factor is None:
        factor = 0.5 if target == "trn2" else 1
    report = cost(dot(64, 256, 128, element=element), f"--target={target}")
    assert report["adjusted_flops"] == factor * report["hardware_flops"]
    size = {"bf16": 2, "f16": 2, "f32": 4}.get(element, 1)
    assert report["bytes"] == size * (64 * 256 + 256 * 128 + 64 * 128)
    assert report["arithmetic_intensity"] == pytest.approx(report["model_flops"] / report["bytes"])
    peak, bandwidth = (667e12 / 8, 2.9e12 / 8) if target == "trn2" else (190e12 / 2, 820e9 / 2)
    seconds = max(report["adjusted_flops"] / peak, report["bytes"] / bandwidth)
    assert report["seconds"] == pytest.approx(seconds)
    assert report["highest_utilization"] == pytest.approx(report["model_flops"] / peak / seconds)


def test_tf32_takes_the_time_of_bf16(cost):
    algorithm = ("algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, "
                 "lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, "
                 "allow_imprecise_accumulation = false>")
    text = dot(64, 256, 128, element="f32").replace("[1] x [0] :", f"[1] x [0], {algorithm} :")
    assert algorithm in text
    report = cost(text)
    assert report["adjusted_flops"] == report["hardware_flops"]


# The first GEMM leaves its output features on the engine's partitions, and the second GEMM contracts along these.
def test_chains_need_no_transpose_between(cost):
    text = """module @mlp {
  func.func public @main(%x: tensor<64x256xbf16>, %u: tensor<256x512xbf16>, %v: tensor<512x128xbf16>) -> tensor<64x128xbf16> {
    %0 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x512xbf16>) -> tensor<64x512xbf16>
    %1 = stablehlo.tanh %0 : tensor<64x512xbf16>
    %2 = stablehlo.dot_general %1, %v, contracting_dims = [1] x [0] : (tensor<64x512xbf16>, tensor<512x128xbf16>) -> tensor<64x128xbf16>
    return %2 : tensor<64x128xbf16>
  }
}
"""
    chosen, written = cost(text), cost(text, "--layout=as-written")
    first = 2 * 128 * 128 * 64 * 2
    assert chosen["transpose_flops"] == first
    assert written["transpose_flops"] == first + 2 * 128 * 128 * 64 * 4
    flops = [operation["hardware_flops"] for operation in written["operations"]]
    assert flops == sorted(flops, reverse=True) and len(flops) == 2


# A transpose in the program is absorbed by the GEMM that reads it, unless layouts are kept as written.
def test_written_transposes(cost):
    text = dot(1, 256, 512).replace("%w: tensor<256x512xbf16>", "%v: tensor<512x256xbf16>").replace(
        "    %0 =", "    %w = stablehlo.transpose %v, dims = [1, 0] : (tensor<512x256xbf16>) -> tensor<256x512xbf16>\n    %0 =")
    turn = 2 * 128 * 128 * 512 * 2
    left = 2 * 128 * 128 * 2
    assert cost(text, "--layout=as-written")["transpose_flops"] == turn + left
    assert cost(text)["transpose_flops"] == turn + left
    assert cost(text, "--static-args=1")["transpose_flops"] == left


def test_loops_count_their_trips(cost):
    text = """module @steps {
  func.func public @main(%x: tensor<8x128xbf16>, %w: tensor<128x128xbf16>) -> tensor<8x128xbf16> {
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %1:2 = stablehlo.while(%i = %zero, %a = %x) : tensor<i32>, tensor<8x128xbf16>
      cond {
        %three = stablehlo.constant dense<3> : tensor<i32>
        %p = stablehlo.compare LT, %i, %three : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %one = stablehlo.constant dense<1> : tensor<i32>
        %j = stablehlo.add %i, %one : tensor<i32>
        %b = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0] : (tensor<8x128xbf16>, tensor<128x128xbf16>) -> tensor<8x128xbf16>
        stablehlo.return %j, %b : tensor<i32>, tensor<8x128xbf16>
      }
    return %1#1 : tensor<8x128xbf16>
  }
}
"""
    report = cost(text)
    assert report["operations"][0]["calls"] == 3
    assert report["model_flops"] == 3 * 2 * 8 * 128 * 128


def test_plan_shows_the_same(call, cost):
    cost(dot(1, 256, 256))
    plan, report = (call(name, "layer.mlir", "--target=trn2").stdout for name in ("plan", "cost"))
    assert plan == report != ""
    assert plan.startswith("trn2: 128x128 tensor engine, layouts chosen; for planning only")


@pytest.mark.parametrize("command", [("compile", "layer.mlir", "-o", "layer.so"), ("run", "layer.mlir", "--input", "zeros"),
                                     ("bench", "layer.mlir")])
def test_no_code_for_engines(call, cost, tmp_path, command):
    cost(dot(1, 256, 256))
    result = call(*command, "--target=trn1")
    assert result.returncode == 4
    assert result.stderr.startswith("--target: error D4011: `trn1` is a target for plans and costs: no code is made for it")
    assert not (tmp_path / "layer.so").exists()


@pytest.mark.parametrize("options, status, code", [
    (("cost", "--target=trn9"), 2, "D3001"), (("compile", "-o", "x.so", "--target=trn9"), 2, "D3001"),
    (("cost", "--target=trn1", "--static-args=2"), 2, "D3009"), (("cost", "--target=trn1", "--static-args=-1"), 2, "D3009"),
    (("cost", "--target=trn1", "--layout=best"), 2, "D3010")])
def test_wrong_use(call, cost, options, status, code):
    cost(dot(1, 256, 256))
    result = call(options[0], "layer.mlir", *options[1:])
    assert result.returncode == status
    assert f"error {code}: " in result.stderr


# Without an engine: reports the CPU's plan, the most expensive launch first.
def test_cpu(call, tmp_path):
    text = """module @two {
  func.func public @main(%x: tensor<64x256xf32>, %w: tensor<256x32xf32>, %y: tensor<100xf32>) -> (tensor<100xf32>, tensor<64x32xf32>) {
    %0 = stablehlo.exponential %y : tensor<100xf32>
    %1 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<64x256xf32>, tensor<256x32xf32>) -> tensor<64x32xf32>
    return %0, %1 : tensor<100xf32>, tensor<64x32xf32>
  }
}
"""
    (tmp_path / "two.mlir").write_text(text)
    report = json.loads(call("cost", "two.mlir", "--json").stdout)
    assert [launch["kind"] for launch in report["launches"]] == ["gemm", "loop"]
    assert report["total"]["matrix_flops"] == 2 * 64 * 256 * 32
    lines = call("cost", "two.mlir").stdout.splitlines()
    assert lines[0].startswith("total: ")
    assert lines[1] == f"{report['total']['model_flops'] / (4 * (64 * 256 + 256 * 32 + 64 * 32 + 200)):.2f} FLOP a byte"
    assert lines[2].startswith("at least ")
    assert lines[3].startswith("peak memory ")
    assert lines[-2].startswith("  two.mlir:4:10: gemm_0: ") and lines[-1].startswith("  two.mlir:3:10: loop_0: ")


# JAX's own lowering, with both weight orders.
@pytest.mark.parametrize("element", ["bf16", "f32"])
def test_lowerings_of_jax(cost, element):
    models = pathlib.Path(__file__).parent.parent / "models"
    texts = [(models / f"dot_{spelling}_{element}" / "program.mlir").read_text() for spelling in ("canonical", "checkpoint")]
    static = [cost(text, "--static-args=1") for text in texts]
    assert static[0]["hardware_flops"] == static[1]["hardware_flops"]
    written = [cost(text, "--layout=as-written") for text in texts]
    assert written[1]["hardware_flops"] - written[0]["hardware_flops"] == 2 * 128 * 128 * 512 * 4


#===- estimates of time on CPUs ------------------------------------------------===#

RATES = {"threads": 2, "f32": 1e11, "bf16": 4e11, "int8": 8e11, "read": 1e10}


def estimate(call, tmp_path, text, *options):
    (tmp_path / "timed.mlir").write_text(text)
    result = call("cost", "timed.mlir", "--json", *options)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


# seconds = max(hardware FLOPs / peak, bytes / read rate), with the rates of the kernel's instructions.
@pytest.mark.parametrize("element, tokens, target, peak", [
    ("f32", 512, "avx512", 1e11), ("f32", 1, "avx512", 1e11), ("bf16", 512, "avx512", 4e11), ("bf16", 512, "avx2", 1e11),
    ("i8", 512, "avx512", 8e11), ("f64", 512, "avx512", 5e10), ("f64", 1, "baseline", 5e10)])
def test_times_follow_from_the_rates(call, tmp_path, element, tokens, target, peak):
    (tmp_path / "rates.json").write_text(json.dumps(RATES))
    report = estimate(call, tmp_path, dot(tokens, 512, 512, element=element), "--limits", "rates.json", "--target-cpu", target)
    launch, = report["launches"]
    cost, time = launch["cost"], launch["estimate"]
    size = sum(cost[f"{kind}_bytes_{way}"] for kind in ("asked", "other") for way in ("read", "written"))
    assert time["compute_seconds"] == pytest.approx(cost["hardware_flops"] / peak, rel=1e-12)
    assert time["memory_seconds"] == pytest.approx(size / 1e10, rel=1e-12)
    assert time["seconds"] == max(time["compute_seconds"], time["memory_seconds"]) and time["launch_seconds"] == 0
    assert time["bound_by"] == ("memory" if tokens == 1 else "compute")
    assert report["estimate"]["seconds"] == pytest.approx(time["seconds"])
    assert report["estimate"]["memory_bound_seconds"] == (report["estimate"]["seconds"] if tokens == 1 else 0)
    assert report["estimate"]["rates"] == "rates.json" and report["estimate"]["threads"] == 2


def test_what_data_decide_is_the_most_and_the_expected(call, tmp_path):
    branch = """{{
    %c = stablehlo.constant dense<0.0> : tensor<f32>
    %s = stablehlo.reduce(%{0} init: %c) applies stablehlo.add across dimensions = [0] : (tensor<{1}xf32>, tensor<f32>) -> tensor<f32>
    stablehlo.return %s : tensor<f32>
  }}"""
    text = f"""func.func @main(%i: tensor<i32>, %x: tensor<1000xf32>, %y: tensor<4000xf32>) -> tensor<f32> {{
  %r = "stablehlo.case"(%i) ({branch.format("x", 1000)}, {branch.format("y", 4000)}) : (tensor<i32>) -> tensor<f32>
  return %r : tensor<f32>
}}
"""
    report = estimate(call, tmp_path, text)
    large, small = sorted(report["launches"], key=lambda launch: -launch["cost"]["asked_bytes_read"])
    assert large["in_total"] and not small["in_total"]
    assert report["total"]["element_flops"] == 4000 and report["total"]["asked_bytes_read"] == 16000 and report["expected_bytes"] == pytest.approx(10000, abs=8)
    assert report["estimate"]["seconds"] == pytest.approx(large["estimate"]["seconds"])
    printed = call("cost", "timed.mlir").stdout
    assert "expected 10.00 kB, if all data-dependent indices and branches are equally likely\n" in printed
    assert printed.count("; not in the total: another branch moves more\n") == 1


def test_assumed_rates_are_the_same_everywhere(call, tmp_path):
    lanes = {"baseline": ("x86-64", 4 * 1), "avx2": ("x86-64-v3", 8 * 2), "avx512": ("x86-64-v4-dot", 16 * 2)}
    for target, (name, operations) in lanes.items():
        report = estimate(call, tmp_path, dot(64, 64, 64), "--target-cpu", target)
        assert report["estimate"]["f32"] == 2 * operations * 3e9
        assert report["estimate"]["read"] == 12e9 and report["estimate"]["threads"] == 1
        assert report["estimate"]["rates"] == f"assumed for {name}"
        text = call("cost", "timed.mlir", "--target-cpu", target).stdout
        assert f"(assumed for {name}: f32 {2 * operations * 3:.1f} GFLOP/s, memory 12.00 GB/s)" in text
        assert f"us, bound by {'memory' if target == 'avx512' else 'compute'}" in text


@pytest.mark.alone
def test_measured_limits_are_taken(call, tmp_path):
    limits = call("limits", "--threads", "1", "--json")
    assert limits.returncode == 0
    (tmp_path / "machine.json").write_text(limits.stdout)
    report = estimate(call, tmp_path, dot(64, 64, 64), "--limits", "machine.json")
    assert report["estimate"]["f32"] == pytest.approx(json.loads(limits.stdout)["f32"])
    again = estimate(call, tmp_path, dot(64, 64, 64), "--limits", "machine.json")
    assert again == report


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"threads": 0}', json.dumps({**RATES, "f32": 0}),
                                  json.dumps({**RATES, "read": "fast"}), json.dumps({**RATES, "threads": 1.5})])
def test_broken_limits(call, tmp_path, text):
    (tmp_path / "timed.mlir").write_text(dot(8, 8, 8))
    (tmp_path / "rates.json").write_text(text)
    result = call("cost", "timed.mlir", "--limits", "rates.json")
    assert result.returncode == 3 and "rates.json: error D2005" in result.stderr, result.stderr
    assert call("cost", "timed.mlir", "--limits", "missing.json").returncode == 1
    assert call("cost", "timed.mlir", "--limits", "rates.json", "--target", "trn1").returncode == 2


# If transposes move more than a tenth of the bytes, the report names them and how to avoid them.
def test_notable_transposes(call, tmp_path):
    turn = """module @turn {
  func.func public @main(%x: tensor<256x512xf32>) -> tensor<512x256xf32> {
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> tensor<512x256xf32>
    return %0 : tensor<512x256xf32>
  }
}
"""
    (tmp_path / "turn.mlir").write_text(turn)
    text = call("cost", "turn.mlir").stdout
    assert "transposes move 50.0 % of the bytes" in text
    assert "turn.mlir:3:10: loop_0: 524.29 kB are transposed; to avoid this: let the producer" in text
    (tmp_path / "plain.mlir").write_text(turn.replace("transpose %x, dims = [1, 0] : (tensor<256x512xf32>) -> ",
                                                      "negate %x : ").replace("512x256", "256x512"))
    assert "transposes" not in call("cost", "plain.mlir").stdout


SIZED = "func.func @main(%x: tensor<?x64xf32>, %w: tensor<64x8xf32>) -> tensor<?x8xf32> {\n" \
        "  %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<?x64xf32>, tensor<64x8xf32>) -> tensor<?x8xf32>\n" \
        "  return %0 : tensor<?x8xf32>\n}\n"


def test_costs_over_sizes_that_the_run_tells(call, tmp_path):
    (tmp_path / "layer.mlir").write_text(SIZED)
    for words, size in (((), 97), (("--size", "arg0_0=512"), 513)):
        report = json.loads(call("cost", "layer.mlir", "--json", *words).stdout)
        assert report["sizes"] == f"arg0_0 = {size}" and report["total"]["model_flops"] == 1024 * size
        assert report["in_symbols"] == report["launches"][0]["in_symbols"] == {
            "model_flops": "1024 * arg0_0", "asked_bytes": "288 * arg0_0 + 2048", "other_bytes": "0"}
    text = call("cost", "layer.mlir").stdout
    assert "at any: 1024 * arg0_0 FLOP of the model; 288 * arg0_0 + 2048 B asked for, 0 B not; peak memory 288 * arg0_0 + 2048 B" in text
    for given in ("b=8", "arg0_0=x", "arg0_0=-1"):
        refused = call("plan", "layer.mlir", "--size", given)
        assert refused.returncode == 2 and "--size: error D3023" in refused.stderr and "`arg0_0` from 0" in refused.stderr
