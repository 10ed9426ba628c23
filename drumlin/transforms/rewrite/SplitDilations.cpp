// Rewrites convolutions of dilated inputs, such as input gradients of strided convolutions, as
// convolutions of the inputs themselves. Each computes one group of phases of the output positions;
// their results are interleaved. Nothing is multiplied by inserted zeros.
#include "drumlin/ir/stablehlo/ConvertOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/DilationPhases.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/gemm/GemmProblem.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/simplify/decompose/TensorBuilder.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITDILATIONSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

// Maximum number of convolutions: enough for kernels of three spatial dimensions whose phases have
// two windows per dimension.
static constexpr int64_t maxConvolutions = 16;
// Inputs with larger dilations aren't analyzed: the analysis time grows with the square of the
// period.
static constexpr int64_t maxDilation = 1024;

//===- dimensions of a convolution --------------------------------------------------===//

static int64_t sizeAt(Value value, int64_t dimension) {
  return shapeOf(value)[static_cast<size_t>(dimension)];
}

static SmallVector<DilatedDimension> dimensionsOf(stablehlo::ConvolutionOp op) {
  auto numbers = op.getDimensionNumbers();
  SmallVector<DilatedDimension> dimensions;
  for (auto [i, input] : llvm::enumerate(numbers.getInputSpatialDimensions())) {
    DilatedDimension d;
    d.input = sizeAt(op.getLhs(), input);
    d.kernel = sizeAt(op.getRhs(), numbers.getKernelSpatialDimensions()[i]);
    d.output = sizeAt(op.getResult(), numbers.getOutputSpatialDimensions()[i]);
    d.stride = op.windowStridesOrDefault()[i];
    // A single element has no dilation.
    d.dilation = d.input == 1 ? 1 : op.lhsDilationOrDefault()[i];
    d.kernelDilation = op.rhsDilationOrDefault()[i];
    d.low = op.paddingOrDefault()[i].first;
    dimensions.push_back(d);
  }
  return dimensions;
}

// Returns whether the rule applies to the convolution: its input is dilated, its element type has a
// zero, no value is empty, and its windows don't depend on dynamic sizes.
static bool isDilated(stablehlo::ConvolutionOp op) {
  auto hasElements = [](Value value) { return !llvm::is_contained(shapeOf(value), 0); };
  ElementType element = elementTypeOf(getElementTypeOrSelf(op.getLhs()));
  return llvm::any_of(op.lhsDilationOrDefault(), [](int64_t d) { return d > 1; }) &&
         info(element).specials != FloatSpecials::ScaleOnly && hasElements(op.getLhs()) &&
         hasElements(op.getRhs()) && hasElements(op.getResult()) &&
         !GemmProblem(op).hasOpenWindows();
}

namespace {
using Splits = SmallVector<PhaseSplit>; // one split per spatial dimension

struct Choice {
  Splits splits;
  int64_t convolutions = 0;
  double price = 0;
};
} // namespace

// The costs of packing one element of the unfolded input, of storing and reloading one element of a
// result, and of launching a kernel, each as the number of multiply-accumulates that take as long.
// They are only used to compare ways to compute one convolution by GEMMs of different sizes.
static constexpr double packingProducts = 24, movingProducts = 64, launchProducts = 200000;

