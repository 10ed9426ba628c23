#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/BroadcastOp.h"
#include "drumlin/ir/stablehlo/ClampOp.h"
#include "drumlin/ir/stablehlo/CompareOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/DynamicReshapeOp.h"
#include "drumlin/ir/stablehlo/DynamicSliceOp.h"
#include "drumlin/ir/stablehlo/IotaOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/ReducePrecisionOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SelectOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"

#include "llvm/ADT/StringExtras.h"

#include <numeric>

using namespace mlir;

namespace drumlin::hlo {

// Returns an attribute such as `, result_accuracy={tolerance={atol=0, rtol=1e-05, ulps=2}}`; empty
// for the default accuracy.
static std::string accuracyText(Operation *op) {
  std::optional<mlir::Attribute> value = op->getInherentAttr("result_accuracy");
  auto accuracy = value ? dyn_cast_or_null<stablehlo::ResultAccuracyAttr>(*value)
                        : stablehlo::ResultAccuracyAttr();
  auto mode = accuracy ? accuracy.getMode().getValue() : stablehlo::ResultAccuracyMode::DEFAULT;
  switch (mode) {
  case stablehlo::ResultAccuracyMode::DEFAULT:
    return "";
  case stablehlo::ResultAccuracyMode::HIGHEST:
    return ", result_accuracy={mode=highest}";
  case stablehlo::ResultAccuracyMode::TOLERANCE:
    break;
  }
  auto number = [](const APFloat &value) {
    llvm::SmallString<24> digits;
    value.toString(digits);
    return digits.str().str();
  };
  return ", result_accuracy={tolerance={atol=" + number(accuracy.getAtol()) +
         ", rtol=" + number(accuracy.getRtol()) + ", ulps=" + std::to_string(accuracy.getUlps()) +
         "}}";
}

void writePlain(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()), accuracyText(op));
}

//===-- elementwise ---------------------------------------------------------------------------===//

void writeCompare(Writer &writer, Operation *op, StringRef opcode) {
  auto compare = cast<stablehlo::CompareOp>(op);
  std::string attributes =
      ", direction=" + stablehlo::stringifyEnum(compare.getComparisonDirection()).str();
  auto type = compare.getCompareType();
  if (type && *type != stablehlo::ComparisonType::NOTYPE) {
    attributes += ", type=" + stablehlo::stringifyEnum(*type).str();
  }
  writer.write(op, opcode, writer.list(op->getOperands()), attributes);
}

void writeClamp(Writer &writer, Operation *op, StringRef opcode) {
  auto clamp = cast<stablehlo::ClampOp>(op);
  Type type = clamp.getType();
  writer.write(op, opcode,
               writer.broadcast(op, clamp.getMin(), type) + ", " + writer.name(clamp.getOperand()) +
                   ", " + writer.broadcast(op, clamp.getMax(), type));
}

// Writes atan(x) as atan2(x, 1). Fails for complex numbers, for which the two differ on the branch
// cuts.
void writeAtan(Writer &writer, Operation *op, StringRef opcode) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto scalar = RankedTensorType::get({}, type.getElementType());
  if (isa<ComplexType>(type.getElementType())) {
    return writer.fail(op, "HLO has no instruction for `chlo.atan` of complex numbers");
  }
  std::string one = writer.add(op, "constant", writer.shapeOf(op, Type(scalar)), "1");
  if (type.getRank() > 0) {
    one = writer.add(op, "broadcast", writer.shapeOf(op, Type(type)), one, ", dimensions={}");
  }
  writer.write(op, opcode, writer.name(op->getOperand(0)) + ", " + one);
}

void writeSquare(Writer &writer, Operation *op, StringRef opcode) {
  std::string operand = writer.name(op->getOperand(0));
  writer.write(op, opcode, operand + ", " + operand);
}

// Writes the conjugate of a complex number; a real number is its own conjugate.
void writeConj(Writer &writer, Operation *op, StringRef opcode) {
  auto type = cast<RankedTensorType>(op->getResult(0).getType());
  auto element = dyn_cast<ComplexType>(type.getElementType());
  std::string operand = writer.name(op->getOperand(0));
  if (!element) {
    writer.define(op->getResult(0), operand);
    return;
  }
  std::string part =
      writer.shapeOf(op, Type(RankedTensorType::get(type.getShape(), element.getElementType())));
  std::string real = writer.add(op, "real", part, operand);
  std::string imag = writer.add(op, "imag", part, operand);
  writer.write(op, opcode, real + ", " + writer.add(op, "negate", part, imag));
}

