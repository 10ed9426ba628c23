// Merges adjacent dimensions that a loop kernel always uses together. The innermost loop then has
// more iterations, and fewer indices are computed.
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/layout/Passes.h"

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/ir/plan/LoopOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/GatherOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReduceOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_MERGEDIMENSIONSPASS
#include "drumlin/transforms/layout/Passes.h.inc"

namespace {
// Tracks which adjacent dimensions of the values in a region can be merged. Seam d of a value lies
// between its dimensions d and d + 1; closing the seam merges the two dimensions. Seams that can
// only be closed together are in one equivalence class.
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

  // Returns, for each dimension, the number of the merged dimension that contains it.
  SmallVector<int64_t> groups(Value value) const {
    SmallVector<int64_t> groups;
    for (size_t d = 0; d < shapeOf(value).size(); ++d) {
      bool joins = d > 0 && isClosed(value, d - 1);
      groups.push_back(d == 0 ? 0 : groups.back() + (joins ? 0 : 1));
    }
    return groups;
  }

  Shape mergedShape(Value value) const {
    SmallVector<int64_t> ofDimension = groups(value);
    Shape merged(ofDimension.empty() ? 0 : static_cast<size_t>(ofDimension.back()) + 1, 1);
    for (auto [group, size] : llvm::zip(ofDimension, shapeOf(value))) {
      merged[static_cast<size_t>(group)] *= size;
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
    open.insert(classes.getLeaderValue(firstSeam.lookup(value) + seam));
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
        .Case<stablehlo::ReshapeOp>([](auto) {}) // a reshape depends only on row-major positions
        .Case<stablehlo::ConstantOp>([&](auto constant) {
          if (!isa<DenseElementsAttr>(constant.getValue())) {
            keepAll(constant.getResult()); // refers to stored elements, so its type can't change
          }
        })
        .Case<stablehlo::BroadcastInDimOp>([&](auto broadcast) {
          SmallVector<int64_t> sources(shapeOf(broadcast.getResult()).size(), -1);
          for (auto [source, d] : llvm::enumerate(broadcast.getBroadcastDimensions())) {
            sources[static_cast<size_t>(d)] = static_cast<int64_t>(source);
          }
          constrainSources(broadcast.getOperand(), broadcast.getResult(), sources);
        })
        .Case<stablehlo::TransposeOp>([&](auto transpose) {
          constrainSources(transpose.getOperand(), transpose.getResult(),
                           transpose.getPermutation());
        })
        .Case<stablehlo::ReduceOp>([&](auto reduce) { constrainReduce(reduce); })
        .Case<stablehlo::IotaOp>(
            [&](auto iota) { constrainAround(iota.getResult(), iota.getIotaDimension()); })
        .Case<stablehlo::SliceOp>([&](stablehlo::SliceOp slice) {
          ArrayRef<int64_t> starts = slice.getStartIndices(), limits = slice.getLimitIndices(),
                            strides = slice.getStrides(), sizes = shapeOf(slice.getOperand());
          constrainOuter(slice.getOperand(), slice.getResult(), [&](size_t d) {
            return strides[d] != 1                           ? Cut::Scattered
                   : starts[d] == 0 && limits[d] == sizes[d] ? Cut::None
                                                             : Cut::Whole;
          });
        })
        .Case<stablehlo::PadOp>([&](stablehlo::PadOp pad) {
          ArrayRef<int64_t> low = pad.getEdgePaddingLow(), high = pad.getEdgePaddingHigh(),
                            interior = pad.getInteriorPadding();
          constrainOuter(pad.getOperand(), pad.getResult(), [&](size_t d) {
            return interior[d] != 0              ? Cut::Scattered
                   : low[d] == 0 && high[d] == 0 ? Cut::None
                                                 : Cut::Whole;
          });
        })
        .Case<stablehlo::ConcatenateOp>([&](stablehlo::ConcatenateOp concatenate) {
          for (Value operand : concatenate.getOperands()) {
            constrainOuter(operand, concatenate.getResult(), [&](size_t d) {
              return d == concatenate.getDimension() ? Cut::Whole : Cut::None;
            });
          }
        })
        .Case<stablehlo::ReverseOp>([&](stablehlo::ReverseOp reverse) {
          auto isReversed = [&](size_t d) {
            return llvm::is_contained(reverse.getDimensions(), static_cast<int64_t>(d));
          };
          for (size_t seam = 0; seam + 1 < shapeOf(reverse.getResult()).size(); ++seam) {
            if (isReversed(seam) == isReversed(seam + 1)) {
              join(reverse.getOperand(), seam, reverse.getResult(), seam);
            } else {
              keep(reverse.getOperand(), seam);
              keep(reverse.getResult(), seam);
            }
          }
        })
        .Case<stablehlo::GatherOp>([&](auto gather) { constrainGather(gather); })
        .Default([&](Operation *) { constrainPointwise(op); });
  }

  // How an operation restricts a dimension. None: it reads the full dimension. Whole: it reads one
  // contiguous range, possibly padded, so the inner dimensions stay together. Scattered: it reads
  // with a stride or interior padding.
  enum class Cut : uint8_t { None, Whole, Scattered };
  // Allows each dimension that the operation doesn't restrict to merge with the dimension before
  // it.
  void constrainOuter(Value operand, Value result, llvm::function_ref<Cut(size_t)> cut) {
    for (size_t seam = 0; seam + 1 < shapeOf(result).size(); ++seam) {
      if (cut(seam) != Cut::Scattered && cut(seam + 1) == Cut::None) {
        join(operand, seam, result, seam);
      } else {
        keep(operand, seam);
        keep(result, seam);
      }
    }
  }

  // Allows adjacent slice dimensions of a gather to merge if the gather takes them fully and
  // doesn't index them.
  void constrainGather(stablehlo::GatherOp gather) {
    stablehlo::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
    Value operand = gather.getOperand(), result = gather.getResult();
    keepAll(gather.getStartIndices());
    SmallVector<int64_t> sources(shapeOf(result).size(), -1); // operand dimensions
    size_t next = 0;
    for (auto [d, size] : llvm::enumerate(shapeOf(operand))) {
      auto dimension = static_cast<int64_t>(d);
      if (!llvm::is_contained(numbers.getCollapsedSliceDims(), dimension) &&
          !llvm::is_contained(numbers.getOperandBatchingDims(), dimension)) {
        int64_t place = numbers.getOffsetDims()[next++];
        bool isWhole = gather.getSliceSizes()[d] == size &&
                       !llvm::is_contained(numbers.getStartIndexMap(), dimension);
        sources[static_cast<size_t>(place)] = isWhole ? dimension : -1;
      }
    }
    SmallVector<bool> joined(shapeOf(operand).size(), false);
    for (size_t seam = 0; seam + 1 < sources.size(); ++seam) {
      if (sources[seam] >= 0 && sources[seam + 1] == sources[seam] + 1) {
        join(operand, static_cast<size_t>(sources[seam]), result, seam);
        joined[static_cast<size_t>(sources[seam])] = true;
      } else {
        keep(result, seam);
      }
    }
    for (size_t seam = 0; seam + 1 < shapeOf(operand).size(); ++seam) {
      if (!joined[seam]) {
        keep(operand, seam);
      }
    }
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

  // Allows result dimensions to merge. `sources` has the operand dimension of each result
  // dimension, or -1 without a source. Dimensions without a source can be merged. Dimensions from
  // adjacent operand dimensions can be merged if both keep their size or both are repeated.
  void constrainSources(Value operand, Value result, ArrayRef<int64_t> sources) {
    ArrayRef<int64_t> from = shapeOf(operand), to = shapeOf(result);
    SmallVector<bool> joined(from.size(), false);
    for (size_t seam = 0; seam + 1 < to.size(); ++seam) {
      int64_t left = sources[seam], right = sources[seam + 1];
      if (left < 0 && right < 0) {
        continue;
      }
      bool areAdjacent = left >= 0 && right == left + 1;
      auto source = static_cast<size_t>(left);
      if (areAdjacent && (from[source] == to[seam]) == (from[source + 1] == to[seam + 1])) {
        join(operand, source, result, seam);
        joined[source] = true;
      } else {
        keep(result, seam);
      }
    }
    for (size_t seam = 0; seam + 1 < from.size(); ++seam) {
      if (!joined[seam]) {
        keep(operand, seam);
      }
    }
  }

  // Allows adjacent dimensions to merge if both are reduced, or neither is.
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
        // These two result dimensions come from operand dimensions with a reduced dimension between
        // them.
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

  // Returns whether merging is profitable: the innermost dimension gets longer. A kernel whose
  // dimensions all merge is traversed by linear positions anyway.
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
    auto merge = [&](Value value) { value.setType(mergedType(value)); };
    llvm::for_each(region.getArguments(), merge);
    for (Operation &op : region.without_terminator()) {
      llvm::for_each(op.getResults(), merge);
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
    return plan::createBitcast(builder, kernel.getLoc(),
                               RankedTensorType::get(to, type.getElementType()), value, from,
                               rowMajorOrder(from.size()), to, rowMajorOrder(to.size()));
  }

  // Returns the merged dimensions that contain these dimensions, each once, in order.
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

  // Takes one number per dimension. Returns one per merged dimension: the number of its outermost
  // dimension, multiplied by the sizes of its inner dimensions.
  SmallVector<int64_t> scaled(ArrayRef<int64_t> numbers, Value value) const {
    SmallVector<int64_t> groups = seams.groups(value), made;
    for (size_t d = 0; d < numbers.size(); ++d) {
      if (d == 0 || groups[d] != groups[d - 1]) {
        made.push_back(numbers[d]);
      } else {
        made.back() *= shapeOf(value)[d];
      }
    }
    return made;
  }
  // Takes one number per dimension, a stride or interior padding, which merging doesn't change.
  // Returns one per merged dimension: the number of its outermost dimension.
  SmallVector<int64_t> outermost(ArrayRef<int64_t> numbers, Value value) const {
    SmallVector<int64_t> groups = seams.groups(value), made;
    for (size_t d = 0; d < numbers.size(); ++d) {
      if (d == 0 || groups[d] != groups[d - 1]) {
        made.push_back(numbers[d]);
      }
    }
    return made;
  }

  void mergeGather(stablehlo::GatherOp gather) {
    stablehlo::GatherDimensionNumbersAttr numbers = gather.getDimensionNumbers();
    SmallVector<int64_t> groups = seams.groups(gather.getOperand());
    gather.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
        gather.getContext(), mapped(numbers.getOffsetDims(), seams.groups(gather.getResult())),
        mapped(numbers.getCollapsedSliceDims(), groups),
        mapped(numbers.getOperandBatchingDims(), groups), numbers.getStartIndicesBatchingDims(),
        mapped(numbers.getStartIndexMap(), groups), numbers.getIndexVectorDim()));
    gather.setSliceSizes(scaled(gather.getSliceSizes(), gather.getOperand()));
  }

