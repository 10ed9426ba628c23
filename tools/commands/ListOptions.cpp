// drumlin list-options: the table of options, for people and for programs.
#include "commands/Commands.h"
#include "commands/OptionTable.h"
#include "commands/Printing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <cstdio>

namespace drumlin::cli {

struct ListOptionsCommand {
  std::string of; // a command; empty: all
  bool json = false;

  Status run() const {
    std::vector<CommandText> commands = allCommands();
    if (!of.empty()) {
      std::erase_if(commands, [&](const CommandText &each) { return each.name != of; });
    }
    if (commands.empty()) {
      return diagnose(DiagnosticCode::CommandLineInvalid, "`" + of + "` is no command", "",
                      "use one that `drumlin --help` lists");
    }
    std::string text = json ? jsonOf(commands) : textOf(commands);
    std::fputs(text.c_str(), printed());
    return Done{};
  }

private:
  static std::string name(const OptionText &option) {
    return option.isArgument() ? option.key : llvm::join(option.names, ", ");
  }

  static std::string jsonOf(const std::vector<CommandText> &commands) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream json(stream, 1);
    json.array([&] {
      for (const CommandText &command : commands) {
        for (const OptionText &option : command.options) {
          json.object([&] { write(json, command, option); });
        }
      }
    });
    return text + "\n";
  }

  static void write(llvm::json::OStream &json, const CommandText &command,
                    const OptionText &option) {
    // Targets and passes are many, and have lists of their own.
    bool isChoice = option.type() != "text";
    json.attribute("command", command.name);
    json.attribute("name", name(option));
    json.attribute("type", option.type());
    json.attribute("values",
                   isChoice ? llvm::json::Array(option.values.words) : llvm::json::Array());
    json.attribute("repeats", option.takesSeveral);
    json.attribute("required", option.isRequired);
    json.attribute("default", option.defaultText);
    json.attribute("where", llvm::json::Array(option.where));
    json.attribute("changes", llvm::json::Array(option.changes));
    json.attribute("help", option.meaning);
  }

  static std::string textOf(const std::vector<CommandText> &commands) {
    std::string text;
    for (const CommandText &command : commands) {
      text += "drumlin " + command.name + ": " + command.meaning + "\n";
      for (const OptionText &option : command.options) {
        text += "  " + name(option) + " (" + option.type() + "; " +
                llvm::join(option.changes, ", ") + "): " + option.meaning + "\n";
      }
    }
    return text;
  }
};

Command addListOptions(CLI::App &app) {
  CLI::App *sub =
      app.add_subcommand("list-options", "list the options of a command, or of all, and what each "
                                         "changes");
  auto command = std::make_shared<ListOptionsCommand>();
  sub->add_option("command", command->of, "only those of this command");
  sub->add_flag("--json", command->json, "as JSON");
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
