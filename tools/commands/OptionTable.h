// The table of options: what each is called, takes and means, once for all who read it. Commands
// declare their options by it (Options.h); the libraries, which parse options as commands do,
// completion, `drumlin list-options`, and through that the Python package's types and the tables of
// docs/cli.md are made from it.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::cli {

// What a command does with its input.
namespace Work {
enum : unsigned {
  Code = 1 << 0,           // makes native code of a program
  Phases = 1 << 1,         // runs phases and stops before code
  Plan = 1 << 2,           // plans a program for the CPU
  Engine = 1 << 3,         // costs of a tensor engine
  Library = 1 << 4,        // plans of a GPU's library calls
  Image = 1 << 5,          // runs an image
  Recorded = 1 << 6,       // shows or compares what images and locks hold
  Interpretation = 1 << 7, // of the program as it is written
  List = 1 << 8,           // operations
  Any = ~0u,
};
} // namespace Work

enum class OptionType : uint8_t {
  Flag,
  Number,
  Bytes,  // a number, behind which a unit may stand: `500MB`
  Choice, // one of a few words
  File,   // that is read
  Output, // a file that is written
  Folder,
  Text,
};

// How often an option's value may be given.
enum class Repeats : uint8_t {
  Never,
  Options, // with the option before each
  Values,  // also several of them behind one option
  Commas,  // the same, and with commas between them
};

struct OptionRow {
  std::string_view name;          // as it is declared, `-o,--output`; without dashes: an argument
  std::string_view commands = {}; // whose row it is; empty: of those that have no row of their own
  OptionType type = OptionType::Flag;
  std::string_view value = {}; // what stands for it in help: `SECONDS`; empty: the words
  // Words that may stand there. CPUS, TARGETS, MODELS, NUMERICS, PHASES and PASSES are the names
  // that the program has.
  std::string_view words = {};
  double least = 0, most = std::numeric_limits<double>::infinity(); // of numbers
  std::string_view fallback = {};                                   // the value where none is given
  std::string_view absent = {}; // or what is done then, in words
  bool isRequired = false;
  Repeats repeats = Repeats::Never;
  std::string_view environment = {}; // a variable that speaks to all commands
  // Where it means something: the work; phases that mustn't all be behind the one that the work
  // starts from, or before the one that it stops after; another option, which is given as well.
  unsigned where = Work::Any;
  std::string_view firstPhase = {}, lastPhase = {};
  std::string_view needs = {};
  // If it is given: `input`, what the command works on and how often; `plan`, the plan, or the
  // ledger says why not; `numbers`, the results; `time`, how long it takes and nothing else;
  // `outcome`, whether it ends well; `output`, what is written or printed.
  std::string_view changes;
  std::string_view help;       // one line, with code in backquotes
  std::string_view links = {}; // where docs/cli.md leads for more

  bool isArgument() const { return name.front() != '-'; }
  bool takesValue() const { return type != OptionType::Flag; }
  std::string_view otherwise() const { return fallback.empty() ? absent : fallback; }
  std::string key() const; // the long name, which CLI11 gives
};

std::span<const OptionRow> optionTable();
// The row of a command's option, which must have one.
const OptionRow &optionOf(std::string_view command, std::string_view name);

// `--optimization-level`, `-O`; the name of an argument.
std::vector<std::string> namesOf(const OptionRow &row);
// In the table's order, each once.
std::vector<std::string> wordsOf(const OptionRow &row);
// `SECONDS`, `none|matmult|all`; empty for flags.
std::string valueText(const OptionRow &row);
// `code`, `plan` …; empty for all.
std::vector<std::string> workNames(const OptionRow &row);

struct CommandOptions {
  std::string name, meaning;
  std::vector<const OptionRow *> options;
};

// In the order of `drumlin --help`.
std::vector<CommandOptions> allCommands();

} // namespace drumlin::cli
