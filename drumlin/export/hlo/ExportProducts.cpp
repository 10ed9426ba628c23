#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWindows.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/chlo/ChloOps.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/ir/stablehlo/DotGeneralOp.h"
#include "drumlin/ir/stablehlo/DotOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

// Returns `, operand_precision={highest,default}`; empty if both are the default.
static std::string precisionText(std::optional<ArrayAttr> precisions) {
  std::string names;
  bool isDefault = true;
  for (mlir::Attribute precision :
       precisions ? precisions->getValue() : ArrayRef<mlir::Attribute>()) {
    std::string name;
    if (auto attribute = dyn_cast<stablehlo::PrecisionAttr>(precision)) {
      name = stablehlo::stringifyEnum(attribute.getValue()).lower();
    } else if (auto attribute = dyn_cast<chlo::PrecisionAttr>(precision)) {
      name = chlo::stringifyEnum(attribute.getValue()).lower();
    }
    isDefault &= name == "default";
    names += (names.empty() ? "" : ",") + name;
  }
  return isDefault ? "" : ", operand_precision={" + names + "}";
}

//===-- dot -----------------------------------------------------------------------------------===//

static std::string algorithmType(Type type) {
  if (auto number = dyn_cast<FloatType>(type); number && number.getWidth() == 8) {
    return "any_f8";
  }
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

// Returns an attribute such as `, algorithm=dot_bf16_bf16_f32_x3`.
static std::string algorithmText(stablehlo::DotAlgorithmAttr algorithm) {
  int64_t operations = algorithm.getNumPrimitiveOperations();
  return ", algorithm=dot_" + algorithmType(algorithm.getLhsPrecisionType()) + "_" +
         algorithmType(algorithm.getRhsPrecisionType()) + "_" +
         algorithmType(algorithm.getAccumulationType()) +
         (algorithm.getAllowImpreciseAccumulation() ? "_fast_accum" : "") +
         (operations > 1 ? "_x" + std::to_string(operations) : "");
}

template <typename Dimensions> static std::string dimensionsText(Dimensions dimensions) {
  return numbers("lhs_batch_dims", dimensions.getLhsBatchingDimensions()) +
         ", lhs_contracting_dims=" + braces(dimensions.getLhsContractingDimensions()) +
         numbers("rhs_batch_dims", dimensions.getRhsBatchingDimensions()) +
         ", rhs_contracting_dims=" + braces(dimensions.getRhsContractingDimensions());
}

void writeDotGeneral(Writer &writer, Operation *op, StringRef opcode) {
  auto dot = cast<stablehlo::DotGeneralOp>(op);
  std::string attributes =
      dimensionsText(dot.getDotDimensionNumbers()) + precisionText(dot.getPrecisionConfig());
  if (std::optional<stablehlo::DotAlgorithmAttr> algorithm = dot.getAlgorithm()) {
    attributes += algorithmText(*algorithm);
  }
  writer.write(op, opcode, writer.list(op->getOperands()), attributes);
}

// Writes a dot of vectors or matrices, which contracts the last dimension of the left operand with
// the first of the right one.
void writeDot(Writer &writer, Operation *op, StringRef opcode) {
  auto dot = cast<stablehlo::DotOp>(op);
  int64_t rank = cast<RankedTensorType>(dot.getLhs().getType()).getRank();
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", lhs_contracting_dims=" + braces(rank - 1) + ", rhs_contracting_dims={0}" +
                   precisionText(dot.getPrecisionConfig()));
}

void writeRaggedDot(Writer &writer, Operation *op, StringRef opcode) {
  auto dot = cast<chlo::RaggedDotOp>(op);
  chlo::RaggedDotDimensionNumbersAttr dimensions = dot.getRaggedDotDimensionNumbers();
  writer.write(op, opcode, writer.list(op->getOperands()),
               dimensionsText(dimensions) +
                   ", lhs_ragged_dims=" + braces(dimensions.getLhsRaggedDimensions()) +
                   numbers("rhs_group_dims", dimensions.getRhsGroupDimensions()) +
                   precisionText(dot.getPrecisionConfig()));
}

