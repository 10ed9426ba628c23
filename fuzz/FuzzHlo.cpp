// Modules of HLO as text.
#include "drumlin/hlo/Parser.h"
#include "fuzz/HloModules.h"

using namespace drumlin;

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  fuzz::checkModule({reinterpret_cast<const char *>(data), size},
                    [](std::string_view bytes, std::string_view fileName) {
                      return hlo::parse(bytes, fileName);
                    });
  return 0;
}
