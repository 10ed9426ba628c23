#include "drumlin/export/SourcePlace.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "llvm/ADT/Twine.h"

using namespace mlir;

namespace drumlin {

std::string placeOf(Location loc) {
  std::string text;
  loc->walk([&](Location inner) {
    auto position = dyn_cast<FileLineColLoc>(inner);
    if (!position) {
      return WalkResult::advance();
    }
    text = (position.getFilename().strref() + ":" + llvm::Twine(position.getLine()) + ":" +
            llvm::Twine(position.getColumn()))
               .str();
    return WalkResult::interrupt();
  });
  return text;
}

} // namespace drumlin
