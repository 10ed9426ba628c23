// Computes the sizes of operations' results, as the specification defines them.
#include "drumlin/ir/stablehlo/ProductRoles.h"
#include "drumlin/transforms/simplify/sizes/BroadcastPairs.h"
#include "drumlin/transforms/simplify/sizes/SizeAnalysis.h"

#include "drumlin/ir/chlo/RaggedDot.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/stablehlo/DynamicReduceWindow.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Returns a dimension's size after elements are inserted between its elements; 0 stays 0.
SizeExpression SizeAnalysis::dilated(const SizeExpression &size,
                                     const SizeExpression &dilation) const {
  return dilation.constant() == 1 ? size : known.larger((size - 1) * dilation + 1, 0);
}

SizeExpression SizeAnalysis::windows(const SizeExpression &padded, const SizeExpression &window,
                                     const SizeExpression &stride) const {
  return known.larger((padded - window).quotient(stride) + 1, 0);
}

// Returns the sizes of a slice that starts at computed indices. The slice's limit is the start plus
// these sizes.
const Sizes *SizeAnalysis::movedSlice(stablehlo::RealDynamicSliceOp slice) const {
  auto limit = slice.getLimitIndices().getDefiningOp<stablehlo::AddOp>();
  const Sizes *strides = numbersOf(slice.getStrides());
  if (!limit || !strides || numbersOf(slice.getStartIndices()) ||
      !llvm::all_of(*strides,
                    [](const SizeExpression &stride) { return stride.constant() == 1; })) {
    return nullptr;
  }
  return limit.getLhs() == slice.getStartIndices()   ? numbersOf(limit.getRhs())
         : limit.getRhs() == slice.getStartIndices() ? numbersOf(limit.getLhs())
                                                     : nullptr;
}

// A size of 1 is broadcast to any other size, even 0.
SizeExpression SizeAnalysis::broadcastSize(const SizeExpression &a, const SizeExpression &b) const {
  auto isAtLeast = [&](const SizeExpression &size, int64_t least) {
    return known.isAtLeastZero(size - least) == true;
  };
  if (a == b || b.constant() == int64_t(1) || a.constant() == int64_t(0) || isAtLeast(a, 2)) {
    return a;
  }
  if (a.constant() == int64_t(1) || b.constant() == int64_t(0) || isAtLeast(b, 2)) {
    return b;
  }
  SizeExpression larger = known.larger(a, b);
  return isAtLeast(a, 1) && isAtLeast(b, 1) ? larger : known.smaller(larger, a * b);
}

std::optional<Sizes> SizeAnalysis::broadcastSizes(Operation *op) {
  std::optional<Sizes> made;
  for (Value operand : broadcastOperands(op)) {
    if (!made) {
      made = sizes[operand];
      continue;
    }
    const Sizes first = *made, &second = sizes[operand];
    made = first.size() < second.size() ? second : first;
    for (const BroadcastPair &pair : broadcastPairs(op, first, second)) {
      (*made)[pair.place] = broadcastSize(pair.first, pair.second);
    }
  }
  return made;
}

