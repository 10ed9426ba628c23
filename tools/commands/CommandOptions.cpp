#include "commands/CommandOptions.h"

#include "commands/Commands.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/target/TargetNames.h"
#include "drumlin/transforms/ModelType.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <concepts>
#include <optional>

namespace drumlin::cli {

// Splits a text at any of these characters.
static std::vector<std::string> split(std::string_view text, const char *separators = " ") {
  std::vector<std::string> words;
  for (llvm::StringRef rest = text; !rest.empty();) {
    auto [word, more] = llvm::getToken(rest, separators);
    if (!word.empty()) {
      words.push_back(word.str());
    }
    rest = more;
  }
  return words;
}

//===- The table ------------------------------------------------------------------===//

std::string OptionRow::key() const { return split(name, ",").back(); }

const OptionRow &optionOf(std::string_view command, std::string_view name) {
  const OptionRow *ofOthers = nullptr;
  for (const OptionRow &row : optionTable()) {
    if (!row.name.ends_with(name) || row.key() != name) {
      continue;
    }
    if (llvm::is_contained(split(row.commands), command)) {
      return row;
    }
    if (row.commands.empty()) {
      ofOthers = &row;
    }
  }
  assert(ofOthers && "an option that isn't in OptionTable.cpp");
  return *ofOthers;
}

std::vector<std::string> namesOf(const OptionRow &row) {
  std::vector<std::string> names = split(row.name, ",");
  std::ranges::reverse(names);
  return names;
}

std::vector<std::string> wordsOf(const OptionRow &row) {
  std::vector<std::string> words;
  for (const std::string &word : split(row.words)) {
    if (word == "CPUS") {
      llvm::append_range(words, targetNames(Target::Kind::Cpu));
    } else if (word == "TARGETS") {
      llvm::append_range(words, targetNames(Target::Kind::TensorEngine));
      llvm::append_range(words, targetNames(Target::Kind::Gpu));
    } else if (word == "MODELS") {
      for (const ModelTypeInfo &each : modelTypes) {
        words.emplace_back(each.name);
      }
    } else if (word == "NUMERICS") {
      for (std::string_view each : numericsWords()) {
        words.emplace_back(each);
      }
    } else if (word == "PHASES") {
      llvm::append_range(words, phaseNames());
    } else if (word == "PASSES") {
      for (const std::string &phase : phaseNames()) {
        for (const std::string &pass : passNames(phase)) {
          if (!llvm::is_contained(words, pass)) {
            words.push_back(pass);
          }
        }
      }
    } else {
      words.push_back(word);
    }
  }
  return words;
}

std::string valueText(const OptionRow &row) {
  if (!row.value.empty() || row.type != OptionType::Choice) {
    return std::string(row.value);
  }
  return llvm::join(wordsOf(row), "|");
}

std::vector<std::string> workNames(const OptionRow &row) {
  static constexpr std::pair<unsigned, const char *> names[] = {
      {Work::Code, "code"},         {Work::Phases, "phases"},
      {Work::Plan, "plan"},         {Work::Engine, "engine"},
      {Work::Library, "library"},   {Work::Image, "image"},
      {Work::Recorded, "recorded"}, {Work::Interpretation, "interpretation"},
      {Work::List, "list"},
  };
  std::vector<std::string> made;
  for (auto [bit, name] : names) {
    if (row.where != Work::Any && (row.where & bit)) {
      made.emplace_back(name);
    }
  }
  return made;
}

std::vector<CommandOptions> allCommands() {
  CLI::App app;
  std::vector<CommandOptions> commands;
  for (const Command &command : addCommands(app, "")) {
    CommandOptions &options = commands.emplace_back();
    options.name = command.app->get_name();
    options.meaning = command.app->get_description();
    for (const CLI::Option *option : command.app->get_options()) {
      options.options.push_back(&optionOf(options.name, option->get_name()));
    }
    options.options.push_back(&optionOf(options.name, "--color"));
  }
  return commands;
}

//===- Declaring options ------------------------------------------------------------===//

// Checks the range of a number. CLI11 rejects text that isn't a number.
static std::string checkNumber(const std::string &text, const OptionRow &row) {
  double number = 0;
  if (llvm::StringRef(text).getAsDouble(number) || (number >= row.least && number <= row.most)) {
    return "";
  }
  if (std::isnan(number)) {
    return "`" + text + "` is not a number";
  }
  bool isLess = number < row.least;
  return "`" + text + "` is " + (isLess ? "less than " : "more than ") +
         CLI::detail::to_string(isLess ? row.least : row.most);
}

// Converts a number with a unit to a number of bytes.
static std::string readBytes(std::string &text) {
  std::string given = text;
  try {
    return CLI::AsSizeValue(/*kb_is_1000=*/false)(text);
  } catch (const CLI::ValidationError &) {
    return "`" + given + "` isn't a number of bytes, such as 4096, 500MB or 2GiB";
  }
}

// Returns an error text for an empty value. CLI11 would treat such a value as 0, or as if the
// option weren't given.
static std::string checkGiven(const std::string &text) {
  return llvm::StringRef(text).trim().empty() ? "The value is empty" : "";
}

// Checks comma-separated values. CLI11 would drop empty values before its own checks.
static std::string checkEachGiven(const std::string &text) {
  bool hasEmpty = llvm::any_of(
      llvm::split(text, ','), [](llvm::StringRef part) { return !checkGiven(part.str()).empty(); });
  return hasEmpty ? "A value between commas is empty" : "";
}

// Returns an error text; empty if the word is allowed.
static std::string checkWord(const std::string &word, const std::vector<std::string> &words) {
  return llvm::is_contained(words, word) ? ""
                                         : "`" + word + "` is none of " + llvm::join(words, ", ");
}

// Sets a new option's help, checks, repetition and default from its row.
static CLI::Option *applyRow(CLI::Option *option, const OptionRow &row) {
  std::string help(row.help), fallback(row.fallback), otherwise(row.otherwise());
  option->description(otherwise.empty() ? help : help + " (default: " + otherwise + ")");
  option->required(row.isRequired);
  option->envname(std::string(row.environment));
  if (row.takesValue()) {
    option->type_name(valueText(row));
    option->check(row.repeats == Repeats::Commas ? checkEachGiven : checkGiven);
  }
  if (row.type == OptionType::Bytes) {
    option->transform(CLI::Validator(readBytes, ""));
  }
  if (row.type == OptionType::Number || row.type == OptionType::Bytes) {
    option->check([&row](const std::string &text) { return checkNumber(text, row); });
  }
  if (row.repeats == Repeats::Options) {
    option->expected(1)->take_all();
  }
  if (!fallback.empty()) {
    // Sets the field to the default. CLI11 doesn't add the default to the help, since the help
    // already states it.
    option->default_val(fallback)->default_str("");
  }
  return option;
}

CLI::App *addSubcommand(CLI::App &app, const char *name, const char *meaning) {
  return app.add_subcommand(name, meaning);
}

template <typename Field>
CLI::Option *addOption(CLI::App &app, std::string_view name, Field &field) {
  const OptionRow &row = optionOf(app.get_name(), name);
  if constexpr (std::same_as<Field, bool>) {
    assert(row.type == OptionType::Flag);
    return applyRow(app.add_flag((field ? "!" : "") + std::string(row.name), field), row);
  } else if constexpr (std::same_as<Field, std::vector<std::string>>) {
    if (row.repeats == Repeats::Commas) {
      auto take = [&field](const std::vector<std::string> &given) {
        field.clear();
        for (const std::string &values : given) {
          for (llvm::StringRef value : llvm::split(values, ',')) {
            field.push_back(value.str());
          }
        }
      };
      return applyRow(
          app.add_option_function<std::vector<std::string>>(std::string(row.name), take), row);
    }
    return applyRow(app.add_option(std::string(row.name), field), row);
  } else {
    return applyRow(app.add_option(std::string(row.name), field), row);
  }
}
template CLI::Option *addOption(CLI::App &, std::string_view, bool &);
template CLI::Option *addOption(CLI::App &, std::string_view, int64_t &);
template CLI::Option *addOption(CLI::App &, std::string_view, unsigned &);
template CLI::Option *addOption(CLI::App &, std::string_view, uint64_t &);
template CLI::Option *addOption(CLI::App &, std::string_view, double &);
template CLI::Option *addOption(CLI::App &, std::string_view, std::string &);
template CLI::Option *addOption(CLI::App &, std::string_view, std::optional<int64_t> &);
template CLI::Option *addOption(CLI::App &, std::string_view, std::optional<double> &);
template CLI::Option *addOption(CLI::App &, std::string_view, std::vector<std::string> &);

CLI::Option *addWords(CLI::App &app, std::string_view name, size_t count,
                      std::function<void(size_t)> take) {
  const OptionRow &row = optionOf(app.get_name(), name);
  std::vector<std::string> words = wordsOf(row);
  assert(words.size() == count);
  CLI::Option *option = app.add_option_function<std::string>(
      std::string(row.name), [take = std::move(take), words](const std::string &word) {
        take(static_cast<size_t>(std::ranges::find(words, word) - words.begin()));
      });
  option->run_callback_for_default();
  option->check([words](const std::string &word) { return checkWord(word, words); });
  return applyRow(option, row);
}

void exclude(CLI::Option *option, std::initializer_list<CLI::Option *> others) {
  for (CLI::Option *other : others) {
    option->excludes(other);
  }
}

} // namespace drumlin::cli
