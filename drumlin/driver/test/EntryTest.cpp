// Tests entries that leave all buffer memory to the runtime, as device memory requires. Such an
// entry dereferences no address of a buffer, launches each kernel by its index, and computes the
// same results as an ordinary entry.
#include "TestProgram.h"

#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/driver/Compiler.h"
#include "drumlin/ir/plan/Entry.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/target/CpuTarget.h"
#include "llvm/IR/InstIterator.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <cstring>

namespace drumlin {

// A loop with its condition, branches with their predicate, and copies of loop-carried values.
static const char *const controlFlow = R"(
func.func @main(%x: tensor<300x200xf32>, %n: tensor<i32>) -> (tensor<300x200xf32>, tensor<i32>) {
  %zero = stablehlo.constant dense<0> : tensor<i32>
  %one = stablehlo.constant dense<1> : tensor<i32>
  %0:2 = stablehlo.while(%i = %zero, %y = %x) : tensor<i32>, tensor<300x200xf32>
  cond {
    %c = stablehlo.compare LT, %i, %n : (tensor<i32>, tensor<i32>) -> tensor<i1>
    stablehlo.return %c : tensor<i1>
  } do {
    %odd = stablehlo.and %i, %one : tensor<i32>
    %z = "stablehlo.case"(%odd) ({
      %a = stablehlo.tanh %y : tensor<300x200xf32>
      stablehlo.return %a : tensor<300x200xf32>
    }, {
      %b = stablehlo.multiply %y, %x : tensor<300x200xf32>
      stablehlo.return %b : tensor<300x200xf32>
    }) : (tensor<i32>) -> tensor<300x200xf32>
    %big = stablehlo.compare GT, %i, %one : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %w = "stablehlo.if"(%big) ({
      stablehlo.return %z : tensor<300x200xf32>
    }, {
      %c = stablehlo.cosine %z : tensor<300x200xf32>
      stablehlo.return %c : tensor<300x200xf32>
    }) : (tensor<i1>) -> tensor<300x200xf32>
    %next = stablehlo.add %i, %one : tensor<i32>
    stablehlo.return %next, %w : tensor<i32>, tensor<300x200xf32>
  }
  return %0#1, %0#0 : tensor<300x200xf32>, tensor<i32>
}
)";

// Kernels that consist of several steps, and kernels whose tiles give partial results that are
// combined.
static const char *const severalTiles = R"(
func.func @main(%x: tensor<256x256xf32>, %y: tensor<256x512xf32>) -> (tensor<256x256xf32>, tensor<f32>) {
  %p = stablehlo.dot_general %y, %y, contracting_dims = [1] x [1] : (tensor<256x512xf32>, tensor<256x512xf32>) -> tensor<256x256xf32>
  %many = stablehlo.constant dense<600.0> : tensor<256x256xf32>
  %rows = stablehlo.iota dim = 0 : tensor<256x256xi32>
  %columns = stablehlo.iota dim = 1 : tensor<256x256xi32>
  %diagonal = stablehlo.compare EQ, %rows, %columns : (tensor<256x256xi32>, tensor<256x256xi32>) -> tensor<256x256xi1>
  %none = stablehlo.constant dense<0.0> : tensor<256x256xf32>
  %shift = stablehlo.select %diagonal, %many, %none : tensor<256x256xi1>, tensor<256x256xf32>
  %a = stablehlo.add %p, %shift : tensor<256x256xf32>
  %l = stablehlo.cholesky %a, lower = true : tensor<256x256xf32>
  %q = stablehlo.dot_general %x, %y, contracting_dims = [1] x [0] : (tensor<256x256xf32>, tensor<256x512xf32>) -> tensor<256x512xf32>
  %lowest = stablehlo.constant dense<0xFF800000> : tensor<f32>
  %m = stablehlo.reduce(%q init: %lowest) applies stablehlo.maximum across dimensions = [0, 1] : (tensor<256x512xf32>, tensor<f32>) -> tensor<f32>
  return %l, %m : tensor<256x256xf32>, tensor<f32>
}
)";

// Compiles the program and emits its entry with the properties of its kernels.
static void emitInto(llvm::Module &entry, TestProgram &program, codegen::EntryReach reach) {
  CompileOptions options;
  ASSERT_TRUE(program.run(options));
  const auto &target = llvm::cast<CpuTarget>(*options.target);
  llvm::StringMap<codegen::KernelProperties> properties;
  for (auto kernel : program.module->getOps<plan::KernelOp>()) {
    llvm::Module code(kernel.getSymName(), entry.getContext());
    auto emitted = codegen::emitKernel(kernel, codegen::kernelFunctionName(kernel), code, target);
    ASSERT_TRUE(emitted);
    properties[kernel.getSymName()] = *emitted;
  }
  ASSERT_TRUE(codegen::emitEntry(entryFunction(*program.module), properties, /*arena=*/{}, entry,
                                 target, reach));
}

