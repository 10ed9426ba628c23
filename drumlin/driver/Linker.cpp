#include "drumlin/driver/Linker.h"

#include "drumlin/runtime/executable/ImageFile.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>

LLD_HAS_DRIVER(elf)

namespace drumlin {

static std::mutex lldLock;

// A file in memory that the linker can name by a path.
static int memoryFile(const char *name, const std::string &content) {
  int file = memfd_create(name, MFD_CLOEXEC);
  size_t written = 0;
  while (file >= 0 && written < content.size()) {
    ssize_t count = write(file, content.data() + written, content.size() - written);
    if (count <= 0) {
      close(file);
      return -1;
    }
    written += static_cast<size_t>(count);
  }
  return file;
}

Result<std::string> linkImage(const std::vector<std::string> &objects) {
  std::lock_guard<std::mutex> hold(lldLock);
  std::vector<int> files;
  llvm::scope_exit closeFiles([&] {
    for (int file : files) {
      close(file);
    }
  });
  std::vector<std::string> arguments = {"ld.lld",
                                        "-shared",
                                        "--threads=1",
                                        "--build-id=none",
                                        "--hash-style=gnu",
                                        "-z",
                                        "noexecstack",
                                        "-z",
                                        "relro",
                                        "-z",
                                        "now",
                                        "--no-undefined-version",
                                        "--gc-sections",
                                        "-O0"};
  // All objects in one archive-less list: each a memory file.
  for (const std::string &object : objects) {
    int file = memoryFile("drumlin-object", object);
    if (file < 0) {
      return diagnose(DiagnosticCode::OutOfMemory, "can't make a temporary file for the linker");
    }
    files.push_back(file);
    arguments.push_back("/proc/self/fd/" + std::to_string(file));
  }
  llvm::SmallString<128> output;
  if (std::error_code error = llvm::sys::fs::createTemporaryFile("drumlin", "so", output)) {
    return diagnose(DiagnosticCode::FileNotWritable,
                    "can't make a temporary file: " + error.message(), "",
                    "set TMPDIR to a folder with space left");
  }
  llvm::scope_exit removeOutput([&] { llvm::sys::fs::remove(output); });
  arguments.push_back("-o");
  arguments.push_back(output.str().str());
  std::vector<const char *> raw;
  for (const std::string &argument : arguments) {
    raw.push_back(argument.c_str());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  if (result.retCode != 0 || !result.canRunAgain) {
    return diagnose(DiagnosticCode::InternalError, "linking the image failed: " + messages);
  }
  auto linked =
      llvm::MemoryBuffer::getFile(output, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!linked) {
    return diagnose(DiagnosticCode::FileNotReadable,
                    "the linked image can't be read: " + linked.getError().message());
  }
  std::string image = (*linked)->getBuffer().str();
  image += imageSeal({reinterpret_cast<const std::byte *>(image.data()), image.size()});
  return image;
}

} // namespace drumlin
