// Neighbouring dimensions that a loop kernel treats as one become one, so that what runs along the
// last one has more elements at a time, and fewer indices are taken apart.
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Layout.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MERGEDIMENSIONSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

namespace {
// Which seams of a region's values may be closed: seam d of a value lies between its dimensions d
// and d + 1. Seams that are closed together or not at all are of one class.
class Seams {
public:
  explicit Seams(Block &region) {
    for (BlockArgument argument : region.getArguments()) {
      addValue(argument);
    }
    for (Operation &op : region.without_terminator()) {
      llvm::for_each(op.getResults(), [&](Value result) { addValue(result); });
    }
    for (Operation &op : region.without_terminator()) {
      constrain(&op);
    }
  }

  bool isClosed(Value value, size_t seam) const {
    return !open.contains(classes.getLeaderValue(firstSeam.lookup(value) + seam));
  }

  // The number of the new dimension that each dimension belongs to.
  SmallVector<int64_t> groups(Value value) const {
    SmallVector<int64_t> groups;
    for (size_t d = 0; d < shapeOf(value).size(); ++d) {
      bool joins = d > 0 && isClosed(value, d - 1);
      groups.push_back(d == 0 ? 0 : groups.back() + (joins ? 0 : 1));
    }
    return groups;
  }

  Shape mergedShape(Value value) const {
    Shape merged;
    ArrayRef<int64_t> shape = shapeOf(value);
    for (size_t d = 0; d < shape.size(); ++d) {
      if (d > 0 && isClosed(value, d - 1)) {
        merged.back() *= shape[d];
      } else {
        merged.push_back(shape[d]);
      }
    }
    return merged;
  }

private:
  void addValue(Value value) {
    firstSeam[value] = count;
    size_t rank = shapeOf(value).size();
    for (size_t seam = 0; seam + 1 < rank; ++seam) {
      classes.insert(count++);
    }
  }

  void keep(Value value, size_t seam) {
    size_t leader = classes.getLeaderValue(firstSeam.lookup(value) + seam);
    open.insert(leader);
  }
  void keepAll(Value value) {
    for (size_t seam = 0; seam + 1 < shapeOf(value).size(); ++seam) {
      keep(value, seam);
    }
  }
  void join(Value a, size_t seamOfA, Value b, size_t seamOfB) {
    size_t first = firstSeam.lookup(a) + seamOfA, second = firstSeam.lookup(b) + seamOfB;
    bool stays = open.contains(classes.getLeaderValue(first)) ||
                 open.contains(classes.getLeaderValue(second));
    size_t leader = *classes.unionSets(first, second);
    if (stays) {
      open.insert(leader);
    }
  }
  void joinAll(Value a, Value b) {
    for (size_t seam = 0; seam + 1 < shapeOf(a).size(); ++seam) {
      join(a, seam, b, seam);
    }
  }

  void constrain(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<stablehlo::ConstantOp, stablehlo::ReshapeOp>([](auto) {}) // of positions alone
        .Case<stablehlo::BroadcastInDimOp>([&](auto broadcast) { constrainBroadcast(broadcast); })
        .Case<stablehlo::TransposeOp>([&](auto transpose) { constrainTranspose(transpose); })
        .Case<stablehlo::ReduceOp>([&](auto reduce) { constrainReduce(reduce); })
        .Case<stablehlo::IotaOp>(
            [&](auto iota) { constrainAround(iota.getResult(), iota.getIotaDimension()); })
        .Default([&](Operation *) { constrainPointwise(op); });
  }

  void constrainPointwise(Operation *op) {
    bool isPlain = classify(op) == OperationClass::Pointwise && op->getNumResults() == 1 &&
                   op->getNumRegions() == 0;
    for (Value operand : op->getOperands()) {
      bool isScalar = shapeOf(operand).empty();
      if (isPlain && !isScalar && shapeOf(operand) == shapeOf(op->getResult(0))) {
        joinAll(operand, op->getResult(0));
      } else if (!isScalar) {
        keepAll(operand);
        llvm::for_each(op->getResults(), [&](Value result) { keepAll(result); });
      }
    }
    if (!isPlain) {
      llvm::for_each(op->getResults(), [&](Value result) { keepAll(result); });
    }
  }

  void constrainAround(Value value, uint64_t dimension) {
    if (dimension > 0) {
      keep(value, dimension - 1);
    }
    if (dimension + 1 < shapeOf(value).size()) {
      keep(value, dimension);
    }
  }

