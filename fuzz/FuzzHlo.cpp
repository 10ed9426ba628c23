// Modules of HLO: as text, and as protocol buffers where `DRUMLIN_FUZZ_PROTOS` is 1. They are read
// or refused with a reason and a place; what is printed of a module is read as the same; and what
// is written of a proto's is read again. The process ends with a message where that doesn't hold.
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
    fail("what was read isn't printed as it was spelled", std::string(text));
  }
}

static void checkPrinted(const hlo::Module &module) {
  std::string text = hlo::print(module);
  Result<hlo::Module> again = hlo::parse(text, "printed.hlo", {.keepSpelling = false});
  if (!again) {
    fail("what was printed can't be read", again.error().str() + text);
  }
  if (hlo::print(*again) != text) {
    fail("what was printed is read as another module", text + "\n\n" + hlo::print(*again));
  }
}

// Of text, protos can't have all: its operations may have other fields than XLA's.
static void checkWritten(hlo::Module &module) {
  Result<std::string> written = hlo::writeProto(module);
  if (!written) {
    return; // what a proto can't say, which the writer says
  }
  Result<hlo::Module> again = hlo::readProto(*written, "written.pb");
  if (!again) {
    fail("what was written can't be read", again.error().str() + "\n" + hlo::print(module));
  }
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) {
  Result<hlo::Module> module = read({reinterpret_cast<const char *>(data), size});
  if (!module) {
    const Diagnostic &error = module.error();
    if (error.message.empty() || !error.location.starts_with("input")) {
      fail("a refusal without a reason or a place", error.str());
    }
    return 0;
  }
  checkPrinted(*module);
  if (areProtos) {
    checkWritten(*module);
  } else {
    checkSpelling({reinterpret_cast<const char *>(data), size});
    hlo::inferShapes(*module); // or a reason why they can't be
  }
  return 0;
}
