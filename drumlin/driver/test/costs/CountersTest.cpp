// Compares static counts of GEMM kernels with counters in running kernels. In a running kernel,
// each multiply-add instruction adds its number of lanes to a counter.
#include "../TestProgram.h"

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/ScheduleAttributes.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/CpuFeatures.h"
#include "drumlin/target/ComputeUnits.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/IntrinsicsX86.h"
#include "llvm/Support/MemoryBuffer.h"

#include <gtest/gtest.h>

namespace drumlin {

static int64_t lanesOf(llvm::Type *type) {
  auto *vector = llvm::dyn_cast<llvm::FixedVectorType>(type);
  return vector ? static_cast<int64_t>(vector->getNumElements()) : 1;
}

// Returns the multiply-adds of one execution of an instruction; 0 for other instructions.
static int64_t multiplyAddsOf(const llvm::Instruction &instruction, const CpuTarget &target) {
  if (const auto *call = llvm::dyn_cast<llvm::IntrinsicInst>(&instruction)) {
    switch (call->getIntrinsicID()) {
    case llvm::Intrinsic::fma:
      return lanesOf(call->getType());
    case llvm::Intrinsic::x86_avx512bf16_dpbf16ps_512:
    case llvm::Intrinsic::x86_avx512_vpdpwssd_512:
      return 2 * lanesOf(call->getType());
    case llvm::Intrinsic::x86_avx512_vpdpbusd_512:
      return 4 * lanesOf(call->getType());
    case llvm::Intrinsic::x86_tdpbf16ps_internal:
      return 16 * 16 * 32;
    case llvm::Intrinsic::x86_tdpbssd_internal:
    case llvm::Intrinsic::x86_tdpbuud_internal:
      return 16 * 16 * 64;
    default:
      return 0;
    }
  }
  return !target.has("fma") && instruction.getOpcode() == llvm::Instruction::FMul
             ? lanesOf(instruction.getType())
             : 0;
}

static void addCounters(llvm::Module &module, const CpuTarget &target, int64_t &counter) {
  for (llvm::Function &function : module) {
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      int64_t count = multiplyAddsOf(instruction, target);
      if (count == 0) {
        continue;
      }
      llvm::IRBuilder<> builder(&instruction);
      llvm::Value *address = builder.CreateIntToPtr(
          builder.getInt64(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(&counter))),
          builder.getPtrTy());
      llvm::Value *before = builder.CreateLoad(builder.getInt64Ty(), address, /*isVolatile=*/true);
      builder.CreateStore(builder.CreateAdd(before, builder.getInt64(static_cast<uint64_t>(count))),
                          address,
                          /*isVolatile=*/true);
    }
  }
}

// Runs all tiles of the kernel on zeros.
static void runOnce(const llvm::SmallVector<char, 0> &object, const std::string &name,
                    plan::KernelOp kernel, const codegen::KernelProperties &properties) {
  auto jit = llvm::orc::LLJITBuilder().create();
  ASSERT_TRUE(static_cast<bool>(jit));
  ASSERT_FALSE(static_cast<bool>((*jit)->addObjectFile(
      llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(object.data(), object.size()), name))));
  auto symbol = (*jit)->lookup(name);
  ASSERT_TRUE(static_cast<bool>(symbol));
  std::vector<AlignedMemory> memory;
  std::vector<void *> buffers;
  auto add = [&](int64_t bytes) {
    memory.push_back(std::move(*AlignedMemory::allocate(static_cast<size_t>(bytes))));
    buffers.push_back(memory.back().data());
  };
  mlir::Block &region = kernel.getBody().front();
  for (mlir::Type type : region.getArgumentTypes()) {
    add(*byteSizeOf(mlir::cast<mlir::RankedTensorType>(type)));
  }
  for (mlir::Type type : region.getTerminator()->getOperandTypes()) {
    add(*byteSizeOf(mlir::cast<mlir::RankedTensorType>(type)));
  }
  add(*properties.partialBytes.constant() + 64);
  std::optional<AlignedMemory> scratch =
      AlignedMemory::allocate(static_cast<size_t>(*properties.scratchBytes.constant()) + 64);
  symbol->toPtr<DrumlinKernel>()(buffers.data(), nullptr, scratch->data(), 0,
                                 properties.tiles.nominal);
}

struct Product {
  int64_t batch, m, k, n;
};

static std::string textOf(const Product &p, bool isCheckpoint, const std::string &element) {
  auto type = [&](int64_t a, int64_t b) {
    return "tensor<" + std::to_string(p.batch) + "x" + std::to_string(a) + "x" + std::to_string(b) +
           "x" + element + ">";
  };
  std::string rhs = isCheckpoint ? type(p.n, p.k) : type(p.k, p.n);
  std::string result = type(p.m, p.n);
  return "func.func @main(%x: " + type(p.m, p.k) + ", %y: " + rhs + ") -> " + result +
         " {\n  %0 = stablehlo.dot_general %x, %y, batching_dims = [0] x [0], contracting_dims = "
         "[2] x [" +
         (isCheckpoint ? "2" : "1") + "] : (" + type(p.m, p.k) + ", " + rhs + ") -> " + result +
         "\n  return %0 : " + result + "\n}\n";
}

