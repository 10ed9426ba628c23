"""--numerics: each relaxation changes code, or the ledger says why it doesn't. `check` tolerates exactly the relaxation's effect. Unknown
names are refused."""
import json
import pathlib
import re

import pytest

DOT = """func.func @main(%x: tensor<64x256xbf16>, %y: tensor<256x48xbf16>) -> tensor<64x48xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x48xbf16>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
"""
# x * y + x, x - y * y and (x + y) * x - y, in one kernel.
FUSABLE = """func.func @main(%x: tensor<1000xTYPE>, %y: tensor<1000xTYPE>) -> (tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>) {
  %0 = stablehlo.multiply %x, %y : tensor<1000xTYPE>
  %1 = stablehlo.add %0, %x : tensor<1000xTYPE>
  %2 = stablehlo.multiply %y, %y : tensor<1000xTYPE>
  %3 = stablehlo.subtract %x, %2 : tensor<1000xTYPE>
  %4 = stablehlo.add %x, %y : tensor<1000xTYPE>
  %5 = stablehlo.multiply %4, %x : tensor<1000xTYPE>
  %6 = stablehlo.subtract %5, %y : tensor<1000xTYPE>
  return %1, %3, %6 : tensor<1000xTYPE>, tensor<1000xTYPE>, tensor<1000xTYPE>
}
"""
SCALED = """func.func @main(%x: tensor<2x256xf32>, %w: tensor<256x96xi8>, %s: tensor<96xf32>) -> tensor<2x96xf32> {
  %0 = stablehlo.convert %w : (tensor<256x96xi8>) -> tensor<256x96xf32>
  %1 = stablehlo.broadcast_in_dim %s, dims = [1] : (tensor<96xf32>) -> tensor<256x96xf32>
  %2 = stablehlo.multiply %0, %1 : tensor<256x96xf32>
  %3 = stablehlo.dot_general %x, %2, contracting_dims = [1] x [0] : (tensor<2x256xf32>, tensor<256x96xf32>) -> tensor<2x96xf32>
  return %3 : tensor<2x96xf32>
}
"""
NOTHING = "func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {\n  %0 = stablehlo.negate %x : tensor<4xf32>\n  return %0 : tensor<4xf32>\n}\n"
PROGRAMS = {"flush-products": DOT, "contract": FUSABLE.replace("TYPE", "f32"), "reassociate": SCALED}
RULES = {"flush-products": "gemm-bf16-dot", "contract": "contract-products", "reassociate": "factor-scales"}


