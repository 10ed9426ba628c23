#include "RunningCounts.h"

#include "drumlin/codegen/cpu/KernelEmitter.h"
#include "drumlin/codegen/cpu/ObjectEmitter.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/cpu/AlignedMemory.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstring>

using namespace llvm;

namespace drumlin {

// The prefix of the names of marker functions; the number of a counter follows. Each counted value
// passes through a call of a marker function. For the optimizer, such a call computes a value and
// doesn't read memory, so the optimizer moves and merges the call like the operation that computes
// the counted value.
static constexpr const char *markPrefix = "count.";

//===- memory -----------------------------------------------------------------===//

namespace {
// A buffer of the launch, and the bytes that were accessed.
struct Watched {
  const std::byte *begin;
  std::vector<bool> read, written;
};
} // namespace

static void touch(std::vector<Watched> *buffers, const std::byte *at, int64_t bytes,
                  int64_t isWrite) {
  for (Watched &buffer : *buffers) {
    std::vector<bool> &touched = isWrite ? buffer.written : buffer.read;
    for (int64_t i = 0; i < bytes; ++i) {
      int64_t offset = at + i - buffer.begin;
      if (offset >= 0 && offset < static_cast<int64_t>(touched.size())) {
        touched[static_cast<size_t>(offset)] = true;
      }
    }
  }
}

namespace {
// Adds counters to an optimized module.
class Instrument {
public:
  Instrument(Module &module, std::vector<int64_t> &counters, std::vector<Watched> &buffers)
      : module(module), counters(counters), buffers(buffers), builder(module.getContext()) {}

  void run() {
    std::vector<Instruction *> all;
    for (Function &function : module) {
      for (Instruction &instruction : instructions(function)) {
        all.push_back(&instruction);
      }
    }
    for (Instruction *instruction : all) {
      visit(instruction);
    }
  }

private:
  Value *pointerTo(const void *object) {
    return builder.CreateIntToPtr(
        builder.getInt64(static_cast<uint64_t>(reinterpret_cast<uintptr_t>(object))),
        builder.getPtrTy());
  }

  static unsigned lanesOf(Type *type) {
    auto *vector = dyn_cast<FixedVectorType>(type);
    return vector ? vector->getNumElements() : 1;
  }

  void count(CallInst *mark, StringRef number) {
    size_t counter = 0;
    number.split('.').first.getAsInteger(10, counter);
    builder.SetInsertPoint(mark);
    Value *lanes = builder.getInt64(lanesOf(mark->getType()));
    if (mark->arg_size() == 2) {
      unsigned width = lanesOf(mark->getType());
      Value *bits = builder.CreateZExt(
          builder.CreateBitCast(mark->getArgOperand(1), builder.getIntNTy(width)),
          builder.getInt64Ty());
      lanes = builder.CreateUnaryIntrinsic(Intrinsic::ctpop, bits);
    }
    Value *address = pointerTo(&counters[counter]);
    Value *before = builder.CreateLoad(builder.getInt64Ty(), address, /*isVolatile=*/true);
    builder.CreateStore(builder.CreateAdd(before, lanes), address, /*isVolatile=*/true);
    mark->replaceAllUsesWith(mark->getArgOperand(0));
    mark->eraseFromParent();
  }

  void callTouch(Value *at, Value *bytes, bool isWrite) {
    Type *pointer = builder.getPtrTy(), *number = builder.getInt64Ty();
    auto *type = FunctionType::get(builder.getVoidTy(), {pointer, pointer, number, number}, false);
    builder.CreateCall(type, pointerTo(reinterpret_cast<const void *>(&touch)),
                       {pointerTo(&buffers), at, bytes, builder.getInt64(isWrite)});
  }

  // Counts the bytes that the lanes of a vector access. Masked-off lanes access no bytes.
  void touchLanes(function_ref<Value *(unsigned)> addressOf, Type *type, Value *mask,
                  bool isWrite) {
    uint64_t size = type->getScalarSizeInBits() / 8;
    for (unsigned lane = 0; lane < lanesOf(type); ++lane) {
      Value *isOn = builder.CreateExtractElement(mask, uint64_t(lane));
      Value *bytes = builder.CreateSelect(isOn, builder.getInt64(size), builder.getInt64(0));
      callTouch(addressOf(lane), bytes, isWrite);
    }
  }

