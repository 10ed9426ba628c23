// Converts asynchronous operations, which have separate start, update and done instructions. The
// converted operation runs at the first instruction where all operands are bound.
#include "drumlin/import/hlo/Emitter.h"
#include "drumlin/import/hlo/ImportOpcodes.h"
#include "drumlin/support/diagnostics/ProgramErrors.h"

using namespace mlir;

namespace drumlin::hlo {

//===-- the wrapped operation -----------------------------------------------------------------===//

namespace {
// An asynchronous operation from its start up to one of its steps.
struct AsyncCall {
  const Instruction *start = nullptr;
  SmallVector<const Instruction *> steps;    // the start and the later steps, in order
  SmallVector<const Instruction *> operands; // operands bound up to the current step
  SmallVector<size_t> bound;                 // number of bound operands at each step
  const Computation *computation = nullptr;  // null if the opcode names a single operation
};
} // namespace

static bool isStart(const Instruction &step) {
  return llvm::StringRef(step.opcode).ends_with("-start");
}

// Returns the computation that `async-start`, `call-start` or `fusion-start` runs, or null.
static const Computation *computationOf(const Instruction &start) {
  for (auto [opcode, attribute] :
       {std::pair("async-start", "calls"), {"call-start", "to_apply"}, {"fusion-start", "calls"}}) {
    const Value *called = start.opcode == opcode ? start.find(attribute) : nullptr;
    if (called) {
      return called->computation();
    }
  }
  return nullptr;
}

// Maximum number of steps. It is limited, since each step traverses all previous steps.
static constexpr size_t maxSteps = 1000;

// Returns the operation up to the current instruction; nullopt after an error, or if a step's first
// operand isn't the previous step, for example because a loop carries it.
static std::optional<AsyncCall> callUpTo(Emitter &emitter) {
  AsyncCall call;
  for (const Instruction *step = &emitter.instruction(); !call.start;) {
    if (call.steps.size() == maxSteps) {
      emitter.fail(errors::InputTooLarge,
                   "an asynchronous operation of more than " + std::to_string(maxSteps) + " steps");
      return std::nullopt;
    }
    call.steps.push_back(step);
    llvm::StringRef opcode = step->opcode;
    bool isLater = opcode.ends_with("-update") || opcode.ends_with("-done");
    if (isStart(*step)) {
      call.start = step;
    } else if (isLater && !step->operands.empty()) {
      step = step->operands[0].instruction;
    } else {
      return std::nullopt;
    }
  }
  std::reverse(call.steps.begin(), call.steps.end());
  for (const Instruction *step : call.steps) {
    for (const Operand &operand : step->operands) {
      if (&operand != step->operands.begin() || step == call.start) {
        call.operands.push_back(operand.instruction);
      }
    }
    call.bound.push_back(call.operands.size());
  }
  call.computation = computationOf(*call.start);
  return call;
}

static size_t parameterCount(const Computation &computation) {
  return static_cast<size_t>(llvm::count_if(
      computation.instructions, [](const auto &each) { return each->opcode == "parameter"; }));
}

// Whether the result of a start or an update is a tuple of operands, results and contexts.
static bool hasParts(const Instruction &step) {
  return step.shape.kind == Shape::Kind::Tuple && step.shape.elements.size() >= 2;
}

// Whether the operation can run at a step: all operands are bound, and the step's shape includes
// the results. An operation without a computation has all operands at its start.
static bool canRunAt(const AsyncCall &call, size_t number) {
  const Instruction &step = *call.steps[number];
  if (!call.computation) {
    return isStart(step);
  }
  if (call.bound[number] < parameterCount(*call.computation)) {
    return false;
  }
  bool isEnd = !isStart(step) && !llvm::StringRef(step.opcode).ends_with("-update");
  return isEnd || (hasParts(step) && step.shape.elements[1].str(/*withLayout=*/false) ==
                                         call.computation->root()->shape.str(false));
}

static bool canRun(const AsyncCall &call) { return canRunAt(call, call.steps.size() - 1); }

static bool ranBefore(const AsyncCall &call) {
  for (size_t i = 0; i + 1 < call.steps.size(); ++i) {
    if (canRunAt(call, i)) {
      return true;
    }
  }
  return false;
}

static Leaves run(Emitter &emitter, const AsyncCall &call) {
  const Instruction &start = *call.start;
  Instruction called;
  called.name = start.name;
  called.offset = start.offset;
  for (const Instruction *operand : call.operands) {
    called.operands.emplace_back().instruction = const_cast<Instruction *>(operand);
  }
  if (call.computation) {
    called.opcode = "call";
    called.shape = call.computation->root()->shape;
    Attribute &attribute = called.attributes.emplace_back();
    attribute.name = "to_apply";
    attribute.value = *start.find(start.opcode == "call-start" ? "to_apply" : "calls");
    return emitter.emitAs(called);
  }
  llvm::StringRef operation = start.opcode;
  operation.consume_back("-start");
  called.opcode = operation.str();
  called.shape = start.shape.elements[1];
  for (const Attribute &attribute : start.attributes) {
    called.attributes.push_back(attribute);
  }
  return emitter.emitAs(called);
}

//===-- starts, updates and ends --------------------------------------------------------------===//

// Accepts all attributes: the start determines the operation, but older texts repeat its attributes
// at each step.
static void askAll(Emitter &emitter) {
  for (const Attribute &attribute : emitter.instruction().attributes) {
    emitter.attribute(llvm::StringRef(attribute.name.view()));
  }
}

// Finishes a step with the tuple (operands, results, contexts). Contexts are unused and zero.
static void finishParts(Emitter &emitter, Leaves operands, const Leaves &results) {
  llvm::append_range(operands, results);
  SmallVector<Type> types = emitter.resultTypes();
  for (size_t i = operands.size(); i < types.size() && !emitter.failed(); ++i) {
    operands.push_back(emitter.zero(types[i]));
  }
  emitter.finish(operands);
}

// Finishes the call's last step. If the operation ran at an earlier step, the results are that
// step's results, `before`. Otherwise, they are the operation's results if it can run now, or else
// zeros.
static void finishStep(Emitter &emitter, const AsyncCall &call, const Leaves &operands,
                       const Leaves &before) {
  Leaves results;
  if (ranBefore(call)) {
    results = before;
  } else if (canRun(call)) {
    results = run(emitter, call);
  } else {
    size_t count = leafCount(emitter.instruction().shape.elements[1]);
    SmallVector<Type> types = emitter.resultTypes();
    for (size_t i = operands.size(); i < std::min(operands.size() + count, types.size()); ++i) {
      results.push_back(emitter.zero(types[i]));
    }
  }
  if (!emitter.failed()) {
    finishParts(emitter, operands, results);
  }
}

static bool checkParts(Emitter &emitter) {
  if (!hasParts(emitter.instruction())) {
    emitter.fail(errors::ProgramInvalid,
                 "`" + emitter.instruction().opcode +
                     "` has no tuple of operands, results and a context as its shape");
  }
  return !emitter.failed();
}

static void startCall(Emitter &emitter) {
  Leaves operands = emitter.allLeaves();
  std::optional<AsyncCall> call = callUpTo(emitter);
  if (call && checkParts(emitter)) {
    finishStep(emitter, *call, operands, {});
  }
}

void emitAsyncStart(Emitter &emitter, llvm::StringRef) {
  if (emitter.computation("calls")) {
    startCall(emitter);
  }
}

void emitWrappedStart(Emitter &emitter, llvm::StringRef) {
  askAll(emitter);
  startCall(emitter);
}

// Returns the leaves of an element of the first operand, which is a tuple.
static Leaves elementOf(Emitter &emitter, size_t index) {
  llvm::ArrayRef<mlir::Value> leaves = emitter.operand(0);
  if (emitter.failed()) {
    return {};
  }
  const Shape &tuple = emitter.instruction().operands[0].instruction->shape;
  if (tuple.kind != Shape::Kind::Tuple || index >= tuple.elements.size()) {
    emitter.fail(errors::ProgramInvalid, "operand 0 of `" + emitter.instruction().opcode +
                                             "` has no element " + std::to_string(index));
    return {};
  }
  size_t begin = 0;
  for (const Shape &element : llvm::ArrayRef(tuple.elements.data(), index)) {
    begin += leafCount(element);
  }
  return Leaves(leaves.slice(begin, leafCount(tuple.elements[index])));
}

void emitAsyncUpdate(Emitter &emitter, llvm::StringRef operation) {
  emitter.attribute("calls"); // repeats the attribute of the start
  emitter.attribute("to_apply");
  if (!operation.empty()) {
    askAll(emitter);
  }
  std::optional<AsyncCall> call = callUpTo(emitter);
  if (!call) {
    return emitter.finish(emitter.operand(0));
  }
  Leaves operands = elementOf(emitter, 0), results = elementOf(emitter, 1);
  llvm::append_range(operands, emitter.leaves(1, emitter.operandCount()));
  if (checkParts(emitter)) {
    finishStep(emitter, *call, operands, results);
  }
}

void emitAsyncDone(Emitter &emitter, llvm::StringRef operation) {
  emitter.attribute("calls");
  emitter.attribute("to_apply");
  if (!operation.empty()) {
    askAll(emitter);
  }
  std::optional<AsyncCall> call = callUpTo(emitter);
  if (call && !ranBefore(*call)) {
    if (canRun(*call)) {
      emitter.finish(run(emitter, *call));
    } else {
      emitter.fail(errors::ProgramInvalid,
                   "`" + emitter.instruction().opcode + "` ends an operation with " +
                       std::to_string(parameterCount(*call->computation)) + " operands, of which " +
                       std::to_string(call->operands.size()) + " are bound");
    }
    return;
  }
  emitter.finish(elementOf(emitter, 1));
}

} // namespace drumlin::hlo
