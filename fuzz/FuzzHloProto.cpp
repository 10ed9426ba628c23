// HLO modules as protocol buffers: a module or the reason why not; what is printed of a module is
// read as text, and what is written of it is read again.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/proto/Proto.h"

#include <cstdio>
#include <cstdlib>

using namespace drumlin;

[[noreturn]] static void fail(const char *what, const std::string &details) {
  std::fprintf(stderr, "%s:\n%s\n", what, details.c_str());
  std::abort();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string_view bytes(reinterpret_cast<const char *>(data), size);
  Result<hlo::Module> module = hlo::readProto(bytes, "input.pb");
  if (!module) {
    const Diagnostic &error = module.error();
    if (error.message.empty() || !error.location.starts_with("input.pb")) {
      fail("a refusal without a reason or a place", error.str());
    }
    return 0;
  }
  std::string text = hlo::print(*module);
  Result<hlo::Module> again = hlo::parse(text, "printed.hlo");
  if (!again) {
    fail("what was printed can't be read", again.error().str() + text);
  }
  Result<std::string> written = hlo::writeProto(*module);
  if (written && !hlo::readProto(*written, "written.pb")) {
    fail("what was written can't be read", hlo::readProto(*written, "written.pb").error().str());
  }
  return 0;
}
