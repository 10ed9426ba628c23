// RUN: drumlin-opt --select-schedules %s | FileCheck %s

// Schedules of kernels other than GEMMs depend only on their regions' shapes.

// The traversal is flat, by row-major positions, if no operation needs the index in a dimension.
// CHECK-LABEL: func.func @flat
// CHECK: plan.loop{{.*}} attributes {plan.schedule = #plan.loop<[flat, tile = 16384]>}
func.func @flat(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = plan.loop(%a = %x : tensor<5x7xf32>) -> (tensor<5x7xf32>) {
    %1 = stablehlo.negate %a : tensor<5x7xf32>
    plan.yield %1 : tensor<5x7xf32>
  }
  return %0 : tensor<5x7xf32>
}

// The traversal is by rows if an operation needs the index in a dimension. The sum of a row is the same for the complete row. Four
// registers hide the latency of its additions.
// CHECK-LABEL: func.func @rows
// CHECK: #plan.loop<[rows, tile = 546]>
// CHECK: #plan.loop<[rows, lanes = 64, tile = 163]>
func.func @rows(%x: tensor<30xf32>, %y: tensor<40x100xf32>) -> (tensor<40x30xf32>, tensor<40x100xf32>) {
  %0 = plan.loop(%a = %x : tensor<30xf32>) -> (tensor<40x30xf32>) {
    %1 = stablehlo.broadcast_in_dim %a, dims = [1] : (tensor<30xf32>) -> tensor<40x30xf32>
    plan.yield %1 : tensor<40x30xf32>
  }
  %2 = plan.loop(%a = %y : tensor<40x100xf32>) -> (tensor<40x100xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<40x100xf32>, tensor<f32>) -> tensor<40xf32>
    %3 = stablehlo.broadcast_in_dim %1, dims = [0] : (tensor<40xf32>) -> tensor<40x100xf32>
    %4 = stablehlo.divide %a, %3 : tensor<40x100xf32>
    plan.yield %4 : tensor<40x100xf32>
  }
  return %0, %2 : tensor<40x30xf32>, tensor<40x100xf32>
}

// Blocks of a transposed operand are transposed in registers.
// CHECK-LABEL: func.func @blocked
// CHECK: #plan.loop<[blocked, tile = 32, in_registers]>
// CHECK: #plan.loop<[blocked, tile = 109, dimension = 1, in_registers]>
func.func @blocked(%x: tensor<32x48xf32>, %y: tensor<50x33x3xf32>) -> (tensor<48x32xf32>, tensor<33x3x50xf32>) {
  %0 = plan.loop(%a = %x : tensor<32x48xf32>) -> (tensor<48x32xf32>) {
    %1 = stablehlo.transpose %a, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32xf32>
    %2 = stablehlo.negate %1 : tensor<48x32xf32>
    plan.yield %2 : tensor<48x32xf32>
  }
  %3 = plan.loop(%a = %y : tensor<50x33x3xf32>) -> (tensor<33x3x50xf32>) {
    %1 = stablehlo.transpose %a, dims = [1, 2, 0] : (tensor<50x33x3xf32>) -> tensor<33x3x50xf32>
    %2 = stablehlo.negate %1 : tensor<33x3x50xf32>
    plan.yield %2 : tensor<33x3x50xf32>
  }
  return %0, %3 : tensor<48x32xf32>, tensor<33x3x50xf32>
}

// Blocks of a transposing broadcast are also transposed in registers, unless each element is repeated along the result's last dimension.
// CHECK-LABEL: func.func @blocked_broadcast
// CHECK: #plan.loop<[blocked, tile = 32, in_registers]>
// CHECK: #plan.loop<[rows, tile = 341]>
func.func @blocked_broadcast(%x: tensor<32x48xf32>) -> (tensor<48x32xf32>, tensor<48x32x48xf32>) {
  %0 = plan.loop(%a = %x : tensor<32x48xf32>) -> (tensor<48x32xf32>) {
    %1 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32xf32>
    %2 = stablehlo.negate %1 : tensor<48x32xf32>
    plan.yield %2 : tensor<48x32xf32>
  }
  %3 = plan.loop(%a = %x : tensor<32x48xf32>) -> (tensor<48x32x48xf32>) {
    %1 = stablehlo.broadcast_in_dim %a, dims = [1, 0] : (tensor<32x48xf32>) -> tensor<48x32x48xf32>
    plan.yield %1 : tensor<48x32x48xf32>
  }
  return %0, %3 : tensor<48x32xf32>, tensor<48x32x48xf32>
}

// There is one traversal for the results of each shape. It runs along reduced elements if each result is a separate sum.
// CHECK-LABEL: func.func @single
// CHECK: #plan.loop<[single, lanes = 64, tile = 81], [flat, tile = 16384]>
func.func @single(%x: tensor<30x200xf32>) -> (tensor<30xf32>, tensor<30x200xf32>) {
  %0:2 = plan.loop(%a = %x : tensor<30x200xf32>) -> (tensor<30xf32>, tensor<30x200xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [1] : (tensor<30x200xf32>, tensor<f32>) -> tensor<30xf32>
    %2 = stablehlo.negate %a : tensor<30x200xf32>
    plan.yield %1, %2 : tensor<30xf32>, tensor<30x200xf32>
  }
  return %0#0, %0#1 : tensor<30xf32>, tensor<30x200xf32>
}

