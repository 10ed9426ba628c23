#include "drumlin/codegen/cpu/EntryEmitter.h"
#include "drumlin/codegen/cpu/SizeCode.h"
#include "drumlin/codegen/cpu/machine/Machines.h"
#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/CopyOp.h"
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/SideBySide.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/runtime/Abi.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace llvm;

namespace drumlin::codegen {

static constexpr const char *entryName = "drumlin_entry";

static_assert(mostBeside <= DRUMLIN_MOST_BESIDE);

std::string kernelFunctionName(plan::KernelOp kernel) {
  return ("kernel_" + stringifyKernelKind(kernel.getKind()) + "_" + kernel.getKey()).str();
}

static FunctionType *kernelTypeOf(LLVMContext &context) {
  Type *pointer = PointerType::getUnqual(context), *number = Type::getInt64Ty(context);
  return FunctionType::get(Type::getVoidTy(context), {pointer, pointer, pointer, number, number},
                           false);
}

// Declares a function that another object of the image defines.
static Function *declareInImage(const std::string &name, FunctionType *type, Module &module) {
  auto *declared = cast<Function>(module.getOrInsertFunction(name, type).getCallee());
  declared->setVisibility(GlobalValue::HiddenVisibility);
  declared->setDSOLocal(true);
  return declared;
}

static Function *declareKernel(const std::string &name, Module &module) {
  return declareInImage(name, kernelTypeOf(module.getContext()), module);
}

namespace {
class EntryEmitter {
public:
  EntryEmitter(mlir::func::FuncOp main, const StringMap<KernelProperties> &properties,
               const ArenaPlan &arena, Module &module, const CpuTarget &target, EntryReach reach)
      : main(main), properties(properties), arena(arena), module(module),
        builder(module.getContext()), symbols(main->getParentOfType<mlir::ModuleOp>()),
        reach(reach) {
    for (auto kernel : main->getParentOfType<mlir::ModuleOp>().getOps<plan::KernelOp>()) {
      numbers.try_emplace(kernel.getSymName(), numbers.size());
    }
    Type *pointer = builder.getPtrTy();
    auto *type = FunctionType::get(builder.getInt32Ty(),
                                   {pointer, pointer, pointer, pointer, pointer}, false);
    function = Function::Create(type, GlobalValue::InternalLinkage, entryName, module);
    function->addFnAttr(Attribute::NoUnwind);
    setTargetAttributes(*function, target);
  }

