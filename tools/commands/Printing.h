// The output of commands: standard output, or memory for commands run through the library.
#pragma once

#include "drumlin/support/VisibleText.h"

#include <cstdio>
#include <string>

namespace drumlin::cli {

// Returns the output stream of this thread, which runs the command.
std::FILE *printed();

// Returns the stream's descriptor; -1 for memory.
int descriptorOf(std::FILE *stream);

// While an instance lives, control characters in this thread's output to a terminal are made
// visible (VisibleText.h), except Drumlin's own colours. Output to files and pipes is unchanged.
class TerminalText {
public:
  TerminalText();
  ~TerminalText();
  TerminalText(const TerminalText &) = delete;
  TerminalText &operator=(const TerminalText &) = delete;

private:
  static ssize_t write(void *self, const char *bytes, size_t size);

  VisibleText text;
  std::FILE *file = nullptr; // null: standard output isn't a terminal
};

// Captures this thread's command output during its lifetime.
class PrintedText {
public:
  PrintedText();
  ~PrintedText();
  PrintedText(const PrintedText &) = delete;
  PrintedText &operator=(const PrintedText &) = delete;

  // Returns whether memory for the output was available.
  bool isOpen() const { return file != nullptr; }
  // Returns all output and ends the capture.
  std::string finish();

private:
  std::FILE *file = nullptr, *before = nullptr;
  char *text = nullptr;
  size_t size = 0;
};

} // namespace drumlin::cli
