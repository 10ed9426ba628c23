#include "drumlin/driver/EngineVerdicts.h"

#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/TripCount.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/DynamicUpdateSliceOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReduceWindowOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/RngBitGeneratorOp.h"
#include "drumlin/ir/stablehlo/RngOp.h"
#include "drumlin/ir/stablehlo/ScatterOp.h"
#include "drumlin/ir/stablehlo/SortOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// The largest number of operations that are followed to find out whether a value is constant.
static constexpr unsigned maxFollowed = 16;

static bool isConstant(Value value, unsigned depth = 0) {
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxFollowed) {
    return false;
  }
  bool isSource = isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op);
  return isSource || (isPure(op) && op->getNumOperands() > 0 && op->getNumRegions() == 0 &&
                      llvm::all_of(op->getOperands(),
                                   [&](Value operand) { return isConstant(operand, depth + 1); }));
}

static bool hasOther(std::optional<ArrayRef<int64_t>> numbers, int64_t usual) {
  return numbers && llvm::any_of(*numbers, [&](int64_t number) { return number != usual; });
}

//===-- indices -------------------------------------------------------------------------------===//

// Returns the largest element of an iota or of a non-negative constant. The value may be a
// reshaped, broadcast, transposed or converted form of such an operation.
static std::optional<int64_t> largestIndex(Value indices) {
  while (Operation *op = indices.getDefiningOp()) {
    if (auto iota = dyn_cast<stablehlo::IotaOp>(op)) {
      auto type = cast<RankedTensorType>(iota.getType());
      return type.getDimSize(static_cast<unsigned>(iota.getIotaDimension())) - 1;
    }
    DenseIntElementsAttr elements;
    if (matchPattern(indices, m_Constant(&elements))) {
      std::optional<int64_t> largest;
      for (const APInt &each : elements) {
        if (each.isNegative()) {
          return std::nullopt;
        }
        largest = std::max(largest.value_or(0), each.getSExtValue());
      }
      return largest;
    }
    if (!isa<stablehlo::ReshapeOp, stablehlo::BroadcastInDimOp, stablehlo::ConvertOp,
             stablehlo::TransposeOp>(op)) {
      break;
    }
    indices = op->getOperand(0);
  }
  return std::nullopt;
}

// Returns the largest valid index into the operand of a gather or scatter with one index dimension.
static std::optional<int64_t> lastInside(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    ArrayRef<int64_t> map = gather.getDimensionNumbers().getStartIndexMap();
    auto type = cast<RankedTensorType>(gather.getOperand().getType());
    if (map.size() == 1 && type.hasStaticShape()) {
      return type.getDimSize(static_cast<unsigned>(map[0])) -
             gather.getSliceSizes()[static_cast<size_t>(map[0])];
    }
  }
  if (auto scatter = dyn_cast<stablehlo::ScatterOp>(op)) {
    auto numbers = scatter.getScatterDimensionNumbers();
    ArrayRef<int64_t> map = numbers.getScatterDimsToOperandDims();
    auto type = cast<RankedTensorType>(scatter.getInputs().front().getType());
    if (map.size() == 1 && type.hasStaticShape() &&
        llvm::is_contained(numbers.getInsertedWindowDims(), map[0])) {
      return type.getDimSize(static_cast<unsigned>(map[0])) - 1;
    }
  }
  return std::nullopt;
}

static Value indicesOf(Operation *op) {
  if (auto gather = dyn_cast<stablehlo::GatherOp>(op)) {
    return gather.getStartIndices();
  }
  auto scatter = dyn_cast<stablehlo::ScatterOp>(op);
  return scatter ? scatter.getScatterIndices() : Value();
}

// Returns whether all indices stay within the operand; nullopt if this doesn't follow from the
// program's constants.
static std::optional<bool> staysInside(Operation *op) {
  Value indices = indicesOf(op);
  std::optional<int64_t> largest = indices ? largestIndex(indices) : std::nullopt,
                         last = lastInside(op);
  return largest && last ? std::optional(*largest <= *last) : std::nullopt;
}

//===-- checks of restrictions ----------------------------------------------------------------===//

// The text that says how an operation violates a restriction; nullopt if the operation satisfies
// it.
using Fault = std::optional<std::string>;

static Fault dilationFault(stablehlo::ConvolutionOp op) {
  bool lhs = hasOther(op.getLhsDilation(), 1), rhs = hasOther(op.getRhsDilation(), 1);
  if (lhs && rhs) {
    return "both are dilated";
  }
  return lhs && hasOther(op.getWindowStrides(), 1) ? Fault("the lhs is dilated, with a stride")
                                                   : std::nullopt;
}

static Fault startsFault(stablehlo::DynamicUpdateSliceOp op) {
  for (auto [dimension, start] : llvm::enumerate(op.getStartIndices())) {
    if (!isConstant(start)) {
      return "that of dimension " + std::to_string(dimension) + " is computed";
    }
  }
  return std::nullopt;
}