  // Must run before any type changes.
  void mergeAttributes(Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<stablehlo::ConstantOp>([&](auto constant) {
          auto type = cast<ShapedType>(mergedType(constant.getResult()));
          if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue())) {
            constant.setValueAttr(elements.reshape(type));
          }
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
        .Case<stablehlo::SliceOp>([&](stablehlo::SliceOp slice) {
          slice.setStartIndices(scaled(slice.getStartIndices(), slice.getOperand()));
          slice.setLimitIndices(scaled(slice.getLimitIndices(), slice.getOperand()));
          slice.setStrides(outermost(slice.getStrides(), slice.getOperand()));
        })
        .Case<stablehlo::PadOp>([&](stablehlo::PadOp pad) {
          pad.setEdgePaddingLow(scaled(pad.getEdgePaddingLow(), pad.getOperand()));
          pad.setEdgePaddingHigh(scaled(pad.getEdgePaddingHigh(), pad.getOperand()));
          pad.setInteriorPadding(outermost(pad.getInteriorPadding(), pad.getOperand()));
        })
        .Case<stablehlo::ConcatenateOp>([&](stablehlo::ConcatenateOp concatenate) {
          auto groups = seams.groups(concatenate.getResult());
          concatenate.setDimension(static_cast<uint64_t>(groups[concatenate.getDimension()]));
        })
        .Case<stablehlo::ReverseOp>([&](stablehlo::ReverseOp reverse) {
          SmallVector<int64_t> dimensions(reverse.getDimensions());
          llvm::sort(dimensions);
          reverse.setDimensions(mapped(dimensions, seams.groups(reverse.getResult())));
        })
        .Case<stablehlo::GatherOp>([&](stablehlo::GatherOp gather) { mergeGather(gather); })
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
