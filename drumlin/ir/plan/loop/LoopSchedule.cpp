#include "drumlin/ir/plan/loop/LoopSchedule.h"

#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/plan/Reducers.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

using plan::WalkKind;

//===- text -----------------------------------------------------------------------===//

namespace {
// What is at its default isn't written.
struct NumberField {
  const char *name;
  int64_t LoopWalk::*member;
};
} // namespace

static constexpr std::array<NumberField, 3> numberFields = {{
    {"lanes", &LoopWalk::vectorLanes},
    {"tile", &LoopWalk::tile},
    {"dimension", &LoopWalk::blockedDimension},
}};
static constexpr const char *inRegistersField = "in_registers";

static std::string textOf(const LoopWalk &walk) {
  std::string text = "[" + stringifyWalkKind(walk.kind).str();
  LoopWalk usual;
  for (const NumberField &field : numberFields) {
    if (walk.*field.member != usual.*field.member) {
      text += std::string(", ") + field.name + " = " + std::to_string(walk.*field.member);
    }
  }
  return text + (walk.inRegisters ? std::string(", ") + inRegistersField : "") + "]";
}

std::string LoopSchedule::str() const { return llvm::join(llvm::map_range(walks, textOf), ", "); }

llvm::hash_code hash_value(const LoopSchedule &schedule) {
  return llvm::hash_value(schedule.str());
}

static ParseResult parseField(AsmParser &parser, LoopWalk &walk) {
  StringRef name;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseKeyword(&name)) {
    return failure();
  }
  if (name == inRegistersField) {
    walk.inRegisters = true;
    return success();
  }
  for (const NumberField &field : numberFields) {
    if (name == field.name) {
      return failure(parser.parseEqual() || parser.parseInteger(walk.*field.member));
    }
  }
  return parser.emitError(at, "a walk has no `") << name << "`";
}

static ParseResult parseWalk(AsmParser &parser, LoopWalk &walk) {
  StringRef word;
  llvm::SMLoc at = parser.getCurrentLocation();
  if (parser.parseLSquare() || parser.parseKeyword(&word)) {
    return failure();
  }
  std::optional<WalkKind> kind = plan::symbolizeWalkKind(word);
  if (!kind) {
    return parser.emitError(at, "names no walk: `") << word << "`";
  }
  walk.kind = *kind;
  while (succeeded(parser.parseOptionalComma())) {
    if (parseField(parser, walk)) {
      return failure();
    }
  }
  return parser.parseRSquare();
}

namespace plan {

void LoopScheduleAttr::print(AsmPrinter &printer) const {
  printer << "<" << getSchedule().str() << ">";
}

Attribute LoopScheduleAttr::parse(AsmParser &parser, Type) {
  LoopSchedule schedule;
  // Results without elements take no walk.
  auto parseOne = [&]() { return parseWalk(parser, schedule.walks.emplace_back()); };
  if (parser.parseLess()) {
    return {};
  }
  if (succeeded(parser.parseOptionalGreater())) {
    return get(parser.getContext(), schedule);
  }
  if (parser.parseCommaSeparatedList(parseOne) || parser.parseGreater()) {
    return {};
  }
  return get(parser.getContext(), schedule);
}

} // namespace plan

std::optional<LoopSchedule> loopScheduleOf(Operation *kernel) {
  auto attribute = kernel->getAttrOfType<plan::LoopScheduleAttr>(plan::scheduleAttribute);
  return attribute ? std::optional(attribute.getSchedule()) : std::nullopt;
}

void setSchedule(Operation *kernel, const LoopSchedule &schedule) {
  kernel->setAttr(plan::scheduleAttribute,
                  plan::LoopScheduleAttr::get(kernel->getContext(), schedule));
}

//===- steps ----------------------------------------------------------------------===//

bool scansByLanes(const LoopGroup &group, Operation *scan) {
  return prefixScan(scan)->dimension != static_cast<int64_t>(group.shape.size()) - 1 &&
         group.rowLength() >= shortestRow;
}

int64_t stepsOf(const LoopWalk &walk, const LoopGroup &group) {
  switch (walk.kind) {
  case WalkKind::flat:
  case WalkKind::single:
    return group.elements();
  case WalkKind::rows:
    return group.elements() / group.rowLength();
  case WalkKind::blocked: {
    int64_t extent = group.shape[static_cast<size_t>(walk.blockedDimension)];
    return group.elements() / group.rowLength() / extent *
           llvm::divideCeilSigned(extent, walkBlock);
  }
  case WalkKind::scan: {
    Operation *scan = scanToFollow(group);
    int64_t lines =
        group.elements() / group.shape[static_cast<size_t>(prefixScan(scan)->dimension)];
    return scansByLanes(group, scan) ? lines / group.rowLength() : lines;
  }
  }
  llvm_unreachable("every walk is handled above");
}

//===- schedules that don't fit ---------------------------------------------------===//

static std::string findBlockFault(const LoopWalk &walk, const LoopGroup &group) {
  auto rank = static_cast<int64_t>(group.shape.size());
  if (walk.blockedDimension < 0 || walk.blockedDimension >= rank - 1) {
    return "blocks are along a dimension before the last one";
  }
  int64_t extent = group.shape[static_cast<size_t>(walk.blockedDimension)];
  bool areWhole = extent % walkBlock == 0 && group.rowLength() % lanes == 0;
  bool turns = areWhole && walk.vectorLanes == lanes &&
               !transposesAlong(group, walk.blockedDimension).empty();
  return walk.inRegisters && !turns ? "there are no whole blocks to transpose in registers" : "";
}

static std::string findWalkFault(const LoopWalk &walk, const LoopGroup &group) {
  if (walk.vectorLanes < lanes || walk.vectorLanes > mostLanes ||
      !llvm::isPowerOf2_64(static_cast<uint64_t>(walk.vectorLanes))) {
    return "its lanes are " + std::to_string(lanes) + " times a power of two, and " +
           std::to_string(mostLanes) + " at most";
  }
  if (walk.vectorLanes != lanes && !staysContiguous(group)) {
    return "more than " + std::to_string(lanes) + " lanes would read what isn't contiguous";
  }
  if (walk.tile < 1) {
    return "a tile has at least one step";
  }
  if (walk.kind == WalkKind::flat && walk.tile % walk.vectorLanes != 0) {
    return "the positions of a tile are a multiple of its lanes";
  }
  if (walk.kind == WalkKind::rows && group.shape.empty()) {
    return "there are no rows";
  }
  if (walk.kind == WalkKind::scan && !scanToFollow(group)) {
    return "there is no prefix scan to follow";
  }
  if (walk.kind == WalkKind::blocked) {
    return findBlockFault(walk, group);
  }
  bool hasBlocks = walk.inRegisters || walk.blockedDimension != 0;
  return hasBlocks ? "only a blocked walk has a dimension, and transposes in registers" : "";
}

std::string findScheduleFault(const LoopSchedule &schedule, ArrayRef<LoopGroup> groups) {
  if (schedule.walks.size() != groups.size()) {
    return "it has " + std::to_string(schedule.walks.size()) + " walks for results of " +
           std::to_string(groups.size()) + " shapes";
  }
  for (auto [walk, group] : llvm::zip(schedule.walks, groups)) {
    if (std::string fault = findWalkFault(walk, group); !fault.empty()) {
      return fault;
    }
  }
  return "";
}

} // namespace drumlin
