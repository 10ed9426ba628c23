"""--numerics: what default numerics chose is in the ledger, and strict numerics choose nothing else."""

DOT = """func.func @main(%x: tensor<64x256xbf16>, %y: tensor<256x48xbf16>) -> tensor<64x48xf32> {
  %d = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<64x256xbf16>, tensor<256x48xbf16>) -> tensor<64x48xf32>
  return %d : tensor<64x48xf32>
}
"""


def why(call, tmp_path, *options):
    (tmp_path / "dot.mlir").write_text(DOT)
    result = call("why", "dot.mlir", "--target-cpu=avx512", "--rule=gemm-bf16-dot", *options)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_default_numerics_are_in_the_ledger(call, tmp_path):
    assert "stablehlo.dot_general: gemm-bf16-dot: taken" in why(call, tmp_path)
    assert why(call, tmp_path, "--numerics=default") == why(call, tmp_path)
    assert "gemm-bf16-dot" not in why(call, tmp_path, "--numerics=strict")


def test_unknown_numerics_are_a_usage_error(call, add):
    result = call("compile", add, "-o", "x.so", "--numerics=fast")
    assert result.returncode == 2 and "--numerics" in result.stderr
