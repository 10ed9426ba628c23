#include "BruteForce.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/loop/LoopProblem.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"

#include <gtest/gtest.h>

using namespace mlir;

namespace drumlin {

using Index = std::vector<int64_t>;

// Calls body at every index into a shape, in row-major order.
template <typename Body> static void forEachIndex(ArrayRef<int64_t> shape, Body body) {
  if (llvm::is_contained(shape, 0)) {
    return;
  }
  Index index(shape.size(), 0);
  while (true) {
    body(index);
    size_t d = shape.size();
    while (d > 0 && ++index[d - 1] == shape[d - 1]) {
      index[--d] = 0;
    }
    if (d == 0) {
      return;
    }
  }
}

int64_t countMultiplyAdds(Operation *hero) {
  int64_t count = 0;
  if (auto dot = dyn_cast<stablehlo::DotGeneralOp>(hero)) {
    SmallVector<int64_t> terms;
    for (int64_t d : dot.getDotDimensionNumbers().getLhsContractingDimensions()) {
      terms.push_back(shapeOf(dot.getLhs())[static_cast<size_t>(d)]);
    }
    forEachIndex(shapeOf(hero->getResult(0)),
                 [&](const Index &) { forEachIndex(terms, [&](const Index &) { ++count; }); });
    return count;
  }
  auto convolution = cast<stablehlo::ConvolutionOp>(hero);
  auto numbers = convolution.getDimensionNumbers();
  SmallVector<int64_t> window;
  for (int64_t d : numbers.getKernelSpatialDimensions()) {
    window.push_back(shapeOf(convolution.getRhs())[static_cast<size_t>(d)]);
  }
  int64_t features =
      shapeOf(convolution.getRhs())[static_cast<size_t>(numbers.getKernelInputFeatureDimension())];
  auto strides = convolution.windowStridesOrDefault();
  auto dilations = convolution.rhsDilationOrDefault();
  auto baseDilations = convolution.lhsDilationOrDefault();
  auto padding = convolution.paddingOrDefault();
  forEachIndex(shapeOf(hero->getResult(0)), [&](const Index &index) {
    forEachIndex(window, [&](const Index &position) {
      bool inside = true;
      for (size_t d = 0; d < position.size(); ++d) {
        int64_t extent = shapeOf(
            convolution.getLhs())[static_cast<size_t>(numbers.getInputSpatialDimensions()[d])];
        int64_t at =
            index[static_cast<size_t>(numbers.getOutputSpatialDimensions()[d])] * strides[d] +
            position[d] * dilations[d] - padding[d].first;
        inside &= at >= 0 && at % baseDilations[d] == 0 && at / baseDilations[d] < extent;
      }
      count += inside ? features : 0;
    });
  });
  return count;
}

namespace {
class Counter {
public:
  explicit Counter(Block &region) : region(region) { made.inputs.resize(region.getNumArguments()); }

  BruteCounts run() {
    for (Operation &op : region.without_terminator()) {
      hero = classify(&op) == OperationClass::Hero ? &op : hero;
    }
    std::map<Index, std::vector<Value>> byShape;
    for (Value result : region.getTerminator()->getOperands()) {
      ArrayRef<int64_t> shape = shapeOf(result);
      byShape[Index(shape.begin(), shape.end())].push_back(result);
    }
    if (hero) {
      if (isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(hero)) {
        made.multiplyAdds[hero] = countMultiplyAdds(hero);
      }
      for (Value operand : hero->getOperands()) {
        forEachIndex(shapeOf(operand),
                     [&](const Index &index) { evaluateAlone({operand}, index); });
      }
    }
    for (auto &[shape, results] : byShape) {
      if (hero) {
        continue;
      }
      std::vector<LoopGroup> groups = groupRoots(region);
      auto group = llvm::find_if(groups, [&, &shape = shape](const LoopGroup &each) {
        return llvm::equal(each.shape, shape);
      });
      if (group == groups.end() || !traversesRows(*group)) {
        forEachIndex(shape, [&](const Index &index) { evaluateAlone(results, index); });
        continue;
      }
      Index outer(shape.begin(), shape.end() - 1);
      forEachIndex(outer, [&](const Index &row) { evaluateRow(*group, row); });
    }
    // A kernel with a hero first computes, once per element, all operations whose results have the
    // shape of the hero's result. It then computes the reductions of these results.
    scopes = {{}};
    for (bool reduced : {false, true}) {
      for (Value result : region.getTerminator()->getOperands()) {
        bool isHeros = hero && shapeOf(result) == shapeOf(hero->getResult(0));
        if (hero && isHeros != reduced) {
          forEachIndex(shapeOf(result), [&](const Index &index) { evaluate(result, index); });
        }
      }
    }
    return std::move(made);
  }

private:
  using Key = std::pair<Operation *, Index>;
  using Scope = std::set<Key>;

