#include "drumlin/codegen/cpu/KernelEmitter.h"

#include "drumlin/codegen/cpu/machine/Machines.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/plan/KernelKinds.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/gemm/SmallSchedule.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "mlir/IR/BuiltinTypes.h"
#include "llvm/IR/MDBuilder.h"

using namespace llvm;

namespace drumlin::codegen {

static Buffer bufferFor(ElementEmitter &emitter, mlir::Value value, Value *pointer) {
  ElementType type = elementTypeOf(mlir::getElementTypeOrSelf(value.getType()));
  return {pointer, type, emitter.extentsOf(value)};
}

// Returns whether a complex value exists only as its real and imaginary parts, never in memory.
// This holds for a value that is built from parts and read only by heroes, and for a hero's result
// of which only the real and imaginary parts are read.
static bool isBetweenParts(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  bool isHero = op && classify(op) == OperationClass::Hero;
  bool isMade = isa_and_nonnull<stablehlo::ComplexOp>(op) && all_of(op->getUsers(), [](auto *user) {
                  return classify(user) == OperationClass::Hero;
                });
  bool isTaken = isHero && all_of(op->getUsers(), [](auto *user) {
                   return isa<stablehlo::RealOp, stablehlo::ImagOp>(user);
                 });
  return isMade || isTaken;
}

static Status checkTypes(plan::KernelOp kernel) {
  std::optional<Diagnostic> found;
  kernel.getBody().walk([&](mlir::Operation *op) {
    SmallVector<mlir::Value> values(op->getOperands());
    values.append(op->result_begin(), op->result_end());
    for (mlir::Value value : values) {
      auto tensor = dyn_cast<mlir::RankedTensorType>(value.getType());
      if (isBetweenParts(value)) {
        continue;
      }
      ElementType elementType = tensor ? elementTypeOf(tensor.getElementType()) : ElementType::F32;
      if (tensor && isComplex(elementType) && !found) {
        found = diagnose(errors::UnsupportedNative,
                         ("no native code for `" + op->getName().getStringRef() + "` on `").str() +
                             std::string(name(elementType)) + "`",
                         plan::sourceOf(op->getLoc()));
      }
    }
  });
  if (found) {
    return *found;
  }
  return Done{};
}

// Returns whether each of the kernel's tensors has fewer than 2^31 elements.
static bool hasNarrowIndices(plan::KernelOp kernel) {
  auto isNarrow = [](mlir::Type type) {
    auto tensor = dyn_cast<mlir::RankedTensorType>(type);
    return !tensor || tensor.getNumElements() < (int64_t(1) << 31);
  };
  bool narrow = all_of(kernel.getBody().front().getArgumentTypes(), isNarrow);
  kernel.getBody().walk(
      [&](mlir::Operation *op) { narrow &= all_of(op->getResultTypes(), isNarrow); });
  return narrow;
}

// Marks inputs as noalias with the outputs with which they share no memory, so that loop-invariant
// loads can be hoisted out of loops that store.
static void setAliasScopes(plan::KernelOp kernel, LLVMContext &context,
                           MutableArrayRef<Buffer> inputs, MutableArrayRef<Buffer> outputs) {
  MDBuilder metadata(context);
  MDNode *domain = metadata.createAnonymousAliasScopeDomain("kernel");
  SmallVector<Metadata *> scopes;
  for (Buffer &output : outputs) {
    scopes.push_back(metadata.createAnonymousAliasScope(domain, "output"));
    output.scopes = MDNode::get(context, scopes.back());
  }
  for (auto [i, input] : enumerate(inputs)) {
    SmallVector<Metadata *> apart;
    for (size_t j = 0; j < outputs.size(); ++j) {
      if (!mayComputeInPlace(kernel, static_cast<unsigned>(i), static_cast<unsigned>(j))) {
        apart.push_back(scopes[j]);
      }
    }
    input.noalias = apart.empty() ? nullptr : MDNode::get(context, apart);
  }
}

void KernelFrame::refuseSchedule(const std::string &fault) {
  emitter.fail(
      diagnose(errors::ScheduleUnfit,
               "the schedule of kernel `" + kernel.getSymName().str() + "` is invalid: " + fault,
               plan::sourceOf(kernel.getLoc())));
}

KernelFrame::SharedMemory KernelFrame::loadSharedMemory() {
  llvm::Value *start = builder.CreateAlignedLoad(builder.getPtrTy(), partials, llvm::Align(8));
  return {start, builder.CreateAlignedLoad(builder.getInt64Ty(), start, llvm::Align(8))};
}

Value *KernelFrame::takeScratch(const SizeExpression &bytes) {
  constexpr int64_t line = 64;
  Type *byte = builder.getInt8Ty();
  std::optional<int64_t> used = scratchSize.constant();
  Value *pointer =
      used ? builder.CreateConstInBoundsGEP1_64(byte, scratch, static_cast<uint64_t>(*used))
           : builder.CreateInBoundsGEP(byte, scratch, emitter.extent(scratchSize));
  scratchSize = scratchSize + bytes.roundedUpTo(line);
  return pointer;
}

Status withKernelFrame(plan::KernelOp kernel, StringRef name, Module &module,
                       const CpuTarget &target, const RoutineLibrary &routines,
                       function_ref<void(KernelFrame &)> body) {
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(context);
  Type *pointer = builder.getPtrTy();
  Type *i64 = builder.getInt64Ty();
  auto *type = FunctionType::get(builder.getVoidTy(), {pointer, pointer, pointer, i64, i64}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, name, module);
  function->setDSOLocal(true);
  function->addFnAttr(Attribute::NoUnwind);
  setTargetAttributes(*function, target);
  Argument *buffers = function->getArg(0);
  buffers->setName("buffers");
  buffers->addAttr(Attribute::NoAlias);
  function->getArg(1)->setName("dims");
  function->getArg(2)->setName("scratch");
  function->getArg(2)->addAttr(Attribute::NoAlias);
  function->getArg(3)->setName("tileBegin");
  function->getArg(4)->setName("tileEnd");
  std::vector<std::string> symbols = sizeSymbolsIn(kernel);
  BasicBlock *sizesBlock =
      symbols.empty() ? nullptr : BasicBlock::Create(context, "sizes", function);
  BasicBlock *entry = BasicBlock::Create(context, "entry", function);
  builder.SetInsertPoint(entry);

  SizeCode sizes(builder, function->getArg(1), symbols);
  sizes.setBlock(sizesBlock);
  ElementEmitter emitter(builder, module, target);
  emitter.setSizes(sizes);
  KernelFrame frame{kernel,
                    module,
                    target,
                    routines,
                    function,
                    builder,
                    emitter,
                    function->getArg(2),
                    function->getArg(3),
                    function->getArg(4),
                    {},
                    nullptr,
                    name.str(),
                    sizes};
  emitter.index().setNarrow(hasNarrowIndices(kernel) && symbols.empty());
  mlir::Block &block = kernel.getBody().front();
  unsigned next = 0;
  auto loadPointer = [&]() {
    Value *slot = builder.CreateConstInBoundsGEP1_64(pointer, buffers, next++);
    return builder.CreateAlignedLoad(pointer, slot, Align(8));
  };
  SmallVector<Buffer> inputs;
  for (mlir::BlockArgument argument : block.getArguments()) {
    inputs.push_back(bufferFor(emitter, argument, loadPointer()));
  }
  for (mlir::Value yielded : block.getTerminator()->getOperands()) {
    frame.outputs.push_back(bufferFor(emitter, yielded, loadPointer()));
  }
  setAliasScopes(kernel, context, inputs, frame.outputs);
  for (auto [argument, buffer] : zip(block.getArguments(), inputs)) {
    emitter.bind(argument, buffer);
  }
  // The address of the pointer to partial results, which follows the pointers to outputs. Every
  // kernel computes this address; the optimizer drops it if it is unused.
  frame.partials = builder.CreateConstInBoundsGEP1_64(pointer, buffers, next);
  body(frame);
  builder.CreateRetVoid();
  if (sizesBlock) {
    builder.SetInsertPoint(sizesBlock);
    builder.CreateBr(entry);
  }
  if (emitter.error()) {
    return *emitter.error();
  }
  return Done{};
}

// Emits the function that computes a kernel's number of tiles from the sizes of a call.
static void emitTileCount(plan::KernelOp kernel, StringRef name, Module &module,
                          const CpuTarget &target, const SizeExpression &count) {
  IRBuilder<> builder(module.getContext());
  auto *type = FunctionType::get(builder.getInt64Ty(), {builder.getPtrTy()}, false);
  auto *function = Function::Create(type, GlobalValue::ExternalLinkage, name + "_tiles", module);
  function->setDSOLocal(true);
  function->addFnAttr(Attribute::NoUnwind);
  setTargetAttributes(*function, target);
  builder.SetInsertPoint(BasicBlock::Create(module.getContext(), "entry", function));
  SizeCode sizes(builder, function->getArg(0), sizeSymbolsIn(kernel));
  builder.CreateRet(sizes.emit(count));
}

// Emits a function that calls `small` if the size in `choice` is at most the limit in `choice`, and
// calls `other` if the size is larger.
static void emitChoice(plan::KernelOp kernel, StringRef name, Function *small, Function *other,
                       const SmallSchedule &choice, unsigned dims) {
  Module &module = *other->getParent();
  auto *function = Function::Create(other->getFunctionType(), GlobalValue::ExternalLinkage,
                                    other->getAddressSpace(), name, &module);
  function->setDSOLocal(true);
  function->setAttributes(other->getAttributes());
  LLVMContext &context = module.getContext();
  IRBuilder<> builder(BasicBlock::Create(context, "entry", function));
  SizeCode sizes(builder, function->getArg(dims), sizeSymbolsIn(kernel));
  Value *isSmall =
      builder.CreateICmpSLE(sizes.emit(choice.size), builder.getInt64(uint64_t(choice.most)));
  BasicBlock *blocks[] = {BasicBlock::Create(context, "small", function),
                          BasicBlock::Create(context, "other", function)};
  builder.CreateCondBr(isSmall, blocks[0], blocks[1]);
  SmallVector<Value *> arguments;
  for (Argument &argument : function->args()) {
    arguments.push_back(&argument);
  }
  for (auto [block, callee] : zip(blocks, std::array{small, other})) {
    callee->setLinkage(GlobalValue::InternalLinkage);
    builder.SetInsertPoint(block);
    Value *made = builder.CreateCall(callee, arguments);
    made->getType()->isVoidTy() ? builder.CreateRetVoid() : builder.CreateRet(made);
  }
}

static Result<KernelProperties> emitScheduled(plan::KernelOp kernel, StringRef name, Module &module,
                                              const CpuTarget &target,
                                              const RoutineLibrary &routines,
                                              ValueObserver observer);

// Returns whether two schedules are launched the same way, except for the number of tiles and the
// amount of scratch memory.
static bool haveSameLaunches(const KernelProperties &a, const KernelProperties &b) {
  auto isPlain = [](const KernelProperties &each) {
    return !each.hasPartials() && !each.hasFinish && each.steps == 1 && each.tiles.symbolic &&
           each.scratchBytes.constant();
  };
  return isPlain(a) && isPlain(b);
}

// Emits a kernel with two schedules. At run time, a size determines which of them runs. If
// haveSameLaunches() is false, emits only the kernel's own schedule.
static Result<KernelProperties> emitBySize(plan::KernelOp kernel, const SmallSchedule &choice,
                                           StringRef name, Module &module, const CpuTarget &target,
                                           const RoutineLibrary &routines) {
  std::string names[] = {(name + "_small").str(), (name + "_other").str()};
  mlir::OwningOpRef<plan::KernelOp> small = kernel.clone();
  (*small)->setAttr(plan::scheduleAttribute, choice.schedule);
  Result<KernelProperties> ofSmall =
      emitScheduled(*small, names[0], module, target, routines, nullptr);
  Result<KernelProperties> properties =
      ofSmall ? emitScheduled(kernel, names[1], module, target, routines, nullptr) : ofSmall;
  if (!properties) {
    return properties;
  }
  if (!haveSameLaunches(*ofSmall, *properties)) {
    for (Function &function : make_early_inc_range(module)) {
      StringRef rest = function.getName();
      if (rest.consume_front(names[1])) {
        function.setName(name + rest);
      } else if (rest.starts_with(names[0])) {
        function.eraseFromParent();
      }
    }
    return properties;
  }
  properties->scratchBytes =
      SizeExpression::larger(properties->scratchBytes, ofSmall->scratchBytes);
  auto choose = [&](const std::string &suffix, unsigned dims) {
    emitChoice(kernel, name.str() + suffix, module.getFunction(names[0] + suffix),
               module.getFunction(names[1] + suffix), choice, dims);
  };
  choose("", 1);
  choose("_tiles", 0);
  return properties;
}

Result<KernelProperties> emitKernel(plan::KernelOp kernel, StringRef name, Module &module,
                                    const CpuTarget &target, const RoutineLibrary &routines,
                                    ValueObserver observer) {
  std::optional<SmallSchedule> small = smallScheduleOf(kernel);
  return small && !observer
             ? emitBySize(kernel, *small, name, module, target, routines)
             : emitScheduled(kernel, name, module, target, routines, std::move(observer));
}

Result<KernelProperties> emitScheduled(plan::KernelOp kernel, StringRef name, Module &module,
                                       const CpuTarget &target, const RoutineLibrary &routines,
                                       ValueObserver observer) {
  if (Status status = checkTypes(kernel); !status) {
    return status.error();
  }
  if (auto problem = findEpilogueProblem(kernel.getKind(), kernel.getBody().front())) {
    return diagnose(errors::InternalError, "a kernel can't be emitted: " + problem->what,
                    plan::sourceOf(problem->op->getLoc()));
  }
  KernelProperties properties;
  bool hasNominalReads = false;
  Status status = withKernelFrame(kernel, name, module, target, routines, [&](KernelFrame &frame) {
    frame.emitter.setObserver(std::move(observer));
    properties = plan::withKernelKind(kernel.getKind(),
                                      [&]<typename Op>() { return emit(Emission<Op>(), frame); });
    properties.scratchBytes = properties.scratchBytes + frame.scratchSize;
    hasNominalReads = frame.emitter.index().hasNominalReads();
  });
  if (!status) {
    return status.error();
  }
  if (hasNominalReads) {
    return diagnose(errors::UnsupportedDynamicShape,
                    "no native code for kernel `" + kernel.getSymName().str() +
                        "` that is valid for all sizes",
                    plan::sourceOf(kernel.getLoc()));
  }
  if (properties.tiles.symbolic) {
    emitTileCount(kernel, name, module, target, *properties.tiles.symbolic);
  }
  return properties;
}

} // namespace drumlin::codegen