// Returns the result sizes that an operand determines.
std::optional<Sizes> SizeAnalysis::dynamicSizes(Operation *op) {
  auto at = [&](Value value) { return numbersOf(value); };
  using Made = std::optional<Sizes>;
  auto copied = [](const Sizes *found) { return found ? Made(*found) : Made(); };
  return TypeSwitch<Operation *, Made>(op)
      .Case<stablehlo::DynamicBroadcastInDimOp>(
          [&](auto made) { return copied(at(made.getOutputDimensions())); })
      .Case<stablehlo::DynamicReshapeOp, stablehlo::DynamicIotaOp>(
          [&](auto made) { return copied(at(made.getOutputShape())); })
      .Case<stablehlo::DynamicPadOp>([&](stablehlo::DynamicPadOp pad) -> Made {
        const Sizes *low = at(pad.getEdgePaddingLow()), *high = at(pad.getEdgePaddingHigh());
        const Sizes *interior = at(pad.getInteriorPadding());
        if (!low || !high || !interior) {
          return std::nullopt;
        }
        Sizes made;
        for (auto [d, size] : llvm::enumerate(sizes[pad.getOperand()])) {
          SizeExpression between = known.larger(size - 1, 0) * (*interior)[d];
          made.push_back((*low)[d] + size + between + (*high)[d]);
        }
        return made;
      })
      .Case<stablehlo::RealDynamicSliceOp>([&](stablehlo::RealDynamicSliceOp slice) -> Made {
        const Sizes *start = at(slice.getStartIndices()), *limit = at(slice.getLimitIndices());
        const Sizes *strides = at(slice.getStrides());
        if (const Sizes *moved = movedSlice(slice)) {
          return *moved;
        }
        if (!start || !limit || !strides) {
          return std::nullopt;
        }
        Sizes made;
        for (auto [first, end, stride] : llvm::zip(*start, *limit, *strides)) {
          made.push_back((end - first).ceilQuotient(stride));
        }
        return made;
      })
      .Case<stablehlo::SetDimensionSizeOp>([&](stablehlo::SetDimensionSizeOp set) -> Made {
        const Sizes *size = at(set.getSize());
        if (!size) {
          return std::nullopt;
        }
        Sizes made = sizes[set.getOperand()];
        made[static_cast<size_t>(set.getDimension())] = size->front();
        return made;
      })
      .Default([](auto) { return Made(); });
}

Sizes SizeAnalysis::convolved(const Sizes &lhs, const Sizes &rhs,
                              stablehlo::ConvDimensionNumbersAttr roles, ArrayRef<int64_t> strides,
                              ArrayRef<int64_t> lhsDilation, ArrayRef<int64_t> rhsDilation,
                              const Sizes &padding, int64_t batchGroups) {
  Sizes made(lhs.size());
  auto at = [](const Sizes &sizes, int64_t d) { return sizes[static_cast<size_t>(d)]; };
  made[static_cast<size_t>(roles.getOutputBatchDimension())] =
      at(lhs, roles.getInputBatchDimension()).quotient(batchGroups);
  made[static_cast<size_t>(roles.getOutputFeatureDimension())] =
      at(rhs, roles.getKernelOutputFeatureDimension());
  for (size_t i = 0; i < strides.size(); ++i) {
    SizeExpression input = dilated(at(lhs, roles.getInputSpatialDimensions()[i]), lhsDilation[i]);
    SizeExpression window = dilated(at(rhs, roles.getKernelSpatialDimensions()[i]), rhsDilation[i]);
    made[static_cast<size_t>(roles.getOutputSpatialDimensions()[i])] =
        windows(padding[2 * i] + input + padding[2 * i + 1], window, strides[i]);
  }
  return made;
}

