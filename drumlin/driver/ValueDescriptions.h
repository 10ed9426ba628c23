// Describes the program's values as images and callers know them.
#pragma once

#include "drumlin/ir/plan/Layouts.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "mlir/IR/Types.h"

#include <string>

namespace drumlin {

// Describes a tensor type.
ValueDescription describeValue(mlir::Type type, std::string name = "");
// Describes an argument or result of the placed program, whose own type is what lies in memory.
ValueDescription describeValue(const CallersValue &given, std::string name);

} // namespace drumlin
