#include "commands/Printing.h"

#include <cerrno>
#include <cstdlib>
#include <unistd.h>
#include <utility>

namespace drumlin::cli {

// `target`: the stream of printed(), null for standard output; `terminal`: the stream of a
// TerminalText.
static thread_local std::FILE *target = nullptr, *terminal = nullptr;

std::FILE *printed() { return target ? target : stdout; }

int descriptorOf(std::FILE *stream) { return stream == terminal ? STDOUT_FILENO : fileno(stream); }

static bool writeWhole(std::string_view text) {
  while (!text.empty()) {
    ssize_t written = ::write(STDOUT_FILENO, text.data(), text.size());
    if (written < 0 && errno == EINTR) {
      continue;
    }
    if (written <= 0) {
      return false;
    }
    text.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

// Returns 0 on failure, as fopencookie(3) requires.
ssize_t TerminalText::write(void *self, const char *bytes, size_t size) {
  return writeWhole(static_cast<TerminalText *>(self)->text.add({bytes, size}))
             ? static_cast<ssize_t>(size)
             : 0;
}

TerminalText::TerminalText() {
  if (target || isatty(STDOUT_FILENO) == 0) {
    return;
  }
  cookie_io_functions_t functions = {};
  functions.write = write;
  file = fopencookie(this, "w", functions);
  if (file) {
    std::setvbuf(file, nullptr, _IOLBF, BUFSIZ);
    target = terminal = file;
  }
}

TerminalText::~TerminalText() {
  if (file) {
    target = terminal = nullptr;
    std::fclose(file);
    writeWhole(text.finish());
  }
}

PrintedText::PrintedText() : file(open_memstream(&text, &size)), before(target) {
  if (file) {
    target = file;
  }
}

PrintedText::~PrintedText() {
  finish();
  std::free(text);
}

std::string PrintedText::finish() {
  if (file) {
    target = before;
    std::fclose(std::exchange(file, nullptr));
  }
  return text ? std::string(text, size) : std::string();
}

} // namespace drumlin::cli
