#include "commands/OptionTable.h"

#include "commands/Commands.h"
#include "commands/OptionMeanings.h"
#include "drumlin/driver/Phases.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <map>

namespace drumlin::cli {

namespace {
struct NamedValues {
  std::string_view name, words;
};
} // namespace

static constexpr NamedValues valueTable[] = {
#define OPTION_VALUES(name, words) {name, words},
#include "commands/OptionMeanings.def"
};

static Values valuesOf(std::string_view text) {
  Values values;
  llvm::SmallVector<llvm::StringRef> words;
  llvm::StringRef(text).split(words, ' ');
  for (llvm::StringRef word : words) {
    if (word == "FILE") {
      values.files = true;
    } else if (word == "FOLDER") {
      values.folders = true;
    } else if (word == "CPUS") {
      llvm::append_range(values.words, targetNames(Target::Kind::Cpu));
    } else if (word == "TARGETS") {
      llvm::append_range(values.words, targetNames(Target::Kind::TensorEngine));
      llvm::append_range(values.words, targetNames(Target::Kind::Gpu));
    } else if (word == "PHASES") {
      llvm::append_range(values.words, phaseNames());
    } else if (word == "PASSES") {
      for (const std::string &phase : phaseNames()) {
        llvm::append_range(values.words, passNames(phase));
      }
    } else {
      values.words.push_back(word.str());
    }
  }
  std::sort(values.words.begin(), values.words.end());
  values.words.erase(std::unique(values.words.begin(), values.words.end()), values.words.end());
  return values;
}

// By the name in the table.
static std::map<std::string_view, Values> allValues() {
  std::map<std::string_view, Values> values;
  for (const NamedValues &row : valueTable) {
    values[row.name] = valuesOf(row.words);
  }
  return values;
}

std::string OptionText::type() const {
  constexpr size_t maxChoices = 16;
  bool isChoice = !values.words.empty() && values.words.size() <= maxChoices;
  return !takesValue      ? "flag"
         : values.folders ? "folder"
         : values.files   ? "file"
         : isChoice       ? "choice"
         : isNumber       ? "number"
                          : "text";
}

static OptionText textOf(const CLI::Option &option,
                         const std::map<std::string_view, Values> &values) {
  OptionText text;
  for (const std::string &name : option.get_lnames()) {
    text.names.push_back("--" + name);
  }
  for (const std::string &name : option.get_snames()) {
    text.names.push_back("-" + name);
  }
  text.key = option.get_name();
  text.meaning = option.get_description();
  std::replace(text.meaning.begin(), text.meaning.end(), '\n', ' ');
  text.defaultText = option.get_default_str();
  text.takesValue = option.get_items_expected_max() > 0;
  text.takesSeveral = option.get_multi_option_policy() == CLI::MultiOptionPolicy::TakeAll ||
                      option.get_items_expected_max() > 1;
  std::string typeName = option.get_type_name();
  llvm::StringRef type(typeName);
  text.isNumber = type.starts_with("UINT") || type.starts_with("INT") || type.starts_with("FLOAT");
  text.isRequired = option.get_required();
  if (auto found = values.find(text.key); found != values.end()) {
    text.values = found->second;
  }
  if (std::optional<OptionMeaning> meaning = meaningOf(text.key)) {
    text.where = workNames(meaning->where);
    llvm::SmallVector<llvm::StringRef> words;
    llvm::StringRef(meaning->changes).split(words, ' ');
    for (llvm::StringRef word : words) {
      text.changes.push_back(word.str());
    }
  }
  return text;
}

std::vector<CommandText> allCommands() {
  CLI::App app;
  std::map<std::string_view, Values> values = allValues();
  std::vector<CommandText> texts;
  for (const Command &command : addCommands(app, "")) {
    CommandText &text = texts.emplace_back();
    text.name = command.app->get_name();
    text.meaning = command.app->get_description();
    for (const CLI::Option *option : command.app->get_options()) {
      text.options.push_back(textOf(*option, values));
    }
    text.options.push_back(textOf(*app.get_option("--color"), values));
  }
  return texts;
}

} // namespace drumlin::cli
