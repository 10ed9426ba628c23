#include "drumlin/ir/costs/PeakMemory.h"

#include "drumlin/ir/plan/BitcastOp.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/CaseOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"
#include "drumlin/support/Cost.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

#include <map>
#include <set>
#include <tuple>

using namespace mlir;

namespace drumlin {

// Returns the value whose memory this value shares, looking through bitcasts and through reshapes,
// which become bitcasts later.
static Value memoryOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<plan::BitcastOp, stablehlo::ReshapeOp>(op)) {
      break;
    }
    value = op->getOperand(0);
  }
  return value;
}

static std::string describe(Value value) {
  auto result = cast<OpResult>(value);
  std::string name = result.getOwner()->getName().getStringRef().str();
  if (auto launch = dyn_cast<plan::LaunchOp>(result.getOwner())) {
    name = "@" + launch.getKernel().str();
  }
  return name + " result " + std::to_string(result.getResultNumber());
}

namespace {
// Positions of operations in program order, with loop bodies inline, and the lifetime of each
// value.
class Lifetimes {
public:
  explicit Lifetimes(func::FuncOp function) {
    number(function.getBody().front());
    for (Operation *op : order) {
      for (Value operand : op->getOperands()) {
        use(memoryOf(operand), op);
      }
    }
  }

  struct Interval {
    Value value;
    size_t from, to;
  };
  std::vector<Interval> intervals() const {
    std::vector<Interval> made;
    for (Operation *op : order) {
      if (isa<plan::BitcastOp, stablehlo::ReshapeOp, stablehlo::ConstantOp>(op)) {
        continue;
      }
      for (Value result : op->getResults()) {
        // A loop's results are live from the beginning of the loop on, because their memory holds
        // the initial values of the carried values.
        auto last = lastUse.find(result);
        size_t from = positions.lookup(op);
        size_t to = last == lastUse.end() ? end.lookup(op) : last->second;
        made.push_back({result, from, std::max(to, end.lookup(op))});
      }
    }
    return made;
  }

  std::vector<Operation *> order;

private:
  void number(Block &block) {
    for (Operation &op : block) {
      positions[&op] = order.size();
      order.push_back(&op);
      if (isa<stablehlo::WhileOp, stablehlo::IfOp, stablehlo::CaseOp>(op)) {
        for (Region &region : op.getRegions()) {
          number(region.front());
        }
      }
      end[&op] = order.size() - 1;
    }
  }

  void use(Value value, Operation *user) {
    // A value that is defined outside a loop and used inside is live until the loop's end; an
    // initial value is live only until the loop has copied it.
    Operation *ancestor = value.getParentBlock()->findAncestorOpInBlock(*user);
    size_t needed = ancestor == user ? positions.lookup(user) : end.lookup(ancestor);
    size_t &last = lastUse[value];
    last = std::max(last, needed);
  }

  llvm::DenseMap<Operation *, size_t> positions, end;
  llvm::DenseMap<Value, size_t> lastUse;
};
} // namespace

namespace {
// Adds up the bytes of a function's values by kind.
class MemoryCounter {
public:
  explicit MemoryCounter(func::FuncOp function)
      : function(function), block(function.getBody().front()) {}

  PeakMemory run() {
    countArguments();
    countResults();
    countConstants();
    countTemporaries();
    // Ties are broken by name, so that the order does not depend on the implementation of
    // llvm::sort.
    llvm::sort(peak.holders, [](const MemoryHolder &a, const MemoryHolder &b) {
      return std::tie(b.bytes, a.kind, a.name, a.source) <
             std::tie(a.bytes, b.kind, b.name, b.source);
    });
    return std::move(peak);
  }

private:
  struct Memory {
    Value value;
    size_t to;
    int64_t bytes;
    int64_t place; // offset in the arena, or a unique number
  };
  using MemoryByStep = std::vector<std::vector<Memory>>;

  void hold(std::string kind, std::string name, std::string source, int64_t bytes, int64_t &sum) {
    sum = addSaturating(sum, bytes);
    peak.holders.push_back({std::move(kind), std::move(name), std::move(source), bytes});
  }
  void countArguments();
  void countResults();
  void countConstants();
  void countTemporaries();
  // Returns the temporaries twice: grouped by the step at which their lifetime begins, and by the
  // step at which it ends.
  std::pair<MemoryByStep, MemoryByStep> placeTemporaries(const Lifetimes &lifetimes);
  // Returns the step at which the most memory is live.
  size_t findPeak(const MemoryByStep &begins, const MemoryByStep &ends, size_t steps);
  void listPeak(const MemoryByStep &begins, size_t peakAt, Operation *op);

  func::FuncOp function;
  Block &block;
  PeakMemory peak;
  llvm::DenseSet<int64_t> taken;  // numbers of the results that share an argument's memory
  llvm::DenseSet<Value> returned; // memory of results
};
} // namespace