static double priceOf(stablehlo::ConvolutionOp op, ArrayRef<DilatedDimension> dimensions,
                      Choice &choice) {
  GemmProblem problem(op);
  double windows = 1, products = 1, outputs = 1;
  bool isInterleavedApart = false;
  choice.convolutions = 1;
  for (auto [split, dimension] : llvm::zip_equal(choice.splits, dimensions)) {
    double alongWindows = 0, alongProducts = 0;
    int64_t phases = 0;
    for (const PhaseGroup &group : split.groups) {
      auto members = static_cast<int64_t>(group.phases.size());
      phases += members;
      alongWindows += static_cast<double>(group.size * split.blocks);
      alongProducts += static_cast<double>(group.size * split.blocks * members);
    }
    windows *= alongWindows;
    products *= alongProducts;
    outputs *= static_cast<double>(dimension.output);
    isInterleavedApart |=
        split.groups.size() > 1 || phases != split.period || !split.isWhole(dimension);
    choice.convolutions =
        multiplySaturating(choice.convolutions, static_cast<int64_t>(split.groups.size()));
  }
  auto images =
      static_cast<double>(problem.batch * problem.groups[GemmProblem::M][problem.imagePosition]);
  auto features = static_cast<double>(problem.groups[GemmProblem::K][problem.featurePosition]);
  auto made = static_cast<double>(problem.n);
  double moved = isInterleavedApart ? outputs * images * made : 0;
  return images * features * (products * made + windows * packingProducts) +
         moved * movingProducts + static_cast<double>(choice.convolutions) * launchProducts;
}

// Returns the cheapest combination of splits of all dimensions, or nothing if every combination has
// too many convolutions.
static std::optional<Choice> choose(stablehlo::ConvolutionOp op,
                                    ArrayRef<DilatedDimension> dimensions) {
  std::vector<Choice> choices(1);
  for (const DilatedDimension &dimension : dimensions) {
    std::vector<Choice> longer;
    for (const PhaseSplit &split : phaseSplits(dimension)) {
      for (const Choice &choice : choices) {
        longer.push_back(choice);
        longer.back().splits.push_back(split);
      }
    }
    choices = std::move(longer);
  }
  std::optional<Choice> best;
  for (Choice &choice : choices) {
    choice.price = priceOf(op, dimensions, choice);
    if (choice.convolutions <= maxConvolutions && (!best || choice.price < best->price)) {
      best = choice;
    }
  }
  return best;
}

// Returns whether a value has, or was converted from, a type with few exponent bits. In such a
// type, ordinary numbers become infinities, whose products with inserted zeros matter.
static bool isNarrow(Value value) {
  auto isNarrowType = [](Value each) {
    ElementType type = elementTypeOf(getElementTypeOrSelf(each));
    return isFloat(type) && info(type).exponentBits < info(ElementType::F32).exponentBits;
  };
  while (auto convert = value.getDefiningOp<stablehlo::ConvertOp>()) {
    if (isNarrowType(value)) {
      return true;
    }
    value = convert.getOperand();
  }
  return isNarrowType(value);
}

// convolution(x, w, lhs_dilate = d)  ==>  for each group of phases, a convolution of x with the
// taps that meet elements. The results are interleaved.
static Decision decideSplit(stablehlo::ConvolutionOp op, std::optional<Choice> &choice) {
  if (isNarrow(op.getLhs()) || isNarrow(op.getRhs())) {
    return Decision::declined(Reason::NarrowRange, op);
  }
  SmallVector<DilatedDimension> dimensions = dimensionsOf(op);
  for (const DilatedDimension &dimension : dimensions) {
    if (dimension.dilation > maxDilation) {
      return Decision::declined(Reason::OverBudget, op, "dilate the input by 1024 at most");
    }
  }
  choice = choose(op, dimensions);
  if (!choice) {
    return Decision::declined(Reason::OverBudget, op,
                              "dilate the kernel by a multiple of the input's dilation, or not at "
                              "all");
  }
  Decision decision = Decision::taken();
  decision.remedy = choice->convolutions == 1
                        ? "one convolution"
                        : std::to_string(choice->convolutions) + " convolutions";
  return decision;
}

//===- replacement ------------------------------------------------------------------===//

namespace {
class SplitBuilder {
public:
  SplitBuilder(stablehlo::ConvolutionOp op, Splits splits)
      : op(op), numbers(op.getDimensionNumbers()), b(op), splits(std::move(splits)) {
    groups = static_cast<int64_t>(op.getFeatureGroupCount() * op.getBatchGroupCount());
  }

