#include "drumlin/ir/plan/loop/LoopSchedule.h"

#include "drumlin/ir/plan/Reducers.h"
#include "drumlin/ir/plan/loop/LoopCuts.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <functional>

using namespace mlir;

namespace drumlin {

using plan::TraversalKind;

//===- text -----------------------------------------------------------------------===//

namespace {
// A field of a traversal's text. Fields with default values are not printed.
struct NumberField {
  const char *name;
  int64_t LoopTraversal::*member;
};
} // namespace

static constexpr std::array<NumberField, 4> numberFields = {{
    {"lanes", &LoopTraversal::vectorLanes},
    {"tile", &LoopTraversal::tile},
    {"dimension", &LoopTraversal::blockedDimension},
    {"period", &LoopTraversal::period},
}};
static constexpr const char *inRegistersField = "in_registers", *cutField = "cut";

static std::string textOf(const LoopTraversal &traversal) {
  std::string text = "[" + stringifyTraversalKind(traversal.kind).str();
  LoopTraversal usual;
  for (const NumberField &field : numberFields) {
    if (traversal.*field.member != usual.*field.member) {
      text += std::string(", ") + field.name + " = " + std::to_string(traversal.*field.member);
    }
  }
  text += traversal.inRegisters ? std::string(", ") + inRegistersField : "";
  for (const LoopCut &cut : traversal.cuts) {
    text += std::string(", ") + cutField + " = " + std::to_string(cut.dimension) + ":" +
            std::to_string(cut.position);
  }
  return text + "]";
}

std::string LoopSchedule::str() const {
  return llvm::join(llvm::map_range(traversals, textOf), ", ");
}

llvm::hash_code hash_value(const LoopSchedule &schedule) {
  return llvm::hash_value(schedule.str());
}

static ParseResult parseField(AsmParser &parser, LoopTraversal &traversal) {
  StringRef name;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  if (name == inRegistersField) {
    traversal.inRegisters = true;
    return success();
  }
  if (name == cutField) {
    LoopCut &cut = traversal.cuts.emplace_back();
    return failure(parser.parseEqual() || parser.parseInteger(cut.dimension) ||
                   parser.parseColon() || parser.parseInteger(cut.position));
  }
  for (const NumberField &field : numberFields) {
    if (name == field.name) {
      return failure(parser.parseEqual() || parser.parseInteger(traversal.*field.member));
    }
  }
  return parser.emitError(at, "a traversal has no field `") << name << "`";
}

static ParseResult parseTraversal(AsmParser &parser, LoopTraversal &traversal) {
  StringRef word;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLSquare() || parser.parseKeyword(&word)) {
    return failure();
  }
  std::optional<TraversalKind> kind = plan::symbolizeTraversalKind(word);
  if (!kind) {
    return parser.emitError(at, "unknown traversal: `") << word << "`";
  }
  traversal.kind = *kind;
  while (succeeded(parser.parseOptionalComma())) {
    if (parseField(parser, traversal)) {
      return failure();
    }
  }
  return parser.parseRSquare();
}

FailureOr<LoopSchedule> parseLoopSchedule(AsmParser &parser) {
  LoopSchedule schedule;
  // Results without elements have no traversal.
  auto parseOne = [&]() { return parseTraversal(parser, schedule.traversals.emplace_back()); };
  if (parser.parseLess()) {
    return failure();
  }
  if (succeeded(parser.parseOptionalGreater())) {
    return schedule;
  }
  if (parser.parseCommaSeparatedList(parseOne) || parser.parseGreater()) {
    return failure();
  }
  return schedule;
}

//===- steps ----------------------------------------------------------------------===//

