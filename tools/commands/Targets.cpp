// drumlin targets: lists the machines that programs can be compiled and planned for.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/Printing.h"

#include "drumlin/target/LibraryCall.h"
#include "drumlin/target/TargetNames.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/raw_ostream.h"

#include <cstdio>

namespace drumlin::cli {

struct TargetsCommand {
  std::string name;
  bool json = false;

  Status run() {
    if (name.empty()) {
      json ? printNamesJson() : printNames();
      return Done{};
    }
    Result<TargetPtr> target = targetFromName(name);
    if (!target) {
      return target.error();
    }
    json ? printJson(**target) : print(**target);
    return Done{};
  }

private:
  struct KindInfo {
    Target::Kind kind;
    const char *name, *option;
  };
  static constexpr KindInfo kinds[] = {
      {Target::Kind::Cpu, "CPUs", "--target-cpu"},
      {Target::Kind::TensorEngine, "tensor engines", "--target"},
      {Target::Kind::Gpu, "GPUs", "--target"},
  };

  static void printNames() {
    for (const KindInfo &kind : kinds) {
      std::fprintf(printed(), "%s, by `%s`:", kind.name, kind.option);
      for (const std::string &each : targetNames(kind.kind)) {
        std::fprintf(printed(), " %s", each.c_str());
      }
      std::fprintf(printed(), "\n");
    }
  }

  static void printNamesJson() {
    llvm::json::Object all;
    for (const KindInfo &kind : kinds) {
      all[kind.name] = llvm::json::Array(targetNames(kind.kind));
    }
    printValue(std::move(all));
  }

  static void printValue(llvm::json::Value value) {
    std::string text;
    llvm::raw_string_ostream(text) << llvm::formatv("{0:2}", value);
    std::fprintf(printed(), "%s\n", text.c_str());
  }

  static void print(const Target &target) {
    std::fprintf(printed(), "%s: for %s\n", target.name.c_str(), std::string(target.use()).c_str());
    if (const auto *cpu = llvm::dyn_cast<CpuTarget>(&target)) {
      std::fprintf(printed(), "  %lld registers of %lld bytes, caches of %lld and %lld KiB\n",
                   static_cast<long long>(cpu->vectorRegisters()),
                   static_cast<long long>(cpu->registerBytes()),
                   static_cast<long long>(cpu->l1Bytes / 1024),
                   static_cast<long long>(cpu->l2Bytes / 1024));
      std::fprintf(printed(), "  features: %s\n", llvm::join(cpu->features, " ").c_str());
    }
    for (const TargetUnit &unit : target.units()) {
      std::fprintf(printed(), "  unit %s: %s, %lld x %lld, %lld deep, %.0f Gop/s a core\n",
                   unit.name.c_str(), unit.operands.c_str(), static_cast<long long>(unit.rows),
                   static_cast<long long>(unit.columns), static_cast<long long>(unit.depth),
                   unit.operationsPerSecond / 1e9);
    }
    if (const auto *gpu = llvm::dyn_cast<GpuTarget>(&target)) {
      std::fprintf(printed(), "  library %s, %lld MiB of workspace\n",
                   std::string(libraryName(gpu->library)).c_str(),
                   static_cast<long long>(gpu->workspaceBytes >> 20));
    }
    if (target.bytesPerSecond > 0) {
      std::fprintf(printed(), "  memory read: %.0f GB/s a core\n", target.bytesPerSecond / 1e9);
    }
  }

  static void printJson(const Target &target) {
    llvm::json::Array units;
    for (const TargetUnit &unit : target.units()) {
      units.push_back(llvm::json::Object{{"name", unit.name},
                                         {"operands", unit.operands},
                                         {"rows", unit.rows},
                                         {"columns", unit.columns},
                                         {"depth", unit.depth},
                                         {"operations_per_second", unit.operationsPerSecond}});
    }
    llvm::json::Object made{{"name", target.name},
                            {"for", std::string(target.use())},
                            {"units", std::move(units)},
                            {"bytes_per_second", target.bytesPerSecond}};
    if (const auto *cpu = llvm::dyn_cast<CpuTarget>(&target)) {
      made["features"] = llvm::json::Array(cpu->features);
      made["registers"] = cpu->vectorRegisters();
      made["register_bytes"] = cpu->registerBytes();
      made["l1_bytes"] = cpu->l1Bytes;
      made["l2_bytes"] = cpu->l2Bytes;
    }
    if (const auto *gpu = llvm::dyn_cast<GpuTarget>(&target)) {
      made["library"] = std::string(libraryName(gpu->library));
      made["workspace_bytes"] = gpu->workspaceBytes;
    }
    printValue(std::move(made));
  }
};

Command addTargets(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "targets", "list the targets, or describe one of them");
  auto command = std::make_shared<TargetsCommand>();
  addOption(*sub, "target", command->name);
  addOption(*sub, "--json", command->json);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
