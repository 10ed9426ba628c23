// Describes the program's values for images and callers.
#pragma once

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "mlir/IR/Types.h"

#include <string>

namespace drumlin {

// Describes a tensor type.
ValueDescription describeValue(mlir::Type type, std::string name = "");
// Describes an argument or result of the placed program; the description has the type of the stored
// data.
ValueDescription describeValue(const CallersValue &given, std::string name);

} // namespace drumlin
