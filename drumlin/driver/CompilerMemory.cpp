#include "drumlin/driver/CompilerMemory.h"

#include "llvm/Support/ErrorHandling.h"

namespace drumlin {

// Installs LLVM's handler of failed allocations. LLVM is linked privately into this library, so no
// other code shares the handler.
static bool installHandler() {
  llvm::install_bad_alloc_error_handler(
      [](void *, const char *, bool) { EndsWithoutMemory::endNow(); });
  return true;
}

CompilerMemory::CompilerMemory() {
  [[maybe_unused]] static const bool isInstalled = installHandler();
}

} // namespace drumlin
