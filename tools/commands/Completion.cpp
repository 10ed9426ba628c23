// drumlin completion: prints a shell script that completes command lines, made from the option
// table.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/Printing.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <map>

namespace drumlin::cli {

// Quotes a text so that bash, zsh and fish all read it as one word.
static std::string shellWord(llvm::StringRef text) {
  std::string made = "'";
  for (char each : text) {
    made += each == '\'' ? std::string("'\\''") : std::string(1, each);
  }
  return made + "'";
}

enum class Shell { Bash, Zsh, Fish };

// The completions of a word: fixed words, and names of files or folders.
struct Completions {
  explicit Completions(const OptionRow &row)
      : words(wordsOf(row)), files(row.type == OptionType::File || row.type == OptionType::Output),
        folders(row.type == OptionType::Folder) {}
  Completions() = default;

  std::vector<std::string> words;
  bool files = false, folders = false;
};

struct CompletionCommand {
  Shell shell = Shell::Bash;

  Status run() {
    commands = allCommands();
    std::string text = shell == Shell::Bash  ? bashScript()
                       : shell == Shell::Zsh ? zshScript()
                                             : fishScript();
    std::fputs(text.c_str(), printed());
    return Done{};
  }

private:
  std::vector<CommandOptions> commands;

  //===- bash ---------------------------------------------------------------------===//

  static std::string bashValues(const Completions &values) {
    std::string text;
    if (!values.words.empty()) {
      text += " words=" + shellWord(llvm::join(values.words, " "));
    }
    text += values.files ? " names=-f" : values.folders ? " names=-d" : "";
    return text.empty() ? " :" : text;
  }

  // Returns the script for bash. It completes an option's values without regard to the command,
  // since they are the same in all commands.
  std::string bashScript() const {
    std::string names, ofCommands, ofOptions;
    std::map<std::string, std::string> cases;
    for (const CommandOptions &command : commands) {
      names += command.name + " ";
      std::vector<std::string> words;
      Completions arguments;
      for (const OptionRow *option : command.options) {
        Completions values(*option);
        std::vector<std::string> names = namesOf(*option);
        if (option->isArgument()) {
          llvm::append_range(arguments.words, values.words);
          arguments.files |= values.files;
          continue;
        }
        llvm::append_range(words, names);
        if (option->takesValue()) {
          cases[llvm::join(names, "|")] = bashValues(values);
        }
      }
      ofCommands += "  " + command.name + ") options=" + shellWord(llvm::join(words, " ")) + ";" +
                    bashValues(arguments) + " ;;\n";
    }
    for (const auto &[option, text] : cases) {
      ofOptions += "  " + option + ")" + text + " ;;\n";
    }
    // bash splits words at `=`, e.g. in `--tune=on`.
    return "# Completion of drumlin for bash: source this file.\n"
           "_drumlin() {\n"
           "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]}\n"
           "  local command= options= words= names= i\n"
           "  COMPREPLY=()\n"
           "  if [[ $current == = ]]; then current=; "
           "elif [[ $previous == = ]]; then previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
           "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
           "    if [[ ${COMP_WORDS[i]} != -* ]]; then command=${COMP_WORDS[i]}; break; fi\n"
           "  done\n"
           "  case $previous in\n" +
           ofOptions +
           "  *)\n"
           "  case $command in\n"
           "  '') options='--color --help --version' words=" +
           shellWord(llvm::StringRef(names).rtrim()) + " ;;\n" + ofCommands +
           "  esac ;;\n"
           "  esac\n"
           "  if [[ $current == -* ]]; then words=$options names=; fi\n"
           "  local IFS=$' \\t\\n'\n"
           "  mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$current\")\n"
           "  if [[ $names ]]; then\n"
           "    local found\n"
           "    mapfile -t found < <(compgen $names -- \"$current\")\n"
           "    COMPREPLY+=(\"${found[@]}\")\n"
           "    compopt -o filenames 2>/dev/null\n"
           "  fi\n"
           "}\n"
           "complete -F _drumlin drumlin\n";
  }

  //===- zsh ----------------------------------------------------------------------===//

