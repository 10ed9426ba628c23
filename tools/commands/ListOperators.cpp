// drumlin list-operators: lists what is supported for each operation and element type.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"
#include "commands/Printing.h"
#include "commands/Progress.h"
#include "commands/PublishedOperators.h"
#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/export/hlo/HloExport.h"
#include "drumlin/import/Import.h"
#include "drumlin/support/NearestName.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>

namespace drumlin::cli {

static constexpr size_t columns = 5;

// Returns the text for the element types with a kind of support (a column of the list). If most
// integer types are supported, for example, the text is `integers`, with the missing types after
// `but`; otherwise, the supported types are listed one by one.
static std::string groupsOf(std::span<const OperatorSupport> ofTypes,
                            bool OperatorSupport::*column) {
  struct Group {
    const char *name;
    bool (*has)(ElementType type);
  };
  static constexpr Group groups[] = {
      {"i1", isBoolean}, {"integers", isInteger}, {"floats", isFloat}, {"complex", isComplex}};
  std::string text;
  auto add = [&](const std::string &words) { text += (text.empty() ? "" : ", ") + words; };
  size_t wholeGroups = 0;
  for (const Group &group : groups) {
    std::string some, missing;
    size_t taken = 0, left = 0;
    for (const OperatorSupport &entry : ofTypes) {
      if (group.has(entry.type)) {
        (entry.*column ? some : missing) += " " + std::string(name(entry.type));
        ++(entry.*column ? taken : left);
      }
    }
    if (left < taken) {
      wholeGroups += left == 0;
      add(group.name + (left > 0 ? " but" + missing : ""));
    } else if (taken > 0) {
      add(some.substr(1));
    }
  }
  return wholeGroups == std::size(groups) ? "all" : text.empty() ? "none" : text;
}

// Removes the operation's entries from the beginning of `support`, and returns them.
static std::span<const OperatorSupport> takeTypesOf(const std::string &operation,
                                                    std::span<const OperatorSupport> &support) {
  auto end = std::find_if(support.begin(), support.end(), [&](const OperatorSupport &other) {
    return other.operation != operation;
  });
  std::span<const OperatorSupport> taken(support.begin(), end);
  support = {end, support.end()};
  return taken;
}

struct ListOperatorsCommand {
  std::string expression = ".";
  bool json = false, isLong = false, ofXla = false;
  ProgramOptions options;

  Status run() {
    llvm::Regex regex(expression);
    std::string problem;
    if (!regex.isValid(problem)) {
      return diagnose(errors::FilterInvalid,
                      "`" + expression + "` is no regular expression: " + problem, "operation");
    }
    if (Status status = options.takeNames(); !status) {
      return status;
    }
    findOpcodes();
    std::vector<std::string> wanted;
    for (const std::string &name : allOperators()) {
      if ((!ofXla || opcodes.count(name) > 0) && regex.match(shownName(name))) {
        wanted.push_back(name);
      }
    }
    if (wanted.empty()) {
      std::vector<std::string> names;
      for (const std::string &name : allOperators()) {
        if (!ofXla || opcodes.count(name) > 0) {
          // Suggestions have no dialect prefix, since people leave the prefix out.
          names.push_back(ofXla ? opcodes.at(name) : name.substr(name.find('.') + 1));
        }
      }
      return diagnose(errors::FilterInvalid, "no operation's name matches `" + expression + "`",
                      "operation",
                      didYouMean(expression, names, "see `drumlin list-operators` for all names"));
    }
    if (ofXla) {
      std::sort(wanted.begin(), wanted.end(), [&](const std::string &a, const std::string &b) {
        return shownName(a) < shownName(b);
      });
    }
    const auto *cpu = llvm::dyn_cast<CpuTarget>(options.target.get());
    // For targets that aren't CPUs, the short form doesn't list Drumlin's support on CPUs.
    std::vector<OperatorSupport> support;
    if (cpu || json || isLong) {
      support = operatorSupport(wanted, llvm::cast<CpuTarget>(cpu ? *cpu : *nativeTarget()),
                                terminalProgress());
      clearProgress();
    }
    if (!cpu) {
      printOfTarget(wanted, support);
    } else if (json) {
      printJson(support);
    } else {
      isLong ? printEachType(wanted, support) : printText(wanted, support);
    }
    return Done{};
  }

private:
  void findOpcodes() {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
    context.loadAllAvailableDialects();
    for (const std::string &name : allOperators()) {
      if (std::optional<std::string> opcode = hloOpcodeOf(name, context)) {
        opcodes[name] = *opcode;
        ++uses[*opcode];
      }
    }
  }

