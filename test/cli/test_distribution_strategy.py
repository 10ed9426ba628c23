"""--distribution-strategy has its own error code as long as partitioning isn't supported."""
import pytest


@pytest.mark.parametrize("command", [("compile", "add.mlir", "-o", "out.so"), ("plan", "add.mlir"), ("why", "add.mlir"),
                                     ("plan", "add.mlir", "--target", "trn1"), ("plan", "add.mlir", "--target", "sm_90"),
                                     ("run", "add.mlir", "--input", "zeros", "--input", "zeros"), ("check", "add.mlir")])
def test_any_strategy_is_not_supported_yet(call, add, tmp_path, command):
    done = call(*command, "--distribution-strategy", "llm-training")
    assert done.returncode == 4
    assert "--distribution-strategy: error D4012: `llm-training`: programs aren't partitioned among devices yet" in done.stderr
    assert "lower the program for one device" in done.stderr and not (tmp_path / "out.so").exists()
