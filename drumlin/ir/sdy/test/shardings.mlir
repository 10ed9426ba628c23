// RUN: drumlin-opt %s | FileCheck %s
// RUN: drumlin-opt %s --mlir-print-op-generic | drumlin-opt | FileCheck %s

// Meshes, shardings and rules are printed as they were read.

// CHECK: sdy.mesh @grid = <["x"=2, "y"=4]>
sdy.mesh @grid = <["x"=2, "y"=4]>
// CHECK: sdy.mesh @turned = <["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
sdy.mesh @turned = #sdy.mesh<["x"=2, "y"=4], device_ids=[7, 6, 5, 4, 3, 2, 1, 0]>
// CHECK: sdy.mesh @one = <[], device_ids=[3]>
sdy.mesh @one = <[], device_ids=[3]>
// CHECK: sdy.mesh @unknown = <[]>
sdy.mesh @unknown = <[]>
// CHECK: sdy.mesh @quoted = <["a \22b\22"=1]>
sdy.mesh @quoted = <["a \22b\22"=1]>

// CHECK-LABEL: func.func @shardings
func.func @shardings(%a: tensor<8x4xf32>) -> tensor<8x4xf32> {
  // CHECK: sdy.sharding_constraint %{{.*}} <@grid, [{}, {"x"}]> : tensor<8x4xf32>
  %0 = sdy.sharding_constraint %a <@grid, [{}, {"x"}]> : tensor<8x4xf32>
  // CHECK: sdy.sharding_constraint %{{.*}} <mesh<["z"=2]>, [{"z", ?}p1, {?}p0]> : tensor<8x4xf32>
  %1 = sdy.sharding_constraint %0 <mesh<["z"=2]>, [{"z", ?}p1, {?}p0]> : tensor<8x4xf32>
  // CHECK: sdy.reshard %{{.*}} <@grid, [{"x":(1)2, "y":(2)2}, {}], replicated={"y":(1)2}> : tensor<8x4xf32>
  %2 = sdy.reshard %1 <@grid, [{"x":(1)2, "y":(2)2}, {}], replicated={"y":(1)2}> : tensor<8x4xf32>
  // CHECK: sdy.reshard %{{.*}} <@grid, [{}, {}], replicated={"x"}, unreduced={"y"}> : tensor<8x4xf32>
  %3 = sdy.reshard %2 <@grid, [{}, {}], unreduced=sum{"y"}, replicated={"x"}> : tensor<8x4xf32>
  // CHECK: sdy.reshard %{{.*}} <@grid, [{}, {}], unreduced=max{"y"}> : tensor<8x4xf32>
  %4 = sdy.reshard %3 <@grid, [{}, {}], unreduced=max{"y"}> : tensor<8x4xf32>
  // CHECK: sdy.sharding_group %{{.*}} group_id = 21 : tensor<8x4xf32>
  sdy.sharding_group %4 group_id = 21 : tensor<8x4xf32>
  // CHECK: sdy.manual_computation(%{{.*}}) in_shardings=[<@grid, [{"x"}, {}]>] out_shardings=[<@grid, [{"x"}, {}]>] manual_axes={"x", "y"} (%{{.*}}: tensor<4x4xf32>) {
  %5 = sdy.manual_computation(%4) in_shardings=[<@grid, [{"x"}, {}]>] out_shardings=[<@grid, [{"x"}, {}]>] manual_axes={"x", "y"} (%b: tensor<4x4xf32>) {
    sdy.return %b : tensor<4x4xf32>
  } : (tensor<8x4xf32>) -> tensor<8x4xf32>
  // CHECK: sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
  sdy.manual_computation() in_shardings=[] out_shardings=[] manual_axes={} () {
    sdy.return
  } : () -> ()
  return %5 : tensor<8x4xf32>
}

// CHECK-LABEL: func.func @attributes
// CHECK-SAME: list = #sdy.sharding_per_value<[<@grid, []>, <@one, [{"x"}]>]>
// CHECK-SAME: rule = #sdy.op_sharding_rule<([i, k], [kj])->([i, z_1], []) {i=8, j=16, k=4} reduction={k} need_replication={i, j} permutation={z_2} blocked_propagation={z}, custom>
// CHECK-SAME: scalar = #sdy.op_sharding_rule<([])->([])>
// CHECK-SAME: #sdy<axis_ref_list{"x", "y":(2)2}>
// CHECK-SAME: #sdy<list_of_axis_ref_lists[{"x"}, {}]>
// CHECK-SAME: #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->3]>
func.func @attributes() attributes {
    list = #sdy.sharding_per_value<[<@grid, []>, <@one, [{"x"}]>]>,
    rule = #sdy.op_sharding_rule<([i, k],[kj])->([i, z_1], []) {i=8, j=16, k=4} reduction={k} need_replication={i, j} permutation={z_2} blocked_propagation={z}, custom>,
    scalar = #sdy.op_sharding_rule<([])->([])>,
    t = #sdy<axis_ref_list{"x", "y":(2)2}>,
    u = #sdy<list_of_axis_ref_lists[{"x"}, {}]>,
    v = #sdy<all_to_all_param_list[{"x"}: 0->1, {"y"}: 2->3]>} {
  return
}