  void evaluateAlone(ArrayRef<Value> values, const Index &index) {
    scopes = {{}};
    for (Value value : values) {
      evaluate(value, index);
    }
    scopes.clear();
  }

  // Evaluates a row of a loop group. An operation that is evaluated at the same indices for each
  // element of the row counts once per row.
  void evaluateRow(const LoopGroup &group, const Index &row) {
    SmallVector<Value> roots = llvm::to_vector(group.rootValues());
    std::map<Operation *, std::set<Index>> first;
    std::set<Operation *> differing;
    BruteCounts before = made;
    std::set<Operation *> singlesBefore = singles;
    for (int64_t i = 0; i < group.rowLength(); ++i) {
      Index index = row;
      index.push_back(i);
      evaluateAloneKeeping(roots, index);
      std::map<Operation *, std::set<Index>> found;
      for (const Key &key : kept) {
        found[key.first].insert(key.second);
      }
      if (i == 0) {
        first = found;
      }
      for (auto &[op, indices] : found) {
        if (indices != first[op]) {
          differing.insert(op);
        }
      }
    }
    made = std::move(before);
    singles = std::move(singlesBefore);
    rowScope.clear();
    for (auto &[op, indices] : first) {
      bool isRoot =
          llvm::any_of(roots, [&, op = op](Value root) { return root.getDefiningOp() == op; });
      if (!differing.count(op) && !isRoot) {
        ofRow.insert(op);
      }
    }
    // The operations whose rows are stored also count once per row.
    for (Operation *op : keptInRows(group)) {
      ofRow.insert(op);
    }
    for (int64_t i = 0; i < group.rowLength(); ++i) {
      Index index = row;
      index.push_back(i);
      evaluateAlone(roots, index);
    }
    ofRow.clear();
    rowScope.clear();
  }

  void evaluateAloneKeeping(ArrayRef<Value> roots, const Index &index) {
    scopes = {{}};
    for (Value root : roots) {
      evaluate(root, index);
    }
    kept = scopes.front();
    scopes.clear();
  }

  // Returns whether this is the operation's first evaluation at this index: in the open scopes; in
  // the row, if the operation counts once per row; in the kernel, if it has only one element.
  bool enter(Operation *op, const Index &index) {
    if (elementsOf(op->getResult(0)) == 1) {
      // The key is also added to `scopes`, since evaluateRow() reads from there what its first pass
      // evaluated. The counts of that pass are discarded.
      scopes.front().insert({op, index});
      return singles.insert(op).second;
    }
    if (ofRow.count(op)) {
      return rowScope.insert({op, index}).second;
    }
    for (const Scope &scope : scopes) {
      if (scope.count({op, index})) {
        return false;
      }
    }
    scopes.back().insert({op, index});
    return true;
  }

  void evaluate(Value value, const Index &index) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      made.inputs[argument.getArgNumber()].insert(index);
      return;
    }
    Operation *op = value.getDefiningOp();
    if (op == hero || !enter(op, index)) {
      return;
    }
    ++made.evaluations[op];
    if (ofRow.count(op)) {
      // Code before the row computes the operation, and evaluates its operands there. If the row
      // needs these operands, too, it evaluates them once more.
      std::vector<Scope> aside = {{}};
      std::swap(aside, scopes);
      evaluateOperands(op, index);
      std::swap(aside, scopes);
      return;
    }
    evaluateOperands(op, index);
  }