static Fault offsetsFault(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  for (int64_t dimension : numbers.getStartIndexMap()) {
    if (!llvm::is_contained(numbers.getCollapsedSliceDims(), dimension) &&
        !llvm::is_contained(numbers.getOperandBatchingDims(), dimension)) {
      return "dimension " + std::to_string(dimension) + " is in both";
    }
  }
  return std::nullopt;
}

static Fault bodyFault(stablehlo::ReduceOp op) {
  std::optional<Reducer> reducer = knownReducer(op.getBody());
  bool isTaken =
      reducer && *reducer != Reducer::And && *reducer != Reducer::Or && *reducer != Reducer::Xor;
  if (!isTaken) {
    return "this is another body";
  }
  bool isKnown = llvm::all_of(op.getInitValues(), [](Value init) { return isConstant(init); });
  return isKnown ? std::nullopt : Fault("an initial value is computed");
}

static Fault windowFault(stablehlo::ReduceWindowOp op) {
  if (op.getInputs().size() != 1) {
    return std::to_string(op.getInputs().size()) + " operands";
  }
  return hasOther(op.getBaseDilations(), 1)     ? Fault("the base is dilated")
         : hasOther(op.getWindowDilations(), 1) ? Fault("the window is dilated")
                                                : std::nullopt;
}

static Fault scatterFault(stablehlo::ScatterOp op) {
  if (staysInside(op) == false) {
    return "an index is past the operand's end";
  }
  Block &body = op.getUpdateComputation().front();
  Operation *end = body.getTerminator();
  size_t count = op.getInputs().size();
  for (auto [i, value] : llvm::enumerate(end->getOperands())) {
    ElementType type = elementTypeOf(getElementTypeOrSelf(op.getInputs()[i].getType()));
    if (value != body.getArgument(static_cast<unsigned>(count + i)) && !isFloat(type)) {
      return "it computes with " + std::string(name(type));
    }
  }
  return std::nullopt;
}

static Fault comparatorFault(stablehlo::SortOp op) {
  Value order = op.getComparator().front().getTerminator()->getOperand(0);
  auto compare = order.getDefiningOp<stablehlo::CompareOp>();
  using Direction = stablehlo::ComparisonDirection;
  bool isOrder =
      compare && llvm::is_contained({Direction::LT, Direction::LE, Direction::GT, Direction::GE},
                                    compare.getComparisonDirection());
  return isOrder ? std::nullopt : Fault("this is another comparator");
}

static Fault faultOf(Operation *op, EngineCheck check) {
  switch (check) {
  case EngineCheck::None:
  case EngineCheck::Loses:
    return std::nullopt;
  case EngineCheck::MayFail:
    return staysInside(op) == true ? std::nullopt : Fault("");
  case EngineCheck::ConstantExponent:
    return isConstant(op->getOperand(1)) ? std::nullopt : Fault("it is computed");
  case EngineCheck::ConstantStarts:
    return startsFault(cast<stablehlo::DynamicUpdateSliceOp>(op));
  case EngineCheck::DefaultAlgorithm:
    return cast<stablehlo::RngBitGeneratorOp>(op).getRngAlgorithm() ==
                   stablehlo::RngAlgorithm::DEFAULT
               ? std::nullopt
               : Fault("this is another algorithm");
  case EngineCheck::Dilations:
    return dilationFault(cast<stablehlo::ConvolutionOp>(op));
  case EngineCheck::DisjointOffsets:
    return offsetsFault(cast<stablehlo::GatherOp>(op));
  case EngineCheck::IotaInside:
    return staysInside(op) == false ? Fault("an index is past its end") : std::nullopt;
  case EngineCheck::KnownBody:
    return bodyFault(cast<stablehlo::ReduceOp>(op));
  case EngineCheck::KnownTripCount:
    return tripCount(cast<stablehlo::WhileOp>(op)) ? std::nullopt
                                                   : Fault("it depends on computed values");
  case EngineCheck::OneOperand: {
    size_t count = cast<stablehlo::ReduceOp>(op).getInputs().size();
    return count == 1 ? std::nullopt : Fault("it has " + std::to_string(count));
  }
  case EngineCheck::OrderComparator:
    return comparatorFault(cast<stablehlo::SortOp>(op));
  case EngineCheck::PlainWindow:
    return windowFault(cast<stablehlo::ReduceWindowOp>(op));
  case EngineCheck::ScatterBody:
    return scatterFault(cast<stablehlo::ScatterOp>(op));
  case EngineCheck::Uniform:
    return cast<stablehlo::RngOp>(op).getRngDistribution() == stablehlo::RngDistribution::UNIFORM
               ? std::nullopt
               : Fault("it is NORMAL");
  case EngineCheck::VendorTarget: {
    StringRef target = cast<stablehlo::CustomCallOp>(op).getCallTargetName();
    return target.starts_with("AwsNeuron") ? std::nullopt : Fault("this is `" + target.str() + "`");
  }
  }
  return std::nullopt;
}

