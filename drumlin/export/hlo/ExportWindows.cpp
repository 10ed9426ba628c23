#include "drumlin/export/hlo/ExportWindows.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

template <typename Numbers> static std::string crossed(const Numbers &numbers) {
  std::string text;
  for (auto number : numbers) {
    text += (text.empty() ? "" : "x") + std::to_string(static_cast<int64_t>(number));
  }
  return text;
}

std::string windowText(const WindowTexts &window) {
  if (window.sizes.empty()) {
    return "";
  }
  std::string text = ", window={size=" + crossed(window.sizes);
  auto add = [&](StringRef name, const auto &numbers, int64_t otherwise) {
    if (llvm::any_of(numbers, [&](auto number) { return number != otherwise; })) {
      text += " " + name.str() + "=" + crossed(numbers);
    }
  };
  add("stride", window.strides, 1);
  if (window.padding && llvm::any_of(window.padding->getValues<int64_t>(),
                                     [](int64_t number) { return number != 0; })) {
    auto numbers = llvm::to_vector(window.padding->getValues<int64_t>());
    text += " pad=";
    for (size_t i = 0; i < numbers.size(); i += 2) {
      text += (i ? "x" : "") + std::to_string(numbers[i]) + "_" + std::to_string(numbers[i + 1]);
    }
  }
  add("lhs_dilate", window.baseDilations, 1);
  add("rhs_dilate", window.windowDilations, 1);
  add("rhs_reversal", window.reversal, 0);
  return text + "}";
}

} // namespace drumlin::hlo
