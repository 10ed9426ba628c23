#include "drumlin/driver/reduce/ArgumentNumbers.h"

#include "drumlin/ir/plan/Entry.h"

using namespace mlir;

namespace drumlin {

void numberArguments(ModuleOp program) {
  func::FuncOp entry = entryFunction(program);
  Builder builder(program.getContext());
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    entry.setArgAttr(i, reduce::argumentNumber, builder.getI64IntegerAttr(i));
  }
}

std::vector<std::optional<unsigned>> takeArgumentNumbers(ModuleOp candidate) {
  func::FuncOp entry = entryFunction(candidate);
  std::vector<std::optional<unsigned>> numbers;
  for (unsigned i = 0; i < entry.getNumArguments(); ++i) {
    auto number = dyn_cast_or_null<IntegerAttr>(entry.removeArgAttr(i, reduce::argumentNumber));
    numbers.push_back(number ? std::optional<unsigned>(number.getInt()) : std::nullopt);
  }
  return numbers;
}

} // namespace drumlin
