#include "drumlin/interpreter/kernels/Allocation.h"

#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"

#include <string>

namespace drumlin::interpreter {

static std::string describe(ElementType type, const Shape &shape) {
  std::string text = "tensor<";
  for (int64_t dimension : shape) {
    text += std::to_string(dimension) + "x";
  }
  return text + std::string(name(type)) + ">";
}

Result<Tensor> allocate(ElementType type, Shape shape, const KernelOptions &options) {
  std::optional<int64_t> bytes = byteCount(type, shape);
  if (!bytes || *bytes > options.maxBytes) {
    return diagnose(errors::InterpreterMemoryLimit,
                    "`" + describe(type, shape) + "` takes more than the " +
                        std::to_string(options.maxBytes) + " bytes that the interpreter may take");
  }
  std::optional<Tensor> tensor = Tensor::allocate(type, std::move(shape));
  if (!tensor) {
    return diagnose(errors::OutOfMemory, "no memory for " + std::to_string(*bytes) + " bytes");
  }
  return std::move(*tensor);
}

Status checkWorkspace(int64_t elements, int64_t bytesEach, const KernelOptions &options) {
  if (elements > options.maxBytes / bytesEach) {
    return diagnose(errors::InterpreterMemoryLimit,
                    "a working copy of " + std::to_string(elements) +
                        " elements takes more than the " + std::to_string(options.maxBytes) +
                        " bytes that the interpreter may take");
  }
  return Done{};
}

Diagnostic unsupportedElementType(const char *operation, ElementType type) {
  return diagnose(errors::InterpreterUnsupported, "`" + std::string(operation) +
                                                      "` isn't defined for elements of type `" +
                                                      std::string(name(type)) + "`");
}

} // namespace drumlin::interpreter