def why(call, tmp_path, *options, program=DOT, rule="gemm-bf16-dot"):
    (tmp_path / "program.mlir").write_text(program)
    result = call("why", "program.mlir", "--target-cpu=avx512", f"--rule={rule}", *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def image(call, tmp_path, program, *options):
    (tmp_path / "program.mlir").write_text(program)
    result = call("compile", "program.mlir", "-o", "x.so", "--target-cpu=avx512", *options)
    assert result.returncode == 0, result.stderr
    return (tmp_path / "x.so").read_bytes()


@pytest.fixture
def relaxations():
    """Returns the rows of the table: names, and whether they are defaults."""
    text = (pathlib.Path(__file__).parents[2] / "drumlin" / "target" / "Relaxations.def").read_text()
    return dict(re.findall(r'^DRUMLIN_RELAXATION\(\w+, "([\w-]+)", (true|false)', text, re.M))


def test_the_table_is_in_the_documents():
    """docs/architecture.md has a row for each relaxation: name, default, meaning and rule."""
    root = pathlib.Path(__file__).parents[2]
    table = re.findall(r'^DRUMLIN_RELAXATION\(\w+, "([\w-]+)", (true|false), "(.*)"\)$', (root / "drumlin" / "target" / "Relaxations.def").read_text(), re.M)
    rows = [f"| `{name}` | {'yes' if default == 'true' else 'no'} | {meaning} | `{RULES[name]}` |" for name, default, meaning in table]
    assert len(rows) == len(RULES) and "\n".join(rows) in (root / "docs" / "architecture.md").read_text()


def test_default_numerics_are_in_the_ledger(call, tmp_path):
    assert "stablehlo.dot_general: gemm-bf16-dot: taken" in why(call, tmp_path)
    for same in ("default", "flush-products", "strict,default", "default,flush-products"):
        assert why(call, tmp_path, f"--numerics={same}") == why(call, tmp_path)
    assert "gemm-bf16-dot" not in why(call, tmp_path, "--numerics=strict")
    assert "gemm-bf16-dot" not in why(call, tmp_path, "--numerics=contract,reassociate")


@pytest.mark.parametrize("text", ["fast", "default,fast", "contract,", ",", "Strict"])
def test_unknown_numerics_are_a_usage_error_that_lists_all(call, add, relaxations, text):
    result = call("compile", add, "-o", "x.so", f"--numerics={text}")
    assert result.returncode == 2 and "--numerics: error D3023" in result.stderr
    assert f"use default, strict, {', '.join(relaxations)}, or several" in result.stderr


def test_each_relaxation_changes_code_and_says_so(call, tmp_path, relaxations):
    assert set(PROGRAMS) == set(relaxations)
    for name, program in PROGRAMS.items():
        strict = image(call, tmp_path, program, "--numerics=strict")
        assert image(call, tmp_path, program, f"--numerics={name}") != strict, name
        others = ",".join(other for other in PROGRAMS if other != name)
        assert f"{RULES[name]}: taken" in why(call, tmp_path, f"--numerics={name}", program=program, rule=RULES[name])
        assert f"{RULES[name]}: taken" not in why(call, tmp_path, f"--numerics={others}", program=program, rule=RULES[name])


@pytest.mark.parametrize("name", ["contract", "reassociate"])
def test_the_ledger_says_that_a_relaxation_had_no_use(call, tmp_path, name):
    assert "nothing-to-" in why(call, tmp_path, f"--numerics={name}", program=NOTHING, rule=RULES[name])
    assert RULES[name] not in why(call, tmp_path, program=NOTHING, rule=RULES[name])


@pytest.mark.parametrize("level", ["-O0", "-O1", "-O2"])
@pytest.mark.parametrize("element", ["f64", "f32", "bf16", "f16"])
def test_products_are_fused_in_code(call, tmp_path, element, level):
    (tmp_path / "fuse.mlir").write_text(FUSABLE.replace("TYPE", element))
    made = call("check", "fuse.mlir", "--json", "--numerics=contract", level, "--input", "random:1")
    assert made.returncode == 0, made.stdout + made.stderr
    report = json.loads(made.stdout)
    fused = [note for note in report["roundings"] if note["what"] == "contract"]
    # At -O0 each operation is a separate kernel.
    assert len(fused) == (0 if level == "-O0" else 3)
    assert {tuple(kernel["relaxations"]) for kernel in report["kernels"]} == {() if level == "-O0" else ("contract",)}
    # Fused multiply-adds make the results' bits differ from the interpreter's. With `strict` or at -O0, none are fused, and the bits are equal.
    assert any(result["differing"] for result in report["results"]) == (level != "-O0")
    strict = call("check", "fuse.mlir", "--json", "--numerics=strict", level, "--input", "random:1")
    assert not any(result["differing"] for result in json.loads(strict.stdout)["results"])


def test_check_names_what_each_kernel_used(call, tmp_path):
    (tmp_path / "scaled.mlir").write_text(SCALED)
    made = call("check", "scaled.mlir", "--numerics=default,contract,reassociate", "--input", "random:1")
    assert made.returncode == 0, made.stdout + made.stderr
    assert ", with reassociate\n" in made.stdout and "factor-scales: a scale of a dot's operand multiplies the dot's sums instead" in made.stdout


def test_texts_that_numerics_forbid_are_refused(call, tmp_path):
    (tmp_path / "fuse.mlir").write_text(PROGRAMS["contract"])
    target = ("--target-cpu", "avx2")
    assert call("compile", "fuse.mlir", "--stop-after=select", "-o", "select.mlir", "--numerics=contract", *target).returncode == 0
    text = (tmp_path / "select.mlir").read_text()
    assert text.count("plan.fma") == 3
    refused = call("compile", "select.mlir", "--start-from=select", "-o", "x.so", *target)
    assert refused.returncode == 3 and "D2021" in refused.stderr and "needs the relaxation `contract`, and numerics are `default`" in refused.stderr
    refused = call("compile", "select.mlir", "--start-from=select", "-o", "x.so", "--numerics=contract", "--target-cpu", "baseline")
    assert refused.returncode == 3 and "has no `plan.fma`" in refused.stderr
    (tmp_path / "select.mlir").write_text(re.sub(r"plan.fma = \d", "plan.fma = 7", text))
    refused = call("compile", "select.mlir", "--start-from=select", "-o", "x.so", "--numerics=contract", *target)
    assert refused.returncode == 3 and "`plan.fma` names no multiplication" in refused.stderr