// Whether an operation gathers each row of the results from one position.
static bool gathersRows(Operation *op, const LoopGroup &group) {
  auto gather = dyn_cast<stablehlo::GatherOp>(op);
  if (!gather || shapeOf(gather.getResult()) != ArrayRef(group.shape)) {
    return false;
  }
  auto numbers = gather.getDimensionNumbers();
  int64_t lastOfResult = static_cast<int64_t>(group.shape.size()) - 1;
  int64_t lastOfOperand = static_cast<int64_t>(shapeOf(gather.getOperand()).size()) - 1;
  return llvm::is_contained(numbers.getOffsetDims(), lastOfResult) &&
         !llvm::is_contained(numbers.getCollapsedSliceDims(), lastOfOperand) &&
         !llvm::is_contained(numbers.getOperandBatchingDims(), lastOfOperand);
}

bool hasLongRows(const LoopGroup &group) {
  bool gathers = llvm::any_of(group.slice, [&](Operation *op) { return gathersRows(op, group); });
  return group.rowLength() >= (gathers ? shortestGatheredRow : shortestRow);
}

bool traversesRows(const LoopGroup &group) {
  if (!hasLongRows(group) || scanToFollow(group)) {
    return false;
  }
  if (llvm::none_of(group.slice, [&](Operation *op) { return determinesLanes(op, group); })) {
    return needsDimensions(group) && !transposedDimension(group) &&
           group.rowLength() != group.elements();
  }
  return reducesWholeRows(group);
}

bool scansByLanes(const LoopGroup &group, Operation *scan) {
  return prefixScan(scan)->dimension != static_cast<int64_t>(group.shape.size()) - 1 &&
         group.rowLength() >= shortestRow;
}

Size stepsOf(const LoopTraversal &traversal, const LoopGroup &group) {
  std::vector<Size> sizes = sizesOf(cast<RankedTensorType>(group.roots.front().second.getType()));
  size_t last = sizes.size() - 1;
  auto product = [&](auto factorOf) {
    Size made(1);
    for (auto [d, size] : llvm::enumerate(sizes)) {
      made = made * factorOf(d, size);
    }
    return made;
  };
  switch (traversal.kind) {
  case TraversalKind::flat:
  case TraversalKind::single:
    return product([](size_t, const Size &size) { return size; });
  case TraversalKind::rows:
    return product([&](size_t d, const Size &size) { return d == last ? Size(1) : size; });
  case TraversalKind::interleaved:
    return product([&](size_t d, const Size &size) {
      return d == last       ? Size(1)
             : d + 1 == last ? (size * sizes[last]).ceilQuotient(traversePositions)
                             : size;
    });
  case TraversalKind::blocked:
    return product([&](size_t d, const Size &size) {
      bool isBlocked = static_cast<int64_t>(d) == traversal.blockedDimension;
      return d == last   ? size.ceilQuotient(traverseColumns)
             : isBlocked ? size.ceilQuotient(traverseBlock)
                         : size;
    });
  case TraversalKind::scan: {
    Operation *scan = scanToFollow(group);
    auto along = static_cast<size_t>(prefixScan(scan)->dimension);
    bool byLanes = scansByLanes(group, scan);
    return product([&](size_t d, const Size &size) {
      return d == along || (byLanes && d == last) ? Size(1) : size;
    });
  }
  }
  llvm_unreachable("every traversal is handled above");
}

//===- schedules that don't fit ---------------------------------------------------===//

static std::string findBlockFault(const LoopTraversal &traversal, const LoopGroup &group) {
  auto rank = static_cast<int64_t>(group.shape.size());
  if (traversal.blockedDimension < 0 || traversal.blockedDimension >= rank - 1) {
    return "`dimension` must be before the last dimension";
  }
  int64_t extent = group.shape[static_cast<size_t>(traversal.blockedDimension)];
  bool areWhole = extent % traverseBlock == 0 && group.rowLength() % lanes == 0;
  bool areKnown = llvm::none_of(group.rootValues(),
                                [](Value root) { return hasSymbolicSizes(root.getType()); });
  bool turns = (areWhole || areKnown) && group.rowLength() >= lanes &&
               traversal.vectorLanes == lanes &&
               !transposesAlong(group, traversal.blockedDimension).empty();
  return traversal.inRegisters && !turns
             ? "no operand can be transposed in registers along this dimension"
             : "";
}

