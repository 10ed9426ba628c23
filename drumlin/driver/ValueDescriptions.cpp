#include "drumlin/driver/ValueDescriptions.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"

namespace drumlin {

ValueDescription describeValue(mlir::Type type, std::string name) {
  auto tensor = mlir::cast<mlir::RankedTensorType>(type);
  ValueDescription value;
  value.name = std::move(name);
  value.type = *tryStoredTypeOf(tensor); // quantized elements are described by their integer type
  value.shape = Shape(tensor.getShape());
  if (hasSymbolicSizes(tensor)) {
    value.sizes = symbolicSizesOf(tensor);
  }
  return value;
}

ValueDescription describeValue(const CallersValue &given, std::string name) {
  ValueDescription value = describeValue(given.type, std::move(name));
  if (given.layout) {
    value.layout = given.layout->order;
    value.blocks = given.layout->blocks;
  }
  return value;
}

} // namespace drumlin