static std::string convolutionOf(const std::string &input, const std::string &kernel,
                                 const std::string &output, int stride, int groups,
                                 const std::string &element) {
  auto type = [&](const std::string &shape) { return "tensor<" + shape + "x" + element + ">"; };
  std::string step = std::to_string(stride);
  return "func.func @main(%x: " + type(input) + ", %y: " + type(kernel) + ") -> " + type(output) +
         " {\n  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, "
         "1, f], window = {stride = [" +
         step + ", " + step + "], pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, " +
         "feature_group_count = " + std::to_string(groups) + " : i64} : (" + type(input) + ", " +
         type(kernel) + ") -> " + type(output) + "\n  return %0 : " + type(output) + "\n}\n";
}

TEST(SlowCountersTest, RunningKernelsDoWhatIsCounted) {
  const Product products[] = {{1, 1, 64, 64},    {1, 1, 300, 77}, {1, 3, 100, 50},
                              {1, 17, 33, 65},   {1, 64, 64, 64}, {1, 100, 129, 200},
                              {1, 200, 500, 30}, {5, 7, 9, 11},   {300, 3, 2, 4},
                              {2, 128, 256, 96}, {1, 33, 700, 1}, {1, 512, 40, 300}};
  std::vector<std::string> texts;
  for (const Product &product : products) {
    for (bool isCheckpoint : {false, true}) {
      for (const char *element : {"f32", "bf16"}) {
        texts.push_back(textOf(product, isCheckpoint, element));
      }
    }
  }
  // Padding, strides, interleaved channels, one output channel.
  for (const char *element : {"f32", "bf16"}) {
    texts.push_back(convolutionOf("1x14x14x8", "3x3x8x16", "1x14x14x16", 1, 1, element));
    texts.push_back(convolutionOf("2x9x9x3", "3x3x3x20", "2x5x5x20", 2, 1, element));
    texts.push_back(convolutionOf("1x10x10x24", "3x3x1x24", "1x10x10x24", 1, 24, element));
    texts.push_back(convolutionOf("1x8x8x5", "3x3x5x1", "1x8x8x1", 1, 1, element));
  }
  for (const Product &product : products) {
    for (const char *element : {"i8", "ui8", "i16"}) {
      texts.push_back(textOf(product, false, element));
    }
  }
  std::set<int64_t> seen;
  std::set<ComputeUnit> units;
  // If a processor has tile units, kernels use only these where possible. So a processor level
  // without tile units is tested, too.
  for (const char *name : {"native", "x86-64-v4-dot", "avx2", "baseline"}) {
    Result<CpuTarget> target = cpuTargetFromName(name);
    ASSERT_TRUE(target);
    if (!missingCpuFeatures(target->features).empty()) {
      continue;
    }
    for (const std::string &text : texts) {
      SCOPED_TRACE(std::string(name) + "\n" + text);
      TestProgram test(text);
      CompileOptions options;
      options.target = *targetFromName(name);
      ASSERT_TRUE(test.run(options));
      for (plan::KernelOp kernel : test.module->getOps<plan::KernelOp>()) {
        if (kernel.getKind() != plan::KernelKind::gemm) {
          continue;
        }
        std::optional<GemmCounts> counts = plan::scheduleOf(kernel).countsOf(kernel);
        ASSERT_TRUE(counts);
        // Integer MACs on the fma unit can't be counted, since index arithmetic uses the same
        // instructions.
        ComputeUnit unit = gemmScheduleOf(kernel)->unit;
        if (isInteger(GemmProblem(contractionOf(kernel.getBody().front())).sumType) &&
            unit == ComputeUnit::fma) {
          continue;
        }
        units.insert(unit);
        llvm::LLVMContext context;
        llvm::Module module("counted", context);
        auto properties = codegen::emitKernel(kernel, "counted", module, *target);
        ASSERT_TRUE(properties);
        int64_t counter = 0;
        addCounters(module, *target, counter);
        auto object = codegen::ObjectEmitter(*target).emit(module);
        ASSERT_TRUE(object) << object.error().str();
        runOnce(*object, "counted", kernel, *properties);
        EXPECT_EQ(counts->multiplyAdds, counter);
        seen.insert(counter);
      }
    }
  }
  EXPECT_GE(seen.size(), 12u);
  for (const ComputeUnitInfo &each : computeUnits()) {
    EXPECT_EQ(units.contains(each.unit), llvm::cast<CpuTarget>(*nativeTarget()).has(each.unit))
        << each.name;
  }
}

} // namespace drumlin