  void evaluateOperands(Operation *op, const Index &index) {
    if (classify(op) == OperationClass::Pointwise) {
      for (Value operand : op->getOperands()) {
        evaluate(operand, shapeOf(operand).empty() ? Index() : index);
      }
    } else if (auto reduce = dyn_cast<stablehlo::ReduceOp>(op)) {
      evaluateReduce(reduce, index);
    } else {
      evaluateMove(op, index);
    }
  }

  void evaluateReduce(stablehlo::ReduceOp reduce, const Index &index) {
    for (Value init : reduce.getInitValues()) {
      evaluate(init, {});
    }
    Index reduced;
    ArrayRef<int64_t> shape = shapeOf(reduce.getInputs().front());
    for (int64_t dimension : reduce.getDimensions()) {
      reduced.push_back(shape[static_cast<size_t>(dimension)]);
    }
    forEachIndex(reduced, [&](const Index &inner) {
      Index whole;
      size_t nextInner = 0, nextOuter = 0;
      for (size_t d = 0; d < shape.size(); ++d) {
        bool isReduced = llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(d));
        whole.push_back(isReduced ? inner[nextInner++] : index[nextOuter++]);
      }
      scopes.emplace_back();
      for (Value input : reduce.getInputs()) {
        evaluate(input, whole);
      }
      scopes.pop_back();
    });
  }

  void evaluateMove(Operation *op, const Index &index) {
    Index at = index;
    if (isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op)) {
      return;
    }
    Value operand = op->getOperand(0);
    ArrayRef<int64_t> shape = shapeOf(operand);
    if (isa<stablehlo::ReshapeOp>(op)) {
      int64_t linear = 0;
      for (auto [extent, i] : llvm::zip(shapeOf(op->getResult(0)), index)) {
        linear = linear * extent + i;
      }
      at.assign(shape.size(), 0);
      for (size_t d = shape.size(); d-- > 0;) {
        at[d] = linear % shape[d];
        linear /= shape[d];
      }
    } else if (auto transpose = dyn_cast<stablehlo::TransposeOp>(op)) {
      for (auto [d, from] : llvm::enumerate(transpose.getPermutation())) {
        at[static_cast<size_t>(from)] = index[d];
      }
    } else if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      at.assign(shape.size(), 0);
      for (auto [d, to] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
        at[d] = shape[d] == 1 ? 0 : index[static_cast<size_t>(to)];
      }
    } else if (auto slice = dyn_cast<stablehlo::SliceOp>(op)) {
      for (size_t d = 0; d < at.size(); ++d) {
        at[d] = slice.getStartIndices()[d] + index[d] * slice.getStrides()[d];
      }
    } else if (auto pad = dyn_cast<stablehlo::PadOp>(op)) {
      for (size_t d = 0; d < at.size(); ++d) {
        int64_t position = index[d] - pad.getEdgePaddingLow()[d];
        int64_t step = pad.getInteriorPadding()[d] + 1;
        at[d] = position / step;
        if (position < 0 || position % step != 0 || at[d] >= shape[d]) {
          evaluate(pad.getPaddingValue(), {});
          return;
        }
      }
    } else if (auto reverse = dyn_cast<stablehlo::ReverseOp>(op)) {
      for (int64_t d : reverse.getDimensions()) {
        at[static_cast<size_t>(d)] =
            shape[static_cast<size_t>(d)] - 1 - index[static_cast<size_t>(d)];
      }
    } else {
      ADD_FAILURE() << "no rule for " << op->getName().getStringRef().str();
    }
    evaluate(operand, at);
  }

  Block &region;
  Operation *hero = nullptr;
  BruteCounts made;
  std::vector<Scope> scopes; // innermost last
  Scope kept;                // the outermost scope of the last call of evaluateAloneKeeping()
  std::set<Operation *> singles, ofRow;
  Scope rowScope;
};
} // namespace

BruteCounts countByEvaluation(Block &region) { return Counter(region).run(); }

} // namespace drumlin
