"""Programs of several processes on the command line: grid options, `run`, `check`, `bench` and errors."""
import numpy as np
import pytest

# Each process sums its group's arguments, adds its replica id, and swaps the result with the other process.
SUM = """module @sum {
  func.func public @main(%a: tensor<6xf32>) -> tensor<6xf32> {
    %s = "stablehlo.all_reduce"(%a) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%x: tensor<f32>, %y: tensor<f32>):
      %t = stablehlo.add %x, %y : tensor<f32>
      stablehlo.return %t : tensor<f32>
    }) : (tensor<6xf32>) -> tensor<6xf32>
    %r = stablehlo.replica_id : tensor<ui32>
    %f = stablehlo.convert %r : (tensor<ui32>) -> tensor<f32>
    %b = stablehlo.broadcast_in_dim %f, dims = [] : (tensor<f32>) -> tensor<6xf32>
    %v = stablehlo.add %s, %b : tensor<6xf32>
    %m = "stablehlo.collective_permute"(%v) <{source_target_pairs = dense<[[1, 0], [0, 1]]> : tensor<2x2xi64>}> : (tensor<6xf32>) -> tensor<6xf32>
    return %m : tensor<6xf32>
  }
}
"""
# Replica 0 waits for a value that no process sends.
ALONE = """module @alone attributes {mhlo.num_replicas = 2 : i32} {
  func.func public @main(%a: tensor<4xf32>) -> tensor<4xf32> {
    %t = stablehlo.create_token : !stablehlo.token
    %r:2 = "stablehlo.recv"(%t) <{channel_handle = #stablehlo.channel_handle<handle = 0, type = 1>,
      source_target_pairs = dense<[[1, 0]]> : tensor<1x2xi64>}> : (!stablehlo.token) -> (tensor<4xf32>, !stablehlo.token)
    return %r#0 : tensor<4xf32>
  }
}
"""


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "sum.mlir").write_text(SUM)
    (tmp_path / "alone.mlir").write_text(ALONE)
    np.save(tmp_path / "a.npy", np.arange(6, dtype=np.float32))
    return tmp_path


def result(folder):
    return np.load(folder / "out.npz")["out0"]


def test_run_gives_what_the_interpreter_gives(call, folder):
    for way in ((), ("--interpret",)):
        done = call("run", "sum.mlir", "--replicas", "2", "--input", "a.npy", "--output", "out.npz", *way)
        assert done.returncode == 0, done.stderr
        assert (result(folder) == 2 * np.arange(6) + 1).all()


def test_images_know_their_grid(call, folder):
    assert call("compile", "sum.mlir", "--replicas", "2", "-o", "sum.so").returncode == 0
    done = call("run", "sum.so", "--input", "a.npy", "--output", "out.npz")
    assert done.returncode == 0, done.stderr
    assert (result(folder) == 2 * np.arange(6) + 1).all()
    plan = call("plan", "sum.so").stdout
    assert 'plan.host_call <exchange> "stablehlo.all_reduce on channel 0"' in plan


def test_check_and_bench_run_all_processes(call, folder):
    (folder / "two.mlir").write_text(SUM.replace("module @sum", "module @sum attributes {mhlo.num_replicas = 2 : i32}"))
    for program in (["two.mlir"], ["sum.mlir", "--replicas", "2"]):
        done = call("check", *program, "--input", "a.npy")
        assert done.returncode == 0, done.stdout + done.stderr
        assert "process (1, 0)" in done.stdout
        done = call("bench", *program, "--seconds", "0.01")
        assert done.returncode == 0, done.stdout + done.stderr
        done = call("bench", *program, "--seconds", "0.01", "--simulate-threads", "4")
        assert done.returncode == 2 and "error D3008" in done.stderr and "several processes" in done.stderr, done.stderr
        for command in ("plan", "cost", "why"):
            assert "host_call" in call(command, *program).stdout or command == "why"


def test_errors_have_codes(call, folder):
    done = call("compile", "sum.mlir", "--replicas", "3", "-o", "sum.so")
    assert done.returncode != 0 and "D7004" in done.stderr and "sum.mlir:3" in done.stderr, done.stderr
    for way in ((), ("--interpret", "--replicas", "2")):
        done = call("run", "alone.mlir", "--input", "zeros", *way)
        assert done.returncode != 0 and "D7005" in done.stderr, done.stderr