  Status run() {
    builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
    // All launches and host calls share one array of buffer pointers, which is long enough for the
    // call, or the launches that run side by side, with the most buffers.
    unsigned most = 1;
    size_t mostLaunches = 0;
    main.walk([&](mlir::Operation *op) {
      unsigned count = 0;
      if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        SmallVector<plan::LaunchOp> beside = launchesBeside(launch);
        mostLaunches = std::max(mostLaunches, beside.size());
        for (plan::LaunchOp each : beside) {
          count += buffersOf(each);
        }
      } else if (isa<plan::HostCallOp>(op)) {
        count = buffersOf(op);
      }
      most = std::max(most, count);
    });
    allBuffers = builder.CreateAlloca(ArrayType::get(builder.getPtrTy(), most), nullptr, "buffers");
    buffers = allBuffers;
    if (mostLaunches > 1) {
      launches =
          builder.CreateAlloca(ArrayType::get(launchType(), mostLaunches), nullptr, "launches");
    }
    Value *runtime = function->getArg(0);
    context = loadField(runtime, offsetof(DrumlinRuntimeV1, context));
    scratch = loadField(runtime, offsetof(DrumlinRuntimeV1, scratch));
    launch = loadField(runtime, offsetof(DrumlinRuntimeV1, launch));
    launchSteps = loadField(runtime, offsetof(DrumlinRuntimeV1, launchSteps));
    launchBeside = loadField(runtime, offsetof(DrumlinRuntimeV1, launchBeside));
    callHost = loadField(runtime, offsetof(DrumlinRuntimeV1, call));
    copy = loadField(runtime, offsetof(DrumlinRuntimeV1, copy));
    read = loadField(runtime, offsetof(DrumlinRuntimeV1, read));
    prepareSizes();
    emitBlock(main.getBody().front());
    builder.CreateRet(builder.getInt32(0));
    if (failure) {
      return *failure;
    }
    return Done{};
  }

private:
  Value *loadField(Value *structure, size_t offset) {
    return builder.CreateAlignedLoad(
        builder.getPtrTy(),
        builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), structure, offset), Align(8));
  }

  Value *loadPointer(Value *array, int64_t index) {
    return builder.CreateAlignedLoad(
        builder.getPtrTy(),
        builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), array, static_cast<uint64_t>(index)),
        Align(8));
  }

  // Prepares for symbolic sizes: loads the symbols' values, computes the slots' addresses in the
  // arena, and allocates an array for the values that are passed to a kernel.
  void prepareSizes() {
    std::vector<std::string> names;
    for (const SizeSymbol &symbol : sizeSymbolsOf(main)) {
      names.push_back(symbol.name);
    }
    if (names.empty()) {
      return;
    }
    Value *values = loadField(function->getArg(0), offsetof(DrumlinRuntimeV1, sizes));
    sizes.emplace(builder, values, names);
    dims =
        builder.CreateAlloca(ArrayType::get(builder.getInt64Ty(), names.size()), nullptr, "dims");
    SizeExpression next = arena.slotsAt;
    for (const SizeExpression &slot : arenaSlotsOf(main)) {
      slots.push_back(
          builder.CreateInBoundsGEP(builder.getInt8Ty(), function->getArg(3), sizes->emit(next)));
      next = next + slot;
    }
    if (any_of(properties, [](const auto &each) { return !each.second.partialBytes.constant(); })) {
      sizedPartials =
          builder.CreateInBoundsGEP(builder.getInt8Ty(), function->getArg(3), sizes->emit(next));
    }
  }

  // Stores the values of a kernel's symbols in an array and returns it; null if the kernel has no
  // symbols.
  Value *dimsFor(plan::KernelOp kernel) {
    std::vector<std::string> names = sizeSymbolsIn(kernel);
    for (auto [i, name] : enumerate(names)) {
      builder.CreateAlignedStore(sizes->emit(SizeExpression::symbol(name)),
                                 builder.CreateConstInBoundsGEP1_64(builder.getInt64Ty(), dims, i),
                                 Align(8));
    }
    return names.empty() ? ConstantPointerNull::get(builder.getPtrTy()) : dims;
  }

  Value *bytesOfValue(mlir::Value value, int64_t nominal) {
    if (!hasSymbolicSizes(value.getType())) {
      return builder.getInt64(static_cast<uint64_t>(nominal));
    }
    return sizes->emit(symbolicBytesOf(cast<mlir::RankedTensorType>(value.getType())));
  }

  Value *pointerTo(mlir::Value value) {
    plan::BufferAttr buffer = bufferOf(value);
    Value *arrays[] = {function->getArg(1), function->getArg(2), nullptr, function->getArg(4)};
    if (buffer.getKind() == plan::BufferKind::arena && buffer.getIndex() > 0) {
      return slots[static_cast<size_t>(buffer.getIndex() - 1)];
    }
    if (buffer.getKind() == plan::BufferKind::arena) {
      return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(3),
                                                static_cast<uint64_t>(buffer.getOffset()));
    }
    Value *memory = loadPointer(arrays[static_cast<size_t>(buffer.getKind())], buffer.getIndex());
    return buffer.getOffset() == 0
               ? memory
               : builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), memory,
                                                    static_cast<uint64_t>(buffer.getOffset()));
  }

  void setBuffer(unsigned index, Value *pointer) {
    builder.CreateAlignedStore(
        pointer, builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), buffers, index), Align(8));
  }

  // Emits a copy of a value. `nominal`: the bytes of the value's buffer at nominal sizes.
  void emitCopy(Value *to, Value *from, mlir::Value value, int64_t nominal) {
    if (nominal <= 0) {
      return;
    }
    Value *bytes = bytesOfValue(value, nominal);
    if (reach == EntryReach::Buffers) {
      builder.CreateMemCpy(to, Align(1), from, Align(1), bytes);
    } else {
      call(copy, {context, to, from, bytes});
    }
  }

  // Loads the predicate of a loop or branch, which is the only element of its buffer.
  Value *emitRead(mlir::Value value, IntegerType *type) {
    Value *from = pointerTo(value);
    unsigned bytes = type->getBitWidth() / 8;
    return reach == EntryReach::Buffers
               ? builder.CreateAlignedLoad(type, from, Align(bytes))
               : builder.CreateTrunc(
                     call(read, {context, from, builder.getInt64(bytes)}, builder.getInt64Ty()),
                     type);
  }

  // Calls a function of the runtime.
  Value *call(Value *function, ArrayRef<Value *> arguments, Type *result = nullptr) {
    auto types = map_to_vector(arguments, [](Value *each) { return each->getType(); });
    auto *type = FunctionType::get(result ? result : builder.getVoidTy(), types, false);
    return builder.CreateCall(type, function, arguments);
  }

  // Returns whether the kernel only writes an update into its operand, because the result shares
  // the operand's memory. The kernel's first tile then does all the work (LoopKernel.cpp), so other
  // tiles aren't launched.
  static bool updatesInPlace(plan::LaunchOp launch, plan::KernelOp kernel) {
    if (kernel.getKind() != plan::KernelKind::loop) {
      return false;
    }
    stablehlo::DynamicUpdateSliceOp update = inPlaceUpdate(kernel.getBody().front());
    if (!update) {
      return false;
    }
    unsigned number = cast<mlir::BlockArgument>(update.getOperand()).getArgNumber();
    return bufferOf(launch.getInputs()[number]) == bufferOf(launch.getOutputs().front());
  }

  // Returns the most pointers that a launch or host call takes.
  static unsigned buffersOf(mlir::Operation *op) {
    return op->getNumOperands() + op->getNumResults() + 1;
  }

  // The type of a DrumlinLaunchV1.
  StructType *launchType() {
    Type *pointer = builder.getPtrTy(), *number = builder.getInt64Ty();
    return StructType::get(number, pointer, number, number, pointer);
  }

  void setBuffers(plan::LaunchOp launch) {
    const KernelProperties &needs = properties.find(launch.getKernel())->second;
    unsigned next = 0;
    for (mlir::Value input : launch.getInputs()) {
      setBuffer(next++, pointerTo(input));
    }
    for (mlir::Value output : launch.getOutputs()) {
      setBuffer(next++, pointerTo(output));
    }
    if (needs.hasPartials()) {
      setBuffer(next, needs.partialBytes.constant() ? partials() : sizedPartials);
    }
  }

  // The partial results of one kernel, which those of the next one overwrite.
  Value *partials() {
    return builder.CreateConstInBoundsGEP1_64(builder.getInt8Ty(), function->getArg(3),
                                              static_cast<uint64_t>(arena.partialsAt));
  }

  // Emits a launch and those after it that run beside it.
  void emitLaunches(plan::LaunchOp first) {
    SmallVector<plan::LaunchOp> group;
    bool hasPartials = false;
    for (plan::LaunchOp launch : launchesBeside(first)) {
      emitted.insert(launch);
      const KernelProperties &needs = properties.find(launch.getKernel())->second;
      // The launches of a group have one place for partial results. A launch with sizes told at run
      // time isn't part of a group.
      const bool isAlone = needs.tiles.symbolic.has_value();
      if (!group.empty() && (isAlone || (hasPartials && needs.hasPartials()))) {
        emitGroup(group);
        group.clear();
        hasPartials = false;
      }
      if (isAlone) {
        emitLaunch(launch);
        continue;
      }
      hasPartials |= needs.hasPartials();
      group.push_back(launch);
    }
    if (!group.empty()) {
      emitGroup(group);
    }
  }

  void emitGroup(ArrayRef<plan::LaunchOp> group) {
    if (group.size() == 1) {
      emitLaunch(group.front());
      return;
    }
    uint64_t number = 0;
    for (plan::LaunchOp launch : group) {
      auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
      const KernelProperties &needs = properties.find(launch.getKernel())->second;
      setBuffers(launch);
      const int64_t tiles = updatesInPlace(launch, kernel) ? 1 : needs.tiles.nominal;
      Value *fields[] = {builder.getInt64(numbers.lookup(launch.getKernel())), buffers,
                         builder.getInt64(static_cast<uint64_t>(tiles)),
                         builder.getInt64(static_cast<uint64_t>(needs.steps)),
                         needs.steps > 1 ? partials()
                                         : ConstantPointerNull::get(builder.getPtrTy())};
      Value *place = builder.CreateConstInBoundsGEP1_64(launchType(), launches, number++);
      for (auto [i, field] : enumerate(fields)) {
        builder.CreateAlignedStore(
            field, builder.CreateStructGEP(launchType(), place, static_cast<unsigned>(i)),
            Align(8));
      }
      buffers = builder.CreateConstInBoundsGEP1_64(builder.getPtrTy(), buffers, buffersOf(launch));
    }
    buffers = allBuffers;
    call(launchBeside, {context, launches, builder.getInt64(number)});
  }

  void emitLaunch(plan::LaunchOp launch) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    const KernelProperties &needs = properties.find(launch.getKernel())->second;
    setBuffers(launch);
    Launch made = {kernel, numbers.lookup(launch.getKernel()), needs.hasFinish, dimsFor(kernel)};
    if (!isa<ConstantPointerNull>(made.sizes) && needs.steps > 1) {
      refuseSteps(kernel);
    } else if (needs.steps > 1) {
      call(launchSteps, {context, builder.getInt64(made.number), buffers,
                         builder.getInt64(static_cast<uint64_t>(needs.tiles.nominal)),
                         builder.getInt64(static_cast<uint64_t>(needs.steps)), partials()});
    } else if (needs.tiles.symbolic) {
      emitSizedLaunch(made, tilesOf(kernel, made.sizes));
    } else {
      emitTiles(made, updatesInPlace(launch, kernel) ? 1 : needs.tiles.nominal);
    }
  }

  // Emits a host call. If the callee requires that an operand and a result share memory, the
  // operand is first copied to the result's buffer, unless it is already there.
  void emitHostCall(plan::HostCallOp op) {
    SmallVector<mlir::Value> places(op.getInputs());
    for (auto [operand, result] : plan::sharedMemory(op)) {
      moveTo(op.getOutputs()[result], places[operand]);
      places[operand] = op.getOutputs()[result];
    }
    unsigned next = 0;
    for (mlir::Value value :
         concat<mlir::Value>(places, SmallVector<mlir::Value>(op.getOutputs()))) {
      setBuffer(next++, pointerTo(value));
    }
    Value *code =
        call(callHost, {context, builder.getInt64(hostCalls++), buffers}, builder.getInt32Ty());
    BasicBlock *failed = BasicBlock::Create(module.getContext(), "failed", function);
    BasicBlock *called = BasicBlock::Create(module.getContext(), "called", function);
    builder.CreateCondBr(builder.CreateICmpEQ(code, builder.getInt32(0)), called, failed);
    builder.SetInsertPoint(failed);
    builder.CreateRet(code);
    builder.SetInsertPoint(called);
  }

  struct Launch {
    plan::KernelOp kernel;
    uint64_t number = 0;
    bool hasFinish = false;
    Value *sizes = nullptr;
  };

  void emitTiles(const Launch &made, int64_t count) {
    if (count == 1 && reach == EntryReach::Buffers) {
      callKernel(made);
    } else if (count > 0 || made.hasFinish || reach != EntryReach::Buffers) {
      launchByNumber(made, builder.getInt64(static_cast<uint64_t>(count)));
    }
  }

  // Calls the kernel for its only tile.
  void callKernel(const Launch &made) {
    std::string name = kernelFunctionName(made.kernel);
    Value *arguments[] = {buffers, made.sizes, scratch, builder.getInt64(0), builder.getInt64(1)};
    builder.CreateCall(declareKernel(name, module), arguments);
    if (made.hasFinish) {
      builder.CreateCall(declareKernel(name + "_finish", module), arguments);
    }
  }

  void launchByNumber(const Launch &made, Value *tiles) {
    call(launch, {context, builder.getInt64(made.number), buffers, made.sizes, tiles});
  }

  void refuseSteps(plan::KernelOp kernel) {
    failure = diagnose(errors::UnsupportedDynamicShape,
                       "no native code for kernel `" + kernel.getSymName().str() +
                           "`, which runs in steps, at sizes known only at run time",
                       plan::sourceOf(kernel.getLoc()));
  }

  // Emits a call that computes the kernel's number of tiles from the sizes.
  Value *tilesOf(plan::KernelOp kernel, Value *sizesOfKernel) {
    auto *type = FunctionType::get(builder.getInt64Ty(), {builder.getPtrTy()}, false);
    Function *count = declareInImage(kernelFunctionName(kernel) + "_tiles", type, module);
    return builder.CreateCall(count, {sizesOfKernel});
  }

  // Emits a launch whose number of tiles is computed at run time. A single tile runs on this
  // thread. If there are no tiles and the kernel has no finish function, nothing is launched.
  void emitSizedLaunch(const Launch &made, Value *tiles) {
    if (reach != EntryReach::Buffers) {
      launchByNumber(made, tiles);
      return;
    }
    LLVMContext &llvm = module.getContext();
    BasicBlock *one = BasicBlock::Create(llvm, "one", function);
    BasicBlock *several = BasicBlock::Create(llvm, "several", function);
    BasicBlock *done = BasicBlock::Create(llvm, "end", function);
    SwitchInst *choice = builder.CreateSwitch(tiles, several, 2);
    choice->addCase(builder.getInt64(1), one);
    if (!made.hasFinish) {
      choice->addCase(builder.getInt64(0), done);
    }
    builder.SetInsertPoint(one);
    callKernel(made);
    builder.CreateBr(done);
    builder.SetInsertPoint(several);
    launchByNumber(made, tiles);
    builder.CreateBr(done);
    builder.SetInsertPoint(done);
  }

  // Emits a loop whose carried values are in buffers. The initial values are copied to these
  // buffers before the loop, and the next values after each step.
  void emitWhile(stablehlo::WhileOp loop) {
    for (auto [init, result] : zip(loop->getOperands(), loop->getResults())) {
      moveTo(result, init);
    }
    BasicBlock *test = BasicBlock::Create(module.getContext(), "while", function);
    BasicBlock *body = BasicBlock::Create(module.getContext(), "do", function);
    BasicBlock *done = BasicBlock::Create(module.getContext(), "end", function);
    builder.CreateBr(test);
    builder.SetInsertPoint(test);
    mlir::Block &cond = loop.getCond().front();
    emitBlock(cond);
    Value *flag = emitRead(cond.getTerminator()->getOperand(0), builder.getInt8Ty());
    builder.CreateCondBr(builder.CreateICmpNE(flag, builder.getInt8(0)), body, done);
    builder.SetInsertPoint(body);
    mlir::Block &step = loop.getBody().front();
    emitBlock(step);
    for (auto [next, result] : zip(step.getTerminator()->getOperands(), loop->getResults())) {
      moveTo(result, next);
    }
    builder.CreateBr(test);
    builder.SetInsertPoint(done);
  }

  // Emits the branches. The last branch also runs for indices out of range (specification, "case").
  // The values that a branch returns are copied to the results' buffers.
  void emitBranches(mlir::Operation &op, Value *selector, ArrayRef<uint64_t> numbersOfRegions) {
    BasicBlock *done = BasicBlock::Create(module.getContext(), "end", function);
    BasicBlock *last = BasicBlock::Create(module.getContext(), "branch", function);
    auto type = cast<IntegerType>(selector->getType());
    SwitchInst *choice = builder.CreateSwitch(selector, last, op.getNumRegions());
    for (auto [i, region] : enumerate(op.getRegions())) {
      BasicBlock *block = last;
      if (i + 1 < op.getNumRegions()) {
        block = BasicBlock::Create(module.getContext(), "branch", function);
        choice->addCase(ConstantInt::get(type, numbersOfRegions[i]), block);
      }
      builder.SetInsertPoint(block);
      emitBlock(region.front());
      auto returned = region.front().getTerminator()->getOperands();
      for (auto [value, result] : zip(returned, op.getResults())) {
        moveTo(result, value);
      }
      builder.CreateBr(done);
    }
    builder.SetInsertPoint(done);
  }

  void emitIf(stablehlo::IfOp op) {
    Value *flag = emitRead(op->getOperand(0), builder.getInt8Ty());
    // The first region is the true branch.
    Value *isFalse = builder.CreateICmpEQ(flag, builder.getInt8(0));
    emitBranches(*op, isFalse, {0});
  }

  void emitCase(stablehlo::CaseOp op) {
    Value *index = emitRead(op->getOperand(0), builder.getInt32Ty());
    emitBranches(*op, index, to_vector(seq<uint64_t>(op->getNumRegions())));
  }

  void moveTo(mlir::Value to, mlir::Value from) {
    plan::BufferAttr target = bufferOf(to), source = bufferOf(from);
    bool same = target.getKind() == source.getKind() && target.getIndex() == source.getIndex() &&
                target.getOffset() == source.getOffset();
    if (!same) {
      emitCopy(pointerTo(to), pointerTo(from), to, target.getSize());
    }
  }

  void emitBlock(mlir::Block &block) {
    for (mlir::Operation &op : block) {
      TypeSwitch<mlir::Operation *>(&op)
          .Case<plan::LaunchOp>([&](auto launch) {
            if (!emitted.contains(launch)) {
              emitLaunches(launch);
            }
          })
          .Case<plan::HostCallOp>([&](auto call) { emitHostCall(call); })
          .Case<plan::CopyOp>([&](auto copy) {
            emitCopy(pointerTo(copy.getResult()), pointerTo(copy.getOperand()), copy.getResult(),
                     bufferOf(copy.getResult()).getSize());
          })
          .Case<stablehlo::WhileOp>([&](auto loop) { emitWhile(loop); })
          .Case<stablehlo::IfOp>([&](auto op) { emitIf(op); })
          .Case<stablehlo::CaseOp>([&](auto op) { emitCase(op); })
          .Case<plan::BitcastOp, stablehlo::ConstantOp>([](auto) {})
          .Default([&](mlir::Operation *other) {
            if (!other->hasTrait<mlir::OpTrait::IsTerminator>() && !failure) {
              failure =
                  diagnose(errors::UnsupportedNative,
                           ("no native code for `" + other->getName().getStringRef() + "`").str(),
                           plan::sourceOf(other->getLoc()));
            }
          });
    }
  }

  mlir::func::FuncOp main;
  const StringMap<KernelProperties> &properties;
  ArenaPlan arena;
  Module &module;
  IRBuilder<> builder;
  mlir::SymbolTable symbols;
  Function *function;
  Value *allBuffers = nullptr; // the array of buffer pointers
  Value *buffers = nullptr;    // the first pointer of the current launch
  Value *context = nullptr;
  Value *scratch = nullptr;
  Value *launch = nullptr, *launchSteps = nullptr, *launchBeside = nullptr, *callHost = nullptr,
        *copy = nullptr, *read = nullptr; // the runtime's functions
  Value *launches = nullptr; // an array of DrumlinLaunchV1; null: no launches run side by side
  SmallPtrSet<mlir::Operation *, 16> emitted; // launches
  EntryReach reach;
  uint64_t hostCalls = 0;        // number of emitted host calls; the next call's index in the table
  std::optional<SizeCode> sizes; // set if the program has size symbols
  Value *dims = nullptr;
  std::vector<Value *> slots;     // the slots' addresses in the arena
  Value *sizedPartials = nullptr; // address of partial results of symbolic size; null: none
  StringMap<uint64_t> numbers;    // each kernel's index in the image's table
  std::optional<Diagnostic> failure;
};
} // namespace

