// Tests that a kernel with sizes known only at run time has the same code, and is generated from
// the same indexing maps, at any nominal sizes.
#include "TestProgram.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/sizes/InstantiateSizes.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/target/CpuTarget.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

namespace drumlin {

// Functions whose arguments and results have sizes known only at run time, for all kinds of kernels
// that support such sizes.
static const char *const programs[] = {
    R"(func.func @main(%x: tensor<3xf32>, %y: tensor<197xf32>, %z: tensor<?xf32>) -> tensor<?xf32> {
  %n = stablehlo.get_dimension_size %z, dim = 0 : (tensor<?xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %e = stablehlo.exponential %y : tensor<197xf32>
  %0 = stablehlo.concatenate %x, %e, dim = 0 : (tensor<3xf32>, tensor<197xf32>) -> tensor<200xf32>
  %1 = stablehlo.real_dynamic_slice %0, %c0, %n1, %c1 : (tensor<200xf32>, tensor<1xi32>, tensor<1xi32>, tensor<1xi32>) -> tensor<?xf32>
  %2 = stablehlo.add %1, %z : tensor<?xf32>
  return %2 : tensor<?xf32>
})",
    R"(func.func @main(%x: tensor<?x8xf16>) -> tensor<?x?xf16> {
  %0 = stablehlo.reverse %x, dims = [0] : tensor<?x8xf16>
  %1 = stablehlo.dot_general %0, %x, contracting_dims = [1] x [1] : (tensor<?x8xf16>, tensor<?x8xf16>) -> tensor<?x?xf16>
  %2 = stablehlo.reverse %1, dims = [0, 1] : tensor<?x?xf16>
  return %2 : tensor<?x?xf16>
})",
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
    R"(func.func @main(%x: tensor<?x6xf32>, %t: tensor<8x4xf32>, %k: tensor<?x1xi32>, %i: tensor<i32>) -> (tensor<?x12xf32>, tensor<?x9xf32>, tensor<?x4xf32>, tensor<2x6xf32>) {
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %n = stablehlo.constant dense<0> : tensor<i32>
  %e = stablehlo.exponential %x : tensor<?x6xf32>
  %0 = stablehlo.concatenate %e, %x, dim = 1 : (tensor<?x6xf32>, tensor<?x6xf32>) -> tensor<?x12xf32>
  %1 = stablehlo.pad %e, %z, low = [0, 1], high = [0, 2], interior = [0, 0] : (tensor<?x6xf32>, tensor<f32>) -> tensor<?x9xf32>
  %2 = "stablehlo.gather"(%t, %k) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 4>}> : (tensor<8x4xf32>, tensor<?x1xi32>) -> tensor<?x4xf32>
  %3 = stablehlo.dynamic_slice %e, %i, %n, sizes = [2, 6] : (tensor<?x6xf32>, tensor<i32>, tensor<i32>) -> tensor<2x6xf32>
  return %0, %1, %2, %3 : tensor<?x12xf32>, tensor<?x9xf32>, tensor<?x4xf32>, tensor<2x6xf32>
})",
    R"(func.func @main(%x: tensor<?x6xf32>, %y: tensor<?x?xf32>) -> (tensor<?x6xf32>, tensor<1x2xf32>, tensor<?xf32>) {
  %n = stablehlo.get_dimension_size %x, dim = 0 : (tensor<?x6xf32>) -> tensor<i32>
  %n1 = stablehlo.reshape %n : (tensor<i32>) -> tensor<1xi32>
  %c0 = stablehlo.constant dense<0> : tensor<1xi32>
  %c1 = stablehlo.constant dense<1> : tensor<1xi32>
  %c3 = stablehlo.constant dense<3> : tensor<1xi32>
  %ones = stablehlo.constant dense<1> : tensor<2xi32>
  %last = stablehlo.subtract %n1, %c1 : tensor<1xi32>
  %from = stablehlo.concatenate %c0, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %to = stablehlo.concatenate %n1, %c3, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %fromLast = stablehlo.concatenate %last, %c1, dim = 0 : (tensor<1xi32>, tensor<1xi32>) -> tensor<2xi32>
  %e = stablehlo.exponential %x : tensor<?x6xf32>
  %0 = stablehlo.real_dynamic_slice %e, %from, %to, %ones : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x2xf32>
  %i = stablehlo.constant dense<0> : tensor<i32>
  %u = stablehlo.dynamic_update_slice %x, %0, %i, %n : (tensor<?x6xf32>, tensor<?x2xf32>, tensor<i32>, tensor<i32>) -> tensor<?x6xf32>
  %1 = stablehlo.real_dynamic_slice %e, %fromLast, %to, %ones : (tensor<?x6xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<1x2xf32>
  %r = stablehlo.get_dimension_size %y, dim = 0 : (tensor<?x?xf32>) -> tensor<i32>
  %s = stablehlo.get_dimension_size %y, dim = 1 : (tensor<?x?xf32>) -> tensor<i32>
  %m = stablehlo.multiply %r, %s : tensor<i32>
  %m1 = stablehlo.reshape %m : (tensor<i32>) -> tensor<1xi32>
  %t = stablehlo.transpose %y, dims = [1, 0] : (tensor<?x?xf32>) -> tensor<?x?xf32>
  %2 = stablehlo.dynamic_reshape %t, %m1 : (tensor<?x?xf32>, tensor<1xi32>) -> tensor<?xf32>
  return %u, %1, %2 : tensor<?x6xf32>, tensor<1x2xf32>, tensor<?xf32>
})",
};

static std::string textOf(const llvm::Module &module) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module.print(stream, nullptr);
  return text;
}

