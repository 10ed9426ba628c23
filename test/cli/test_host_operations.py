"""Programs from other sources with calls, transfers and tokens: each runs, or is refused with a source location."""
import pytest

TUPLE_OPERAND = """func.func @main(%x: tensor<3xf32>, %y: tensor<2xi32>) -> tensor<3xf32> {
  %t = stablehlo.tuple %x, %y : tuple<tensor<3xf32>, tensor<2xi32>>
  %0 = stablehlo.custom_call @takes_pair(%t) CONVENTION : (tuple<tensor<3xf32>, tensor<2xi32>>) -> tensor<3xf32>
  return %0 : tensor<3xf32>
}
"""
SEND = """func.func @main(%x: tensor<4xf32>, %t: !stablehlo.token) -> !stablehlo.token {
  %0 = "stablehlo.send"(%x, %t) {channel_handle = #stablehlo.channel_handle<handle = 3, type = 1>, is_host_transfer = false,
    source_target_pairs = dense<[[0, 1], [1, 0]]> : tensor<2x2xi64>} : (tensor<4xf32>, !stablehlo.token) -> !stablehlo.token
  return %0 : !stablehlo.token
}
"""
TOKEN = """func.func @main(%t: !stablehlo.token, %x: tensor<4xi64>) -> (!stablehlo.token, tensor<4xi64>) {
  %0 = stablehlo.add %x, %x : tensor<4xi64>
  return %t, %0 : !stablehlo.token, tensor<4xi64>
}
"""
INTEGER = """func.func @main(%x: tensor<f32>) -> tensor<f32> {
  %0 = stablehlo.custom_call @mine(%x) {api_version = 2 : i32, mhlo.backend_config = 3} : (tensor<f32>) -> tensor<f32>
  return %0 : tensor<f32>
}
"""
INFEED = """func.func @main(%t: !stablehlo.token) -> (tensor<3x3xi32>, tensor<i1>) {
  %0:3 = "stablehlo.infeed"(%t) {infeed_config = "q", layout = [[0, 1], [0]]} : (!stablehlo.token) -> (tensor<3x3xi32>, tensor<i1>, !stablehlo.token)
  return %0#0, %0#1 : tensor<3x3xi32>, tensor<i1>
}
"""
PAD = """func.func @main(%x: tensor<4x5xf32>, %z: tensor<f32>) -> tensor<4x6xf32> {
  %size = stablehlo.get_dimension_size %x, dim = 0 : (tensor<4x5xf32>) -> tensor<i32>
  %three = stablehlo.constant dense<3> : tensor<i32>
  %one = stablehlo.multiply %size, %three : tensor<i32>
  %zero = stablehlo.constant dense<0> : tensor<1xi32>
  %last = stablehlo.reshape %one : (tensor<i32>) -> tensor<1xi32>
  %low = stablehlo.concatenate %zero, %last, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %none = stablehlo.constant dense<0> : tensor<2xi32>
  %0 = stablehlo.dynamic_pad %x, %z, %low, %none, %none : (tensor<4x5xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<4x6xf32>
  return %0 : tensor<4x6xf32>
}
"""


@pytest.mark.parametrize("program,status,code,place", [
    (TUPLE_OPERAND.replace("CONVENTION", ""), 4, "D4003", "3:8"), (SEND, 3, "D4013", "2:8"), (INTEGER, 3, "D2006", "2:8"), (INFEED, 3, "D2006", "2:10"),
    (PAD, 3, "D2006", "9:8"),
], ids=["tuple", "send", "configuration", "infeed", "pad"])
@pytest.mark.parametrize("command", ["compile", "check", "plan"])
def test_refused_with_the_place(call, tmp_path, program, status, code, place, command):
    (tmp_path / "p.mlir").write_text(program)
    done = call(command, "p.mlir", *(("-o", "p.so") if command == "compile" else ()))
    assert done.returncode == status and code in done.stderr and f"p.mlir:{place}" in done.stderr, done.stderr


def test_tokens_have_no_values(call, tmp_path):
    (tmp_path / "p.mlir").write_text(TOKEN)
    done = call("check", "p.mlir")
    assert done.returncode == 0 and "tensor<4xi64>" in done.stdout, done.stdout + done.stderr


# XLA's foreign function interface passes a tuple as its elements.
def test_typed_calls_take_what_is_in_tuples(call, tmp_path):
    (tmp_path / "p.mlir").write_text(TUPLE_OPERAND.replace("CONVENTION", "{api_version = 4 : i32, backend_config = {}}"))
    plan = call("plan", "p.mlir")
    assert plan.returncode == 0, plan.stderr
    assert call("compile", "p.mlir", "-o", "p.so").returncode == 0
    missing = call("run", "p.so")
    assert missing.returncode == 3 and "D6009" in missing.stderr, missing.stderr