Status emitEntry(mlir::func::FuncOp main, const StringMap<KernelProperties> &properties,
                 const ArenaPlan &arena, Module &module, const CpuTarget &target,
                 EntryReach reach) {
  return EntryEmitter(main, properties, arena, module, target, reach).run();
}

// Emits the image's table of kernels, with one row per kernel, in the order of the program.
static Constant *emitKernelTable(mlir::ModuleOp program,
                                 const StringMap<KernelProperties> &properties, Module &module) {
  auto *pointer = PointerType::getUnqual(module.getContext());
  auto *row = StructType::get(pointer, pointer);
  SmallVector<Constant *> rows;
  for (auto kernel : program.getOps<plan::KernelOp>()) {
    std::string name = kernelFunctionName(kernel);
    bool hasFinish = properties.find(kernel.getSymName())->second.hasFinish;
    Constant *finish = ConstantPointerNull::get(pointer);
    rows.push_back(
        ConstantStruct::get(row, {declareKernel(name, module),
                                  hasFinish ? declareKernel(name + "_finish", module) : finish}));
  }
  auto *type = ArrayType::get(row, rows.size());
  return new GlobalVariable(module, type, true, GlobalValue::InternalLinkage,
                            ConstantArray::get(type, rows), "drumlin_kernels");
}

