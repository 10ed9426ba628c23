// drumlin list-operators: what can be done with each operation on each element type.
#include "commands/Commands.h"

#include "commands/Progress.h"
#include "drumlin/driver/OperatorSupport.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace drumlin::cli {

struct ListOperatorsCommand {
  std::string expression = ".";
  bool json = false;
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
    std::vector<std::string> wanted;
    for (const std::string &name : allOperators()) {
      if (regex.match(name)) {
        wanted.push_back(name);
      }
    }
    std::vector<OperatorSupport> support =
        operatorSupport(wanted, llvm::cast<CpuTarget>(*options.target), terminalProgress());
    clearProgress();
    json ? printJson(support) : printText(wanted, support);
    return Done{};
  }

private:
  static void printJson(const std::vector<OperatorSupport> &support) {
    std::string text;
    llvm::raw_string_ostream stream(text);
    llvm::json::OStream json(stream, 1);
    json.array([&] {
      for (const OperatorSupport &entry : support) {
        json.object([&] {
          json.attribute("operation", entry.operation);
          json.attribute("type", llvm::StringRef(name(entry.type)));
          json.attribute("verified", entry.verified);
          json.attribute("interpreted", entry.interpreted);
          json.attribute("native", entry.native);
        });
      }
    });
    std::printf("%s\n", text.c_str());
  }

  static void printText(const std::vector<std::string> &operations,
                        const std::vector<OperatorSupport> &support) {
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
      std::printf("%s\n  verified:   %s\n", operation.c_str(), verified.c_str());
      std::printf("  interpreted:%s\n",
                  interpreted == verified ? " all of these" : interpreted.c_str());
      std::printf("  native:     %s\n", native == verified ? " all of these" : native.c_str());
    }
  }
};

Command addListOperators(CLI::App &app) {
  CLI::App *sub = app.add_subcommand(
      "list-operators", "say what is verified, interpreted and compiled, by element type");
  auto command = std::make_shared<ListOperatorsCommand>();
  sub->add_option("operation", command->expression,
                  "only operations whose name matches this expression");
  sub->add_flag("--json", command->json, "as JSON");
  addTargetCpu(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
