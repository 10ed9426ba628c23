#include "drumlin/driver/check/ForeignRun.h"

#include "drumlin/runtime/executable/Publication.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/Layout.h"
#include "drumlin/support/MappedFile.h"
#include "drumlin/support/diagnostics/CallErrors.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Program.h"

#include <cstring>

namespace drumlin {

static constexpr unsigned mostSeconds = 60;

static Diagnostic failed(const std::string &what) { return diagnose(errors::ProgramFailed, what); }

// Concatenates the tensors' bytes in the order in which the program takes them.
static std::string bytesOf(const std::vector<Tensor> &tensors,
                           const std::vector<ValueDescription> &values) {
  std::string bytes;
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool isLaidOut = !values[i].layout.empty() && !values[i].isStatic;
    Tensor tensor = isLaidOut ? toPhysical(tensors[i], values[i].layout) : tensors[i];
    bytes.append(tensor.as<char>(), static_cast<size_t>(tensor.bytes()));
  }
  return bytes;
}

static Result<std::vector<Tensor>> tensorsOf(std::string_view bytes,
                                             const std::vector<ValueDescription> &values) {
  std::vector<Tensor> tensors;
  for (const ValueDescription &value : values) {
    Tensor tensor(value.type,
                  value.layout.empty() ? value.shape : value.memoryLayout().physicalShape());
    auto size = static_cast<size_t>(tensor.bytes());
    if (bytes.size() < size) {
      return failed("the results are incomplete");
    }
    std::memcpy(tensor.data(), bytes.data(), size);
    bytes.remove_prefix(size);
    tensors.push_back(value.layout.empty() ? tensor : fromPhysical(tensor, value.layout));
  }
  return tensors;
}

static std::string textOf(const std::string &path) {
  Result<std::shared_ptr<MappedFile>> file = MappedFile::open(path);
  return file ? std::string((*file)->text()) : "";
}

Result<std::vector<Tensor>> runElsewhere(const std::string &command, const Compilation &compiled,
                                         const std::vector<Tensor> &arguments, unsigned threads) {
  llvm::SmallString<64> made;
  if (llvm::sys::fs::createUniqueDirectory("drumlin-run", made)) {
    return failed("can't make a folder for files");
  }
  llvm::scope_exit remove([&] { llvm::sys::fs::remove_directories(made); });
  std::string folder = made.str().str(), image = folder + "/image.so", input = folder + "/in",
              output = folder + "/out", said = folder + "/said";
  WeightContents weight = [&](size_t number) { return compiled.storedWeight(number); };
  if (!publishImage(image, compiled.image, compiled.description, weight) ||
      !writeFile(input, bytesOf(arguments, compiled.description.arguments))) {
    return failed("can't write the command's input");
  }
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(command).split(words, ' ', -1, /*KeepEmpty=*/false);
  llvm::ErrorOr<std::string> program = llvm::sys::findProgramByName(words.front());
  if (!program) {
    return failed("there is no program `" + words.front().str() + "`");
  }
  std::string count = std::to_string(threads);
  words.append({image, input, output, count});
  std::string problem;
  int status = llvm::sys::ExecuteAndWait(*program, words, std::nullopt, {"", said, said},
                                         mostSeconds, 0, &problem);
  if (status != 0) {
    return failed("status " + std::to_string(status) + " of the command: " + problem + " " +
                  textOf(said));
  }
  return tensorsOf(textOf(output), compiled.description.results);
}

} // namespace drumlin