void emitImageSymbol(mlir::ModuleOp program, const StringMap<KernelProperties> &properties,
                     ArrayRef<uint8_t> metadata, Module &module) {
  LLVMContext &context = module.getContext();
  Constant *bytes = ConstantDataArray::get(context, metadata);
  auto *section = new GlobalVariable(module, bytes->getType(), true, GlobalValue::InternalLinkage,
                                     bytes, "drumlin_metadata");
  section->setSection(".drumlin_meta");
  section->setAlignment(Align(DRUMLIN_ALIGNMENT));

  Type *i32 = Type::getInt32Ty(context);
  Type *i64 = Type::getInt64Ty(context);
  Constant *fields[] = {
      ConstantDataArray::getString(context, DRUMLIN_IMAGE_MAGIC, /*AddNull=*/true),
      ConstantInt::get(i32, DRUMLIN_IMAGE_ABI),
      ConstantInt::get(i32, 0),
      section,
      ConstantInt::get(i64, metadata.size()),
      module.getFunction(entryName),
      emitKernelTable(program, properties, module),
  };
  Constant *image = ConstantStruct::getAnon(fields);
  auto *symbol = new GlobalVariable(module, image->getType(), true, GlobalValue::ExternalLinkage,
                                    image, DRUMLIN_IMAGE_SYMBOL);
  symbol->setAlignment(Align(DRUMLIN_ALIGNMENT));
}

} // namespace drumlin::codegen
