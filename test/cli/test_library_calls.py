"""drumlin plan for GPUs: the library calls for a program's matrix products. Also compares the enumerators in the tables with the libraries'
own headers, if these are available.

The variables $DRUMLIN_CUBLAS_INCLUDE and $DRUMLIN_HIPBLASLT_INCLUDE list the folders with the headers, separated by `:`. Without them, the
headers are those of the Python packages `nvidia-cublas` and `nvidia-cuda-runtime`, if these are installed.
"""
import json
import os
import pathlib
import re
import sysconfig

import pytest

TARGETS = {"sm_89": "cublasLt", "sm_90": "cublasLt", "sm_100": "cublasLt", "gfx942": "hipblasLt", "gfx950": "hipblasLt"}
TABLES = pathlib.Path(__file__).resolve().parents[2] / "drumlin" / "target"
ENUMERATOR = re.compile(r'"((?:CUDA|CUBLAS|CUBLASLT|HIP|HIPBLAS|HIPBLASLT)_[A-Za-z0-9_]+)"')


def layer(operand="f8E4M3FN", result="f8E4M3FN"):
    """Returns a scaled GEMM with bias, relu and an amax, clamped if its result type is narrow."""
    limit = {"f8E4M3FN": "448.0", "f8E4M3FNUZ": "240.0"}.get(result)
    clamp = f"""
    %lo = stablehlo.constant dense<-{limit}> : tensor<f32>
    %hi = stablehlo.constant dense<{limit}> : tensor<f32>
    %c = stablehlo.clamp %lo, %q, %hi : (tensor<f32>, tensor<64x128xf32>, tensor<f32>) -> tensor<64x128xf32>"""
    return f"""module @layer {{
  func.func public @main(%x: tensor<64x256x{operand}>, %w: tensor<128x256x{operand}>, %sx: tensor<f32>, %sw: tensor<f32>, %b: tensor<128xf16>, %so: tensor<f32>) -> (tensor<64x128x{result}>, tensor<f32>) {{
    %0 = stablehlo.convert %x : (tensor<64x256x{operand}>) -> tensor<64x256xf32>
    %1 = stablehlo.broadcast_in_dim %sx, dims = [] : (tensor<f32>) -> tensor<64x256xf32>
    %2 = stablehlo.multiply %0, %1 : tensor<64x256xf32>
    %3 = stablehlo.convert %w : (tensor<128x256x{operand}>) -> tensor<128x256xf32>
    %4 = stablehlo.broadcast_in_dim %sw, dims = [] : (tensor<f32>) -> tensor<128x256xf32>
    %5 = stablehlo.divide %3, %4 : tensor<128x256xf32>
    %s = stablehlo.dot_general %2, %5, contracting_dims = [1] x [1] : (tensor<64x256xf32>, tensor<128x256xf32>) -> tensor<64x128xf32>
    %6 = stablehlo.convert %b : (tensor<128xf16>) -> tensor<128xf32>
    %7 = stablehlo.broadcast_in_dim %6, dims = [1] : (tensor<128xf32>) -> tensor<64x128xf32>
    %8 = stablehlo.add %s, %7 : tensor<64x128xf32>
    %zero = stablehlo.constant dense<0.0> : tensor<f32>
    %9 = stablehlo.broadcast_in_dim %zero, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %r = stablehlo.maximum %8, %9 : tensor<64x128xf32>
    %a = stablehlo.abs %r : tensor<64x128xf32>
    %amax = stablehlo.reduce(%a init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<64x128xf32>, tensor<f32>) -> tensor<f32>
    %10 = stablehlo.broadcast_in_dim %so, dims = [] : (tensor<f32>) -> tensor<64x128xf32>
    %q = stablehlo.multiply %r, %10 : tensor<64x128xf32>{clamp}
    %o = stablehlo.convert %c : (tensor<64x128xf32>) -> tensor<64x128x{result}>
    return %o, %amax : tensor<64x128x{result}>, tensor<f32>
  }}
}}
"""