// A sort by keys, a sort by a comparator that doesn't compare a single key, and a selection of the top elements of long rows.
// CHECK-LABEL: func.func @sorts
// CHECK: plan.sort{{.*}} #plan.sort<radix, tile = 81>
// CHECK: #plan.sort<merge, tile = 81>
// CHECK: #plan.sort<minima, tile = 1>
// CHECK: #plan.sort<select, tile = 1, candidates = 1056>
func.func @sorts(%x: tensor<9x50xf32>, %y: tensor<3x5000xf32>) -> (tensor<9x50xf32>, tensor<9x50xf32>, tensor<3x9xf32>, tensor<3x20xf32>) {
  %0 = plan.sort(%a = %x : tensor<9x50xf32>) -> (tensor<9x50xf32>) {
    %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GT, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<9x50xf32>) -> tensor<9x50xf32>
    plan.yield %1 : tensor<9x50xf32>
  }
  %2 = plan.sort(%a = %x : tensor<9x50xf32>) -> (tensor<9x50xf32>) {
    %1 = "stablehlo.sort"(%a) <{dimension = 1 : i64}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare LE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }) : (tensor<9x50xf32>) -> tensor<9x50xf32>
    plan.yield %1 : tensor<9x50xf32>
  }
  %3 = plan.sort(%a = %y : tensor<3x5000xf32>) -> (tensor<3x9xf32>) {
    %1:2 = chlo.top_k(%a, k = 9) : tensor<3x5000xf32> -> (tensor<3x9xf32>, tensor<3x9xi32>)
    plan.yield %1#0 : tensor<3x9xf32>
  }
  %4 = plan.sort(%a = %y : tensor<3x5000xf32>) -> (tensor<3x20xf32>) {
    %1:2 = chlo.top_k(%a, k = 20) : tensor<3x5000xf32> -> (tensor<3x20xf32>, tensor<3x20xi32>)
    plan.yield %1#0 : tensor<3x20xf32>
  }
  return %0, %2, %3, %4 : tensor<9x50xf32>, tensor<9x50xf32>, tensor<3x9xf32>, tensor<3x20xf32>
}

// Lanes run along rows of updates if the rows are long enough.
// Tasks divide results into columns, or into rows if windows are so long that tasks can skip them.
// CHECK-LABEL: func.func @divided_scatters
// CHECK: #plan.scatter<by_lanes, tile = 16, along = 1>
// CHECK: #plan.scatter<by_lanes, tile = 6>
func.func @divided_scatters(%x: tensor<200x100xf32>, %i: tensor<500x1xi32>, %u: tensor<500x100xf32>, %v: tensor<200x300xf32>, %w: tensor<500x300xf32>) -> (tensor<200x100xf32>, tensor<200x300xf32>) {
  %0 = plan.scatter(%a = %x : tensor<200x100xf32>, %b = %i : tensor<500x1xi32>, %c = %u : tensor<500x100xf32>) -> (tensor<200x100xf32>) {
    %1 = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%d: tensor<f32>, %e: tensor<f32>):
      stablehlo.return %e : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<200x100xf32>, tensor<500x1xi32>, tensor<500x100xf32>) -> tensor<200x100xf32>
    plan.yield %1 : tensor<200x100xf32>
  }
  %2 = plan.scatter(%a = %v : tensor<200x300xf32>, %b = %i : tensor<500x1xi32>, %c = %w : tensor<500x300xf32>) -> (tensor<200x300xf32>) {
    %1 = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%d: tensor<f32>, %e: tensor<f32>):
      stablehlo.return %e : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<200x300xf32>, tensor<500x1xi32>, tensor<500x300xf32>) -> tensor<200x300xf32>
    plan.yield %1 : tensor<200x300xf32>
  }
  return %0, %2 : tensor<200x100xf32>, tensor<200x300xf32>
}

// CHECK-LABEL: func.func @scatters
// CHECK: #plan.scatter<by_lanes>
// CHECK: #plan.scatter<one_by_one>
func.func @scatters(%x: tensor<6x21xf32>, %i: tensor<4x1xi32>, %u: tensor<4x21xf32>, %v: tensor<6x5xf32>, %w: tensor<4x5xf32>) -> (tensor<6x21xf32>, tensor<6x5xf32>) {
  %0 = plan.scatter(%a = %x : tensor<6x21xf32>, %b = %i : tensor<4x1xi32>, %c = %u : tensor<4x21xf32>) -> (tensor<6x21xf32>) {
    %1 = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      stablehlo.return %q : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<6x21xf32>, tensor<4x1xi32>, tensor<4x21xf32>) -> tensor<6x21xf32>
    plan.yield %1 : tensor<6x21xf32>
  }
  %2 = plan.scatter(%a = %v : tensor<6x5xf32>, %b = %i : tensor<4x1xi32>, %c = %w : tensor<4x5xf32>) -> (tensor<6x5xf32>) {
    %1 = "stablehlo.scatter"(%a, %b, %c) ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      stablehlo.return %q : tensor<f32>
    }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>} : (tensor<6x5xf32>, tensor<4x1xi32>, tensor<4x5xf32>) -> tensor<6x5xf32>
    plan.yield %1 : tensor<6x5xf32>
  }
  return %0, %2 : tensor<6x21xf32>, tensor<6x5xf32>
}

