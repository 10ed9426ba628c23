"""--require and --disable-pass from the command line: an unmet requirement fails with its reason, and no image is written."""
import pytest

DENSE = """module @dense {
  func.func public @main(%x: tensor<8x16xf32>, %w: tensor<16x4xf32>, %b: tensor<4xf32>) -> tensor<8x4xf32> {
    %0 = stablehlo.dot_general %x, %w, contracting_dims = [1] x [0] : (tensor<8x16xf32>, tensor<16x4xf32>) -> tensor<8x4xf32>
    %1 = stablehlo.broadcast_in_dim %b, dims = [1] : (tensor<4xf32>) -> tensor<8x4xf32>
    %2 = stablehlo.add %0, %1 : tensor<8x4xf32>
    return %2 : tensor<8x4xf32>
  }
}
"""


@pytest.fixture
def dense(tmp_path):
    (tmp_path / "dense.mlir").write_text(DENSE)
    return "dense.mlir"


@pytest.mark.parametrize("command", [("compile", "-o", "dense.so"), ("plan",), ("why",),
                                     ("run", "--input", "zeros", "--input", "zeros", "--input", "zeros")])
def test_requirements_of_every_command(call, dense, tmp_path, command):
    require = ("--require", "dot@*dense.mlir*: fused(bias) kernel(gemm)")
    met = call(command[0], dense, *command[1:], *require, "--require", "program: max_kernels(1)")
    assert met.returncode == 0, met.stderr
    (tmp_path / "dense.so").unlink(missing_ok=True)
    unmet = call(command[0], dense, *command[1:], *require, "--require", "dot: fused(gelu)")
    assert unmet.returncode == 5
    assert "dense.mlir:3:10: error D5010: `fused(gelu)`" in unmet.stderr and "hint: " in unmet.stderr
    assert not (tmp_path / "dense.so").exists()


@pytest.mark.parametrize("option, status, code", [
    (("--require", "dot@*attention*: kernel(gemm)"), 5, "D5011"), (("--require", "dot fused"), 2, "D3012"),
    (("--disable-pass", "gemm-rewrite"), 5, "D5012"), (("--disable-pass", "melt"), 2, "D3011")])
def test_statuses(call, dense, tmp_path, option, status, code):
    result = call("compile", dense, "-o", "dense.so", *option)
    assert result.returncode == status and f"error {code}: " in result.stderr
    assert not (tmp_path / "dense.so").exists()


def test_a_rule_turned_off_is_the_reason(call, dense):
    result = call("compile", dense, "-o", "x.so", "--disable-pass", "gemm-absorb-consumer", "--require", "dot: fused(bias)")
    assert result.returncode == 5
    assert "stablehlo.add: gemm-absorb-consumer: turned-off" in result.stderr
