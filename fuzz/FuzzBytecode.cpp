// Fuzzes programs in MLIR bytecode with their original dialects.
#include "drumlin/import/bytecode/BytecodeScan.h"
#include "fuzz/MutatedPrograms.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  if (drumlin::isBytecode(bytes)) {
    drumlin::fuzz::checkProgram(bytes, drumlin::ProgramFormat::Bytecode);
  }
  return 0;
}