void writeSelect(Writer &writer, Operation *op, StringRef opcode) {
  auto select = cast<stablehlo::SelectOp>(op);
  writer.write(op, opcode,
               writer.broadcast(op, select.getPred(), select.getType()) + ", " +
                   writer.name(select.getOnTrue()) + ", " + writer.name(select.getOnFalse()));
}

void writeReducePrecision(Writer &writer, Operation *op, StringRef opcode) {
  auto reduce = cast<stablehlo::ReducePrecisionOp>(op);
  writer.write(op, opcode, writer.name(reduce.getOperand()),
               ", exponent_bits=" + std::to_string(reduce.getExponentBits()) +
                   ", mantissa_bits=" + std::to_string(reduce.getMantissaBits()));
}

//===-- broadcasts ----------------------------------------------------------------------------===//

// Writes a broadcast. StableHLO can broadcast dimensions of size 1, while HLO can only add
// dimensions.
void writeBroadcast(Writer &writer, Operation *op, StringRef opcode) {
  auto broadcast = cast<stablehlo::BroadcastInDimOp>(op);
  auto from = cast<RankedTensorType>(broadcast.getOperand().getType());
  auto to = cast<RankedTensorType>(broadcast.getType());
  SmallVector<int64_t> sizes, dimensions;
  for (auto [size, dimension] :
       llvm::zip_equal(from.getShape(), broadcast.getBroadcastDimensions())) {
    if (size != 1 || to.getDimSize(static_cast<unsigned>(dimension)) == 1) {
      sizes.push_back(size);
      dimensions.push_back(dimension);
    }
  }
  std::string operand = writer.name(broadcast.getOperand());
  if (sizes.size() != from.getShape().size()) {
    auto kept = RankedTensorType::get(sizes, from.getElementType());
    operand = writer.add(op, "reshape", writer.shapeOf(op, kept), operand);
  }
  // HLO requires sorted `dimensions`.
  if (!llvm::is_sorted(dimensions)) {
    SmallVector<int64_t> order(dimensions.size()), ordered(sizes.size());
    std::iota(order.begin(), order.end(), 0);
    llvm::sort(order, [&](int64_t a, int64_t b) {
      return dimensions[static_cast<size_t>(a)] < dimensions[static_cast<size_t>(b)];
    });
    for (auto [i, from] : llvm::enumerate(order)) {
      ordered[i] = sizes[static_cast<size_t>(from)];
    }
    operand = writer.add(op, "transpose",
                         writer.shapeOf(op, RankedTensorType::get(ordered, from.getElementType())),
                         operand, ", dimensions=" + braces(order));
    llvm::sort(dimensions);
  }
  writer.write(op, opcode, operand, ", dimensions=" + braces(dimensions));
}

// Writes a broadcast whose new dimensions precede the operand's dimensions.
void writeBroadcastSizes(Writer &writer, Operation *op, StringRef opcode) {
  auto broadcast = cast<stablehlo::BroadcastOp>(op);
  SmallVector<int64_t> dimensions(
      cast<RankedTensorType>(broadcast.getOperand().getType()).getShape().size());
  std::iota(dimensions.begin(), dimensions.end(),
            static_cast<int64_t>(broadcast.getBroadcastSizes().size()));
  writer.write(op, opcode, writer.name(broadcast.getOperand()),
               ", dimensions=" + braces(dimensions));
}

//===-- constants -----------------------------------------------------------------------------===//

// Writes an array of equal elements as the broadcast of a scalar, which keeps the text short.
void writeConstant(Writer &writer, Operation *op, StringRef opcode) {
  auto constant = cast<stablehlo::ConstantOp>(op);
  auto type = dyn_cast<RankedTensorType>(constant.getType());
  auto dense = dyn_cast<DenseElementsAttr>(constant.getValue());
  bool isSplat = dense && dense.isSplat() && type && type.getRank() > 0;
  std::optional<std::string> text =
      literalText(isSplat ? dense.resizeSplat(RankedTensorType::get({}, type.getElementType()))
                          : constant.getValue());
  if (!text) {
    writer.fail(op, "HLO has no literal for the constant");
    return;
  }
  if (!isSplat) {
    writer.write(op, opcode, *text);
    return;
  }
  auto scalar = RankedTensorType::get({}, type.getElementType());
  std::string element = writer.add(op, opcode, writer.shapeOf(op, scalar), *text);
  writer.write(op, "broadcast", element, ", dimensions={}");
}

