// drumlin diff: what two plans do differently, for people and for continuous integration.
#include "commands/Commands.h"

#include "drumlin/driver/PlanDiff.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdio>

namespace drumlin::cli {

static Result<PlanLock> lockOf(const std::string &path, const CompileOptions &options) {
  auto file = llvm::MemoryBuffer::getFile(path);
  if (file && isLockText(std::string_view((*file)->getBuffer()))) {
    return parseLock(std::string_view((*file)->getBuffer()), path);
  }
  if (isImage(path)) {
    Result<std::string> text = lockOfImage(path);
    return text ? parseLock(*text, path) : Result<PlanLock>(text.error());
  }
  Result<PlannedProgram> planned = planProgram(path, options);
  if (!planned) {
    return planned.error();
  }
  return planned->lock(programName(path));
}

struct DiffCommand {
  std::string before, after;
  bool exact = false;
  double tolerance = 0;
  CompileOptions options;

  Status run() {
    Result<PlanLock> old = lockOf(before, options);
    if (!old) {
      return old.error();
    }
    Result<PlanLock> now = lockOf(after, options);
    if (!now) {
      return now.error();
    }
    size_t worse = 0;
    std::vector<PlanDifference> differences = comparePlans(*old, *now, tolerance);
    for (const PlanDifference &difference : differences) {
      std::printf("%s%s: %s\n", difference.isWorse ? "worse: " : "", difference.what.c_str(),
                  difference.text.c_str());
      worse += difference.isWorse ? 1 : 0;
    }
    if (differences.empty()) {
      std::printf("the plans are the same\n");
    }
    size_t counted = exact ? differences.size() : worse;
    if (counted == 0) {
      return Done{};
    }
    return diagnose(DiagnosticCode::PlansDiffer,
                    "the plans differ in " + std::to_string(counted) +
                        (exact ? " places" : " places for the worse"),
                    after);
  }
};

Command addDiff(CLI::App &app) {
  CLI::App *sub = app.add_subcommand("diff", "compare two plans: fusions, types, copies, costs");
  auto command = std::make_shared<DiffCommand>();
  sub->add_option("before", command->before, "a plan lock, an image, or a StableHLO program")
      ->required();
  sub->add_option("after", command->after, "what it is compared with")->required();
  sub->add_flag("--exact", command->exact, "fail on any difference, not only on worse ones");
  sub->add_option("--tolerance", command->tolerance,
                  "the share by which FLOPs and bytes may change")
      ->capture_default_str();
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