//===-- verdicts ------------------------------------------------------------------------------===//

// Returns the operands and results of an operation that are data. All are data except indices,
// which address an operand's elements or state positions in a result.
static SmallVector<Value> dataOf(Operation *op) {
  SmallVector<Value> data(op->getOperands());
  llvm::append_range(data, op->getResults());
  return TypeSwitch<Operation *, SmallVector<Value>>(op)
      .Case([](stablehlo::DynamicSliceOp slice) { return SmallVector<Value>{slice.getOperand()}; })
      .Case([](stablehlo::DynamicUpdateSliceOp update) {
        return SmallVector<Value>{update.getOperand(), update.getUpdate()};
      })
      .Case([](stablehlo::GatherOp gather) { return SmallVector<Value>{gather.getOperand()}; })
      .Case([](stablehlo::ScatterOp scatter) { return SmallVector<Value>(scatter.getInputs()); })
      .Case([](chlo::TopKOp top) { return SmallVector<Value>{top.getOperand()}; })
      .Default(data);
}

// Judges each distinct element type of an operation's data.
static void judgeTypes(Operation *op, std::string_view instruction, const TensorEngine &engine,
                       std::vector<EngineVerdict> &verdicts) {
  std::vector<ElementType> seen;
  for (Value value : dataOf(op)) {
    auto tensor = dyn_cast<RankedTensorType>(value.getType());
    std::optional<ElementType> element =
        tensor ? tryElementTypeOf(tensor.getElementType()) : std::nullopt;
    if (!element || llvm::is_contained(seen, *element)) {
      continue;
    }
    seen.push_back(*element);
    PublishedTypeAnswer answer = publishedType(engine, instruction, *element);
    std::string typeName(name(*element)), text(answer.note.text);
    if (answer.answer == PublishedType::Refused) {
      verdicts.push_back({EngineAnswer::Refused, typeName + " refused, " + text});
    } else if (answer.answer == PublishedType::Converted) {
      verdicts.push_back({EngineAnswer::Loses, typeName + " " + text});
    }
  }
}

std::vector<EngineVerdict> engineVerdicts(Operation *op, std::string_view instruction,
                                          const TensorEngine &engine) {
  PublishedOperator published = publishedOperator(engine, instruction);
  if (!published.isTaken()) {
    std::string_view why = published.basis.text;
    return {{EngineAnswer::Refused, std::string(why.empty() ? stateName(published.state) : why)}};
  }
  std::vector<EngineVerdict> verdicts;
  for (const PublishedNote &note : published.restrictions) {
    std::string text(note.text);
    if (note.check == EngineCheck::Loses) {
      verdicts.push_back({EngineAnswer::Loses, text});
    } else if (Fault fault = faultOf(op, note.check)) {
      bool isRun = note.check == EngineCheck::MayFail;
      verdicts.push_back({isRun ? EngineAnswer::MayFail : EngineAnswer::Refused,
                          isRun ? text : text + ": " + *fault});
    }
  }
  judgeTypes(op, instruction, engine, verdicts);
  std::vector<EngineVerdict> ordered;
  for (bool wantsRefused : {true, false}) {
    llvm::copy_if(verdicts, std::back_inserter(ordered), [&](const EngineVerdict &each) {
      return (each.answer == EngineAnswer::Refused) == wantsRefused;
    });
  }
  return ordered;
}

static void addNote(std::vector<EngineNotes::Note> &notes, Operation *op,
                    const std::string &reason) {
  StringRef operation = op->getName().getStringRef();
  auto found = llvm::find_if(notes, [&](const EngineNotes::Note &each) {
    return each.operation == operation && each.reason == reason;
  });
  if (found == notes.end()) {
    notes.push_back({operation.str(), plan::sourceOf(op->getLoc()), reason});
  } else {
    ++found->count;
  }
}

EngineNotes engineNotes(ModuleOp module, const TensorEngine &engine,
                        const InstructionOf &instructionOf) {
  EngineNotes notes;
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    std::optional<std::string> instruction = instructionOf(op);
    if (!instruction) {
      return;
    }
    for (const EngineVerdict &verdict : engineVerdicts(op, *instruction, engine)) {
      addNote(verdict.answer == EngineAnswer::Refused ? notes.notTaken
              : verdict.answer == EngineAnswer::Loses ? notes.loses
                                                      : notes.mayFail,
              op, verdict.reason);
      if (verdict.answer == EngineAnswer::Refused) {
        break; // a refused operation needs no other verdict
      }
    }
  });
  return notes;
}

} // namespace drumlin