  Value build() {
    Value blocks = join(0);
    TensorShape output = TensorShape::of(op.getResult()), whole = output;
    for (auto [split, dimension] : llvm::zip_equal(splits, numbers.getOutputSpatialDimensions())) {
      whole[static_cast<size_t>(dimension)] = split.blocks * split.period;
    }
    Value result = b.reshape(blocks, whole);
    for (auto [split, dimension] : llvm::zip_equal(splits, numbers.getOutputSpatialDimensions())) {
      int64_t size = output[static_cast<size_t>(dimension)].nominal;
      result = b.slice(result, dimension, split.shift, split.shift + size);
    }
    return result;
  }

private:
  using Groups = SmallVector<const PhaseGroup *>;

  // Returns the phase dimension of a spatial dimension. It applies to results in which each spatial
  // dimension is split into blocks and phases, e.g. [batch, blocks, phases, …, group, feature].
  int64_t phaseDimension(size_t spatial) const {
    int64_t output = numbers.getOutputSpatialDimensions()[spatial], before = 0;
    for (int64_t other : numbers.getOutputSpatialDimensions()) {
      before += other < output ? 1 : 0;
    }
    return output + before + 1 + (numbers.getOutputFeatureDimension() < output ? 1 : 0);
  }

  // Returns the combined results of the groups chosen so far, for all phases of the remaining
  // dimensions.
  Value join(size_t spatial) {
    if (spatial == splits.size()) {
      return convolve();
    }
    const PhaseSplit &split = splits[spatial];
    int64_t dimension = phaseDimension(spatial);
    if (split.groups.empty()) {
      return zeros(spatial);
    }
    SmallVector<Value> results;
    for (const PhaseGroup &group : split.groups) {
      chosen.push_back(&group);
      results.push_back(join(spatial + 1));
      chosen.pop_back();
    }
    return interleave(results, split, dimension);
  }

  Value zeros(size_t spatial) {
    TensorShape shape = blocksShape(chosen);
    for (size_t d = spatial; d < splits.size(); ++d) {
      shape[static_cast<size_t>(phaseDimension(d))] = splits[d].period;
    }
    Type element = getElementTypeOrSelf(op.getResult());
    return b.broadcast(b.zero(element), shape);
  }

  // Interleaves the groups' phases in order, with zeros for phases without a group.
  Value interleave(ArrayRef<Value> results, const PhaseSplit &split, int64_t dimension) {
    SmallVector<std::pair<size_t, int64_t>> places(static_cast<size_t>(split.period), {0, -1});
    for (auto [g, group] : llvm::enumerate(split.groups)) {
      for (auto [i, phase] : llvm::enumerate(group.phases)) {
        places[static_cast<size_t>(phase)] = {g, static_cast<int64_t>(i)};
      }
    }
    SmallVector<Value> pieces;
    int64_t none = 0; // number of phases without a group before the next piece
    for (size_t p = 0; p < places.size();) {
      auto [group, first] = places[p];
      size_t next = p + 1;
      auto follows = [&](size_t at) {
        return first < 0 ? places[at].second < 0
                         : places[at].first == group &&
                               places[at].second == first + static_cast<int64_t>(at - p);
      };
      while (next < places.size() && follows(next)) {
        ++next;
      }
      auto count = static_cast<int64_t>(next - p);
      if (first >= 0) {
        Value piece = b.slice(results[group], dimension, first, first + count);
        pieces.push_back(padded(piece, dimension, none, 0, 0));
        none = 0;
      } else {
        none = count;
      }
      p = next;
    }
    pieces.back() = padded(pieces.back(), dimension, 0, none, 0);
    return pieces.size() == 1 ? pieces.front() : b.concatenate(pieces, dimension);
  }

