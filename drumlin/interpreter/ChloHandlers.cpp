// CHLO operations, except elementwise operations on operands of equal shape.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/interpreter/kernels/EvaluateDot.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/ir/chlo/RaggedDot.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

//===-- broadcasts ----------------------------------------------------------------------------===//

static Diagnostic cannotBroadcast(const Tensors &operands) {
  return diagnose(errors::RuntimeShapeMismatch,
                  str(std::span<const Tensor>(operands)) + " can't be broadcast to one shape");
}

// Broadcasts an operand to a shape. `dimensions` maps each dimension of the operand to a dimension
// of the shape; by default, to the shape's last dimensions.
static Result<Tensor> broadcastTo(const Tensor &operand, const Shape &shape,
                                  std::optional<llvm::ArrayRef<int64_t>> dimensions,
                                  const KernelOptions &options) {
  std::vector<int64_t> places;
  size_t offset = shape.size() - operand.shape().size();
  for (size_t d = 0; d < operand.shape().size(); ++d) {
    bool isPlaced = dimensions && offset != 0;
    places.push_back(isPlaced ? (*dimensions)[d] : static_cast<int64_t>(offset + d));
  }
  return broadcastInDim(operand, places, shape, options);
}

// Broadcasts both operands to their common shape, then calls `compute` on them.
template <typename Fn>
static Result<Tensors> broadcastThen(mlir::Operation *op, const Tensors &operands, Frame &frame,
                                     Fn compute) {
  auto attribute = op->getAttrOfType<mlir::DenseI64ArrayAttr>("broadcast_dimensions");
  auto dimensions = attribute ? std::optional(attribute.asArrayRef()) : std::nullopt;
  auto shape = chlo::broadcastShape(operands[0].shape(), operands[1].shape(), dimensions);
  if (!shape) {
    return cannotBroadcast(operands);
  }
  Shape common(shape->begin(), shape->end());
  Result<Tensor> lhs = broadcastTo(operands[0], common, dimensions, frame.kernels());
  Result<Tensor> rhs = broadcastTo(operands[1], common, dimensions, frame.kernels());
  if (!lhs || !rhs) {
    return !lhs ? lhs.error() : rhs.error();
  }
  return single(compute(*lhs, *rhs));
}

static Result<Tensors> selectBroadcast(chlo::BroadcastSelectOp, Tensors &operands, Frame &frame) {
  auto shape = chlo::broadcastShape(operands[1].shape(), operands[2].shape());
  shape = shape ? chlo::broadcastShape(*shape, operands[0].shape()) : shape;
  if (!shape) {
    return cannotBroadcast(operands);
  }
  Shape common(shape->begin(), shape->end());
  for (Tensor &operand : operands) {
    Result<Tensor> repeated = broadcastTo(operand, common, std::nullopt, frame.kernels());
    if (!repeated) {
      return repeated.error();
    }
    operand = std::move(*repeated);
  }
  return single(select(operands[0], operands[1], operands[2]));
}

static Result<Tensors> compareBroadcast(chlo::BroadcastCompareOp op, Tensors &operands,
                                        Frame &frame) {
  bool total = op.getCompareType() == chlo::ComparisonType::TOTALORDER;
  return broadcastThen(op, operands, frame, [&](const Tensor &lhs, const Tensor &rhs) {
    return compare(static_cast<ComparisonDirection>(op.getComparisonDirection()),
                   total ? ComparisonType::TotalOrder : ComparisonType::Natural, lhs, rhs);
  });
}

static Result<Tensors> constantLike(chlo::ConstantLikeOp op, Tensors &operands, Frame &frame) {
  auto type = mlir::RankedTensorType::get({}, op.getValue().getType());
  mlir::Attribute value = op.getValue();
  Result<Tensor> scalar =
      frame.constant(mlir::DenseElementsAttr::get(type, llvm::ArrayRef<mlir::Attribute>(value)));
  return scalar ? single(splat(*scalar, operands[0].shape(), frame.kernels()))
                : Result<Tensors>(scalar.error());
}

//===-- scan ----------------------------------------------------------------------------------===//

// Returns the slice at one index of a dimension, with that dimension removed.
static Result<Tensor> sliceAt(const Tensor &tensor, size_t dimension, int64_t index,
                              const KernelOptions &options) {
  Shape start(tensor.shape().size(), 0), limit = tensor.shape(), strides(start.size(), 1);
  start[dimension] = index;
  limit[dimension] = index + 1;
  Result<Tensor> part = slice(tensor, start, limit, strides, options);
  Shape shape = tensor.shape();
  shape.erase(shape.begin() + static_cast<std::ptrdiff_t>(dimension));
  return part ? reshape(*part, shape) : part;
}

// Stacks the slices along a new dimension; `type` gives the result shape if there are no slices.
static Result<Tensor> stack(Tensors slices, size_t dimension, mlir::Type type,
                            const KernelOptions &options) {
  if (slices.empty()) {
    return allocate(*heldTypeOf(type), Shape(llvm::cast<mlir::RankedTensorType>(type).getShape()),
                    options);
  }
  for (Tensor &part : slices) {
    Shape shape = part.shape();
    shape.insert(shape.begin() + static_cast<std::ptrdiff_t>(dimension), 1);
    part = part.withShape(shape);
  }
  return concatenate(slices, static_cast<int64_t>(dimension), options);
}