std::optional<Sizes> SizeAnalysis::productSizes(Operation *op) {
  using Made = std::optional<Sizes>;
  return TypeSwitch<Operation *, Made>(op)
      .Case<stablehlo::DotGeneralOp>([&](stablehlo::DotGeneralOp dot) -> Made {
        const Sizes &lhs = sizes[dot.getLhs()], &rhs = sizes[dot.getRhs()];
        stablehlo::ProductRoles roles(dot);
        Sizes made;
        for (int64_t d : llvm::concat<const int64_t>(roles.lhs().batch, roles.lhs().free)) {
          made.push_back(lhs[static_cast<size_t>(d)]);
        }
        for (int64_t d : roles.rhs().free) {
          made.push_back(rhs[static_cast<size_t>(d)]);
        }
        return made;
      })
      .Case<chlo::RaggedDotOp>([&](chlo::RaggedDotOp dot) -> Made {
        auto numbers = dot.getRaggedDotDimensionNumbers();
        const Sizes &lhs = sizes[dot.getLhs()], &rhs = sizes[dot.getRhs()];
        Sizes made;
        if (chlo::raggedModeOf(numbers) == chlo::RaggedMode::Contracting) {
          made.push_back(sizes[dot.getGroupSizes()].back());
        }
        for (int64_t d : numbers.getLhsBatchingDimensions()) {
          made.push_back(lhs[static_cast<size_t>(d)]);
        }
        auto addFree = [&](const Sizes &of, std::initializer_list<ArrayRef<int64_t>> others) {
          for (auto [d, size] : llvm::enumerate(of)) {
            if (llvm::none_of(others, [d = static_cast<int64_t>(d)](ArrayRef<int64_t> list) {
                  return llvm::is_contained(list, d);
                })) {
              made.push_back(size);
            }
          }
        };
        addFree(lhs, {numbers.getLhsBatchingDimensions(), numbers.getLhsContractingDimensions()});
        addFree(rhs, {numbers.getRhsBatchingDimensions(), numbers.getRhsContractingDimensions(),
                      numbers.getRhsGroupDimensions()});
        return made;
      })
      .Case<stablehlo::ConvolutionOp>([&](stablehlo::ConvolutionOp conv) -> Made {
        Sizes padding;
        for (auto [low, high] : conv.paddingOrDefault()) {
          padding.emplace_back(low);
          padding.emplace_back(high);
        }
        return convolved(sizes[conv.getLhs()], sizes[conv.getRhs()], conv.getDimensionNumbers(),
                         conv.windowStridesOrDefault(), conv.lhsDilationOrDefault(),
                         conv.rhsDilationOrDefault(), padding,
                         static_cast<int64_t>(conv.getBatchGroupCount()));
      })
      .Case<stablehlo::DynamicConvOp>([&](stablehlo::DynamicConvOp conv) -> Made {
        const Sizes *padding = numbersOf(conv.getPadding());
        return padding ? Made(convolved(sizes[conv.getLhs()], sizes[conv.getRhs()],
                                        conv.getDimensionNumbers(), conv.windowStridesOrDefault(),
                                        conv.lhsDilationOrDefault(), conv.rhsDilationOrDefault(),
                                        *padding, static_cast<int64_t>(conv.getBatchGroupCount())))
                       : Made();
      })
      .Default([](auto) { return Made(); });
}

// Returns the sizes of a gather's result: dimensions of the indices, with dimensions of a slice
// between them.
static Sizes gathered(stablehlo::GatherDimensionNumbersAttr roles, const Sizes &indices,
                      const Sizes &slice) {
  Sizes batch, offset;
  for (auto [d, size] : llvm::enumerate(indices)) {
    if (static_cast<int64_t>(d) != roles.getIndexVectorDim()) {
      batch.push_back(size);
    }
  }
  for (auto [d, size] : llvm::enumerate(slice)) {
    auto dimension = static_cast<int64_t>(d);
    if (!llvm::is_contained(roles.getCollapsedSliceDims(), dimension) &&
        !llvm::is_contained(roles.getOperandBatchingDims(), dimension)) {
      offset.push_back(size);
    }
  }
  Sizes made;
  size_t nextBatch = 0, nextOffset = 0;
  for (size_t d = 0; d < batch.size() + offset.size(); ++d) {
    bool isOffset = llvm::is_contained(roles.getOffsetDims(), static_cast<int64_t>(d));
    made.push_back(isOffset ? offset[nextOffset++] : batch[nextBatch++]);
  }
  return made;
}

// Returns the result sizes of a `reduce_window` that has operands instead of attributes.
std::optional<Sizes> SizeAnalysis::dynamicWindowSizes(Operation *op) {
  auto window = stablehlo::DynamicReduceWindow::of(op);
  if (!window) {
    return std::nullopt;
  }
  const Sizes *dimensions = numbersOf(window->dimensions), *strides = numbersOf(window->strides);
  const Sizes *baseDilations = numbersOf(window->baseDilations);
  const Sizes *windowDilations = numbersOf(window->windowDilations);
  const Sizes *padding = numbersOf(window->padding);
  if (!dimensions || !strides || !baseDilations || !windowDilations || !padding) {
    return std::nullopt;
  }
  Sizes made;
  for (auto [d, size] : llvm::enumerate(sizes[window->inputs.front()])) {
    SizeExpression padded =
        dilated(size, (*baseDilations)[d]) + (*padding)[2 * d] + (*padding)[2 * d + 1];
    made.push_back(
        windows(padded, dilated((*dimensions)[d], (*windowDilations)[d]), (*strides)[d]));
  }
  return made;
}

