// What stands in for the reader and the writer in shared libraries, which don't link protobuf.
#include "drumlin/hlo/proto/Proto.h"

namespace drumlin::hlo {

static constexpr std::string_view remedy =
    "convert between protocol buffers and text with the command `drumlin convert`";

Result<Module> readProto(std::string_view, std::string_view fileName) {
  return diagnose(DiagnosticCode::UnsupportedOperation,
                  "the library reads no protocol buffers of HLO, only its text",
                  std::string(fileName), std::string(remedy));
}

Result<std::string> writeProto(const Module &, ProtoForm) {
  return diagnose(DiagnosticCode::UnsupportedOperation,
                  "the library writes no protocol buffers of HLO, only its text", {},
                  std::string(remedy));
}

} // namespace drumlin::hlo