  void printOfTarget(const std::vector<std::string> &operations,
                     std::span<const OperatorSupport> support) const {
    std::vector<ListedOperation> listed;
    for (const std::string &operation : operations) {
      ListedOperation &each = listed.emplace_back();
      each.operation = operation;
      each.shown = shownName(operation);
      if (auto opcode = opcodes.find(operation); opcode != opcodes.end()) {
        each.opcode = opcode->second;
      }
      each.here = takeTypesOf(operation, support);
    }
    ListForm form = json ? ListForm::Json : isLong ? ListForm::Long : ListForm::Short;
    const auto *gpu = llvm::dyn_cast<GpuTarget>(options.target.get());
    std::string text = gpu ? libraryList(listed, *gpu, form)
                           : publishedList(listed, llvm::cast<TensorEngine>(*options.target), form);
    std::fputs(text.c_str(), printed());
  }

  // Returns the name that the list shows. With XLA's names, several operations may map to one
  // instruction; each of them is then shown with its own name, too.
  std::string shownName(const std::string &operation) const {
    if (!ofXla) {
      return operation;
    }
    const std::string &opcode = opcodes.at(operation);
    return uses.at(opcode) > 1 ? opcode + " (" + operation + ")" : opcode;
  }

  void printJson(const std::vector<OperatorSupport> &support) const {
    std::string text;
    llvm::raw_string_ostream stream(text);
    JsonStream json(stream, 1);
    json.array([&] {
      for (const OperatorSupport &entry : support) {
        json.object([&] {
          json.attribute("operation", entry.operation);
          if (auto opcode = opcodes.find(entry.operation); opcode != opcodes.end()) {
            json.attribute("hlo", opcode->second);
          }
          json.attribute("type", llvm::StringRef(name(entry.type)));
          json.attribute("verified", entry.verified);
          json.attribute("interpreted", entry.interpreted);
          json.attribute("native", entry.native);
          if (!entry.refusal.empty()) {
            json.attribute("refusal", entry.refusal);
          }
          json.attributeArray("restrictions", [&] {
            for (std::string_view use : entry.restrictions) {
              json.value(llvm::StringRef(use));
            }
          });
        });
      }
    });
    std::fprintf(printed(), "%s\n", text.c_str());
  }

  // Returns the uses of an operation that can't be compiled. If a use can't be compiled for some
  // types only, these types follow the use.
  static std::string restrictionsOf(const std::string &operation,
                                    std::span<const OperatorSupport> ofTypes) {
    std::string text;
    for (std::string_view use : operatorUses(operation)) {
      std::string types;
      bool isOfAll = true;
      for (const OperatorSupport &entry : ofTypes) {
        bool isRefused = llvm::is_contained(entry.restrictions, use);
        types += isRefused ? " " + std::string(name(entry.type)) : "";
        isOfAll &= isRefused || !entry.native || !operatorUseSample(operation, use, entry.type);
      }
      if (!types.empty()) {
        text += (text.empty() ? "" : "; ") + std::string(use) + (isOfAll ? "" : ":" + types);
      }
    }
    return text;
  }

  void printText(const std::vector<std::string> &operations,
                 const std::vector<OperatorSupport> &support) const {
    std::vector<std::array<std::string, columns>> rows = {
        {"operation", "verified", "interpreted", "native", "not native"}};
    std::span<const OperatorSupport> left = support;
    for (const std::string &operation : operations) {
      std::span<const OperatorSupport> ofTypes = takeTypesOf(operation, left);
      std::string verified = groupsOf(ofTypes, &OperatorSupport::verified);
      auto orThese = [&](const std::string &types) { return types == verified ? "these" : types; };
      rows.push_back({shownName(operation), verified,
                      orThese(groupsOf(ofTypes, &OperatorSupport::interpreted)),
                      orThese(groupsOf(ofTypes, &OperatorSupport::native)),
                      restrictionsOf(operation, ofTypes)});
    }
    std::array<size_t, columns> widths = {};
    for (const auto &row : rows) {
      for (size_t i = 0; i < columns; ++i) {
        widths[i] = std::max(widths[i], row[i].size());
      }
    }
    for (const auto &row : rows) {
      std::string line;
      for (size_t i = 0; i < columns; ++i) {
        line += row[i] + std::string(widths[i] - row[i].size() + 2, ' ');
      }
      std::fprintf(printed(), "%s\n", llvm::StringRef(line).rtrim().str().c_str());
    }
    printRestrictionsOfAll(support);
  }