std::optional<Sizes> SizeAnalysis::windowSizes(Operation *op) {
  auto window = dyn_cast<stablehlo::ReduceWindowOp>(op);
  if (!window) {
    return dynamicWindowSizes(op);
  }
  auto padding = window.paddingOrDefault();
  auto strides = window.windowStridesOrDefault();
  auto baseDilations = window.baseDilationsOrDefault();
  auto windowDilations = window.windowDilationsOrDefault();
  Sizes made;
  for (auto [d, size] : llvm::enumerate(sizes[window.getInputs().front()])) {
    SizeExpression padded = dilated(size, baseDilations[d]) + padding[d].first + padding[d].second;
    made.push_back(
        windows(padded, dilated(window.getWindowDimensions()[d], windowDilations[d]), strides[d]));
  }
  return made;
}

std::optional<Sizes> SizeAnalysis::movedSizes(Operation *op) {
  using Made = std::optional<Sizes>;
  return TypeSwitch<Operation *, Made>(op)
      .Case<stablehlo::TransposeOp>([&](stablehlo::TransposeOp transpose) -> Made {
        Sizes made;
        for (int64_t d : transpose.getPermutation()) {
          made.push_back(sizes[transpose.getOperand()][static_cast<size_t>(d)]);
        }
        return made;
      })
      .Case<stablehlo::ReduceOp>([&](stablehlo::ReduceOp reduce) -> Made {
        Sizes made;
        for (auto [d, size] : llvm::enumerate(sizes[reduce.getInputs().front()])) {
          if (!llvm::is_contained(reduce.getDimensions(), static_cast<int64_t>(d))) {
            made.push_back(size);
          }
        }
        return made;
      })
      .Case<stablehlo::ConcatenateOp>([&](stablehlo::ConcatenateOp concatenate) -> Made {
        Sizes made = sizes[concatenate.getInputs().front()];
        auto d = static_cast<size_t>(concatenate.getDimension());
        for (Value input : concatenate.getInputs().drop_front()) {
          made[d] = made[d] + sizes[input][d];
        }
        return made;
      })
      .Case<stablehlo::PadOp>([&](stablehlo::PadOp pad) -> Made {
        Sizes made;
        for (auto [d, size] : llvm::enumerate(sizes[pad.getOperand()])) {
          SizeExpression between = known.larger(size - 1, 0) * pad.getInteriorPadding()[d];
          made.push_back(size + between + pad.getEdgePaddingLow()[d] + pad.getEdgePaddingHigh()[d]);
        }
        return made;
      })
      .Case<stablehlo::DynamicGatherOp>([&](stablehlo::DynamicGatherOp gather) -> Made {
        const Sizes *slice = numbersOf(gather.getSliceSizes());
        return slice ? Made(gathered(gather.getDimensionNumbers(), sizes[gather.getStartIndices()],
                                     *slice))
                     : Made();
      })
      .Case<stablehlo::GatherOp>([&](stablehlo::GatherOp gather) -> Made {
        return gathered(gather.getDimensionNumbers(), sizes[gather.getStartIndices()],
                        Sizes(gather.getSliceSizes().begin(), gather.getSliceSizes().end()));
      })
      .Case<stablehlo::DynamicUpdateSliceOp, stablehlo::ReverseOp, stablehlo::CholeskyOp,
            stablehlo::MapOp, chlo::ConstantLikeOp>(
          [&](auto) -> Made { return sizes[op->getOperand(0)]; })
      .Case<stablehlo::BitcastConvertOp>([&](stablehlo::BitcastConvertOp cast) -> Made {
        // A bitcast to elements of another width adds or removes the last dimension.
        Sizes made = sizes[cast.getOperand()];
        auto result = mlir::cast<RankedTensorType>(cast.getType());
        if (static_cast<size_t>(result.getRank()) < made.size()) {
          made.pop_back();
        } else if (static_cast<size_t>(result.getRank()) > made.size()) {
          made.push_back(result.getShape().back());
        }
        return made;
      })
      .Case<stablehlo::FftOp>([&](stablehlo::FftOp fft) -> Made {
        Sizes made = sizes[fft.getOperand()];
        int64_t last = fft.getFftLength().back();
        if (fft.getFftType() == stablehlo::FftType::RFFT) {
          made.back() = last / 2 + 1;
        } else if (fft.getFftType() == stablehlo::FftType::IRFFT) {
          made.back() = last;
        }
        return made;
      })
      .Case<chlo::TopKOp>([&](chlo::TopKOp top) -> Made {
        Sizes made = sizes[top.getOperand()];
        made.back() = static_cast<int64_t>(top.getK());
        return made;
      })
      .Case<stablehlo::TriangularSolveOp>([&](auto solve) -> Made { return sizes[solve.getB()]; })
      .Case<stablehlo::SelectAndScatterOp>(
          [&](auto scatter) -> Made { return sizes[scatter.getOperand()]; })
      .Default([](auto) { return Made(); });
}

