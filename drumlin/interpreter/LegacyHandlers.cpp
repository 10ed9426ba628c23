// Operations of older StableHLO programs, and `map`.
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/Handlers.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/interpreter/kernels/EvaluateElementwise.h"
#include "drumlin/interpreter/kernels/EvaluateGather.h"
#include "drumlin/interpreter/kernels/EvaluateReduce.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"
#include "drumlin/ir/stablehlo/BroadcastOp.h"
#include "drumlin/ir/stablehlo/Einsum.h"
#include "drumlin/ir/stablehlo/EinsumOp.h"
#include "drumlin/ir/stablehlo/MapOp.h"
#include "drumlin/ir/stablehlo/TorchIndexSelectOp.h"
#include "drumlin/ir/stablehlo/UnaryEinsumOp.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"

#include <map>

namespace drumlin::interpreter {

using Tensors = std::vector<Tensor>;

static Result<Tensors> repeat(stablehlo::BroadcastOp op, Tensors &operands, Frame &frame) {
  Shape shape(op.getBroadcastSizes());
  std::vector<int64_t> dimensions;
  for (int64_t size : operands[0].shape()) {
    dimensions.push_back(static_cast<int64_t>(shape.size()));
    shape.push_back(size);
  }
  return single(broadcastInDim(operands[0], dimensions, shape, frame.kernels()));
}

//===-- einsum --------------------------------------------------------------------------------===//

// Expands an operand to the index space of all labels. For a label that the operand has twice,
// reads the diagonal. Repeats the operand along labels that it lacks, and along dimensions of
// size 1.
static Result<Tensor> expand(const Tensor &operand, llvm::ArrayRef<int> labels,
                             llvm::ArrayRef<int> space, const Shape &shape,
                             const KernelOptions &options) {
  Result<Tensor> result = allocate(operand.type(), shape, options);
  if (!result) {
    return result;
  }
  Shape strides = rowMajorStrides(operand.shape()), source(shape.size(), 0);
  for (size_t i = 0; i < space.size(); ++i) {
    for (size_t d = 0; d < labels.size(); ++d) {
      source[i] += labels[d] == space[i] && operand.shape()[d] != 1 ? strides[d] : 0;
    }
  }
  copyStrided(storageBytes(operand.type()), shape, operand.data(), source, result->data(),
              rowMajorStrides(shape));
  return result;
}

// Multiplies the operands over all labels and sums over the labels that the result lacks; rounds
// once, as dot_general does.
static Result<Tensors> sumOfProducts(llvm::StringRef config, Tensors &operands, Frame &frame) {
  llvm::SmallVector<int64_t> ranks;
  for (const Tensor &operand : operands) {
    ranks.push_back(operand.rank());
  }
  std::optional<stablehlo::Einsum> einsum = stablehlo::parseEinsum(config, ranks);
  if (!einsum) {
    return diagnose(errors::InternalError, "an einsum's equation can't be parsed");
  }
  llvm::SmallVector<int> space(einsum->result);
  std::map<int, int64_t> sizes;
  for (auto [labels, operand] : llvm::zip_equal(einsum->operands, operands)) {
    for (auto [label, size] : llvm::zip_equal(labels, operand.shape())) {
      if (!llvm::is_contained(space, label)) {
        space.push_back(label);
      }
      int64_t &known = sizes.try_emplace(label, 1).first->second;
      if (known != 1 && size != 1 && known != size) {
        return diagnose(errors::RuntimeShapeMismatch, str(std::span<const Tensor>(operands)) +
                                                          " don't fit `" + config.str() + "`");
      }
      known = size == 1 ? known : size;
    }
  }
  Shape shape;
  for (int label : space) {
    shape.push_back(sizes[label]);
  }
  ElementType type = operands[0].type();
  ElementType wide = isFloat(type) ? ElementType::F64 : type;
  std::optional<Tensor> product;
  for (auto [labels, operand] : llvm::zip_equal(einsum->operands, operands)) {
    Result<Tensor> factor = expand(operand, labels, space, shape, frame.kernels());
    factor = factor ? convert(*factor, wide) : factor;
    if (factor && product) {
      factor = binary(BinaryOperation::Multiply, *product, *factor);
    }
    if (!factor) {
      return factor.error();
    }
    product = std::move(*factor);
  }
  std::vector<int64_t> summed;
  for (size_t d = einsum->result.size(); d < space.size(); ++d) {
    summed.push_back(static_cast<int64_t>(d));
  }
  if (summed.empty() && operands.size() == 1) {
    return single(convert(*product, type)); // elements are only moved: zeros keep their signs
  }
  ReductionBody body;
  body.types = {product->type()};
  body.operation = BinaryOperation::Add;
  Tensor zero(product->type(), {});
  Result<Tensors> sums = reduce({&*product, 1}, {&zero, 1}, summed, body, frame.kernels());
  return sums ? single(convert(sums->front(), type)) : sums;
}

//===-- map, torch_index_select ---------------------------------------------------------------===//

static Result<Tensors> mapElements(stablehlo::MapOp op, Tensors &operands, Frame &frame) {
  Result<Tensor> result = allocate(heldTypeOf(op.getType()).value_or(ElementType::F32),
                                   operands[0].shape(), frame.kernels());
  for (int64_t i = 0; result && i < result->elements(); ++i) {
    Tensors arguments;
    for (const Tensor &operand : operands) {
      arguments.push_back(scalarAt(operand, i));
    }
    Result<Tensors> element = frame.run(op.getComputation(), std::move(arguments));
    if (!element) {
      return element;
    }
    setElement(*result, i, element->front());
  }
  return single(std::move(result));
}

// Runs as a gather of slices of size 1 along `dim`.
static Result<Tensors> selectSlices(stablehlo::TorchIndexSelectOp op, Tensors &operands,
                                    Frame &frame) {
  int64_t dim = static_cast<int64_t>(op.getDim()), batch = static_cast<int64_t>(op.getBatchDims());
  int64_t rank = operands[0].rank(), indexRank = operands[1].rank();
  GatherDimensions dimensions;
  std::vector<int64_t> sizes = operands[0].shape();
  for (int64_t d = 0; d < rank; ++d) {
    if (d < batch) {
      dimensions.operandBatchingDims.push_back(d);
      dimensions.startIndicesBatchingDims.push_back(d);
    } else if (d != dim) {
      dimensions.offsetDims.push_back(d < dim ? d : d + indexRank - batch - 1);
    }
    sizes[static_cast<size_t>(d)] = d < batch || d == dim ? 1 : operands[0].dim(d);
  }
  dimensions.collapsedSliceDims = {dim};
  dimensions.startIndexMap = {dim};
  dimensions.indexVectorDim = indexRank;
  return single(gather(operands[0], operands[1], dimensions, sizes, frame.kernels()));
}

void addLegacyHandlers(InterpreterTable &table) {
  add<stablehlo::BroadcastOp>(table, repeat);
  add<stablehlo::EinsumOp>(table, [](stablehlo::EinsumOp op, Tensors &operands, Frame &frame) {
    return sumOfProducts(op.getEinsumConfig(), operands, frame);
  });
  add<stablehlo::UnaryEinsumOp>(table,
                                [](stablehlo::UnaryEinsumOp op, Tensors &operands, Frame &frame) {
                                  return sumOfProducts(op.getEinsumConfig(), operands, frame);
                                });
  add<stablehlo::MapOp>(table, mapElements);
  add<stablehlo::TorchIndexSelectOp>(table, selectSlices);
}

} // namespace drumlin::interpreter
