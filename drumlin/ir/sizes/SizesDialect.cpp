#include "drumlin/ir/sizes/SizesDialect.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/TypeSwitch.h"

#include "drumlin/ir/sizes/SizesDialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "drumlin/ir/sizes/SizesAttributes.cpp.inc"

using namespace mlir;

namespace drumlin::sizes {

void SizesDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "drumlin/ir/sizes/SizesAttributes.cpp.inc"
      >();
}

std::vector<SizeExpression> SizesAttr::getSizes() const {
  return *SizeExpression::parseList(getText().str());
}

LogicalResult SizesAttr::verify(llvm::function_ref<InFlightDiagnostic()> emit, StringRef text) {
  if (!SizeExpression::parseList(text)) {
    return emit() << "expects sizes separated by commas, got `" << text << "`";
  }
  return success();
}

LogicalResult SymbolAttr::verify(llvm::function_ref<InFlightDiagnostic()> emit, StringRef name,
                                 int64_t nominal, int64_t minimum, int64_t maximum) {
  if (!SizeExpression::isName(name)) {
    return emit() << "expects a name of letters, digits and `_`, got `" << name << "`";
  }
  if (minimum < 0 || nominal < minimum || maximum < nominal) {
    return emit() << "expects a nominal size within the symbol's bounds, got " << nominal
                  << " for `" << name << "`, which is from " << minimum << " to " << maximum;
  }
  return success();
}

} // namespace drumlin::sizes