  Value padded(Value x, int64_t dimension, int64_t low, int64_t high, int64_t interior) {
    if (low == 0 && high == 0 && interior == 0) {
      return x;
    }
    TensorShape shape = TensorShape::of(x);
    auto along = static_cast<size_t>(dimension);
    SmallVector<int64_t> lows(shape.size(), 0), highs(shape.size(), 0), interiors(shape.size(), 0);
    lows[along] = low;
    highs[along] = high;
    interiors[along] = interior;
    shape[along] = shape[along].nominal + (shape[along].nominal - 1) * interior + low + high;
    Type element = TensorBuilder::elementOf(x);
    return stablehlo::PadOp::create(b.operations(), b.location(), shape.typeOf(element), x,
                                    b.zero(element), lows, highs, interiors);
  }

  int64_t outputFeatures() {
    return sizeAt(op.getRhs(), numbers.getKernelOutputFeatureDimension());
  }

  TensorShape blocksShape(ArrayRef<const PhaseGroup *> phases) {
    TensorShape shape;
    TensorShape output = TensorShape::of(op.getResult());
    for (size_t d = 0; d < output.size(); ++d) {
      auto dimension = static_cast<int64_t>(d);
      const auto *found = llvm::find(numbers.getOutputSpatialDimensions(), dimension);
      if (dimension == numbers.getOutputFeatureDimension()) {
        shape.push_back(groups);
        shape.push_back(outputFeatures() / groups);
      } else if (dimension == numbers.getOutputBatchDimension()) {
        shape.push_back(output[d]);
      } else {
        auto spatial = static_cast<size_t>(found - numbers.getOutputSpatialDimensions().begin());
        shape.push_back(splits[spatial].blocks);
        shape.push_back(spatial < phases.size()
                            ? static_cast<int64_t>(phases[spatial]->phases.size())
                            : splits[spatial].period);
      }
    }
    return shape;
  }

  int64_t phasesOfChosen() const {
    int64_t phases = 1;
    for (const PhaseGroup *group : chosen) {
      phases *= static_cast<int64_t>(group->phases.size());
    }
    return phases;
  }

  //===- one convolution ------------------------------------------------------------===//

  Value convolve() {
    SmallVector<int64_t> strides, padding, dilation;
    TensorShape shape = TensorShape::of(op.getResult());
    for (auto [i, group] : llvm::enumerate(chosen)) {
      const PhaseSplit &split = splits[i];
      int64_t input = sizeAt(op.getLhs(), numbers.getInputSpatialDimensions()[i]);
      int64_t last =
          (split.blocks - 1) * split.step + group->first + (group->size - 1) * group->dilation;
      strides.push_back(split.step);
      dilation.push_back(group->dilation);
      padding.append({-group->first, last - (input - 1)});
      shape[static_cast<size_t>(numbers.getOutputSpatialDimensions()[i])] = split.blocks;
    }
    shape[static_cast<size_t>(numbers.getOutputFeatureDimension())] =
        outputFeatures() * phasesOfChosen();
    OpBuilder &builder = b.operations();
    auto table =
        RankedTensorType::get({static_cast<int64_t>(chosen.size()), 2}, builder.getI64Type());
    auto made = stablehlo::ConvolutionOp::create(
        builder, b.location(), shape.typeOf(getElementTypeOrSelf(op.getResult())), op.getLhs(),
        kernel(), builder.getDenseI64ArrayAttr(strides),
        DenseIntElementsAttr::get(table, ArrayRef<int64_t>(padding)), DenseI64ArrayAttr(),
        builder.getDenseI64ArrayAttr(dilation), DenseBoolArrayAttr(), numbers,
        op.getFeatureGroupCountAttr(), op.getBatchGroupCountAttr(), op.getPrecisionConfigAttr());
    made->setDiscardableAttrs(op->getDiscardableAttrDictionary());
    return spreadPhases(made);
  }

