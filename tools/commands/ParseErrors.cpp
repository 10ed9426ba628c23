#include "commands/ParseErrors.h"

#include "commands/OptionTable.h"
#include "commands/OtherOptions.h"
#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "llvm/ADT/StringRef.h"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <iterator>

namespace drumlin::cli {

// Returns the subcommand that was given; null if none was.
static const CLI::App *commandOf(const CLI::App &app) {
  std::vector<CLI::App *> parsed = app.get_subcommands();
  return parsed.empty() ? nullptr : parsed.front();
}

// Returns the options of the subcommand that was given, then the options that all commands have.
static std::vector<const CLI::Option *> optionsOf(const CLI::App &app) {
  std::vector<const CLI::Option *> options;
  if (const CLI::App *command = commandOf(app)) {
    options = command->get_options();
  }
  std::ranges::copy(app.get_options(), std::back_inserter(options));
  return options;
}

static std::string seeHelp(const CLI::App *command) {
  return "see `drumlin " + (command ? command->get_name() + " " : "") + "--help`";
}

// Explains a word that isn't an option, a command or an expected argument.
static Diagnostic explainUnexpected(const CLI::App &app, const std::string &word) {
  const CLI::App *command = commandOf(app);
  auto made = [&](const std::string &message, const std::string &remedy) {
    return diagnose(errors::CommandLineInvalid, message, word, remedy);
  };
  std::string name = word.substr(0, word.find('='));
  if (name.starts_with("-") && name.size() > 1) {
    std::vector<std::string> names = {"--help"};
    for (const CLI::Option *option : optionsOf(app)) {
      for (const std::string &known : option->get_lnames()) {
        names.push_back("--" + known);
      }
    }
    std::optional<std::string> answer = answerToOtherOption(name);
    return made(command ? "`" + command->get_name() + "` has no such option" : "no such option",
                answer ? *answer : didYouMean(name, names, seeHelp(command)));
  }
  if (!command) {
    std::vector<std::string> names;
    for (const CommandOptions &each : allCommands()) {
      names.push_back(each.name);
    }
    return made("no such command", didYouMean(word, names, seeHelp(nullptr)));
  }
  return made("`" + command->get_name() + "` takes no further argument", seeHelp(command));
}

// Returns the option whose name the error's text begins with; null if there is none.
static const CLI::Option *optionNamed(const CLI::App &app, std::string_view text) {
  for (const CLI::Option *option : optionsOf(app)) {
    std::string name = option->get_name();
    if (text.starts_with(name) && (text.size() == name.size() || text[name.size()] == ':')) {
      return option;
    }
  }
  return nullptr;
}

// Explains a value that an option doesn't accept, or an error that names no option.
static Diagnostic explainValue(const CLI::App &app, std::string text) {
  const CLI::App *command = commandOf(app);
  constexpr std::string_view conversion = "Could not convert: ";
  if (size_t at = text.find(conversion); at != std::string::npos) {
    std::string rest = text.substr(at + conversion.size()); // `--x = value`
    size_t equals = rest.find(" = ");
    if (equals != std::string::npos) {
      text = rest.substr(0, equals) + ": `" + rest.substr(equals + 3) + "` is not a number";
    }
  }
  const CLI::Option *option = optionNamed(app, text);
  if (!option) {
    return diagnose(errors::CommandLineInvalid, text, {}, seeHelp(command));
  }
  std::string name = option->get_name();
  std::string message = text.substr(std::min(text.size(), name.size() + 2));
  llvm::StringRef missing = message; // `1 required FILE missing`
  if (missing.consume_front("1 required ") && missing.consume_back(" missing")) {
    message = "its value is missing: " + missing.str();
  }
  const OptionRow &row = optionOf(command ? command->get_name() : "", name);
  std::vector<std::string> words = wordsOf(row);
  std::string given = option->results().empty() ? "" : option->results().back();
  return diagnose(errors::CommandLineInvalid, message, name,
                  didYouMean(given, words, seeHelp(command)));
}

Diagnostic explain(const CLI::App &app, const CLI::ParseError &error) {
  const CLI::App *command = commandOf(app);
  std::vector<std::string> left = app.remaining(/*recurse=*/true);
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError) && !left.empty()) {
    return explainUnexpected(app, left.front());
  }
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::RequiredError)) {
    // A mistyped option or command may be the reason why an argument seems to be missing.
    for (const std::string &word : left) {
      if (!command || word.starts_with("-")) {
        return explainUnexpected(app, word);
      }
    }
    return diagnose(errors::CommandLineInvalid,
                    command ? error.what() : std::string("no command is given"), {},
                    seeHelp(command));
  }
  return explainValue(app, error.what());
}

} // namespace drumlin::cli
