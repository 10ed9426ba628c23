// Fuzzes HLO modules: as text or, if `DRUMLIN_FUZZ_PROTOS` is 1, as protocol buffers. A module must
// be read, or refused with a reason and a location. Reading its printed text must give the same
// module, and a proto that is written from the module must be readable. If a check fails, the
// process ends with a message.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/ShapeInference.h"
#include "drumlin/hlo/proto/Proto.h"
#include "fuzz/Finding.h"

using namespace drumlin;
using fuzz::fail;

static constexpr bool areProtos = DRUMLIN_FUZZ_PROTOS != 0;

static Result<hlo::Module> read(std::string_view bytes) {
  constexpr std::string_view fileName = "input";
  return areProtos ? hlo::readProto(bytes, fileName)
                   : hlo::parse(bytes, fileName, {.keepSpelling = false});
}

static void checkSpelling(std::string_view text) {
  Result<hlo::Module> module = hlo::parse(text, "input");
  if (!module || hlo::print(*module) != text) {
    fail("the printed text differs from the input", std::string(text));
  }
}

static void checkPrinted(const hlo::Module &module) {
  std::string text = hlo::print(module);
  Result<hlo::Module> again = hlo::parse(text, "printed.hlo", {.keepSpelling = false});
  if (!again) {
    fail("the printed text can't be read", again.error().str() + text);
  }
  if (hlo::print(*again) != text) {
    fail("reading the printed text gives a different module", text + "\n\n" + hlo::print(*again));
  }
}

// Only modules that were read from protos are checked: modules from text may have fields that XLA's
// protos lack.
static void checkWritten(hlo::Module &module) {
  Result<std::string> written = hlo::writeProto(module);
  if (!written) {
    return; // a proto can't express the module; the writer's error says why
  }
  Result<hlo::Module> again = hlo::readProto(*written, "written.pb");
  if (!again) {
    fail("the written proto can't be read", again.error().str() + "\n" + hlo::print(module));
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  Result<hlo::Module> module = read({reinterpret_cast<const char *>(data), size});
  if (!module) {
    const Diagnostic &error = module.error();
    if (error.message.empty() || !error.location.starts_with("input")) {
      fail("refused without a reason or a location", error.str());
    }
    return 0;
  }
  checkPrinted(*module);
  if (areProtos) {
    checkWritten(*module);
  } else {
    checkSpelling({reinterpret_cast<const char *>(data), size});
    hlo::inferShapes(*module); // may fail with a reason
  }
  return 0;
}