  // [batch, blocks, …, group × phases × feature]  ==>  [batch, blocks, phases, …, group, feature]
  Value spreadPhases(Value result) {
    if (phasesOfChosen() == 1) {
      return b.reshape(result, blocksShape(chosen));
    }
    TensorShape split;
    SmallVector<int64_t> order;
    TensorShape shape = TensorShape::of(result);
    int64_t feature = numbers.getOutputFeatureDimension();
    auto rank = static_cast<int64_t>(chosen.size());
    for (size_t d = 0; d < shape.size(); ++d) {
      auto dimension = static_cast<int64_t>(d);
      int64_t place = dimension < feature ? dimension : dimension + rank + 1;
      if (dimension == feature) {
        split.push_back(groups);
        for (const PhaseGroup *group : chosen) {
          split.push_back(static_cast<int64_t>(group->phases.size()));
        }
        split.push_back(outputFeatures() / groups);
        order.append({feature, feature + rank + 1});
        continue;
      }
      split.push_back(shape[d]);
      order.push_back(place);
      const auto *found = llvm::find(numbers.getOutputSpatialDimensions(), dimension);
      if (found != numbers.getOutputSpatialDimensions().end()) {
        order.push_back(feature + 1 + (found - numbers.getOutputSpatialDimensions().begin()));
      }
    }
    return b.transpose(b.reshape(result, split), order);
  }

  //===- kernel of one convolution --------------------------------------------------===//

  // Returns the taps that the chosen phases need, in window order, with one feature per phase.
  Value kernel() {
    Value taps = op.getRhs();
    SmallVector<int64_t> reversed;
    for (auto [i, dimension] : llvm::enumerate(numbers.getKernelSpatialDimensions())) {
      if (op.windowReversalOrDefault()[i]) {
        reversed.push_back(dimension);
      }
    }
    if (!reversed.empty()) {
      taps = stablehlo::ReverseOp::create(b.operations(), b.location(), taps.getType(), taps,
                                          reversed);
    }
    // Appends each dimension's phases as a new last dimension.
    for (auto [i, group] : llvm::enumerate(chosen)) {
      taps = tapsOf(taps, numbers.getKernelSpatialDimensions()[i], *group);
    }
    return joinFeatures(taps);
  }

  Value tapsOf(Value kernel, int64_t dimension, const PhaseGroup &group) {
    if (std::optional<Value> taps = neighbouringTaps(kernel, dimension, group)) {
      return *taps;
    }
    SmallVector<Value> phases;
    for (const PhaseGroup::Taps &taps : group.taps) {
      phases.push_back(behind(tapsOfPhase(kernel, dimension, group, taps)));
    }
    return phases.size() == 1
               ? phases.front()
               : b.concatenate(phases, static_cast<int64_t>(shapeOf(phases.front()).size()) - 1);
  }

  Value tapsOfPhase(Value kernel, int64_t dimension, const PhaseGroup &group,
                    const PhaseGroup::Taps &taps) {
    SmallVector<int64_t> start(shapeOf(kernel).size(), 0), limit(shapeOf(kernel));
    SmallVector<int64_t> strides(start.size(), 1);
    auto along = static_cast<size_t>(dimension);
    int64_t last = taps.start + (taps.count - 1) * taps.step;
    if (taps.start != 0 || last + 1 != limit[along] || taps.count != limit[along]) {
      start[along] = taps.start;
      limit[along] = last + 1;
      strides[along] = taps.step;
      kernel = b.slice(kernel, start, limit, strides);
    }
    int64_t end = taps.position + (taps.count - 1) * taps.apart + 1;
    return padded(kernel, dimension, taps.position, group.size - end, taps.apart - 1);
  }

  // Appends a dimension of size 1 to the kernel.
  Value behind(Value kernel) {
    TensorShape shape = TensorShape::of(kernel);
    shape.push_back(1);
    return b.reshape(kernel, shape);
  }

