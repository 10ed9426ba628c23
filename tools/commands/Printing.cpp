#include "commands/Printing.h"

#include <cstdlib>
#include <utility>

namespace drumlin::cli {

static thread_local std::FILE *target = nullptr;

std::FILE *printed() { return target ? target : stdout; }

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