// Returns the result sizes of a call of code outside of the program. They come from the call's
// shape operands, from operands whose memory the results reuse, and from types.
std::optional<std::vector<Sizes>> SizeAnalysis::callSizes(stablehlo::CustomCallOp call) {
  std::optional<HostCallParts> parts = hostCallPartsOf(call);
  SmallVector<unsigned> given = shapeOperandsOf(call);
  SmallVector<Value> operands;
  for (auto [i, operand] : llvm::enumerate(call.getInputs())) {
    if (!llvm::is_contained(given, i)) {
      operands.push_back(operand);
    }
  }
  auto sharedWith = [&](size_t result) -> Value {
    for (size_t i = 0; i + 1 < parts->aliases.size(); i += 2) {
      int64_t operand = parts->aliases[i + 1];
      bool isOperand = operand >= 0 && operand < static_cast<int64_t>(operands.size());
      if (isOperand && parts->aliases[i] == static_cast<int64_t>(result)) {
        return operands[static_cast<size_t>(operand)];
      }
    }
    return isDeviceMark(call) ? operands[result] : Value();
  };
  std::vector<Sizes> made;
  for (auto [i, result] : llvm::enumerate(call.getResults())) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    const Sizes *said = given.empty() ? nullptr : numbersOf(call.getOperand(given[i]));
    Value shared = sharedWith(i);
    const Sizes *same = shared ? sizesOf(shared) : nullptr;
    if (said || same) {
      made.push_back(said ? *said : *same);
    } else if (type && type.hasStaticShape()) {
      made.emplace_back(type.getShape().begin(), type.getShape().end());
    } else {
      return std::nullopt;
    }
  }
  return made;
}

std::optional<std::vector<Sizes>> SizeAnalysis::resultSizes(Operation *op) {
  auto call = dyn_cast<stablehlo::CustomCallOp>(op);
  if (call && !stablehlo::DynamicReduceWindow::of(call)) {
    return callSizes(call);
  }
  // Each result has the sizes of the operand with the same number.
  if (isa<stablehlo::SortOp, stablehlo::ScatterOp, stablehlo::OptimizationBarrierOp>(op)) {
    std::vector<Sizes> made;
    for (unsigned i = 0; i < op->getNumResults(); ++i) {
      made.push_back(sizes[op->getOperand(i)]);
    }
    return made;
  }
  if (std::optional<int64_t> feature = featureOf(op)) {
    const Sizes &operand = sizes[op->getOperand(0)];
    std::vector<Sizes> made(op->getNumResults(), Sizes{operand[static_cast<size_t>(*feature)]});
    made.front() = operand;
    return made;
  }
  std::optional<Sizes> made;
  if (isElementwise(op)) {
    // A scalar condition or bound applies to every element.
    for (Value operand : op->getOperands()) {
      made = made && !made->empty() ? made : sizes[operand];
    }
  }
  for (auto family :
       {&SizeAnalysis::broadcastSizes, &SizeAnalysis::dynamicSizes, &SizeAnalysis::productSizes,
        &SizeAnalysis::windowSizes, &SizeAnalysis::movedSizes}) {
    made = made ? made : (this->*family)(op);
  }
  if (!made) {
    return std::nullopt;
  }
  return std::vector<Sizes>(op->getNumResults(), *made);
}

} // namespace drumlin