  // Prints the restrictions that are common to all operations: uses that can't be compiled even if
  // the operation is native for the type.
  static void printRestrictionsOfAll(const std::vector<OperatorSupport> &support) {
    std::string text;
    for (std::string_view use : operatorUses("")) {
      bool isRefused = llvm::any_of(support, [&](const OperatorSupport &entry) {
        return llvm::is_contained(entry.restrictions, use);
      });
      text += isRefused ? (text.empty() ? "" : ", ") + std::string(use) : "";
    }
    if (!text.empty()) {
      std::fprintf(printed(), "not native, of all operations: %s\n", text.c_str());
    }
  }

  // Returns the texts of refusals, each with the types to which the text applies.
  static std::map<std::string, std::string> refusalsOf(std::span<const OperatorSupport> ofTypes) {
    std::map<std::string, std::string> typesOfText;
    for (const OperatorSupport &entry : ofTypes) {
      std::string type(name(entry.type)), text = entry.refusal;
      for (const std::string &spelled : {"`" + type + "`", "x" + type + ">", "<" + type + ">"}) {
        for (size_t at = text.find(spelled); at != std::string::npos; at = text.find(spelled)) {
          text.replace(at + 1, type.size(), "T");
        }
      }
      if (!text.empty()) {
        typesOfText[text] += " " + type;
      }
    }
    return typesOfText;
  }

  void printEachType(const std::vector<std::string> &operations,
                     const std::vector<OperatorSupport> &support) const {
    std::span<const OperatorSupport> left = support;
    for (const std::string &operation : operations) {
      std::span<const OperatorSupport> ofTypes = takeTypesOf(operation, left);
      auto typesOf = [&](bool OperatorSupport::*column) {
        std::string types;
        for (const OperatorSupport &entry : ofTypes) {
          types += entry.*column ? " " + std::string(name(entry.type)) : "";
        }
        return types.empty() ? " none" : types;
      };
      std::string verified = typesOf(&OperatorSupport::verified);
      std::string interpreted = typesOf(&OperatorSupport::interpreted);
      std::string native = typesOf(&OperatorSupport::native);
      std::fprintf(printed(), "%s\n  verified:   %s\n", shownName(operation).c_str(),
                   verified.c_str());
      std::fprintf(printed(), "  interpreted:%s\n",
                   interpreted == verified ? " all of these" : interpreted.c_str());
      std::fprintf(printed(), "  native:     %s\n",
                   native == verified ? " all of these" : native.c_str());
      for (const auto &[text, types] : refusalsOf(ofTypes)) {
        std::fprintf(printed(), "  refused:    %s: %s\n", types.c_str(), text.c_str());
      }
      std::string restrictions = restrictionsOf(operation, ofTypes);
      if (!restrictions.empty()) {
        std::fprintf(printed(), "  not native:  %s\n", restrictions.c_str());
      }
    }
    printRestrictionsOfAll(support);
  }

  std::map<std::string, std::string> opcodes; // operations' HLO opcodes
  std::map<std::string, unsigned> uses;       // number of operations of each opcode
};

Command addListOperators(CLI::App &app) {
  CLI::App *sub = addSubcommand(
      app, "list-operators",
      "list the operations that are verified, interpreted and compiled, by element type");
  auto command = std::make_shared<ListOperatorsCommand>();
  addOption(*sub, "operation", command->expression);
  CLI::Option *json = addOption(*sub, "--json", command->json);
  exclude(addOption(*sub, "--long", command->isLong), {json});
  addChoice(*sub, "--names", command->ofXla, {false, true});
  addOption(*sub, "--target", command->options.targetName);
  addTargetCpu(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