// Windows that don't cross the last dimension use lanes. The positions of the first two dimensions are unrolled.
// CHECK-LABEL: func.func @windows
// CHECK: #plan.window<by_lanes, tile = 1, unrolled = 2>
func.func @windows(%x: tensor<3x30x30x32xf32>, %s: tensor<3x15x15x32xf32>) -> tensor<3x30x30x32xf32> {
  %0 = plan.window(%a = %x : tensor<3x30x30x32xf32>, %b = %s : tensor<3x15x15x32xf32>) -> (tensor<3x30x30x32xf32>) {
    %z = stablehlo.constant dense<0.0> : tensor<f32>
    %1 = "stablehlo.select_and_scatter"(%a, %b, %z) <{window_dimensions = array<i64: 1, 2, 2, 1>, window_strides = array<i64: 1, 2, 2, 1>}> ({
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.compare GE, %p, %q : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %c : tensor<i1>
    }, {
    ^bb0(%p: tensor<f32>, %q: tensor<f32>):
      %c = stablehlo.add %p, %q : tensor<f32>
      stablehlo.return %c : tensor<f32>
    }) : (tensor<3x30x30x32xf32>, tensor<3x15x15x32xf32>, tensor<f32>) -> tensor<3x30x30x32xf32>
    plan.yield %1 : tensor<3x30x30x32xf32>
  }
  return %0 : tensor<3x30x30x32xf32>
}

// If there are many matrices or they are small, a work item computes complete matrices, several if they are small. Threads share the steps
// of large matrices.
// CHECK-LABEL: func.func @triangular
// CHECK: #plan.triangular<whole, block = 128, tile = 8>
// CHECK: #plan.triangular<stepped, block = 128, tile = 1>
// CHECK: #plan.triangular<whole, block = 128, tile = 2>
// CHECK: #plan.triangular<stepped, block = 128, tile = 1>
func.func @triangular(%x: tensor<64x23x23xf32>, %y: tensor<300x300xf64>, %u: tensor<64x64x64xf32>, %v: tensor<64x64x40xf32>, %w: tensor<300x40xf64>) -> (tensor<64x23x23xf32>, tensor<300x300xf64>, tensor<64x64x40xf32>, tensor<300x40xf64>) {
  %0 = plan.triangular(%a = %x : tensor<64x23x23xf32>) -> (tensor<64x23x23xf32>) {
    %1 = stablehlo.cholesky %a, lower = true : tensor<64x23x23xf32>
    plan.yield %1 : tensor<64x23x23xf32>
  }
  %2 = plan.triangular(%a = %y : tensor<300x300xf64>) -> (tensor<300x300xf64>) {
    %1 = stablehlo.cholesky %a, lower = true : tensor<300x300xf64>
    plan.yield %1 : tensor<300x300xf64>
  }
  %3 = plan.triangular(%a = %u : tensor<64x64x64xf32>, %b = %v : tensor<64x64x40xf32>) -> (tensor<64x64x40xf32>) {
    %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<64x64x64xf32>, tensor<64x64x40xf32>) -> tensor<64x64x40xf32>
    plan.yield %1 : tensor<64x64x40xf32>
  }
  %4 = plan.triangular(%a = %y : tensor<300x300xf64>, %b = %w : tensor<300x40xf64>) -> (tensor<300x40xf64>) {
    %1 = "stablehlo.triangular_solve"(%a, %b) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose NO_TRANSPOSE>, unit_diagonal = false}> : (tensor<300x300xf64>, tensor<300x40xf64>) -> tensor<300x40xf64>
    plan.yield %1 : tensor<300x40xf64>
  }
  return %0, %2, %3, %4 : tensor<64x23x23xf32>, tensor<300x300xf64>, tensor<64x64x40xf32>, tensor<300x40xf64>
}

// A schedule that is already present is kept.
// CHECK-LABEL: func.func @chosen_before
// CHECK: #plan.loop<[rows, lanes = 32, tile = 2]>
func.func @chosen_before(%x: tensor<5x7xf32>) -> tensor<5x7xf32> {
  %0 = plan.loop(%a = %x : tensor<5x7xf32>) -> (tensor<5x7xf32>) attributes {plan.schedule = #plan.loop<[rows, tile = 2, lanes = 32]>} {
    %1 = stablehlo.negate %a : tensor<5x7xf32>
    plan.yield %1 : tensor<5x7xf32>
  }
  return %0 : tensor<5x7xf32>
}
