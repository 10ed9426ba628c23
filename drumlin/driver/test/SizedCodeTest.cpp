// Code of kernels whose sizes only the run tells: the same whatever the nominal sizes are, or
// refused.
#include "TestProgram.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/driver/SizedCode.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace drumlin {

// Of each a function with arguments and results of such sizes; all kinds of kernels that have them.
static const char *const programs[] = {
    R"(func.func @main(%x: tensor<?x?xf32>, %y: tensor<?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.tanh %x : tensor<?x?xf32>
  %1 = chlo.broadcast_add %0, %y {broadcast_dimensions = array<i64: 1>} : (tensor<?x?xf32>, tensor<?xf32>) -> tensor<?x?xf32>
  %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>) -> (tensor<?xf32>, tensor<?xf32>, tensor<f32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.exponential %x : tensor<?x?xf32>
  %1 = stablehlo.reduce(%0 init: %z) applies stablehlo.add across dimensions = [1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %2 = stablehlo.reduce(%x init: %z) applies stablehlo.add across dimensions = [0] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?xf32>
  %3 = stablehlo.reduce(%x init: %z) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<f32>
  return %1, %2, %3 : tensor<?xf32>, tensor<?xf32>, tensor<f32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>) -> tensor<?x?xf32> {
  %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.cosine %0 : tensor<?x?xf32>
  return %1 : tensor<?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = stablehlo.concatenate %x, %x, dim = 1 : (tensor<?x?xf32>, tensor<?x?xf32>) -> tensor<?x?xf32>
  %1 = stablehlo.pad %y, %z, low = [1, 2], high = [0, 3], interior = [0, 1] : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x4xf32>, %i: tensor<?x1xi32>, %u: tensor<?x4xf32>) -> (tensor<?x4xf32>, tensor<?x4xf32>) {
  %0 = "stablehlo.gather"(%x, %i) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<?x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  %1 = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x4xf32>, tensor<?x1xi32>, tensor<?x4xf32>) -> tensor<?x4xf32>
  return %0, %1 : tensor<?x4xf32>, tensor<?x4xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x5xf32>) {
  %0 = "stablehlo.sort"(%x) <{dimension = 1 : i64}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare LT, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }) : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %v, %i = chlo.top_k(%x, k = 5) : tensor<?x?xf32> -> (tensor<?x5xf32>, tensor<?x5xi32>)
  return %0, %v : tensor<?x?xf32>, tensor<?x5xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>, %y: tensor<?x64xf32>) -> tensor<?x64xf32> {
  %0 = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<?x?xf32>, tensor<?x64xf32>) -> tensor<?x64xf32>
  %1 = stablehlo.tanh %0 : tensor<?x64xf32>
  return %1 : tensor<?x64xf32>
})",
    R"(func.func @main(%x: tensor<?x?x32xf32>, %y: tensor<?x?x32xf32>) -> tensor<?x?x?xf32> {
  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = [2] x [2] : (tensor<?x?x32xf32>, tensor<?x?x32xf32>) -> tensor<?x?x?xf32>
  return %0 : tensor<?x?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x?x?x8xf32>, %w: tensor<3x3x8x16xf32>) -> tensor<?x?x?x16xf32> {
  %0 = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<?x?x?x8xf32>, tensor<3x3x8x16xf32>) -> tensor<?x?x?x16xf32>
  return %0 : tensor<?x?x?x16xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>) -> (tensor<?x?xf32>, tensor<?x?xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %0 = "stablehlo.reduce_window"(%x, %z) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  %1 = "stablehlo.select_and_scatter"(%x, %0, %z) <{window_dimensions = array<i64: 1, 3>, window_strides = array<i64: 1, 2>, padding = dense<[[0, 0], [1, 1]]> : tensor<2x2xi64>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %c = stablehlo.compare GE, %a, %b : (tensor<f32>, tensor<f32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  }, {
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %s = stablehlo.add %a, %b : tensor<f32>
    stablehlo.return %s : tensor<f32>
  }) : (tensor<?x?xf32>, tensor<?x?xf32>, tensor<f32>) -> tensor<?x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x?x?xf32>, %y: tensor<?x?x4xf32>) -> tensor<?x?x4xf32> {
  %0 = stablehlo.cholesky %x, lower = true : tensor<?x?x?xf32>
  %1 = "stablehlo.triangular_solve"(%0, %y) <{left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose NO_TRANSPOSE>}> : (tensor<?x?x?xf32>, tensor<?x?x4xf32>) -> tensor<?x?x4xf32>
  return %1 : tensor<?x?x4xf32>
})",
    R"(func.func @main(%x: tensor<?x?x8xf32>) -> tensor<?x?xf32> {
  %r = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x?x8xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %x, dim = 1 : (tensor<?x?x8xf32>) -> tensor<i32>
  %e = stablehlo.constant dense<8> : tensor<i32>
  %n = stablehlo.multiply %s, %e : tensor<i32>
  %r1 = stablehlo.reshape %r : (tensor<i32>) -> tensor<1xi32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %shape = stablehlo.concatenate %r1, %n1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %0 = stablehlo.reverse %x, dims = [2] : tensor<?x?x8xf32>
  %1 = stablehlo.dynamic_reshape %0, %shape : (tensor<?x?x8xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %2 = stablehlo.sine %1 : tensor<?x?xf32>
  return %2 : tensor<?x?xf32>
})",
    R"(func.func @main(%x: tensor<?x?xf32>, %u: tensor<2x?xf32>, %i: tensor<i32>) -> (tensor<?x?xf32>, tensor<2x?xf32>) {
  %z = stablehlo.constant dense<0> : tensor<i32>
  %0 = stablehlo.dynamic_update_slice %x, %u, %i, %z : (tensor<?x?xf32>, tensor<2x?xf32>, tensor<i32>, tensor<i32>) -> tensor<?x?xf32>
  %1 = stablehlo.negate %u : tensor<2x?xf32>
  return %0, %1 : tensor<?x?xf32>, tensor<2x?xf32>
})",
};