  // Dimensions that come from neighbouring ones of the operand, both as they are or both repeated,
  // and those that come from none.
  void constrainBroadcast(stablehlo::BroadcastInDimOp op) {
    Value operand = op.getOperand(), result = op.getResult();
    ArrayRef<int64_t> from = shapeOf(operand), to = shapeOf(result);
    ArrayRef<int64_t> dimensions = op.getBroadcastDimensions();
    SmallVector<int64_t> sources(to.size(), -1);
    for (auto [source, dimension] : llvm::enumerate(dimensions)) {
      sources[static_cast<size_t>(dimension)] = static_cast<int64_t>(source);
    }
    auto isRepeated = [&](size_t source) {
      return from[source] != to[static_cast<size_t>(dimensions[source])];
    };
    SmallVector<bool> joined(from.size(), false);
    for (size_t seam = 0; seam + 1 < to.size(); ++seam) {
      int64_t left = sources[seam], right = sources[seam + 1];
      if (left < 0 && right < 0) {
        continue;
      }
      bool areNeighbours =
          left >= 0 && right == left + 1 &&
          isRepeated(static_cast<size_t>(left)) == isRepeated(static_cast<size_t>(right));
      if (areNeighbours) {
        join(operand, static_cast<size_t>(left), result, seam);
        joined[static_cast<size_t>(left)] = true;
      } else {
        keep(result, seam);
      }
    }
    keepUnjoined(operand, joined);
  }

  void constrainTranspose(stablehlo::TransposeOp op) {
    ArrayRef<int64_t> permutation = op.getPermutation();
    SmallVector<bool> joined(permutation.size(), false);
    for (size_t seam = 0; seam + 1 < permutation.size(); ++seam) {
      auto left = static_cast<size_t>(permutation[seam]);
      if (permutation[seam + 1] == permutation[seam] + 1) {
        join(op.getOperand(), left, op.getResult(), seam);
        joined[left] = true;
      } else {
        keep(op.getResult(), seam);
      }
    }
    keepUnjoined(op.getOperand(), joined);
  }

  void keepUnjoined(Value operand, ArrayRef<bool> joined) {
    for (size_t seam = 0; seam + 1 < joined.size(); ++seam) {
      if (!joined[seam]) {
        keep(operand, seam);
      }
    }
  }

  // Neighbours of which both are reduced, or neither.
  void constrainReduce(stablehlo::ReduceOp op) {
    ArrayRef<int64_t> dimensions = op.getDimensions();
    auto isReduced = [&](size_t d) {
      return llvm::is_contained(dimensions, static_cast<int64_t>(d));
    };
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      Value input = op.getInputs()[number];
      joinAll(input, op.getInputs().front());
      size_t kept = 0;
      for (size_t seam = 0; seam + 1 < shapeOf(input).size(); ++seam) {
        bool left = isReduced(seam), right = isReduced(seam + 1);
        if (left != right) {
          keep(input, seam);
        } else if (!left) {
          join(input, seam, result, kept);
        }
        // A seam of the result whose sides have reduced dimensions between them.
        bool endsRun = !left && right;
        kept += left ? 0 : 1;
        if (endsRun && kept < shapeOf(result).size() && kept > 0) {
          keep(result, kept - 1);
        }
      }
    }
  }

  DenseMap<Value, size_t> firstSeam;
  size_t count = 0;
  llvm::EquivalenceClasses<size_t> classes;
  llvm::DenseSet<size_t> open;
};

class DimensionMerger {
public:
  DimensionMerger(plan::LoopOp kernel, Ledger &ledger)
      : kernel(kernel), region(kernel.getBody().front()), seams(region), ledger(ledger) {}

  // A kernel without runs of more than its last dimension gains nothing, nor does one that is a
  // single run.
  bool isWorthIt() const {
    auto gains = [&](Value value) {
      size_t rank = shapeOf(value).size();
      return rank > 2 && seams.isClosed(value, rank - 2) && seams.mergedShape(value).size() > 1;
    };
    return llvm::any_of(region.getTerminator()->getOperands(), gains) ||
           llvm::any_of(region.getOps<stablehlo::ReduceOp>(), [&](stablehlo::ReduceOp op) {
             return llvm::any_of(op.getInputs(), gains);
           });
  }

