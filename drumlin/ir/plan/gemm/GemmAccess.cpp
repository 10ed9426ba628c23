#include "drumlin/ir/plan/gemm/GemmAccess.h"

#include "drumlin/ir/indexing/IndexingInterface.h"
#include "drumlin/ir/indexing/LaneForm.h"
#include "drumlin/ir/plan/Epilogue.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/Sequence.h"

using namespace mlir;

namespace drumlin {

// Maximum number of distinct indexing maps by which one value is read. Reads by further maps are
// not counted.
static constexpr size_t maxMaps = 16;

static constexpr unsigned axes = 3;

namespace {
// Follows an operand back to the values from which its elements are loaded.
class ReadCounter {
public:
  ReadCounter(ArrayRef<LaneForm> dims) : dims(dims) {}

  void run(Value seed, IndexingMap map);
  LaneReads reads;

private:
  void add(Value value, IndexingMap map);
  void count(Value value, const IndexingMap &map);
  LaneForm formOf(const IndexingMap &map, ArrayRef<AffineExpr> index, Value value,
                  ArrayRef<IndexingMap::Symbol> known);

  ArrayRef<LaneForm> dims;
  llvm::MapVector<Value, std::vector<IndexingMap>> found;
  llvm::DenseSet<AffineExpr> divided;
  std::vector<std::pair<Value, AffineMap>> loaded;
};
} // namespace

void ReadCounter::add(Value value, IndexingMap map) {
  std::vector<IndexingMap> &known = found[value];
  if (!map.readsNothing() && known.size() < maxMaps && !llvm::is_contained(known, map)) {
    known.push_back(std::move(map));
  }
}

// Returns the lane form of the row-major position at which a tensor is read. `known` lists the
// symbols that the index may contain. (The index into the source tensor of a symbol may contain
// only earlier symbols.)
LaneForm ReadCounter::formOf(const IndexingMap &map, ArrayRef<AffineExpr> index, Value value,
                             ArrayRef<IndexingMap::Symbol> known) {
  SmallVector<LaneForm> symbols;
  for (auto [number, symbol] : llvm::enumerate(known)) {
    symbols.push_back({false, 0, 1});
    if (symbol.isKnownAtRunTime()) {
      std::pair<Value, AffineMap> load(symbol.source, symbol.at);
      LaneForm at = formOf(map, symbol.at.getResults(), symbol.source, known.take_front(number));
      if (!llvm::is_contained(loaded, load)) {
        loaded.push_back(load);
        (at.isUniform() || at.isContiguous() ? reads.loads : reads.gathers) += 1;
      }
      symbols.back() = at.isUniform() ? LaneForm{false, 0, 1} : LaneForm::varying();
    }
  }
  return laneForm(map.position(index, shapeOf(value)), dims, symbols, lanes,
                  [&](AffineExpr each) { reads.divisions += divided.insert(each).second ? 1 : 0; });
}

void ReadCounter::count(Value value, const IndexingMap &map) {
  LaneForm form = formOf(map, map.map().getResults(), value, map.symbols());
  if (!form.isUniform() && !form.isContiguous()) {
    // If the elements of all lanes are close together, the span that contains them is loaded with
    // contiguous loads, and its elements are permuted.
    SmallVector<unsigned> all = llvm::to_vector(llvm::seq(lanes));
    if (std::optional<LaneSpan> span = spanOf(form, all, lanes)) {
      reads.loads += 2 * span->registers(lanes);
    } else {
      reads.gathers += 1;
    }
    return;
  }
  reads.loads += 1;
  if (form.isContiguous() && map.constraints().empty()) {
    auto bytes = static_cast<int64_t>(storageBytes(elementTypeOf(getElementTypeOrSelf(value))));
    reads.narrowestBytes =
        reads.narrowestBytes == 0 ? bytes : std::min(reads.narrowestBytes, bytes);
  }
}

void ReadCounter::run(Value seed, IndexingMap map) {
  add(seed, std::move(map));
  auto ofRegion = [&](Operation &op) {
    for (OpResult result : op.getResults()) {
      auto at = found.find(result);
      if (at == found.end()) {
        continue;
      }
      std::vector<IndexingMap> maps = at->second;
      auto constant = dyn_cast<stablehlo::ConstantOp>(op);
      bool isTable = constant && !isa<SplatElementsAttr>(constant.getValue());
      for (const IndexingMap &each : maps) {
        if (isTable) {
          count(result, each);
        }
        for (OpOperand &operand : op.getOpOperands()) {
          if (auto next = indexing(operand, result.getResultNumber())) {
            add(operand.get(), next->isIdentity() ? each : each.followedBy(*next));
          }
        }
      }
    }
  };
  Block *block = seed.getParentBlock();
  for (Operation &op : llvm::reverse(*block)) {
    ofRegion(op);
  }
  for (auto &[value, maps] : found) {
    if (isa<BlockArgument>(value)) {
      for (const IndexingMap &each : maps) {
        count(value, each);
      }
    }
  }
}

LaneReads readsAlong(const GemmProblem &problem, GemmOperand operand, GemmAxis axis) {
  // Base indices are multiples of the number of lanes, except that the batch index is arbitrary.
  std::array<LaneForm, axes> dims = {{{false, 0, 1}, {false, 0, lanes}, {false, 0, lanes}}};
  dims[static_cast<size_t>(axis)] = {false, 1, lanes};
  ReadCounter counter(dims);
  counter.run(problem.value(operand), problem.operandMap(operand));
  return counter.reads;
}

int64_t contiguousResults(const GemmProblem &problem, unsigned axis) {
  if (problem.batch * problem.m * problem.n == 0) {
    return 0;
  }
  std::array<LaneForm, axes> dims;
  dims[axis] = {false, 1, lanes};
  Block *block = problem.hero->getBlock();
  Epilogue made(problem.hero);
  for (Operation &op : block->without_terminator()) {
    (void)made.add(&op);
  }
  IndexingMap results = problem.resultMap();
  int64_t count = 0;
  for (Value root : block->getTerminator()->getOperands()) {
    if (!made.contains(root) || made.reductionOf(root)) {
      continue;
    }
    IndexingMap stored = results.followedBy(made.mapTo(root));
    count += laneForm(stored.position(), dims, {}, lanes).isContiguous() ? 1 : 0;
  }
  return count;
}

bool transposesResults(const GemmSchedule &schedule, const GemmProblem &problem,
                       int64_t contiguousAlongRows, int64_t contiguousAlongColumns) {
  // If the kernel also reduces its result, blocks are not transposed, because this would change the
  // order in which lanes combine the elements.
  return schedule.algorithm == plan::GemmAlgorithm::packed && !schedule.padded &&
         schedule.tileRows >= static_cast<int64_t>(lanes) && !problem.combinesResults() &&
         contiguousAlongRows > contiguousAlongColumns;
}

} // namespace drumlin