  // Escapes a text for `_arguments`, where `]` and `:` end a text.
  static std::string zshText(llvm::StringRef text) {
    std::string made;
    for (char each : text) {
      made += (each == ':' || each == '[' || each == ']' || each == '\\' ? "\\" : "") +
              std::string(1, each);
    }
    return made;
  }

  // Returns the action that completes a value with one of the words, or with a file or folder.
  static std::string zshValues(const Completions &values) {
    std::string words;
    for (const std::string &word : values.words) {
      words += (words.empty() ? "" : " ") + zshText(word);
    }
    std::string files = values.files ? "_files" : values.folders ? "_files -/" : "";
    if (!words.empty() && !files.empty()) {
      return "{compadd -- " + words + "; " + files + "}";
    }
    return words.empty() ? (files.empty() ? " " : files) : "(" + words + ")";
  }

  std::string zshScript() const {
    std::string names, cases;
    for (const CommandOptions &command : commands) {
      names += "    " + shellWord(command.name + ":" + zshText(command.meaning)) + "\n";
      std::string arguments;
      for (const OptionRow *option : command.options) {
        std::string action = ":" + zshText(option->key()) + ":" + zshValues(Completions(*option));
        if (option->isArgument()) {
          arguments += " \\\n      " + shellWord(":" + action);
          continue;
        }
        for (const std::string &name : namesOf(*option)) {
          bool isLong = llvm::StringRef(name).starts_with("--");
          std::string value = option->takesValue() && isLong ? "=" : "";
          arguments += " \\\n      " + shellWord("*" + name + value + "[" + zshText(option->help) +
                                                 "]" + (option->takesValue() ? action : ""));
        }
      }
      cases += "  " + command.name + ")\n    _arguments" + arguments + " ;;\n";
    }
    return "#compdef drumlin\n"
           "_drumlin() {\n"
           "  local state\n"
           "  local -a commands=(\n" +
           names +
           "  )\n"
           "  _arguments -C '--help[print help]' '--version[print the version]' "
           "'1: :->command' '*:: :->arguments'\n"
           "  if [[ $state == command ]]; then _describe command commands; return; fi\n"
           "  case $words[1] in\n" +
           cases +
           "  esac\n"
           "}\n"
           "if [[ $funcstack[1] == _drumlin ]]; then _drumlin \"$@\"; "
           "else compdef _drumlin drumlin; fi\n";
  }

  //===- fish ---------------------------------------------------------------------===//

  static std::string fishValues(const Completions &values) {
    std::string words =
        values.words.empty() ? "" : " -a " + shellWord(llvm::join(values.words, " "));
    return (values.files     ? " -F"
            : values.folders ? " -f -a '(__fish_complete_directories)'"
                             : " -f") +
           words;
  }

  std::string fishScript() const {
    std::string text = "complete -c drumlin -f\n"
                       "complete -c drumlin -n __fish_use_subcommand -l help -d 'print help'\n"
                       "complete -c drumlin -n __fish_use_subcommand -l version -d 'print the "
                       "version'\n";
    for (const CommandOptions &command : commands) {
      text += "complete -c drumlin -n __fish_use_subcommand -a " + command.name + " -d " +
              shellWord(command.meaning) + "\n";
      std::string inside =
          "complete -c drumlin -n '__fish_seen_subcommand_from " + command.name + "'";
      for (const OptionRow *option : command.options) {
        text += inside;
        if (!option->isArgument()) {
          for (const std::string &name : namesOf(*option)) {
            bool isLong = llvm::StringRef(name).starts_with("--");
            text += isLong ? " -l " + name.substr(2) : " -s " + name.substr(1);
          }
        }
        if (option->takesValue()) {
          text += fishValues(Completions(*option)) + (option->isArgument() ? "" : " -r");
        }
        text += " -d " + shellWord(option->help) + "\n";
      }
    }
    return text;
  }
};

Command addCompletion(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "completion", "print a script that completes command lines");
  auto command = std::make_shared<CompletionCommand>();
  addChoice(*sub, "shell", command->shell, {Shell::Bash, Shell::Zsh, Shell::Fish});
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
