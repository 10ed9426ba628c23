#include "fuzz/HloModules.h"

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

std::optional<hlo::Module> fuzz::checkModule(std::string_view bytes, HloReader read) {
  Result<hlo::Module> module = read(bytes, "input");
  if (!module) {
    const Diagnostic &error = module.error();
    if (error.message.empty() || !error.location.starts_with("input")) {
      fail("a refusal without a reason or a place", error.str());
    }
    return std::nullopt;
  }
  std::string text = hlo::print(*module);
  Result<hlo::Module> again = hlo::parse(text, "printed.hlo");
  if (!again) {
    fail("what was printed can't be read", again.error().str() + text);
  }
  if (hlo::print(*again) != text) {
    fail("what was printed is read as another module", text + "\n\n" + hlo::print(*again));
  }
  return std::move(*module);
}

void fuzz::checkWritten(const hlo::Module &module) {
  Result<std::string> written = hlo::writeProto(module);
  if (!written) {
    return; // what a proto can't say, which the writer says
  }
  Result<hlo::Module> again = hlo::readProto(*written, "written.pb");
  if (!again) {
    fail("what was written can't be read", again.error().str() + "\n" + hlo::print(module));
  }
}