@pytest.fixture
def plan(call, tmp_path):
    def run(text, target, *options):
        (tmp_path / "layer.mlir").write_text(text)
        result = call("plan", "layer.mlir", f"--target={target}", *options)
        assert result.returncode == 0, result.stderr
        return result.stdout
    return run


@pytest.mark.parametrize("target", TARGETS)
def test_every_argument_of_a_call(plan, target):
    kind = "f8E4M3FNUZ" if target == "gfx942" else "f8E4M3FN"
    report = json.loads(plan(layer(kind, kind), target, "--json"))
    assert report["target"] == target and report["library"] == TARGETS[target]
    [kernel] = report["kernels"]
    assert kernel["source"].startswith("layer.mlir:9:")
    call = kernel["call"]
    cuda = TARGETS[target] == "cublasLt"
    lt, blas, types = ("CUBLASLT", "CUBLAS", "CUDA_R") if cuda else ("HIPBLASLT", "HIPBLAS", "HIP_R")
    fp8 = "HIP_R_8F_E4M3_FNUZ" if target == "gfx942" else f"{types}_8F_E4M3"
    column = {"offset_bytes": 0, "order": f"{lt}_ORDER_COL", "batch_count": 1, "batch_mode": f"{lt}_BATCH_MODE_STRIDED", "batch_stride": 0}
    inputs = [line.split(" = ")[1] for line in kernel["inputs"]]
    number = {name: f"input {inputs.index(f'argument {i}')}" for i, name in enumerate(["x", "w", "sx", "sw", "b", "so"])}
    outputs = [line.split(" ")[0] for line in kernel["outputs"]]
    narrow, amax = (f"output {outputs.index(kind)}", f"output {outputs.index('f32')}")
    assert call["function"] == ("cublasLtMatmul" if cuda else "hipblasLtMatmul")
    assert (call["compute_type"], call["scale_type"]) == (f"{blas}_COMPUTE_32F", f"{types}_32F")
    assert (call["transa"], call["transb"]) == (f"{blas}_OP_T", f"{blas}_OP_N")
    assert call["A"] == column | {"pointer": number["w"], "type": fp8, "rows": 256, "cols": 128, "ld": 256}
    assert call["B"] == column | {"pointer": number["x"], "type": fp8, "rows": 256, "cols": 64, "ld": 256}
    assert call["D"] == column | {"pointer": narrow, "type": fp8, "rows": 128, "cols": 64, "ld": 128}
    # For cuBLASLt, C has a wider type than D, so D's memory can't be passed as C.
    assert call["C"] == call["D"] | ({"type": "CUDA_R_16F", "pointer": "null"} if cuda else {})
    scalar = f"{lt}_MATMUL_MATRIX_SCALE_SCALAR_32F"
    assert call["scale_A"] == {"mode": scalar, "pointer": "prepared 0"}
    assert call["prepared"] == [f"1 / {number['sw']}, f32"]
    assert call["scale_B"] == {"mode": scalar, "pointer": number["sx"]}
    assert call["scale_D"] == {"mode": scalar, "pointer": number["so"]}
    assert call["epilogue"] == f"{lt}_EPILOGUE_RELU_BIAS"
    assert call["bias"] == {"pointer": number["b"], "type": f"{types}_16F", "batch_stride": 0}
    assert call["amax_D"] == amax
    assert (call["alpha"], call["beta"], call["pointer_mode"]) == ("1", "0", f"{lt}_POINTER_MODE_HOST")
    assert call["fast_accumulation"] is False
    assert call["workspace_bytes"] == (4 if target == "sm_89" else 32) << 20
    text = plan(layer(kind, kind), target)
    assert text.startswith(f"{target}: 1 matrix products, 1 of them calls of {TARGETS[target]}; for planning only, no code is made")
    for word in (f"{lt}_EPILOGUE_RELU_BIAS", fp8, "rows 256, cols 128, ld 256", f"amax of D to {amax}", "workspace"):
        assert word in text