// Returns whether an address is outside all buffers: on the entry's stack, in the runtime's
// structure or sizes, or in the arrays of pointers that the entry receives.
static bool isOfEntry(const llvm::Value *address) {
  while (const auto *offset = llvm::dyn_cast<llvm::GetElementPtrInst>(address)) {
    address = offset->getPointerOperand();
  }
  if (const auto *argument = llvm::dyn_cast<llvm::Argument>(address)) {
    constexpr unsigned arena = 3;
    return argument->getArgNo() != arena;
  }
  const auto *load = llvm::dyn_cast<llvm::LoadInst>(address);
  llvm::APInt offset(64, 0);
  const llvm::Value *from =
      load ? load->getPointerOperand()->stripAndAccumulateConstantOffsets(
                 load->getModule()->getDataLayout(), offset, /*AllowNonInbounds=*/false)
           : nullptr;
  const auto *runtime = llvm::dyn_cast_if_present<llvm::Argument>(from);
  return llvm::isa<llvm::AllocaInst>(address) ||
         (runtime && runtime->getArgNo() == 0 && offset == offsetof(DrumlinRuntimeV1, sizes));
}

// Returns whether an instruction accesses a buffer directly, without calling the runtime.
static bool reachesBuffer(const llvm::Instruction &instruction) {
  if (const auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction)) {
    return !isOfEntry(load->getPointerOperand());
  }
  if (const auto *store = llvm::dyn_cast<llvm::StoreInst>(&instruction)) {
    return !isOfEntry(store->getPointerOperand());
  }
  const auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
  return call && call->getCalledFunction();
}

static size_t placesThatReach(const char *text, codegen::EntryReach reach) {
  TestProgram program(text);
  llvm::LLVMContext context;
  llvm::Module entry("entry", context);
  emitInto(entry, program, reach);
  return static_cast<size_t>(
      llvm::count_if(llvm::instructions(*entry.getFunction("drumlin_entry")), reachesBuffer));
}

TEST(EntryTest, LeavesBuffersToTheRuntime) {
  EXPECT_EQ(placesThatReach(controlFlow, codegen::EntryReach::Nothing), 0U);
  EXPECT_EQ(placesThatReach(severalTiles, codegen::EntryReach::Nothing), 0U);
  // An ordinary entry accesses buffers directly, so reachesBuffer() does find such instructions.
  EXPECT_GT(placesThatReach(controlFlow, codegen::EntryReach::Buffers), 0U);
}

static std::vector<Tensor> resultsOf(const char *text, bool leavesBuffers) {
  TestProgram program(text);
  std::vector<Tensor> arguments;
  for (mlir::Type type : entryFunction(*program.module).getArgumentTypes()) {
    auto tensor = mlir::cast<mlir::RankedTensorType>(type);
    Tensor &made = arguments.emplace_back(tensor.getElementType().isF32() ? ElementType::F32
                                                                          : ElementType::SI32,
                                          Shape(tensor.getShape()));
    for (int64_t i = 0; i < made.elements(); ++i) {
      if (made.elements() == 1) {
        made.as<int32_t>()[i] = 7;
      } else {
        made.as<float>()[i] = static_cast<float>(i * 37 % 101) / 101 - 0.5F;
      }
    }
  }
  CompileOptions options;
  options.useCache = false;
  options.timeKernels = leavesBuffers;
  Result<Compilation> compiled = compile(*program.module, "entry", options);
  EXPECT_TRUE(compiled) << compiled.error().str();
  auto executable = compiled->load("entry");
  EXPECT_TRUE(executable) << executable.error().str();
  auto results = call(**executable, arguments);
  EXPECT_TRUE(results) << results.error().str();
  return std::move(*results);
}

TEST(EntryTest, ComputesTheSameThroughTheRuntime) {
  for (const char *text : {controlFlow, severalTiles}) {
    std::vector<Tensor> itself = resultsOf(text, false), through = resultsOf(text, true);
    ASSERT_EQ(itself.size(), through.size());
    for (size_t i = 0; i < itself.size(); ++i) {
      ASSERT_EQ(itself[i].bytes(), through[i].bytes());
      EXPECT_EQ(
          std::memcmp(itself[i].data(), through[i].data(), static_cast<size_t>(itself[i].bytes())),
          0);
    }
  }
}

} // namespace drumlin
