#include "drumlin/driver/Linker.h"

#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/SystemError.h"
#include "drumlin/support/Threads.h"
#include "drumlin/support/diagnostics/FileErrors.h"
#include "drumlin/support/diagnostics/InternalErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "lld/Common/Driver.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/Object/ArchiveWriter.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <fcntl.h>
#include <mutex>
#include <sys/mman.h>
#include <unistd.h>
#include <utility>

LLD_HAS_DRIVER(elf)

// This function is declared in lld/Common/Version.h, but that header includes a file that lld
// packages leave out.
namespace lld {
std::string getLLDVersion();
}

namespace drumlin {

static std::mutex lldLock;

static std::string descriptorPath(int file) { return "/proc/self/fd/" + std::to_string(file); }

// Writes all objects into one archive in memory, which the linker opens by a path. One archive is
// needed since a program may have more kernels than a process may have open files. Returns the
// archive's file descriptor, or -1 with errno set if memory runs out.
static int archiveOf(const std::vector<std::string> &objects) {
  std::vector<llvm::NewArchiveMember> members;
  for (const std::string &object : objects) {
    members.emplace_back(llvm::MemoryBufferRef(object, "o"));
  }
  llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> archive = llvm::writeArchiveToBuffer(
      members, llvm::SymtabWritingMode::NoSymtab, llvm::object::Archive::K_GNU,
      /*Deterministic=*/true, /*Thin=*/false);
  if (!archive) {
    llvm::consumeError(archive.takeError());
    errno = ENOMEM;
    return -1;
  }
  llvm::StringRef content = (*archive)->getBuffer();
  int file = memfd_create("drumlin-objects", MFD_CLOEXEC);
  while (file >= 0 && !content.empty()) {
    ssize_t count = write(file, content.data(), content.size());
    if (count < 0 && errno == EINTR) {
      continue;
    }
    if (count <= 0) {
      int error = errno;
      close(file);
      errno = error;
      return -1;
    }
    content = content.drop_front(static_cast<size_t>(count));
  }
  return file;
}

static size_t bytesOf(const std::vector<std::string> &objects) {
  size_t bytes = 0;
  for (const std::string &object : objects) {
    bytes += object.size();
  }
  return bytes;
}

namespace {
// Collects the linker's output in memory through a pipe. (The linker would map an output file, and
// writing to that mapping on a full disk would raise a signal.)
class Pipe {
public:
  // Opens the pipe. At most `most` bytes will be written. If the pipe can hold this many bytes, no
  // thread is needed to read from it.
  explicit Pipe(size_t most) {
    isOpen =
        pipe2(ends, O_CLOEXEC) == 0 && (holds(most) || reader.start(1, [this] { read(); }) == 1);
  }
  ~Pipe() { static_cast<void>(finish()); }
  Pipe(const Pipe &) = delete;
  Pipe &operator=(const Pipe &) = delete;

  bool canBeUsed() const { return isOpen; }
  std::string path() const { return descriptorPath(ends[1]); }

  // Returns everything that was written to the pipe, and closes it. Fails if the pipe can't be
  // read.
  Result<std::string> finish() {
    if (ends[1] >= 0) {
      close(std::exchange(ends[1], -1));
    }
    reader.join();
    if (ends[0] >= 0) {
      read(); // reads what the thread left, or everything if there is no thread
      close(std::exchange(ends[0], -1));
    }
    if (error != 0) {
      return systemError(errors::InternalError, "can't read the linker's output", error);
    }
    return std::move(content);
  }

private:
  bool holds(size_t bytes) const {
    int capacity = fcntl(ends[1], F_GETPIPE_SZ);
    return capacity > 0 && bytes <= static_cast<size_t>(capacity);
  }

  void read() {
    char buffer[1 << 16];
    while (true) {
      ssize_t count = ::read(ends[0], buffer, sizeof(buffer));
      if (count > 0) {
        content.append(buffer, static_cast<size_t>(count));
      } else if (count == 0) {
        return;
      } else if (errno != EINTR) {
        error = errno;
        return;
      }
    }
  }

  int ends[2] = {-1, -1};
  bool isOpen = false;
  std::string content;
  int error = 0; // errno of the first failed read
  HelperThreads reader;
};
} // namespace

Result<std::string> linkImage(const std::vector<std::string> &objects) {
  std::lock_guard<std::mutex> hold(lldLock);
  int archive = archiveOf(objects);
  if (archive < 0) {
    return systemError(errors::OutOfMemory, "no memory for the linker's input", errno);
  }
  llvm::scope_exit closeArchive([&] { close(archive); });
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
  arguments.insert(arguments.end(), {"--whole-archive", descriptorPath(archive)});
  // An image consists of the objects' sections, its own headers and symbol tables, and padding to
  // the pages at which segments begin. The image's headers and symbol tables take no more bytes
  // than the objects' headers and symbol tables.
  constexpr size_t pages = 32 * 1024;
  Pipe output(2 * bytesOf(objects) + pages);
  if (!output.canBeUsed()) {
    return systemError(errors::OutOfMemory, "can't make a pipe for the linker", errno);
  }
  arguments.push_back("-o");
  arguments.push_back(output.path());
  std::vector<const char *> raw;
  for (const std::string &argument : arguments) {
    raw.push_back(argument.c_str());
  }
  std::string messages;
  llvm::raw_string_ostream stream(messages);
  lld::Result result = lld::lldMain(raw, stream, stream, {{lld::Gnu, &lld::elf::link}});
  bool hasLinked = result.retCode == 0 && result.canRunAgain;
  // Tested while the pipe is still open, since its descriptors may have exhausted the limit of open
  // files.
  DiagnosticCode code =
      !hasLinked && areFilesExhausted() ? errors::OpenFilesLimit : errors::InternalError;
  Result<std::string> image = output.finish();
  if (!hasLinked) {
    return diagnose(code, "linking the image failed: " + messages);
  }
  if (image) {
    *image += imageSeal({reinterpret_cast<const std::byte *>(image->data()), image->size()});
  }
  return image;
}

std::string linkerVersion() { return lld::getLLDVersion(); }

} // namespace drumlin
