// A compiler whose programs are the runtime's test images (drumlin/runtime/test/TestImage.h): a
// program's text is an image's name, followed by words.
#include "drumlin/pjrt/PjrtCompiler.h"
#include "drumlin/runtime/executable/ImageDescription.h"
#include "drumlin/runtime/test/TestImage.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include <limits>
#include <sstream>

namespace drumlin::pjrt {

std::string compilerVersion() { return "stub 1"; }
std::string targetName() { return "stub-cpu"; }

// Words: `donate` donates the argument `total` to the result `next`; `slow` makes runs use a
// thread; `tokens` adds a token before the arguments and one after the results; `pinned` puts the
// result `out` in pinned memory; `fails` fails with the message of the option `why`; `weights` adds
// constants too large to serialize.
Result<CompiledProgram> compileProgram(std::string_view code, ProgramFormat,
                                       const std::vector<CompileOption> &options,
                                       const EntryLayouts &, KernelTimers) {
  std::istringstream words{std::string(code)};
  std::string kind;
  words >> kind;
  CompiledProgram program;
  program.name = kind;
  Result<std::shared_ptr<MappedFile>> file =
      MappedFile::open(std::string(TEST_IMAGES "/") + kind + ".so");
  if (!file) {
    return diagnose(errors::SyntaxInvalid, "there is no program `" + kind + "`");
  }
  program.image.assign(reinterpret_cast<const char *>((*file)->bytes().data()),
                       (*file)->bytes().size());
  program.description = testImageDescription(kind);
  program.arguments.resize(program.description.arguments.size());
  program.results.resize(program.description.results.size());
  if (kind == "sidefile") {
    Tensor weight(ElementType::F32, {4});
    std::ranges::copy(testWeight(kind), weight.data());
    program.weights.push_back(std::move(weight));
  }
  for (std::string word; words >> word;) {
    if (word == "donate") {
      program.arguments[2].isDonated = true;
    } else if (word == "slow") {
      program.seconds = 1;
    } else if (word == "unpredictable") {
      program.seconds = std::numeric_limits<double>::infinity();
    } else if (word == "tokens") {
      program.arguments.insert(program.arguments.begin(), {.isToken = true});
      program.results.push_back({.isToken = true});
    } else if (word == "pinned") {
      program.results.front().memoryKind = 1;
    } else if (word == "weights") {
      program.weights.emplace_back(ElementType::SI8, Shape{int64_t(1) << 31});
    } else if (word == "fails") {
      return diagnose(errors::UnsupportedOperation,
                      options.empty() ? "without a reason" : options.front().second);
    }
  }
  program.peakBytes = 12345;
  return program;
}

Result<std::string> programText(const CompiledProgram &program, const std::vector<std::string> &) {
  return "the text of " + program.name;
}

} // namespace drumlin::pjrt
