// The table of options: what the commands declare (names, help, types, defaults), with what
// OptionMeanings.def says of each (where it means something, values, what it changes). The command
// line, the libraries (which parse options as it does), completion, `drumlin list-options`, and the
// generated parts of the documents and of the Python package are made from it.
#pragma once

#include <string>
#include <vector>

namespace drumlin::cli {

// What may stand behind an option, or for an argument.
struct Values {
  std::vector<std::string> words;
  bool files = false, folders = false;
};

struct OptionText {
  std::vector<std::string> names; // `--output`, `-o`; empty: an argument
  std::string key;                // as OptionMeanings.def names it
  std::string meaning;            // one line
  std::string defaultText;        // empty: none is stated
  Values values;
  std::vector<std::string> where;   // kinds of work in which it means something; empty: all
  std::vector<std::string> changes; // `plan`, `numbers` …
  bool takesValue = true, takesSeveral = false, isNumber = false, isRequired = false;

  bool isArgument() const { return names.empty(); }
  // `flag`, `number`, `choice` (of a few words), `file`, `folder` or `text`.
  std::string type() const;
};

struct CommandText {
  std::string name, meaning;
  std::vector<OptionText> options;
};

// In the order of `drumlin --help`.
std::vector<CommandText> allCommands();

} // namespace drumlin::cli