static Result<Tensors> scan(chlo::ScanOp op, Tensors &operands, Frame &frame) {
  size_t inputCount = op.getInputs().size(), outputCount = op.getOutputs().size();
  auto dimension = static_cast<size_t>(op.getDimension());
  auto firstCarry = operands.begin() + static_cast<std::ptrdiff_t>(inputCount);
  Tensors carries(firstCarry, operands.end());
  int64_t size = inputCount > 0 ? operands[0].shape()[dimension]
                                : static_cast<int64_t>(op.getScanDimSize().value_or(0));
  std::vector<Tensors> outputs(outputCount);
  for (int64_t step = 0; step < size; ++step) {
    int64_t index = op.getIsReverse() ? size - 1 - step : step;
    Tensors arguments;
    for (size_t k = 0; k < inputCount; ++k) {
      Result<Tensor> part = sliceAt(operands[k], dimension, index, frame.kernels());
      if (!part) {
        return part.error();
      }
      arguments.push_back(std::move(*part));
    }
    llvm::append_range(arguments, carries);
    Result<Tensors> results = frame.run(op.getBody(), std::move(arguments));
    if (!results) {
      return results;
    }
    for (size_t k = 0; k < outputCount; ++k) {
      outputs[k].push_back((*results)[k]);
    }
    carries.assign(results->begin() + static_cast<std::ptrdiff_t>(outputCount), results->end());
  }
  Tensors results;
  for (size_t k = 0; k < outputCount; ++k) {
    if (op.getIsReverse()) {
      std::reverse(outputs[k].begin(), outputs[k].end());
    }
    Result<Tensor> output =
        stack(std::move(outputs[k]), dimension, op.getOutputs()[k].getType(), frame.kernels());
    if (!output) {
      return output.error();
    }
    results.push_back(std::move(*output));
  }
  llvm::append_range(results, carries);
  return results;
}

//===-- ragged_dot ----------------------------------------------------------------------------===//

// Returns the number of the group to which each element of lhs belongs, or -1 for elements past the
// last group.
static std::vector<int64_t> groupsOf(chlo::RaggedDotDimensionNumbersAttr numbers, const Tensor &lhs,
                                     const Tensor &sizes) {
  auto ragged = static_cast<size_t>(numbers.getLhsRaggedDimensions().front());
  std::vector<size_t> leading;
  if (sizes.rank() > 1) {
    for (int64_t d : chlo::groupSizesDimensions(numbers)) {
      leading.push_back(static_cast<size_t>(d));
    }
  }
  int64_t groups = sizes.shape().back();
  std::vector<int64_t> result;
  forEachIndex(lhs.shape(), [&](const Index &index) {
    int64_t row = 0;
    for (size_t d : leading) {
      row = row * lhs.shape()[d] + index[d];
    }
    int64_t group = 0, end = 0;
    for (; group < groups; ++group) {
      end += integerAt(sizes, row * groups + group);
      if (index[ragged] < end) {
        break;
      }
    }
    result.push_back(group < groups ? group : -1);
  });
  return result;
}

static DotDimensions dotDimensions(chlo::RaggedDotDimensionNumbersAttr numbers) {
  DotDimensions dimensions;
  dimensions.lhsBatching = numbers.getLhsBatchingDimensions().vec();
  dimensions.rhsBatching = numbers.getRhsBatchingDimensions().vec();
  dimensions.lhsContracting = numbers.getLhsContractingDimensions().vec();
  dimensions.rhsContracting = numbers.getRhsContractingDimensions().vec();
  return dimensions;
}

// Returns the operand with elements outside of the group set to zero. If `group` is -1, only the
// elements that belong to no group are set to zero.
static Tensor masked(const Tensor &operand, const std::vector<int64_t> &groups, int64_t group) {
  Tensor result = operand.clone();
  unsigned bytes = storageBytes(operand.type());
  for (int64_t i = 0; i < operand.elements(); ++i) {
    int64_t own = groups[static_cast<size_t>(i)];
    if (group < 0 ? own < 0 : own != group) {
      std::memset(result.data() + i * bytes, 0, bytes);
    }
  }
  return result;
}

// Returns the number of the group to which each element of rhs belongs, for a ragged contracting
// dimension. An element of rhs belongs to the group of the lhs elements that it is multiplied with.
static std::vector<int64_t> groupsOfRhs(const DotDimensions &dimensions, const Tensor &lhs,
                                        const Tensor &rhs, const std::vector<int64_t> &groups) {
  Shape strides = rowMajorStrides(lhs.shape());
  std::vector<int64_t> result;
  forEachIndex(rhs.shape(), [&](const Index &index) {
    int64_t position = 0;
    auto add = [&](const std::vector<int64_t> &left, const std::vector<int64_t> &right) {
      for (size_t i = 0; i < left.size(); ++i) {
        position += index[static_cast<size_t>(right[i])] * strides[static_cast<size_t>(left[i])];
      }
    };
    add(dimensions.lhsBatching, dimensions.rhsBatching);
    add(dimensions.lhsContracting, dimensions.rhsContracting);
    result.push_back(groups[static_cast<size_t>(position)]);
  });
  return result;
}

