// Fuzzes portable artifacts. Each artifact is written again, for a version that the input's size
// selects.
#include "drumlin/import/bytecode/BytecodeScan.h"
#include "fuzz/MutatedPrograms.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  using namespace drumlin;
  constexpr vhlo::Version versions[] = {vhlo::newestVersion, {1, 9, 0}, {1, 0, 0}, {0, 9, 0}};
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (isBytecode(bytes)) {
    fuzz::checkProgram(bytes, ProgramFormat::Artifact, versions[size % std::size(versions)]);
  }
  return 0;
}