def test_a_kernel_of_our_own_has_its_reason_and_its_page(plan):
    report = json.loads(plan(layer("f8E5M2"), "sm_90", "--json"))
    own = report["kernels"][0]["own_kernel"]
    assert own["reason"] == "type-combination" and own["detail"] == "f8E5M2 by f8E5M2"
    assert "a kernel of our own: type-combination, " in plan(layer("f8E5M2"), "sm_90")
    report = json.loads(plan(layer("f8E4M3FN").replace("[1] x [1]", "[1] x [0]").replace("128x256", "256x128"), "sm_90", "--json"))
    # An operand that the library can't read in its layout is transposed first, at a cost.
    assert "own_kernel" not in report["kernels"][0]
    assert any("transposed before each call: 32768 bytes; the library takes such operands with the contracting dimension contiguous only (" in text
               for text in report["kernels"][0]["inputs"])


@pytest.mark.parametrize("target", TARGETS)
def test_calls_with_kernels_around_them_have_their_price(call, tmp_path, target):
    """The ledger has two costs, as `cost` reports them: the cost of the call with its extra kernels, and the cost of one kernel of Drumlin."""
    (tmp_path / "heads.mlir").write_text("""func.func @main(%q: tensor<2x32x4x128xf16>, %v: tensor<2x128x4x128xf16>) -> tensor<2x32x128xf16> {
      %0 = stablehlo.dot_general %q, %v, batching_dims = [0] x [0], contracting_dims = [2, 3] x [2, 1] : (tensor<2x32x4x128xf16>, tensor<2x128x4x128xf16>) -> tensor<2x32x128xf16>
      %1 = stablehlo.sine %0 : tensor<2x32x128xf16>
      return %1 : tensor<2x32x128xf16>
    }
    """)
    why = call("why", "heads.mlir", f"--target={target}", "--rule=select-library-call").stdout
    found = re.search(rf"taken: {TARGETS[target]}: at least ([\d.]+) us and ([\d.]+) us in (\d) kernels around it; one kernel of our own ([\d.]+) us", why)
    as_call, around, kernels, own = map(float, found.groups())
    estimates = [json.loads(call("cost", "heads.mlir", f"--target={target}", *more, "--json").stdout)["estimate"] for more in ((), ("--force-kernel=*=own",))]
    assert kernels == 2  # one kernel transposes, the other computes the sines
    assert as_call + around == pytest.approx(estimates[0]["seconds"] * 1e6, abs=0.02)
    assert own == pytest.approx(estimates[1]["seconds"] * 1e6, abs=0.02)


# For each function of the GEMM result x: its program text, and the nearest library activation with the largest difference and the x at which
# it occurs.
NEAR = {
    "x · logistic(1.01 x)": ("""%c = stablehlo.constant dense<1.01> : tensor<32x64xf32>
      %1 = stablehlo.multiply %0, %c : tensor<32x64xf32>
      %2 = stablehlo.logistic %1 : tensor<32x64xf32>
      %r = stablehlo.multiply %0, %2 : tensor<32x64xf32>""", "silu by 0.00435 at -2.44"),
    "where(x > 0.05, x, 0)": ("""%c = stablehlo.constant dense<0.05> : tensor<32x64xf32>
      %z = stablehlo.constant dense<0.0> : tensor<32x64xf32>
      %1 = stablehlo.compare GT, %0, %c : (tensor<32x64xf32>, tensor<32x64xf32>) -> tensor<32x64xi1>
      %r = stablehlo.select %1, %0, %z : tensor<32x64xi1>, tensor<32x64xf32>""", "relu by 0.05 at 0.05"),
    "max(x, x / 1000)": ("""%c = stablehlo.constant dense<0.001> : tensor<32x64xf32>
      %1 = stablehlo.multiply %0, %c : tensor<32x64xf32>
      %r = stablehlo.maximum %0, %1 : tensor<32x64xf32>""", "relu by 0.00794 at -7.94"),
}


@pytest.mark.parametrize("function", NEAR)
@pytest.mark.parametrize("target", TARGETS)
def test_a_reason_says_by_how_much_a_function_differs(call, tmp_path, target, function):
    text, nearly = NEAR[function]
    (tmp_path / "near.mlir").write_text(f"""func.func @main(%a: tensor<32x128xf32>, %b: tensor<128x64xf32>) -> tensor<32x64xf32> {{
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<32x128xf32>, tensor<128x64xf32>) -> tensor<32x64xf32>
      {text}
      return %r : tensor<32x64xf32>
    }}
    """)
    assert f": differs from {nearly})" in call("why", "near.mlir", f"--target={target}", "--rule=split-product").stdout