  void visitIntrinsic(IntrinsicInst *call) {
    auto contiguous = [&](Value *pointer, Type *type) {
      return [this, pointer, type](unsigned lane) {
        return builder.CreateConstGEP1_64(type->getScalarType(), pointer, lane);
      };
    };
    auto scattered = [&](Value *pointers) {
      return [this, pointers](unsigned lane) {
        return builder.CreateExtractElement(pointers, uint64_t(lane));
      };
    };
    Value *first = call->arg_size() > 0 ? call->getArgOperand(0) : nullptr;
    switch (call->getIntrinsicID()) {
    case Intrinsic::masked_load:
      touchLanes(contiguous(first, call->getType()), call->getType(), call->getArgOperand(1),
                 false);
      return;
    case Intrinsic::masked_gather:
      touchLanes(scattered(first), call->getType(), call->getArgOperand(1), false);
      return;
    case Intrinsic::masked_store:
      touchLanes(contiguous(call->getArgOperand(1), first->getType()), first->getType(),
                 call->getArgOperand(2), true);
      return;
    case Intrinsic::masked_scatter:
      touchLanes(scattered(call->getArgOperand(1)), first->getType(), call->getArgOperand(2), true);
      return;
    case Intrinsic::memcpy:
    case Intrinsic::memmove:
      callTouch(call->getArgOperand(1), call->getArgOperand(2), false);
      callTouch(first, call->getArgOperand(2), true);
      return;
    case Intrinsic::memset:
      callTouch(first, call->getArgOperand(2), true);
      return;
    case Intrinsic::masked_compressstore:
    case Intrinsic::masked_expandload:
      report_fatal_error("a kind of access that isn't counted yet");
    default:
      return;
    }
  }

  void visit(Instruction *instruction) {
    builder.SetInsertPoint(instruction);
    auto bytesOf = [&](Type *type) {
      return builder.getInt64(module.getDataLayout().getTypeStoreSize(type).getFixedValue());
    };
    if (auto *load = dyn_cast<LoadInst>(instruction)) {
      callTouch(load->getPointerOperand(), bytesOf(load->getType()), false);
    } else if (auto *store = dyn_cast<StoreInst>(instruction)) {
      callTouch(store->getPointerOperand(), bytesOf(store->getValueOperand()->getType()), true);
    } else if (auto *intrinsic = dyn_cast<IntrinsicInst>(instruction)) {
      visitIntrinsic(intrinsic);
    } else if (auto *call = dyn_cast<CallInst>(instruction)) {
      StringRef name = call->getCalledFunction() ? call->getCalledFunction()->getName() : "";
      if (name.consume_front(markPrefix)) {
        count(call, name);
      }
    }
  }

  Module &module;
  std::vector<int64_t> &counters;
  std::vector<Watched> &buffers;
  IRBuilder<> builder;
};
} // namespace

//===- running ----------------------------------------------------------------===//

// Passes a value through a call of a marker function, and returns the result.
static Value *markOf(Module &module, IRBuilder<> &builder, size_t number, Value *value,
                     Value *mask) {
  SmallVector<Type *> types = {value->getType()};
  SmallVector<Value *> arguments = {value};
  if (mask && value->getType()->isVectorTy()) {
    types.push_back(mask->getType());
    arguments.push_back(mask);
  }
  std::string name = markPrefix + std::to_string(number) + ".";
  raw_string_ostream stream(name);
  for (Type *type : types) {
    stream << *type << ".";
  }
  auto *type = FunctionType::get(value->getType(), types, false);
  auto *function = cast<Function>(module.getOrInsertFunction(name, type).getCallee());
  for (Attribute::AttrKind kind : {Attribute::NoUnwind, Attribute::WillReturn, Attribute::NoSync,
                                   Attribute::NoFree, Attribute::Speculatable}) {
    function->addFnAttr(kind);
  }
  function->setDoesNotAccessMemory();
  return builder.CreateCall(function, arguments);
}

static Tensor drawn(mlir::Type type, uint64_t seed) {
  auto tensorType = mlir::cast<mlir::RankedTensorType>(type);
  Tensor tensor(elementTypeOf(tensorType.getElementType()), Shape(tensorType.getShape()));
  uint64_t state = seed * 2 + 1;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    // Knuth's linear congruential generator for 64 bits.
    state = state * 6364136223846793005u + 1442695040888963407u;
    std::byte *element = tensor.data() + i * storageBytes(tensor.type());
    if (isFloat(tensor.type())) {
      double number = static_cast<double>(state >> 40) * 0x1p-21 - 4;
      encodeRun(tensor.type(), &number, element, 1);
    } else {
      *element = static_cast<std::byte>(isBoolean(tensor.type()) ? state >> 63 : state >> 61);
    }
  }
  return tensor;
}