// Returns the sizes of the kernel's values that depend on symbols.
static std::vector<SizeExpression> sizesIn(plan::KernelOp kernel) {
  std::vector<SizeExpression> made;
  auto add = [&](mlir::Value value) {
    if (hasSymbolicSizes(value.getType())) {
      llvm::copy_if(symbolicSizesOf(value), std::back_inserter(made),
                    [](const SizeExpression &size) { return !size.constant(); });
    }
  };
  llvm::for_each(kernel.getBody().getArguments(), add);
  kernel.getBody().walk([&](mlir::Operation *op) { llvm::for_each(op->getResults(), add); });
  return made;
}

// Returns the kernel at larger nominal sizes that also fit its schedule; null if there are no such
// sizes.
static mlir::OwningOpRef<plan::KernelOp> atOtherSizes(plan::KernelOp kernel) {
  mlir::func::FuncOp entry = entryFunction(kernel->getParentOfType<mlir::ModuleOp>());
  SizeExpression::Values values = otherValues(sizeSymbolsOf(entry), sizeConstraintsOf(entry),
                                              OtherSizes::Larger, sizesIn(kernel));
  mlir::OwningOpRef<plan::KernelOp> other = kernel.clone();
  return changeNominalSizes(*other, values) ? std::move(other)
                                            : mlir::OwningOpRef<plan::KernelOp>();
}

// Returns the kernel's code and its memory needs as a text.
static std::string codeOf(plan::KernelOp kernel, const CpuTarget &target) {
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  auto made = codegen::emitKernel(kernel, "kernel", module, target);
  return made ? textOf(module) + made->scratchBytes.str() + " " + made->partialBytes.str() + " " +
                    std::to_string(made->steps)
              : made.error().str();
}

namespace {
// Names of operations with symbolic sizes. `holding`: operations whose indexing maps hold at all
// sizes. `nominal`: operations whose maps hold only at the nominal sizes.
struct MapNames {
  llvm::StringSet<> holding, nominal;
};
} // namespace

// Maps that hold at all sizes must be equal at different nominal sizes.
static void compareMaps(plan::KernelOp kernel, plan::KernelOp other, MapNames *names) {
  std::vector<mlir::Operation *> ops, others;
  kernel.getBody().walk([&](mlir::Operation *op) { ops.push_back(op); });
  other.getBody().walk([&](mlir::Operation *op) { others.push_back(op); });
  ASSERT_EQ(ops.size(), others.size());
  for (auto [op, twin] : llvm::zip(ops, others)) {
    if (!llvm::isa<IndexingInterface>(op) || op->getNumResults() == 0) {
      continue;
    }
    for (auto [operand, ofTwin] : llvm::zip(op->getOpOperands(), twin->getOpOperands())) {
      std::optional<IndexingMap> map = indexing(operand), same = indexing(ofTwin);
      ASSERT_EQ(map.has_value(), same.has_value());
      if (names && map && hasSymbolicShapes(op)) {
        (map->holdsAtAllSizes() ? names->holding : names->nominal)
            .insert(op->getName().getStringRef());
      }
      if (map && map->holdsAtAllSizes()) {
        EXPECT_EQ(map->map(), same->map()) << map->str() << " and " << same->str();
        EXPECT_TRUE(llvm::equal(map->constraints(), same->constraints()));
      }
    }
  }
}

// Compares each kernel of the program with itself at other nominal sizes. Returns the number of
// kernels with sizes known only at run time.
static size_t compareKernels(const std::string &text, const std::string &targetName,
                             MapNames *names = nullptr) {
  TestProgram program(text);
  EXPECT_TRUE(program.module) << text;
  CompileOptions options;
  options.target = *targetFromName(targetName);
  if (!program.module || !program.run(options)) {
    return 0;
  }
  const auto &target = llvm::cast<CpuTarget>(*options.target);
  size_t count = 0;
  for (auto kernel : program.module->getOps<plan::KernelOp>()) {
    if (sizeSymbolsIn(kernel).empty()) {
      continue;
    }
    mlir::OwningOpRef<plan::KernelOp> other = atOtherSizes(kernel);
    EXPECT_TRUE(other) << text;
    if (other) {
      EXPECT_EQ(codeOf(kernel, target), codeOf(*other, target)) << targetName << "\n" << text;
      compareMaps(kernel, *other, names);
      ++count;
    }
  }
  return count;
}

TEST(SizedCodeTest, IsTheSameAtAllNominalSizes) {
  size_t kernels = 0;
  for (const char *text : programs) {
    for (const char *name : {"avx512", "avx2", "neoverse-v2"}) {
      kernels += compareKernels(text, name);
    }
  }
  EXPECT_GE(kernels, 45U);
}

// The programs above test both kinds of indexing maps for every operation whose map is used for
// code: maps that hold at all sizes, and maps that hold only at the nominal sizes.
TEST(SizedCodeTest, MapsOfEachOperationAreOfBothKinds) {
  MapNames names;
  for (const char *text : programs) {
    compareKernels(text, "avx512", &names);
  }
  for (llvm::StringRef name : {"concatenate", "pad", "reverse", "slice", "dynamic_slice",
                               "dynamic_update_slice", "gather", "reshape"}) {
    std::string full = "stablehlo." + name.str();
    // A slice's sizes are constants in an attribute, so they can't be symbolic.
    EXPECT_EQ(names.holding.contains(full), name != "dynamic_slice") << full;
    EXPECT_TRUE(names.nominal.contains(full)) << full;
  }
  for (llvm::StringRef name : {"broadcast_in_dim", "transpose"}) {
    EXPECT_TRUE(names.holding.contains("stablehlo." + name.str())) << name.str();
    EXPECT_FALSE(names.nominal.contains("stablehlo." + name.str())) << name.str();
  }
}

} // namespace drumlin
