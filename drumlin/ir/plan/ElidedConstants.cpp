#include "drumlin/ir/plan/ElidedConstants.h"

#include "drumlin/support/diagnostics/ProgramErrors.h"

#include "mlir/IR/BuiltinOps.h"

using namespace mlir;

namespace drumlin {

std::string elidedConstantOf(Operation *op) {
  auto module = dyn_cast<ModuleOp>(op);
  module = module ? module : op->getParentOfType<ModuleOp>();
  auto place = module ? module->getAttrOfType<StringAttr>(elidedAttribute) : StringAttr();
  return place ? place.str() : "";
}

drumlin::Diagnostic elidedConstant(const std::string &place) {
  return diagnose(errors::ConstantElided,
                  "the values of a constant were left out when the program was printed", place);
}

} // namespace drumlin