def test_programs_without_products_have_none(plan):
    text = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  return %x : tensor<4xf32>\n}\n"
    assert json.loads(plan(text, "gfx950", "--json"))["kernels"] == []


@pytest.mark.parametrize("command, status, code, words", [
    (("compile", "-o", "layer.so"), 4, "D4011", "`sm_90` is a target for plans: no code is made for it"),
    (("run", "--input", "zeros"), 4, "D4011", "no code is made for it"), (("cost", "--limits=layer.mlir"), 2, "D3018", "`--limits` has no effect for plans of library calls"),
    (("plan", "--static-args=9"), 2, "D3009", "no argument 9")])
def test_wrong_use(call, tmp_path, command, status, code, words):
    (tmp_path / "layer.mlir").write_text(layer())
    result = call(command[0], "layer.mlir", *command[1:], "--target=sm_90")
    assert result.returncode == status
    assert f"error {code}: " in result.stderr and words in result.stderr
    assert not (tmp_path / "layer.so").exists()


@pytest.mark.parametrize("target", TARGETS)
def test_requirements_hold_on_calls(call, tmp_path, target):
    step = TABLES.parents[1] / "test" / "library_calls" / "training" / "relu_inputs_first_float32.mlir"
    (tmp_path / "step.mlir").write_text(step.read_text())
    for command in ("plan", "why", "cost"):
        assert call(command, "step.mlir", f"--target={target}", "--require=dot@*:3:*: fused(bias, relu)").returncode == 0
        # The epilogue of the gradient's GEMM applies relu's mask and sums the bias gradient. cuBLASLt's relu gradient differs from the program's
        # at zero, so on cuBLASLt the next GEMM's epilogue computes this sum.
        cuda = TARGETS[target] == "cublasLt"
        gated = call(command, "step.mlir", f"--target={target}", "--require=dot@*:36:*: fused(relu_grad, bias_grad)", "--require=dot@*:34:*: fused(bias_grad)")
        assert gated.returncode == (5 if cuda else 0)
        assert ("sets a relu's bit to 1 for an input of 0" in gated.stderr) == cuda
        assert call(command, "step.mlir", f"--target={target}", "--require=dot@*:45:*: fused(bias_grad)").returncode == (0 if cuda else 5)
        refused = call(command, "step.mlir", f"--target={target}", "--require=dot@*:3:*: fused(gelu)")
        assert refused.returncode == 5 and "error D5010: `fused(gelu)` of requirement" in refused.stderr
    fewer = call("plan", "step.mlir", f"--target={target}", "--require=program: max_kernels(3)")
    # The message has the same number of kernels as `cost` lists. The last layer needs two kernels; on cuBLASLt the first layer's gradient does,
    # too.
    assert fewer.returncode == 5 and f"there are {10 if cuda else 9} kernels" in fewer.stderr


def test_the_page_has_the_rates():
    page = (TABLES.parents[1] / "docs" / "library-calls.md").read_text().split("| target | card |")[1].split("\n\n")[0]
    said = {cells[0].strip("`"): cells[1:] for cells in ([cell.strip() for cell in line.strip("|").split("|")] for line in page.splitlines()[2:])}
    rows = re.findall(r'^GPU_RATES\("(\w+)", "([^"]+)", ([^"]+), "([^"]+)"\)', (TABLES / "GpuRates.def").read_text(), re.MULTILINE)
    assert [row[0] for row in rows] == list(TARGETS) == list(said)
    for target, card, numbers, source in rows:
        _, fp8, half, _, f32, f64, _, memory, launch = numbers.split(", ")
        assert [cell.split()[0] for cell in said[target]] == [card.split()[0], fp8, half, f32, f64, memory, launch] and source