static std::string findCutFault(const LoopTraversal &traversal, const LoopGroup &group) {
  if (traversal.cuts.empty()) {
    return "";
  }
  auto rank = static_cast<int64_t>(group.shape.size());
  auto isOutside = [&](const LoopCut &cut) {
    return cut.dimension < 0 || cut.dimension >= rank || cut.position < 1 ||
           cut.position >= group.shape[static_cast<size_t>(cut.dimension)];
  };
  if (llvm::any_of(traversal.cuts, isOutside)) {
    return "a cut must be between two positions of a dimension";
  }
  if (std::ranges::adjacent_find(traversal.cuts, std::greater_equal<>()) != traversal.cuts.end()) {
    return "cuts must be distinct and sorted by dimension and position";
  }
  if (llvm::any_of(group.rootValues(),
                   [](Value root) { return hasSymbolicSizes(root.getType()); })) {
    return "cuts need sizes that are known at compile time";
  }
  int64_t checked = -1;
  for (const LoopCut &cut : traversal.cuts) {
    if (cut.dimension != checked && !canCut(traversal.kind, group, cut.dimension)) {
      return "the traversal can't have cuts in this dimension";
    }
    checked = cut.dimension;
  }
  return "";
}

static std::string findPeriodFault(const LoopTraversal &traversal) {
  if (traversal.period == 0) {
    return "";
  }
  if (traversal.kind != TraversalKind::flat) {
    return "only a flat traversal has a period";
  }
  bool isWhole = traversal.period > 0 && traversal.period % traversal.vectorLanes == 0 &&
                 traversal.period / traversal.vectorLanes <= maxUnrolled;
  if (!isWhole) {
    return "`period` must be a multiple of the lanes, and at most " + std::to_string(maxUnrolled) +
           " times the lanes";
  }
  return traversal.tile % traversal.period == 0 ? "" : "`tile` must be a multiple of `period`";
}

static std::string findTraversalFault(const LoopTraversal &traversal, const LoopGroup &group) {
  if (traversal.vectorLanes < lanes || traversal.vectorLanes > maxLanes ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(traversal.vectorLanes))) {
    return "`lanes` must be " + std::to_string(lanes) + " times a power of two, and at most " +
           std::to_string(maxLanes);
  }
  if (traversal.vectorLanes != lanes && !staysContiguous(group)) {
    return "more than " + std::to_string(lanes) +
           " lanes would read elements that aren't contiguous";
  }
  if (traversal.tile < 1) {
    return "a tile has at least one step";
  }
  if (traversal.kind == TraversalKind::flat && traversal.tile % traversal.vectorLanes != 0) {
    return "`tile` must be a multiple of `lanes`";
  }
  if (traversal.kind == TraversalKind::rows && group.shape.empty()) {
    return "scalars have no rows";
  }
  if (traversal.kind == TraversalKind::interleaved &&
      (!interleavesParts(group) || traversal.vectorLanes != lanes)) {
    return "the last dimension isn't a concatenation of single elements";
  }
  if (traversal.kind == TraversalKind::scan && !scanToFollow(group)) {
    return "there is no prefix scan to follow";
  }
  for (const std::string &fault : {findCutFault(traversal, group), findPeriodFault(traversal)}) {
    if (!fault.empty()) {
      return fault;
    }
  }
  if (traversal.kind == TraversalKind::blocked) {
    return findBlockFault(traversal, group);
  }
  bool hasBlocks = traversal.inRegisters || traversal.blockedDimension != 0;
  return hasBlocks ? "only a blocked traversal has `dimension` or transposes in registers" : "";
}

std::string findScheduleFault(const LoopSchedule &schedule, ArrayRef<LoopGroup> groups) {
  if (schedule.traversals.size() != groups.size()) {
    return "it has " + std::to_string(schedule.traversals.size()) + " traversals for results of " +
           std::to_string(groups.size()) + " shapes";
  }
  for (auto [traversal, group] : llvm::zip(schedule.traversals, groups)) {
    if (std::string fault = findTraversalFault(traversal, group); !fault.empty()) {
      return fault;
    }
  }
  return "";
}

} // namespace drumlin
