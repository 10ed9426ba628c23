// Modules of HLO as protocol buffers.
#include "drumlin/hlo/proto/Proto.h"
#include "fuzz/HloModules.h"

using namespace drumlin;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::optional<hlo::Module> module =
      fuzz::checkModule({reinterpret_cast<const char *>(data), size}, hlo::readProto);
  if (module) {
    fuzz::checkWritten(*module);
  }
  return 0;
}
