// Where commands print: standard output, or memory where a library's caller asked for a command.
#pragma once

#include "drumlin/support/VisibleText.h"

#include <cstdio>
#include <string>

namespace drumlin::cli {

// Of this thread, which is the one that runs the command.
std::FILE *printed();

// Where a stream leads: -1 for memory.
int descriptorOf(std::FILE *stream);

// While it lives, what this thread's commands print to a terminal has no control characters in it
// but Drumlin's own colours (VisibleText.h). Files and pipes get what is printed as it is.
class TerminalText {
public:
  TerminalText();
  ~TerminalText();
  TerminalText(const TerminalText &) = delete;
  TerminalText &operator=(const TerminalText &) = delete;

private:
  static ssize_t write(void *self, const char *bytes, size_t size);

  VisibleText text;
  std::FILE *file = nullptr; // none: standard output is no terminal
};

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