@pytest.mark.parametrize("target", TARGETS)
def test_a_plan_is_whole(call, tmp_path, target):
    """A library plan has decisions, costs, a lock and a page; a diff shows what a release or a program change loses."""
    kind = "f8E4M3FNUZ" if target == "gfx942" else "f8E4M3FN"
    text = layer(kind, kind)
    (tmp_path / "layer.mlir").write_text(text)
    # The same program with another function after the GEMM, which no library call computes.
    (tmp_path / "later").mkdir()
    (tmp_path / "later" / "layer.mlir").write_text(text.replace("%r = stablehlo.maximum %8, %9", "%r = stablehlo.power %8, %8"))
    on = f"--target={target}"
    why = call("why", "layer.mlir", on, "--rule=select-library-call")
    assert why.returncode == 0 and f"taken: {TARGETS[target]}" in why.stdout
    split = call("why", "later/layer.mlir", on, "--rule=split-product")
    assert "kernels of our own around it: one computes the part after" in split.stdout and "; the whole kernel is no call: " in split.stdout
    assert re.search(r"unfused: [1-9]\d* bytes", split.stdout)
    cost = call("cost", "layer.mlir", on)
    assert re.search(r"a launch 1.00 us\), memory bounds \d+ % of it, launches are \d+ %", cost.stdout) and "plan.library_call: " in cost.stdout and ("data sheet" in cost.stdout or "specifications" in cost.stdout)
    estimate = json.loads(call("cost", "layer.mlir", on, "--json").stdout)["estimate"]
    assert 0 < estimate["launch_seconds"] < estimate["seconds"] < 1e-3 and estimate["fp8"] >= estimate["half"] >= estimate["f32"]
    assert call("plan", "layer.mlir", on, "--lock=layer.lock").returncode == 0
    lock = (tmp_path / "layer.lock").read_text()
    assert f"target {target}" in lock and "kernel library_call " in lock and f"part {TARGETS[target]}Matmul" in lock
    assert "<!DOCTYPE html>" in call("plan", "layer.mlir", on, "--html").stdout
    assert call("diff", "layer.lock", "layer.mlir", on).stdout == "the plans are the same\n"
    worse = call("diff", "layer.lock", "later/layer.mlir", on)
    assert worse.returncode == 5 and "worse: part lost: library_call" in worse.stdout and "_EPILOGUE_RELU_BIAS" in worse.stdout
    own = call("diff", "layer.lock", "layer.mlir", on, "--force-kernel=*=own")
    assert own.returncode == 5 and "worse: part lost: " in own.stdout and f"{TARGETS[target]}Matmul" in own.stdout


def headers(variable, wanted):
    """Returns the texts of all headers in the folders, or None if `wanted` isn't among them."""
    folders = [pathlib.Path(folder) for folder in os.environ.get(variable, "").split(":") if folder]
    if not folders and wanted == "cublasLt.h":
        folders = sorted(pathlib.Path(sysconfig.get_path("purelib")).glob("nvidia/*/include"))
    files = [file for folder in folders for file in sorted(folder.rglob("*.h"))]
    return {file.name: file.read_text(errors="replace") for file in files} if any(file.name == wanted for file in files) else None


@pytest.mark.parametrize("table, variable, wanted", [
    ("CublasLt.def", "DRUMLIN_CUBLAS_INCLUDE", "cublasLt.h"), ("HipblasLt.def", "DRUMLIN_HIPBLASLT_INCLUDE", "hipblaslt.h")])
def test_enumerators_are_those_of_the_header(table, variable, wanted):
    names = set(ENUMERATOR.findall((TABLES / table).read_text()))
    assert len(names) >= 30
    texts = headers(variable, wanted)
    if texts is None:
        pytest.skip(f"no {wanted} here: ${variable} names no folder with it, and no package brings it")
    # Element types and compute types are in separate headers, which a package may lack.
    known = {name for text in texts.values() for name in re.findall(r"\b([A-Z][A-Za-z0-9_]+)\b\s*[=,}]", text)}
    own = {name for name in names if name.split("_")[0].endswith("LT")}
    assert own <= known, own - known
    if {"library_types.h", "cublas_api.h"} <= set(texts) or {"library_types.h", "hipblas-common.h"} <= set(texts):
        assert names <= known, names - known
