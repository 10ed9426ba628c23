#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/QuantizedExecution.h"
#include "drumlin/interpreter/StandardOperations.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/DynamicBroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/DynamicConvOp.h"
#include "drumlin/ir/stablehlo/DynamicGatherOp.h"
#include "drumlin/ir/stablehlo/DynamicIotaOp.h"
#include "drumlin/ir/stablehlo/DynamicPadOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/RealDynamicSliceOp.h"
#include "drumlin/ir/stablehlo/SetDimensionSizeOp.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "llvm/ADT/ScopeExit.h"

namespace drumlin {

using interpreter::BinaryOperation;

// Limit of nested functions and regions, each of which takes machine stack. Real programs nest
// about ten deep.
static constexpr int64_t maxDepth = 1000;

// Larger constants are converted at each use instead of being kept for the whole run; the
// conversion is cheap compared with the operation that uses them.
static constexpr int64_t smallConstantBytes = 4096;

std::string locationText(mlir::Location location) {
  if (auto file = llvm::dyn_cast<mlir::FileLineColLoc>(location)) {
    return file.getFilename().str() + ":" + std::to_string(file.getLine()) + ":" +
           std::to_string(file.getColumn());
  }
  if (auto named = llvm::dyn_cast<mlir::NameLoc>(location)) {
    return locationText(named.getChildLoc());
  }
  if (auto call = llvm::dyn_cast<mlir::CallSiteLoc>(location)) {
    return locationText(call.getCallee());
  }
  if (auto fused = llvm::dyn_cast<mlir::FusedLoc>(location)) {
    for (mlir::Location part : fused.getLocations()) {
      std::string text = locationText(part);
      if (!text.empty()) {
        return text;
      }
    }
  }
  return {};
}

static int64_t bytesOf(llvm::ArrayRef<Tensor> tensors) {
  int64_t bytes = 0;
  for (const Tensor &tensor : tensors) {
    bytes += tensor.bytes();
  }
  return bytes;
}

Execution::Execution(const InterpreterOptions &options, ProcessGrid &grid, ProcessId process)
    : options(options), table(options.table ? *options.table : standardOperations()), grid(grid),
      process(process) {}

Frame::~Frame() {
  for (auto &[value, tensors] : values) {
    execution.grid.liveBytes -= bytesOf(tensors);
  }
}

// Returns the number of a random stream for one draw; no other draw of any process gets the same
// number. The low 40 bits count the draws, since a run draws fewer than 2^40 times.
uint64_t Frame::nextDraw() {
  auto process = static_cast<uint64_t>(execution.process.flattened(execution.grid.shape()));
  return (process << 40) + execution.draws++;
}

void Frame::set(mlir::Value value, Held tensors) {
  Held &slot = values[value];
  execution.grid.liveBytes += bytesOf(tensors) - bytesOf(slot);
  slot = std::move(tensors);
}

void Frame::setAll(mlir::ValueRange range, std::vector<Tensor> tensors) {
  auto next = tensors.begin();
  for (mlir::Value value : range) {
    auto count = static_cast<std::ptrdiff_t>(tensorCountOf(value.getType()).value_or(0));
    if (!value.use_empty()) {
      set(value, Held(std::make_move_iterator(next), std::make_move_iterator(next + count)));
    }
    next += count;
  }
}

void Frame::drop(mlir::Value value) {
  auto found = values.find(value);
  if (found != values.end()) {
    execution.grid.liveBytes -= bytesOf(found->second);
    values.erase(found);
  }
}

Result<std::vector<Tensor>> Frame::gather(mlir::ValueRange range) {
  std::vector<Tensor> tensors;
  tensors.reserve(range.size());
  for (mlir::Value value : range) {
    auto found = values.find(value);
    if (found == values.end()) {
      return diagnose(errors::InterpreterUnsupported,
                      "a value from outside of the evaluated operation is used",
                      locationText(value.getLoc()));
    }
    llvm::append_range(tensors, found->second);
  }
  return tensors;
}

// Returns the last operation of `block` that uses `value`, as an operand or in its regions.
static mlir::Operation *lastUser(mlir::Value value, mlir::Block &block) {
  mlir::Operation *last = nullptr;
  for (mlir::Operation *user : value.getUsers()) {
    mlir::Operation *ancestor = block.findAncestorOpInBlock(*user);
    if (ancestor && (!last || last->isBeforeInBlock(ancestor))) {
      last = ancestor;
    }
  }
  return last;
}

const BlockSchedule &Frame::scheduleOf(mlir::Block &block) {
  std::unique_ptr<BlockSchedule> &schedule = execution.schedules[&block];
  if (schedule) {
    return *schedule;
  }
  schedule = std::make_unique<BlockSchedule>();
  llvm::DenseMap<mlir::Operation *, size_t> positions;
  for (mlir::Operation &operation : block) {
    positions[&operation] = schedule->steps.size();
    schedule->steps.push_back({&operation,
                               execution.table.find(operation.getName().getStringRef()),
                               {},
                               operation.getNumRegions() != 0,
                               computesOnExpressedNumbers(&operation)});
  }
  for (mlir::BlockArgument argument : block.getArguments()) {
    if (mlir::Operation *last = lastUser(argument, block)) {
      schedule->steps[positions[last]].dead.push_back(argument);
    } else {
      schedule->unused.push_back(argument);
    }
  }
  for (mlir::Operation &operation : block) {
    for (mlir::Value result : operation.getResults()) {
      mlir::Operation *last = lastUser(result, block);
      schedule->steps[positions[last ? last : &operation]].dead.push_back(result);
    }
  }
  return *schedule;
}

Result<std::vector<Tensor>> Frame::run(mlir::Region &region, std::vector<Tensor> arguments) {
  std::optional<TensorTypes> types = tensorTypesOf(region.getArgumentTypes());
  if (!region.hasOneBlock() || !types || types->size() != arguments.size()) {
    return diagnose(errors::InterpreterUnsupported,
                    "only regions of one block on tensors, tokens and tuples can be interpreted",
                    locationText(region.getLoc()));
  }
  if (execution.callDepth == maxDepth) {
    return diagnose(errors::InterpreterUnsupported,
                    "calls and regions are nested more than " + std::to_string(maxDepth) + " deep",
                    locationText(region.getLoc()));
  }
  ++execution.callDepth;
  llvm::scope_exit end([&] { --execution.callDepth; });
  mlir::Block &block = region.front();
  const BlockSchedule &schedule = scheduleOf(block);
  setAll(block.getArguments(), std::move(arguments));
  for (const BlockSchedule::Step &step : schedule.steps) {
    Result<std::vector<Tensor>> operands = gather(step.operation->getOperands());
    if (!operands) {
      return operands;
    }
    bool isTerminator = step.operation == &block.back();
    if (!step.keepsOperands || isTerminator) {
      for (mlir::Value value : step.dead) {
        drop(value);
      }
    }
    if (isTerminator) {
      return operands;
    }
    Result<std::vector<Tensor>> results =
        execute(step.operation, step.handler, step.isQuantized, std::move(*operands));
    if (!results) {
      return results;
    }
    setAll(step.operation->getResults(), std::move(*results));
    if (step.keepsOperands) {
      for (mlir::Value value : step.dead) {
        drop(value);
      }
    }
  }
  return diagnose(errors::InterpreterUnsupported, "a block without operations",
                  locationText(region.getLoc()));
}

// Returns whether a handler's results have the types that the program declares.
static bool hasTypesOf(const std::optional<TensorTypes> &types,
                       const std::vector<Tensor> &tensors) {
  return types && types->size() == tensors.size() &&
         llvm::all_of(llvm::zip_equal(*types, tensors),
                      [](auto pair) { return isValueOf(std::get<1>(pair), std::get<0>(pair)); });
}

// Returns the bytes of the results that have static shapes. Results with dynamic shapes are counted
// only after they are computed.
static int64_t knownBytes(const std::optional<TensorTypes> &types) {
  int64_t total = 0;
  for (mlir::RankedTensorType type : types.value_or(TensorTypes())) {
    std::optional<ElementType> element = heldTypeOf(type);
    if (!type.hasStaticShape() || !element) {
      continue;
    }
    std::optional<int64_t> bytes = byteCount(*element, type.getShape());
    if (!bytes || __builtin_add_overflow(total, *bytes, &total)) {
      return std::numeric_limits<int64_t>::max();
    }
  }
  return total;
}

static bool isStatic(mlir::Type type) {
  auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
  return tensor && tensor.hasStaticShape();
}

// Returns whether the elements of an operand determine the result's sizes. The sizes in the result
// type may then be wrong.
static bool takesSizes(mlir::Operation *operation) {
  return llvm::isa<stablehlo::DynamicBroadcastInDimOp, stablehlo::DynamicConvOp,
                   stablehlo::DynamicGatherOp, stablehlo::DynamicIotaOp, stablehlo::DynamicPadOp,
                   stablehlo::DynamicReshapeOp, stablehlo::RealDynamicSliceOp,
                   stablehlo::SetDimensionSizeOp>(operation);
}

static Diagnostic memoryLimit(mlir::Operation *operation, int64_t bytes, int64_t live,
                              int64_t limit) {
  return diagnose(errors::InterpreterMemoryLimit,
                  "the results of `" + operation->getName().getStringRef().str() + "` take " +
                      std::to_string(bytes) + " bytes, and " + std::to_string(live) + " of the " +
                      std::to_string(limit) + " bytes that the interpreter may take are in use",
                  locationText(operation->getLoc()));
}

Result<std::vector<Tensor>> Frame::execute(mlir::Operation *operation,
                                           const OperationHandler *handler, bool isQuantized,
                                           std::vector<Tensor> operands) {
  if (!handler) {
    return diagnose(errors::InterpreterUnsupported,
                    "the interpreter doesn't know `" + operation->getName().getStringRef().str() +
                        "`",
                    locationText(operation->getLoc()));
  }
  ProcessGrid &grid = execution.grid;
  int64_t maxMemory = execution.options.maxMemory;
  if (++grid.steps > execution.options.maxSteps) {
    return diagnose(errors::InterpreterStepLimit,
                    "more than " + std::to_string(execution.options.maxSteps) +
                        " operations were executed",
                    locationText(operation->getLoc()));
  }
  std::optional<TensorTypes> types = tensorTypesOf(operation->getResultTypes());
  if (knownBytes(types) > maxMemory - liveBytes()) {
    return memoryLimit(operation, knownBytes(types), liveBytes(), maxMemory);
  }
  std::vector<Tensor> parts = execution.buffers.bytes() != 0 &&
                                      operation->hasTrait<mlir::OpTrait::Elementwise>() &&
                                      !isQuantized && operation->getNumResults() == 1
                                  ? operands
                                  : std::vector<Tensor>();
  Result<std::vector<Tensor>> results =
      isQuantized ? executeOnExpressedNumbers(operation, *handler, std::move(operands))
                  : (*handler)(operation, std::move(operands), *this);
  if (!results) {
    Diagnostic error = results.error();
    if (error.location.empty()) {
      error.location = locationText(operation->getLoc());
    }
    return error;
  }
  if (!hasTypesOf(types, *results)) {
    // If all sizes are static, a mismatch is a bug of the interpreter. Otherwise the program's
    // sizes may be wrong, which only the run can show.
    bool isOurs = mlir::isPure(operation) && !takesSizes(operation) &&
                  llvm::all_of(operation->getOperandTypes(), isStatic) &&
                  llvm::all_of(operation->getResultTypes(), isStatic);
    return diagnose(isOurs ? errors::InternalError : errors::RuntimeShapeMismatch,
                    "`" + operation->getName().getStringRef().str() + "` gives " + str(*results) +
                        ", expected the program's types",
                    locationText(operation->getLoc()));
  }
  if (bytesOf(*results) > maxMemory - liveBytes()) {
    return memoryLimit(operation, bytesOf(*results), liveBytes(), maxMemory);
  }
  return parts.empty() ? std::move(results)
                       : executeOnBuffers(operation, *handler, parts, std::move(*results));
}

Result<std::vector<Tensor>> Frame::executeOnExpressedNumbers(mlir::Operation *operation,
                                                             const OperationHandler &handler,
                                                             std::vector<Tensor> operands) {
  Result<std::vector<Tensor>> expressed =
      expressedOperands(operation, std::move(operands), kernels());
  if (!expressed) {
    return expressed;
  }
  Result<std::vector<Tensor>> results = handler(operation, std::move(*expressed), *this);
  return results ? storedResults(operation, std::move(*results), kernels()) : results;
}

// Runs the operation on the full buffers of its operands, and so also on the elements past the
// valid ones. Returns `results` instead if a non-scalar operand has no full buffer or if these
// buffers have different shapes.
Result<std::vector<Tensor>> Frame::executeOnBuffers(mlir::Operation *operation,
                                                    const OperationHandler &handler,
                                                    const std::vector<Tensor> &operands,
                                                    std::vector<Tensor> results) {
  std::vector<Tensor> whole;
  std::optional<Shape> shape;
  for (const Tensor &operand : operands) {
    std::optional<Tensor> buffer = execution.buffers.bufferOf(operand);
    if (!buffer && operand.rank() != 0) {
      return results;
    }
    if (buffer && buffer->shape() != shape.value_or(buffer->shape())) {
      return results;
    }
    shape = buffer ? buffer->shape() : shape;
    whole.push_back(buffer ? std::move(*buffer) : operand);
  }
  if (!shape) {
    return results;
  }
  Result<std::vector<Tensor>> computed = handler(operation, std::move(whole), *this);
  if (!computed || computed->front().shape() != *shape) {
    return results;
  }
  std::optional<Tensor> part = execution.buffers.keep(results.front(), computed->front());
  return std::vector<Tensor>{part ? *part : results.front()};
}

Result<std::vector<Tensor>> Frame::call(mlir::Operation *caller, mlir::SymbolRefAttr callee,
                                        std::vector<Tensor> arguments) {
  auto function = lookup<mlir::func::FuncOp>(caller, callee);
  if (!function) {
    return diagnose(errors::InterpreterUnsupported,
                    "no function `@" + callee.getLeafReference().str() + "`");
  }
  return call(function, std::move(arguments));
}

Result<std::vector<Tensor>> Frame::call(mlir::func::FuncOp function,
                                        std::vector<Tensor> arguments) {
  if (function.isExternal()) {
    return diagnose(errors::InterpreterUnsupported,
                    "`@" + function.getSymName().str() + "` has no body");
  }
  return Frame(execution).run(function.getBody(), std::move(arguments));
}

Result<Tensor> Frame::constant(mlir::ElementsAttr attribute) {
  auto found = execution.smallConstants.find(attribute);
  if (found != execution.smallConstants.end()) {
    return found->second;
  }
  Result<Tensor> tensor = tensorFromAttribute(attribute);
  if (tensor && tensor->bytes() <= smallConstantBytes) {
    execution.smallConstants[attribute] = *tensor;
  }
  return tensor;
}

Result<Tensor> Frame::beginningOf(const Tensor &buffer, const Shape &shape) {
  if (buffer.shape() == shape) {
    return buffer;
  }
  Shape start(shape.size(), 0), strides(shape.size(), 1);
  Result<Tensor> part = interpreter::slice(buffer, start, shape, strides, kernels());
  if (!part) {
    return part;
  }
  std::optional<Tensor> kept = execution.buffers.keep(*part, buffer);
  return kept ? Result<Tensor>(std::move(*kept))
              : diagnose(errors::OutOfMemory, "no memory for " + str(*part));
}

interpreter::ScalarFunction Frame::scalarFunction(mlir::Region &region) {
  return [this, &region](std::span<const Tensor> arguments) {
    return run(region, std::vector<Tensor>(arguments.begin(), arguments.end()));
  };
}

interpreter::ReductionBody Frame::reductionBody(mlir::Region &region) {
  interpreter::ReductionBody body;
  mlir::Block &block = region.front();
  mlir::OperandRange returned = block.back().getOperands();
  for (mlir::Value value : returned) {
    body.types.push_back(heldTypeOf(value.getType()).value_or(ElementType::F32));
  }
  body.call = scalarFunction(region);
  if (returned.size() != 1 || block.getNumArguments() != 2 ||
      stablehlo::isQuantized(returned.front().getType())) {
    return body;
  }
  mlir::Value accumulator = block.getArgument(0);
  mlir::Value value = block.getArgument(1);
  body.returnsValue = returned.front() == value;
  // A known body is a single operation on both arguments, without conversions.
  mlir::Operation *only = returned.front().getDefiningOp();
  if (!only || only->getBlock() != &block || only->getNumOperands() != 2 ||
      only->getName().getDialectNamespace() != "stablehlo" ||
      accumulator.getType() != value.getType()) {
    return body;
  }
  bool inOrder = only->getOperand(0) == accumulator && only->getOperand(1) == value;
  bool swapped = only->getOperand(0) == value && only->getOperand(1) == accumulator;
  std::optional<BinaryOperation> operation =
      interpreter::binaryOperation(only->getName().stripDialect());
  if ((inOrder || swapped) && operation && interpreter::isReduction(*operation)) {
    body.operation = operation;
  }
  return body;
}

interpreter::ComparisonBody Frame::comparisonBody(mlir::Region &region) {
  interpreter::ComparisonBody body;
  body.call = scalarFunction(region);
  mlir::Block &block = region.front();
  if (block.back().getNumOperands() != 1) {
    return body;
  }
  auto compare = block.back().getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  // Quantized elements are compared by the numbers that they express, so they need the general
  // body.
  if (!compare || compare->getBlock() != &block ||
      stablehlo::isQuantized(compare.getLhs().getType())) {
    return body;
  }
  auto lhs = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  auto rhs = llvm::dyn_cast<mlir::BlockArgument>(compare.getRhs());
  if (!lhs || !rhs || lhs.getOwner() != &block || rhs.getOwner() != &block ||
      lhs.getArgNumber() / 2 != rhs.getArgNumber() / 2 ||
      lhs.getArgNumber() == rhs.getArgNumber()) {
    return body;
  }
  interpreter::ComparisonBody::Simple simple;
  simple.operand = lhs.getArgNumber() / 2;
  simple.swapped = lhs.getArgNumber() > rhs.getArgNumber();
  simple.direction =
      static_cast<interpreter::ComparisonDirection>(compare.getComparisonDirection());
  simple.type = compare.compareTypeOrDefault() == stablehlo::ComparisonType::TOTALORDER
                    ? interpreter::ComparisonType::TotalOrder
                    : interpreter::ComparisonType::Natural;
  body.simple = simple;
  return body;
}

} // namespace drumlin