// Of each kernel of the program with sizes that only the run tells: whether its code is the same.
static std::vector<Status> checkKernels(const char *text, const std::string &targetName) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.target = *targetFromName(targetName);
  Status status = program.run(options);
  EXPECT_TRUE(status) << status.error().str() << text;
  const auto &target = llvm::cast<CpuTarget>(*options.target);
  std::vector<Status> made;
  for (auto kernel : program.module->getOps<plan::KernelOp>()) {
    if (sizeSymbolsIn(kernel).empty()) {
      continue;
    }
    llvm::LLVMContext context;
    llvm::Module module(kernel.getSymName(), context);
    auto properties =
        codegen::emitKernel(kernel, codegen::kernelFunctionName(kernel), module, target);
    EXPECT_TRUE(properties) << text;
    made.push_back(properties ? checkSizedCode(kernel, *properties, module, target, {})
                              : Status(properties.error()));
  }
  return made;
}

TEST(SizedCodeTest, IsTheSameAtAllNominalSizes) {
  size_t kernels = 0;
  for (const char *text : programs) {
    for (const char *name : {"avx512", "avx2", "neoverse-v2"}) {
      for (const Status &status : checkKernels(text, name)) {
        EXPECT_TRUE(status) << status.error().str() << text;
        ++kernels;
      }
    }
  }
  EXPECT_GE(kernels, 45U);
}

// The place of its operand's last row is one of the nominal sizes.
TEST(SizedCodeTest, IsRefusedWhereItIsNot) {
  std::vector<Status> made = checkKernels(
      R"(func.func @main(%x: tensor<?x8xf16>) -> tensor<?x?xf16> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?x8xf16>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [1] : (tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x?xf16>
  return %1 : tensor<?x?xf16>
})",
      "avx512");
  ASSERT_EQ(made.size(), 1U);
  ASSERT_FALSE(made.front());
  EXPECT_EQ(made.front().error().code, DiagnosticCode::UnsupportedDynamicShape);
}

} // namespace drumlin
