#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/stablehlo/RngBitGeneratorOp.h"
#include "drumlin/ir/stablehlo/RngOp.h"

using namespace mlir;

namespace drumlin::hlo {

void writeBatchNorm(Writer &writer, Operation *op, StringRef opcode) {
  llvm::SmallString<24> epsilon;
  op->getAttrOfType<FloatAttr>("epsilon").getValue().toString(epsilon);
  int64_t feature = op->getAttrOfType<IntegerAttr>("feature_index").getInt();
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", epsilon=" + epsilon.str().str() + ", feature_index=" + std::to_string(feature));
}

// Writes `rng`. StableHLO has the sizes as an operand. HLO takes them from the result's shape.
void writeRng(Writer &writer, Operation *op, StringRef opcode) {
  auto rng = cast<stablehlo::RngOp>(op);
  writer.write(op, opcode, writer.name(rng.getA()) + ", " + writer.name(rng.getB()),
               ", distribution=rng_" + stablehlo::stringifyEnum(rng.getRngDistribution()).lower());
}

void writeRngBitGenerator(Writer &writer, Operation *op, StringRef opcode) {
  auto rng = cast<stablehlo::RngBitGeneratorOp>(op);
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", algorithm=rng_" + stablehlo::stringifyEnum(rng.getRngAlgorithm()).lower());
}

} // namespace drumlin::hlo