void MemoryCounter::countArguments() {
  size_t passed = block.getNumArguments() - weightCount(function);
  for (BlockArgument argument : block.getArguments()) {
    unsigned number = argument.getArgNumber();
    if (number >= passed) {
      auto names = function->getAttrOfType<ArrayAttr>(weightsAttribute);
      hold("weight", cast<StringAttr>(names[number - passed]).str(), "", bytesOf(argument),
           peak.constantBytes);
      continue;
    }
    std::string name = "arg" + std::to_string(number);
    hold("argument", name, "", bytesOf(argument), peak.argumentBytes);
    if (std::optional<int64_t> result = donatedTo(argument)) {
      taken.insert(*result);
    }
    if (argumentLayout(function, number) && function.getArgAttr(number, staticAttribute)) {
      hold("laid out argument", name, "", bytesOf(argument), peak.laidOutBytes);
    }
  }
}

void MemoryCounter::countResults() {
  for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
    returned.insert(memoryOf(operand.get()));
    if (!taken.contains(operand.getOperandNumber())) {
      hold("result", "result " + std::to_string(operand.getOperandNumber()), "",
           bytesOf(operand.get()), peak.resultBytes);
    }
  }
  if (auto arena = function->getAttrOfType<IntegerAttr>(arenaBytesAttribute)) {
    peak.arenaBytes = arena.getInt();
  }
}

void MemoryCounter::countConstants() {
  function.walk([&](stablehlo::ConstantOp constant) {
    if (constant->getParentOp() == function.getOperation() ||
        isa<stablehlo::WhileOp>(constant->getParentOp())) {
      hold("constant", "constant", plan::sourceOf(constant.getLoc()), bytesOf(constant),
           peak.constantBytes);
    }
  });
}

std::pair<MemoryCounter::MemoryByStep, MemoryCounter::MemoryByStep>
MemoryCounter::placeTemporaries(const Lifetimes &lifetimes) {
  MemoryByStep begins(lifetimes.order.size() + 1), ends = begins;
  int64_t unplaced = -1;
  for (const Lifetimes::Interval &interval : lifetimes.intervals()) {
    Operation *op = interval.value.getDefiningOp();
    bool isPlaced = op->hasAttr(buffersAttribute);
    if (isPlaced ? bufferOf(interval.value).getKind() != plan::BufferKind::arena
                 : returned.contains(interval.value)) {
      continue;
    }
    int64_t place = isPlaced ? bufferOf(interval.value).getOffset() : unplaced--;
    Memory memory{interval.value, interval.to, bytesOf(interval.value), place};
    if (memory.bytes > 0) {
      begins[interval.from].push_back(memory);
      ends[interval.to].push_back(memory);
    }
  }
  return {begins, ends};
}

// Finds the peak. Several temporaries that are live at the same step may begin at the same offset.
// In this case, only the largest of them counts.
size_t MemoryCounter::findPeak(const MemoryByStep &begins, const MemoryByStep &ends, size_t steps) {
  std::map<int64_t, std::multiset<int64_t>> held;
  int64_t live = 0;
  auto change = [&](int64_t place, auto edit) {
    std::multiset<int64_t> &bytes = held[place];
    int64_t before = bytes.empty() ? 0 : *bytes.rbegin();
    edit(bytes);
    live += (bytes.empty() ? 0 : *bytes.rbegin()) - before;
  };
  size_t peakAt = 0;
  for (size_t i = 0; i < steps; ++i) {
    for (const Memory &memory : begins[i]) {
      change(memory.place, [&](auto &bytes) { bytes.insert(memory.bytes); });
    }
    if (live > peak.temporaryBytes) {
      peak.temporaryBytes = live;
      peakAt = i;
    }
    for (const Memory &memory : ends[i]) {
      change(memory.place, [&](auto &bytes) { bytes.erase(bytes.find(memory.bytes)); });
    }
  }
  return peakAt;
}

void MemoryCounter::listPeak(const MemoryByStep &begins, size_t peakAt, Operation *op) {
  auto launch = dyn_cast<plan::LaunchOp>(op);
  peak.at = launch ? "@" + launch.getKernel().str() : op->getName().getStringRef().str();
  std::string source = plan::sourceOf(op->getLoc());
  peak.at += source.empty() ? "" : " at " + source;
  int64_t counted = 0;
  std::set<int64_t> named; // offsets so far; the first temporary at an offset is the largest
  for (size_t i = 0; i <= peakAt; ++i) {
    for (const Memory &memory : begins[i]) {
      if (memory.to >= peakAt && named.insert(memory.place).second) {
        hold("temporary", describe(memory.value),
             plan::sourceOf(memory.value.getDefiningOp()->getLoc()), memory.bytes, counted);
      }
    }
  }
}

void MemoryCounter::countTemporaries() {
  Lifetimes lifetimes(function);
  auto [begins, ends] = placeTemporaries(lifetimes);
  size_t peakAt = findPeak(begins, ends, lifetimes.order.size());
  if (peak.temporaryBytes > 0) {
    listPeak(begins, peakAt, lifetimes.order[peakAt]);
  }
}

PeakMemory peakMemory(func::FuncOp function) { return MemoryCounter(function).run(); }

} // namespace drumlin