  // Handles phases whose taps each directly precede the taps of the previous phase. Reshapes all
  // taps at once, [positions × step] ==> [positions, step], and takes the first columns, in
  // reverse, as phases. Returns nothing for other taps.
  std::optional<Value> neighbouringTaps(Value kernel, int64_t dimension, const PhaseGroup &group) {
    auto phases = static_cast<int64_t>(group.phases.size());
    int64_t step = group.taps.front().step;
    // The index in the kernel that belongs to position 0 of a phase; may be negative.
    auto origin = [&](const PhaseGroup::Taps &taps) { return taps.start - taps.position * step; };
    int64_t first = origin(group.taps.back());
    for (auto [i, taps] : llvm::enumerate(group.taps)) {
      if (taps.apart != 1 || origin(taps) != first + phases - 1 - static_cast<int64_t>(i)) {
        return std::nullopt;
      }
    }
    if (phases == 1 || phases > step) {
      return std::nullopt;
    }
    auto along = static_cast<size_t>(dimension);
    TensorShape shape = TensorShape::of(kernel);
    int64_t length = group.size * step;
    Value all = padded(kernel, dimension, -first, first + length - shape[along].nominal, 0);
    // [.., positions × step, ..] ==> [.., positions, step, ..] ==> [.., positions, .., step]
    TensorShape cut;
    SmallVector<int64_t> order;
    for (size_t d = 0; d < shape.size(); ++d) {
      auto place = static_cast<int64_t>(d);
      order.push_back(d <= along ? place : place + 1);
      cut.push_back(d == along ? Size(group.size) : shape[d]);
      if (d == along) {
        cut.push_back(step);
      }
    }
    order.push_back(dimension + 1);
    Value columns = b.slice(b.reshape(all, cut), dimension + 1, 0, phases);
    Value back = stablehlo::ReverseOp::create(b.operations(), b.location(), columns.getType(),
                                              columns, ArrayRef<int64_t>(dimension + 1));
    return b.transpose(back, order);
  }

  // [.., group × feature, .., phases…]  ==>  [.., group × phases × feature, ..]
  Value joinFeatures(Value taps) {
    int64_t feature = numbers.getKernelOutputFeatureDimension();
    auto rank = static_cast<int64_t>(shapeOf(op.getRhs()).size());
    TensorShape shape = TensorShape::of(taps), cut, joined;
    SmallVector<int64_t> order;
    for (int64_t d = 0; d < rank; ++d) {
      auto at = static_cast<size_t>(d);
      if (d != feature) {
        cut.push_back(shape[at]);
        joined.push_back(shape[at]);
        order.push_back(d < feature ? d : d + 1);
        continue;
      }
      cut.push_back(groups);
      cut.push_back(outputFeatures() / groups);
      joined.push_back(outputFeatures() * phasesOfChosen());
      order.push_back(feature);
      for (size_t i = 0; i < chosen.size(); ++i) {
        order.push_back(rank + 1 + static_cast<int64_t>(i));
      }
      order.push_back(feature + 1);
    }
    for (size_t i = 0; i < chosen.size(); ++i) {
      cut.push_back(shape[static_cast<size_t>(rank) + i]);
    }
    return phasesOfChosen() == 1 ? b.reshape(taps, joined)
                                 : b.reshape(b.transpose(b.reshape(taps, cut), order), joined);
  }

  stablehlo::ConvolutionOp op;
  stablehlo::ConvDimensionNumbersAttr numbers;
  TensorBuilder b;
  Splits splits;
  Groups chosen;
  int64_t groups = 1;
};
} // namespace

struct SplitDilationsPass : impl::SplitDilationsPassBase<SplitDilationsPass> {
  SplitDilationsPass() = default;
  explicit SplitDilationsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    Ledger &into = ledger ? *ledger : own;
    SmallVector<stablehlo::ConvolutionOp> convolutions;
    getOperation().walk([&](stablehlo::ConvolutionOp op) { convolutions.push_back(op); });
    for (stablehlo::ConvolutionOp op : convolutions) {
      if (!isDilated(op)) {
        continue;
      }
      std::optional<Choice> choice;
      Decision decision = decideSplit(op, choice);
      if (into.recordUnlessOff(Rule::SplitDilation, op, decision).isTaken()) {
        op.replaceAllUsesWith(SplitBuilder(op, choice->splits).build());
        op.erase();
      }
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createSplitDilationsPass(Ledger &ledger) {
  return std::make_unique<SplitDilationsPass>(ledger);
}

} // namespace drumlin