  void run() {
    ledger.record(Rule::MergeDimensions, kernel, Decision::taken());
    for (Operation &op : region.without_terminator()) {
      mergeAttributes(&op);
    }
    OpBuilder builder(kernel);
    for (auto [argument, operand] : llvm::zip(region.getArguments(), kernel->getOpOperands())) {
      operand.set(bitcast(builder, operand.get(), seams.mergedShape(argument)));
    }
    builder.setInsertionPointAfter(kernel);
    for (auto [result, yielded] :
         llvm::zip(kernel->getResults(), region.getTerminator()->getOperands())) {
      Shape program(shapeOf(result)), merged = seams.mergedShape(yielded);
      if (program == merged) {
        continue;
      }
      result.setType(mergedType(yielded));
      Value before = bitcast(builder, result, program);
      result.replaceAllUsesExcept(before, before.getDefiningOp());
    }
    SmallVector<std::pair<Value, Type>> types;
    auto note = [&](Value value) { types.push_back({value, mergedType(value)}); };
    llvm::for_each(region.getArguments(), note);
    for (Operation &op : region.without_terminator()) {
      llvm::for_each(op.getResults(), note);
    }
    for (auto [value, type] : types) {
      value.setType(type);
    }
  }

private:
  Type mergedType(Value value) const {
    auto type = cast<RankedTensorType>(value.getType());
    return RankedTensorType::get(seams.mergedShape(value), type.getElementType());
  }

  Value bitcast(OpBuilder &builder, Value value, const Shape &to) {
    auto type = cast<RankedTensorType>(value.getType());
    Shape from(type.getShape());
    if (from == to) {
      return value;
    }
    return plan::BitcastOp::create(
        builder, kernel.getLoc(), RankedTensorType::get(to, type.getElementType()), value,
        builder.getDenseI64ArrayAttr(from),
        builder.getDenseI64ArrayAttr(rowMajorOrder(from.size())), builder.getDenseI64ArrayAttr(to),
        builder.getDenseI64ArrayAttr(rowMajorOrder(to.size())));
  }

  // The new dimensions that these belong to, each once, in their order.
  static SmallVector<int64_t> mapped(ArrayRef<int64_t> dimensions, ArrayRef<int64_t> groups) {
    SmallVector<int64_t> made;
    for (int64_t dimension : dimensions) {
      int64_t group = groups[static_cast<size_t>(dimension)];
      if (made.empty() || made.back() != group) {
        made.push_back(group);
      }
    }
    return made;
  }

  // While all types are still the program's.
  void mergeAttributes(Operation *op) {
    Builder builder(op->getContext());
    llvm::TypeSwitch<Operation *>(op)
        .Case<stablehlo::ConstantOp>([&](auto constant) {
          auto type = cast<ShapedType>(mergedType(constant.getResult()));
          auto elements = cast<DenseElementsAttr>(constant.getValue());
          constant.setValueAttr(elements.isSplat() ? elements.resizeSplat(type)
                                                   : elements.reshape(type));
        })
        .Case<stablehlo::BroadcastInDimOp>([&](auto broadcast) {
          broadcast.setBroadcastDimensions(
              mapped(broadcast.getBroadcastDimensions(), seams.groups(broadcast.getResult())));
        })
        .Case<stablehlo::TransposeOp>([&](auto transpose) {
          transpose.setPermutation(
              mapped(transpose.getPermutation(), seams.groups(transpose.getOperand())));
        })
        .Case<stablehlo::ReduceOp>([&](auto reduce) {
          reduce.setDimensions(
              mapped(reduce.getDimensions(), seams.groups(reduce.getInputs().front())));
        })
        .Case<stablehlo::IotaOp>([&](auto iota) {
          auto groups = seams.groups(iota.getResult());
          iota.setIotaDimension(static_cast<uint64_t>(groups[iota.getIotaDimension()]));
        });
  }

  plan::LoopOp kernel;
  Block &region;
  Seams seams;
  Ledger &ledger;
};
} // namespace

static bool isStatic(plan::LoopOp kernel) {
  auto isPlain = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && tensor.hasStaticShape() && !hasSymbolicSizes(type);
  };
  Block &region = kernel.getBody().front();
  return llvm::all_of(region.getArgumentTypes(), isPlain) &&
         llvm::all_of(region.without_terminator(),
                      [&](Operation &op) { return llvm::all_of(op.getResultTypes(), isPlain); });
}

struct MergeDimensionsPass : impl::MergeDimensionsPassBase<MergeDimensionsPass> {
  MergeDimensionsPass() = default;
  explicit MergeDimensionsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    SmallVector<plan::LoopOp> kernels;
    getOperation().walk([&](plan::LoopOp kernel) { kernels.push_back(kernel); });
    for (plan::LoopOp kernel : kernels) {
      if (!isStatic(kernel)) {
        continue;
      }
      DimensionMerger merger(kernel, ledger ? *ledger : own);
      if (merger.isWorthIt()) {
        merger.run();
      }
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createMergeDimensionsPass(Ledger &ledger) {
  return std::make_unique<MergeDimensionsPass>(ledger);
}

} // namespace drumlin
