// drumlin list-options: prints the table of options, for people and for programs.
#include "commands/Commands.h"

#include "commands/CommandOptions.h"
#include "commands/Printing.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>

namespace drumlin::cli {

struct ListOptionsCommand {
  std::string of; // a command's name; empty: all commands
  bool json = false;

  Status run() const {
    std::vector<CommandOptions> commands = allCommands();
    if (!of.empty()) {
      std::erase_if(commands, [&](const CommandOptions &each) { return each.name != of; });
    }
    if (commands.empty()) {
      return diagnose(errors::CommandLineInvalid, "`" + of + "` isn't a command", "",
                      "use one that `drumlin --help` lists");
    }
    std::string text = json ? jsonOf(commands) : textOf(commands);
    std::fputs(text.c_str(), printed());
    return Done{};
  }

private:
  static std::string name(const OptionRow &option) { return llvm::join(namesOf(option), ", "); }

  static std::string typeName(OptionType type) {
    switch (type) {
    case OptionType::Flag:
      return "flag";
    case OptionType::Number:
      return "number";
    case OptionType::Bytes:
      return "bytes";
    case OptionType::Choice:
      return "choice";
    case OptionType::File:
    case OptionType::Output:
      return "file";
    case OptionType::Folder:
      return "folder";
    case OptionType::Text:
      return "text";
    }
    llvm_unreachable("no other type");
  }

  static std::string jsonOf(const std::vector<CommandOptions> &commands) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    JsonStream json(stream, 1);
    json.array([&] {
      for (const CommandOptions &command : commands) {
        for (const OptionRow *option : command.options) {
          json.object([&] { writeOption(json, command, *option); });
        }
      }
    });
    return text + "\n";
  }

  static llvm::SmallVector<llvm::StringRef> wordsIn(std::string_view text) {
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(text).split(words, ' ', -1, false);
    return words;
  }

  static void writeOption(JsonStream &json, const CommandOptions &command,
                          const OptionRow &option) {
    // The names of CPUs and passes are left out: there are too many, and other commands list them.
    bool isListed = option.type != OptionType::Text;
    auto write = [&](llvm::StringRef name, std::string_view text) {
      json.attribute(name, llvm::StringRef(text));
    };
    auto writeWords = [&](llvm::StringRef name, std::string_view words) {
      json.attribute(name, llvm::json::Array(wordsIn(words)));
    };
    write("command", command.name);
    write("name", name(option));
    json.attribute("argument", option.isArgument());
    write("type", typeName(option.type));
    write("value", valueText(option));
    json.attribute("values", isListed ? llvm::json::Array(wordsOf(option)) : llvm::json::Array());
    json.attribute("repeats", option.repeats != Repeats::Never);
    json.attribute("required", option.isRequired);
    write("default", option.otherwise());
    write("environment", option.environment);
    json.attribute("where", llvm::json::Array(workNames(option)));
    std::string phases = std::string(option.firstPhase) + " " + std::string(option.lastPhase);
    writeWords("phases", phases);
    write("needs", option.needs);
    writeWords("changes", option.changes);
    write("help", option.help);
    writeWords("links", option.links);
  }

  static std::string textOf(const std::vector<CommandOptions> &commands) {
    std::string text;
    for (const CommandOptions &command : commands) {
      text += "drumlin " + command.name + ": " + command.meaning + "\n";
      for (const OptionRow *option : command.options) {
        text += "  " + name(*option) + " (" + typeName(option->type) + "; " +
                llvm::join(wordsIn(option->changes), ", ") + "): " + std::string(option->help) +
                "\n";
      }
    }
    return text;
  }
};

Command addListOptions(CLI::App &app) {
  CLI::App *sub =
      addSubcommand(app, "list-options",
                    "list the options of one command or of all, and what each option changes");
  auto command = std::make_shared<ListOptionsCommand>();
  addOption(*sub, "command", command->of);
  addOption(*sub, "--json", command->json);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