void writeIota(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, "",
               ", iota_dimension=" +
                   std::to_string(cast<stablehlo::IotaOp>(op).getIotaDimension()));
}

//===-- data movement -------------------------------------------------------------------------===//

void writeConcatenate(Writer &writer, Operation *op, StringRef opcode) {
  auto dimension = static_cast<int64_t>(cast<stablehlo::ConcatenateOp>(op).getDimension());
  writer.write(op, opcode, writer.list(op->getOperands()), ", dimensions=" + braces(dimension));
}

// Writes a dynamic reshape. StableHLO has the sizes as one tensor, HLO as scalars.
void writeDynamicReshape(Writer &writer, Operation *op, StringRef opcode) {
  auto reshape = cast<stablehlo::DynamicReshapeOp>(op);
  auto shape = cast<RankedTensorType>(reshape.getOutputShape().getType());
  Type one = RankedTensorType::get({1}, shape.getElementType());
  Type scalar = RankedTensorType::get({}, shape.getElementType());
  std::string operands = writer.name(reshape.getOperand());
  for (int64_t i = 0; i < shape.getNumElements(); ++i) {
    std::string part =
        writer.add(op, "slice", writer.shapeOf(op, one), writer.name(reshape.getOutputShape()),
                   ", slice={[" + std::to_string(i) + ":" + std::to_string(i + 1) + "]}");
    operands += ", " + writer.add(op, "reshape", writer.shapeOf(op, scalar), part);
  }
  writer.write(op, opcode, operands);
}

void writeDynamicSlice(Writer &writer, Operation *op, StringRef opcode) {
  auto slice = cast<stablehlo::DynamicSliceOp>(op);
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", dynamic_slice_sizes=" + braces(slice.getSliceSizes()));
}

void writeDimensionSize(Writer &writer, Operation *op, StringRef opcode) {
  auto dimension = op->getAttrOfType<IntegerAttr>("dimension").getInt();
  writer.write(op, opcode, writer.list(op->getOperands()), ", dimensions=" + braces(dimension));
}

void writePad(Writer &writer, Operation *op, StringRef opcode) {
  auto pad = cast<stablehlo::PadOp>(op);
  if (pad.getEdgePaddingLow().empty()) { // HLO text can't express padding of a scalar
    writer.define(pad.getResult(), writer.name(pad.getOperand()));
    return;
  }
  std::string padding;
  for (auto [low, high, interior] : llvm::zip_equal(
           pad.getEdgePaddingLow(), pad.getEdgePaddingHigh(), pad.getInteriorPadding())) {
    padding += (padding.empty() ? "" : "x") + std::to_string(low) + "_" + std::to_string(high) +
               (interior == 0 ? "" : "_" + std::to_string(interior));
  }
  writer.write(op, opcode, writer.list(op->getOperands()), ", padding=" + padding);
}

void writeReverse(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", dimensions=" + braces(cast<stablehlo::ReverseOp>(op).getDimensions()));
}

void writeSlice(Writer &writer, Operation *op, StringRef opcode) {
  auto slice = cast<stablehlo::SliceOp>(op);
  std::string ranges;
  for (auto [start, limit, stride] :
       llvm::zip_equal(slice.getStartIndices(), slice.getLimitIndices(), slice.getStrides())) {
    ranges += (ranges.empty() ? "[" : ", [") + std::to_string(start) + ":" + std::to_string(limit) +
              (stride == 1 ? "" : ":" + std::to_string(stride)) + "]";
  }
  writer.write(op, opcode, writer.list(op->getOperands()), ", slice={" + ranges + "}");
}

void writeTranspose(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", dimensions=" + braces(cast<stablehlo::TransposeOp>(op).getPermutation()));
}

} // namespace drumlin::hlo