//===-- convolution ---------------------------------------------------------------------------===//

// Returns the dimension labels of an operand or the result, such as `b01f`.
static std::string labels(int64_t first, char firstLetter, int64_t second, char secondLetter,
                          ArrayRef<int64_t> spatial) {
  std::string text(spatial.size() + 2, '?');
  text[static_cast<size_t>(first)] = firstLetter;
  text[static_cast<size_t>(second)] = secondLetter;
  for (auto [i, dimension] : llvm::enumerate(spatial)) {
    text[static_cast<size_t>(dimension)] = static_cast<char>('0' + i);
  }
  return text;
}

void writeConvolution(Writer &writer, Operation *op, StringRef opcode) {
  auto convolution = cast<stablehlo::ConvolutionOp>(op);
  stablehlo::ConvDimensionNumbersAttr dimensions = convolution.getDimensionNumbers();
  ArrayRef<int64_t> spatial = dimensions.getKernelSpatialDimensions();
  auto kernel = cast<RankedTensorType>(convolution.getRhs().getType());
  WindowTexts window;
  for (int64_t dimension : spatial) {
    window.sizes.push_back(kernel.getDimSize(static_cast<unsigned>(dimension)));
  }
  window.strides = convolution.getWindowStrides().value_or(ArrayRef<int64_t>());
  window.padding = convolution.getPadding();
  window.baseDilations = convolution.getLhsDilation().value_or(ArrayRef<int64_t>());
  window.windowDilations = convolution.getRhsDilation().value_or(ArrayRef<int64_t>());
  window.reversal = convolution.getWindowReversal().value_or(ArrayRef<bool>());
  std::string attributes =
      windowText(window) + ", dim_labels=" +
      labels(dimensions.getInputBatchDimension(), 'b', dimensions.getInputFeatureDimension(), 'f',
             dimensions.getInputSpatialDimensions()) +
      "_" +
      labels(dimensions.getKernelInputFeatureDimension(), 'i',
             dimensions.getKernelOutputFeatureDimension(), 'o', spatial) +
      "->" +
      labels(dimensions.getOutputBatchDimension(), 'b', dimensions.getOutputFeatureDimension(), 'f',
             dimensions.getOutputSpatialDimensions());
  auto count = [&](StringRef name, uint64_t groups) {
    return groups == 1 ? "" : ", " + name.str() + "=" + std::to_string(groups);
  };
  attributes += count("feature_group_count", convolution.getFeatureGroupCount());
  attributes += count("batch_group_count", convolution.getBatchGroupCount());
  writer.write(op, opcode, writer.list(op->getOperands()),
               attributes + precisionText(convolution.getPrecisionConfig()));
}

//===-- linear algebra ------------------------------------------------------------------------===//

void writeCholesky(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()),
               flag("lower", cast<stablehlo::CholeskyOp>(op).getLower()));
}

void writeTriangularSolve(Writer &writer, Operation *op, StringRef opcode) {
  auto solve = cast<stablehlo::TriangularSolveOp>(op);
  writer.write(op, opcode, writer.list(op->getOperands()),
               flag("left_side", solve.getLeftSide()) + flag("lower", solve.getLower()) +
                   flag("unit_diagonal", solve.getUnitDiagonal()) +
                   ", transpose_a=" + stablehlo::stringifyEnum(solve.getTransposeA()).str());
}

void writeFft(Writer &writer, Operation *op, StringRef opcode) {
  auto fft = cast<stablehlo::FftOp>(op);
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", fft_type=" + stablehlo::stringifyEnum(fft.getFftType()).str() +
                   ", fft_length=" + braces(fft.getFftLength()));
}

} // namespace drumlin::hlo
