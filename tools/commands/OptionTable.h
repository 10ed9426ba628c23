// The table of options, the single source of their names, values and meanings. Commands declare
// their options from the table (CommandOptions.h). The libraries, which parse options like
// commands, completion and `drumlin list-options` use the table, too. The Python package's types
// and the tables of docs/cli.md are generated from the output of `drumlin list-options`.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin::cli {

// The kinds of work that a command does with its input.
namespace Work {
enum : unsigned {
  Code = 1 << 0,           // generates native code of a program
  Phases = 1 << 1,         // runs phases and stops before code
  Plan = 1 << 2,           // plans a program for the CPU
  Engine = 1 << 3,         // estimates costs on a tensor engine
  Library = 1 << 4,        // plans a GPU's library calls
  Image = 1 << 5,          // runs an image
  Recorded = 1 << 6,       // shows or compares the contents of images and locks
  Interpretation = 1 << 7, // interprets the program as written
  List = 1 << 8,           // lists operations
  Any = ~0u,
};
} // namespace Work

enum class OptionType : uint8_t {
  Flag,
  Number,
  Bytes,  // a number with an optional unit: `500MB`
  Choice, // one of a few words
  File,   // a file that is read
  Output, // a file that is written
  Folder,
  Text,
};

// Whether an option accepts several values, and how they are written.
enum class Repeats : uint8_t {
  Never,
  Options, // the option may be repeated
  Values,  // like Options; several values may also follow one option
  Commas,  // like Values; values may also be separated by commas
};

struct OptionRow {
  std::string_view name;          // as declared, `-o,--output`; without dashes: an argument
  std::string_view commands = {}; // names; empty: all commands without a row of their own
  OptionType type = OptionType::Flag;
  std::string_view value = {}; // the value's placeholder in help: `SECONDS`; empty: the words
  // Allowed words. CPUS, TARGETS, MODELS, NUMERICS, PHASES and PASSES stand for the names that the
  // program knows.
  std::string_view words = {};
  double least = 0, most = std::numeric_limits<double>::infinity(); // limits of numbers
  std::string_view fallback = {};                                   // the default value
  std::string_view absent = {}; // without a default value: what happens by default
  bool isRequired = false;
  Repeats repeats = Repeats::Never;
  std::string_view environment = {}; // a variable that sets the option for all commands
  // The conditions under which the option has an effect. `where`: the kinds of work for which it
  // has one. `firstPhase`, `lastPhase`: the work must run at least one phase of this range.
  // `needs`: an option that must be given, too.
  unsigned where = Work::Any;
  std::string_view firstPhase = {}, lastPhase = {};
  std::string_view needs = {};
  // What the option changes. `input`: the command's input. `plan`: the plan; if the plan stays the
  // same, the ledger says why. `numbers`: the results. `time`: only the command's time. `outcome`:
  // whether the command succeeds. `output`: what is written or printed.
  std::string_view changes;
  std::string_view help;       // one line, with code in backquotes
  std::string_view links = {}; // pages that docs/cli.md links to

  bool isArgument() const { return name.front() != '-'; }
  bool takesValue() const { return type != OptionType::Flag; }
  std::string_view otherwise() const { return fallback.empty() ? absent : fallback; }
  std::string key() const; // the long name, as CLI11 returns it
};

std::span<const OptionRow> optionTable();
// Returns the row of a command's option, which must exist.
const OptionRow &optionOf(std::string_view command, std::string_view name);

// Returns the option's names, e.g. `--optimization-level` and `-O`, or the argument's name.
std::vector<std::string> namesOf(const OptionRow &row);
// Returns the row's distinct words, in the table's order.
std::vector<std::string> wordsOf(const OptionRow &row);
// Returns the value's text in help, e.g. `SECONDS` or `none|matmult|all`; empty for flags.
std::string valueText(const OptionRow &row);
// Returns the names of the kinds of work for which the option has an effect, e.g. `code`, `plan`;
// empty for all kinds.
std::vector<std::string> workNames(const OptionRow &row);

struct CommandOptions {
  std::string name, meaning;
  std::vector<const OptionRow *> options;
};

// Returns the commands in the order of `drumlin --help`.
std::vector<CommandOptions> allCommands();

} // namespace drumlin::cli
