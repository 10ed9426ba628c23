// drumlin list-operators: what can be done with each operation on each element type.
#include "commands/Commands.h"

#include "commands/Printing.h"

#include "commands/Progress.h"
#include "drumlin/driver/OperatorSupport.h"
#include "drumlin/export/hlo/HloExport.h"
#include "drumlin/import/Import.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <span>

namespace drumlin::cli {

static constexpr size_t columns = 4;

// The element types that a column says yes to: whole kinds of types, what of a kind is missing
// where that is less, and single ones.
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

struct ListOperatorsCommand {
  std::string expression = ".";
  bool json = false, isLong = false, ofXla = false;
  ProgramOptions options;

  Status run() {
    llvm::Regex regex(expression);
    std::string problem;
    if (!regex.isValid(problem)) {
      return diagnose(DiagnosticCode::FilterInvalid,
                      "`" + expression + "` is no regular expression: " + problem, "operation");
    }
    if (Status status = options.takeTarget(); !status) {
      return status;
    }
    findOpcodes();
    std::vector<std::string> wanted;
    for (const std::string &name : allOperators()) {
      if ((!ofXla || opcodes.count(name) > 0) && regex.match(shownName(name))) {
        wanted.push_back(name);
      }
    }
    if (ofXla) {
      std::sort(wanted.begin(), wanted.end(), [&](const std::string &a, const std::string &b) {
        return shownName(a) < shownName(b);
      });
    }
    std::vector<OperatorSupport> support =
        operatorSupport(wanted, llvm::cast<CpuTarget>(*options.target), terminalProgress());
    clearProgress();
    if (json) {
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

  // By XLA's names several operations may be one instruction: then each says its own name, too.
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
    llvm::json::OStream json(stream, 1);
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
        });
      }
    });
    std::fprintf(printed(), "%s\n", text.c_str());
  }

  void printText(const std::vector<std::string> &operations,
                 const std::vector<OperatorSupport> &support) const {
    std::vector<std::array<std::string, columns>> rows = {
        {"operation", "verified", "interpreted", "native"}};
    auto entry = support.begin();
    for (const std::string &operation : operations) {
      auto first = entry;
      entry = std::find_if(entry, support.end(), [&](const OperatorSupport &other) {
        return other.operation != operation;
      });
      std::span<const OperatorSupport> ofTypes(first, entry);
      std::string verified = groupsOf(ofTypes, &OperatorSupport::verified);
      auto orThese = [&](const std::string &types) { return types == verified ? "these" : types; };
      rows.push_back({shownName(operation), verified,
                      orThese(groupsOf(ofTypes, &OperatorSupport::interpreted)),
                      orThese(groupsOf(ofTypes, &OperatorSupport::native))});
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
        line += row[i];
        line += i + 1 < columns ? std::string(widths[i] - row[i].size() + 2, ' ') : "";
      }
      std::fprintf(printed(), "%s\n", line.c_str());
    }
  }

  void printEachType(const std::vector<std::string> &operations,
                     const std::vector<OperatorSupport> &support) const {
    auto typesOf = [&](const std::string &operation, bool OperatorSupport::*column) {
      std::string types;
      for (const OperatorSupport &entry : support) {
        types += entry.operation == operation && entry.*column ? " " + std::string(name(entry.type))
                                                               : "";
      }
      return types.empty() ? " none" : types;
    };
    for (const std::string &operation : operations) {
      std::string verified = typesOf(operation, &OperatorSupport::verified);
      std::string interpreted = typesOf(operation, &OperatorSupport::interpreted);
      std::string native = typesOf(operation, &OperatorSupport::native);
      std::fprintf(printed(), "%s\n  verified:   %s\n", shownName(operation).c_str(),
                   verified.c_str());
      std::fprintf(printed(), "  interpreted:%s\n",
                   interpreted == verified ? " all of these" : interpreted.c_str());
      std::fprintf(printed(), "  native:     %s\n",
                   native == verified ? " all of these" : native.c_str());
    }
  }

  std::map<std::string, std::string> opcodes; // HLO's, by operation
  std::map<std::string, unsigned> uses;       // of each opcode
};

Command addListOperators(CLI::App &app) {
  CLI::App *sub = app.add_subcommand(
      "list-operators", "say what is verified, interpreted and compiled, by element type");
  auto command = std::make_shared<ListOperatorsCommand>();
  sub->add_option("operation", command->expression,
                  "only operations whose name matches this expression");
  CLI::Option *json = sub->add_flag("--json", command->json, "as JSON");
  sub->add_flag("--long", command->isLong, "every element type by its name")->excludes(json);
  sub->add_option("--names", command->ofXla,
                  "stablehlo (the default), or xla: the instructions that operations become in HLO")
      ->option_text("stablehlo|xla")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, bool>{{"stablehlo", false}, {"xla", true}}));
  addTargetCpu(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