std::vector<Tensor> drawInputs(plan::KernelOp kernel) {
  std::vector<Tensor> inputs;
  for (mlir::Type type : kernel.getBody().front().getArgumentTypes()) {
    inputs.push_back(drawn(type, inputs.size() + 1));
  }
  return inputs;
}

Result<RunningCounts> countWhileRunning(plan::KernelOp kernel, const CpuTarget &target,
                                        const std::vector<Tensor> &inputs) {
  LLVMContext context;
  Module module("counted", context);
  std::map<mlir::Operation *, size_t> numbers;
  auto observe = [&](IRBuilder<> &builder, mlir::Operation *op, Value *value, Value *mask) {
    size_t number = numbers.try_emplace(op, numbers.size()).first->second;
    // Constants aren't counted, since they need no computation at run time.
    return isa<Constant>(value) ? value : markOf(module, builder, number, value, mask);
  };
  Result<codegen::KernelProperties> properties =
      codegen::emitKernel(kernel, "counted", module, target, {}, observe);
  if (!properties) {
    return properties.error();
  }
  std::vector<int64_t> counters(numbers.size());
  std::vector<Watched> watched;
  std::vector<AlignedMemory> memory;
  std::vector<void *> buffers;
  auto add = [&](int64_t bytes) {
    memory.push_back(std::move(*AlignedMemory::allocate(static_cast<size_t>(bytes) + 64)));
    buffers.push_back(memory.back().data());
    auto size = static_cast<size_t>(bytes);
    watched.push_back({static_cast<const std::byte *>(buffers.back()), std::vector<bool>(size),
                       std::vector<bool>(size)});
  };
  for (const Tensor &input : inputs) {
    add(input.bytes());
    std::memcpy(buffers.back(), input.data(), static_cast<size_t>(input.bytes()));
  }
  for (mlir::Type type : kernel.getBody().front().getTerminator()->getOperandTypes()) {
    add(*byteSizeOf(cast<mlir::RankedTensorType>(type)));
  }
  size_t values = watched.size();
  add(*properties->partialBytes.constant());
  auto object =
      codegen::ObjectEmitter(target).emit(module, codegen::Effort::Full, [&](Module &optimized) {
        Instrument(optimized, counters, watched).run();
      });
  if (!object) {
    return object.error();
  }
  auto jit = orc::LLJITBuilder().create();
  if (!jit || (*jit)->addObjectFile(MemoryBuffer::getMemBufferCopy(
                  StringRef(object->data(), object->size()), "counted"))) {
    return diagnose(errors::InternalError, "no JIT for the counted kernel");
  }
  auto symbol = (*jit)->lookup("counted");
  if (!symbol) {
    return diagnose(errors::InternalError, toString(symbol.takeError()));
  }
  std::optional<AlignedMemory> scratch =
      AlignedMemory::allocate(static_cast<size_t>(*properties->scratchBytes.constant()) + 64);
  symbol->toPtr<DrumlinKernel>()(buffers.data(), nullptr, scratch->data(), 0,
                                 properties->tiles.nominal);
  RunningCounts counts;
  for (auto [op, number] : numbers) {
    counts.evaluations[op] = counters[number];
  }
  auto touched = [](const std::vector<bool> &bytes) {
    return static_cast<int64_t>(std::count(bytes.begin(), bytes.end(), true));
  };
  for (size_t i = 0; i < values; ++i) {
    i < inputs.size() ? counts.bytesRead.push_back(touched(watched[i].read))
                      : counts.bytesWritten.push_back(touched(watched[i].written));
  }
  return counts;
}

int64_t flopsOf(plan::KernelOp kernel, const RunningCounts &counts) {
  int64_t flops = 0;
  for (auto [op, evaluations] : counts.evaluations) {
    bool isReduction = isa<stablehlo::ReduceOp, stablehlo::ReduceWindowOp>(op);
    int64_t each = classify(op) == OperationClass::Pointwise ? 1 : 0;
    if (isReduction) {
      // A known reducer counts as one operation; any other body counts as its number of operations.
      each = std::max<int64_t>(count_if(op->getRegion(0).front(),
                                        [](mlir::Operation &nested) {
                                          return classify(&nested) == OperationClass::Pointwise;
                                        }),
                               1);
    }
    flops += evaluations * each;
  }
  return flops;
}

} // namespace drumlin
