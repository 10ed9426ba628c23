// Where commands print: standard output, or memory where a library's caller asked for a command.
#pragma once

#include <cstdio>
#include <string>

namespace drumlin::cli {

// Of this thread, which is the one that runs the command.
std::FILE *printed();

// Keeps what this thread's commands print while it lives.
class PrintedText {
public:
  PrintedText();
  ~PrintedText();
  PrintedText(const PrintedText &) = delete;
  PrintedText &operator=(const PrintedText &) = delete;

  // Whether there was memory for it.
  bool isOpen() const { return file != nullptr; }
  // All that was printed; nothing more is kept.
  std::string finish();

private:
  std::FILE *file = nullptr, *before = nullptr;
  char *text = nullptr;
  size_t size = 0;
};

} // namespace drumlin::cli