static Tensor ones(const Shape &shape) {
  Tensor result(ElementType::F32, shape);
  std::fill_n(result.as<float>(), result.elements(), 1.0F);
  return result;
}

// Copies the elements that belong to a group from `product` into `result`. To find these elements,
// computes a dot of ones in which lhs is zero outside of the group. An element belongs to the group
// if its sum in this dot isn't zero.
static Status replaceRows(const Tensor &lhs, const Tensor &matrix, const DotDimensions &dimensions,
                          const std::vector<int64_t> &groups, int64_t group, const Tensor &product,
                          Tensor &result, const KernelOptions &options) {
  Result<Tensor> isOwn = dotGeneral(masked(ones(lhs.shape()), groups, group), ones(matrix.shape()),
                                    dimensions, ElementType::F32, options);
  if (!isOwn) {
    return isOwn.error();
  }
  unsigned bytes = storageBytes(result.type());
  for (int64_t i = 0; i < result.elements(); ++i) {
    if (isOwn->as<float>()[i] != 0) {
      std::memcpy(result.data() + i * bytes, product.data() + i * bytes, bytes);
    }
  }
  return Done{};
}

// Computes one dot per group from the group's own elements alone, so that an infinity or a NaN in
// another group changes nothing. Rows that belong to no group are zero.
static Result<Tensors> raggedProduct(chlo::RaggedDotOp op, Tensors &operands, Frame &frame) {
  chlo::RaggedDotDimensionNumbersAttr numbers = op.getRaggedDotDimensionNumbers();
  chlo::RaggedMode mode = chlo::raggedModeOf(numbers);
  const Tensor &lhs = operands[0], &rhs = operands[1], &sizes = operands[2];
  std::vector<int64_t> groups = groupsOf(numbers, lhs, sizes);
  DotDimensions dimensions = dotDimensions(numbers);
  ElementType type = computedTypeOf(op.getType());
  if (mode == chlo::RaggedMode::Batch) {
    return single(dotGeneral(masked(lhs, groups, -1), rhs, dimensions, type, frame.kernels()));
  }
  bool isContracted = mode == chlo::RaggedMode::Contracting;
  std::vector<int64_t> rhsGroups;
  if (isContracted) {
    rhsGroups = groupsOfRhs(dimensions, lhs, rhs, groups);
  }
  std::optional<Tensor> rows;
  Tensors parts;
  for (int64_t group = 0; group < sizes.shape().back(); ++group) {
    Tensor matrix = isContracted ? masked(rhs, rhsGroups, group) : rhs;
    DotDimensions own = dimensions;
    if (!isContracted) {
      auto groupDimension = numbers.getRhsGroupDimensions().front();
      Result<Tensor> part =
          sliceAt(rhs, static_cast<size_t>(groupDimension), group, frame.kernels());
      if (!part) {
        return part.error();
      }
      matrix = std::move(*part);
      for (std::vector<int64_t> *list : {&own.rhsBatching, &own.rhsContracting}) {
        for (int64_t &d : *list) {
          d -= d > groupDimension ? 1 : 0;
        }
      }
    }
    Result<Tensor> product =
        dotGeneral(masked(lhs, groups, group), matrix, own, type, frame.kernels());
    if (!product) {
      return product.error();
    }
    if (isContracted) {
      parts.push_back(std::move(*product));
      continue;
    }
    rows = rows ? std::move(rows) : Tensor(type, product->shape());
    Status replaced =
        replaceRows(lhs, matrix, own, groups, group, *product, *rows, frame.kernels());
    if (!replaced) {
      return replaced.error();
    }
  }
  return rows ? Result<Tensors>(Tensors{*rows})
              : single(stack(std::move(parts), 0, op.getType(), frame.kernels()));
}

void addChloHandlers(InterpreterTable &table) {
#define X(Name, mnemonic)                                                                          \
  table.add("chlo.broadcast_" mnemonic, [](mlir::Operation *op, Tensors operands, Frame &frame) {  \
    return broadcastThen(op, operands, frame, [](const Tensor &lhs, const Tensor &rhs) {           \
      return binary(BinaryOperation::Name, lhs, rhs);                                              \
    });                                                                                            \
  });
  DRUMLIN_BINARY_OPERATIONS(X)
#undef X
  add<chlo::BroadcastCompareOp>(table, compareBroadcast);
  add<chlo::BroadcastSelectOp>(table, selectBroadcast);
  add<chlo::ConstantOp>(table, [](chlo::ConstantOp op, Tensors &, Frame &frame) {
    return single(frame.constant(op.getValue()));
  });
  add<chlo::ConstantLikeOp>(table, constantLike);
  add<chlo::RaggedDotOp>(table, raggedProduct);
  add<chlo::ScanOp>(table, scan);
}

} // namespace drumlin::interpreter
