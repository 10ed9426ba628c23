#include "drumlin/support/SystemError.h"

#include "drumlin/support/diagnostics/FileErrors.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

namespace drumlin {

static bool isOfTooManyFiles(int error) { return error == EMFILE || error == ENFILE; }

Diagnostic systemError(DiagnosticCode otherwise, const std::string &what, int error,
                       std::string location) {
  return diagnose(isOfTooManyFiles(error) ? errors::OpenFilesLimit : otherwise,
                  what + ": " + std::strerror(error), std::move(location));
}

bool areFilesExhausted() {
  int before = errno;
  int file = ::open("/", O_PATH | O_CLOEXEC);
  bool isExhausted = file < 0 && isOfTooManyFiles(errno);
  if (file >= 0) {
    ::close(file);
  }
  errno = before;
  return isExhausted;
}

} // namespace drumlin
