// Generates programs from seeds and runs the requested checks on each. Standard output has one JSON
// object per line: {"seed": …} before each program, {"finding": …} for a fault, and {"counts": …}
// at the end. If a program ends the process or takes too long, the last line tells the reader
// (scripts/fuzz.py) which program it was.
#include "Checks.h"
#include "Generator.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/support/ArrayFiles.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/transforms/Ledger.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include <cstdio>
#include <unistd.h>

using namespace drumlin;
using namespace drumlin::fuzz;

namespace {
struct Options {
  uint64_t first = 0, count = 1;
  std::vector<std::string> checks = {"phases", "native", "formats"};
  std::string level;   // CPU level; if empty, each program's seed selects one
  std::string runner;  // command that runs code for other machines
  std::string without; // the disabled pass or rule; if empty, the seed selects one
  std::string writeTo;
  unsigned secondsEach = 60;
  bool print = false, exactOnly = false;
};
} // namespace

static void say(const nlohmann::json &line) {
  std::puts(line.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace).c_str());
  std::fflush(stdout);
}

// Writes the program and its arguments, as `drumlin check FILE.mlir --input FILE.npz` takes them.
static Status write(const std::string &folder, const Program &program) {
  std::string path = folder + "/" + std::to_string(program.seed);
  std::vector<NamedTensor> arrays;
  for (Tensor &tensor : program.makeArguments()) {
    arrays.push_back({"in" + std::to_string(arrays.size()), std::move(tensor)});
  }
  if (Status status = writeFile(path + ".mlir", program.text); !status) {
    return status;
  }
  return writeArrays(path + ".npz", arrays);
}

static std::optional<Finding> holdTo(const std::string &check, const Subject &subject,
                                     const Options &options, Counts &counts) {
  uint64_t seed = subject.program.seed;
  if (check == "phases") {
    return checkPhases(subject, counts);
  }
  if (check == "formats") {
    return checkFormats(subject, counts);
  }
  if (check == "without") {
    const std::vector<std::string> &passes = optionalPasses();
    std::string disabled = options.without.empty() ? passes[seed % passes.size()] : options.without;
    return checkNative(subject, {.level = cpuLevels().front(), .disabled = disabled}, counts);
  }
  if (!options.level.empty()) {
    return checkNative(subject, {.level = options.level, .runner = options.runner}, counts);
  }
  if (check == "levels") {
    for (const std::string &level : cpuLevels()) {
      if (auto finding = checkNative(subject, {.level = level}, counts)) {
        return finding;
      }
    }
    return std::nullopt;
  }
  const std::vector<std::string> &levels = cpuLevels();
  if (check == "threads") {
    return checkThreads(subject, levels[seed % levels.size()], counts);
  }
  if (check == "efforts") {
    auto effort = static_cast<unsigned>(seed / levels.size() % 2);
    return checkNative(subject, {.level = levels[seed % levels.size()], .effort = effort}, counts);
  }
  return checkNative(subject, {.level = levels[seed % levels.size()]}, counts);
}

static void run(const Options &options, Counts &counts, mlir::MLIRContext &context, uint64_t seed) {
  say({{"seed", seed}});
  alarm(options.secondsEach); // ends the process; the last output line names the program
  Program program = generate(seed);
  if (options.exactOnly && !program.isExact()) {
    return;
  }
  if (options.print) {
    std::fputs(program.text.c_str(), stdout);
  }
  if (!options.writeTo.empty()) {
    if (Status status = write(options.writeTo, program); !status) {
      std::fputs(status.error().str().c_str(), stderr);
      std::exit(1);
    }
  }
  auto report = [&](const Finding &finding) {
    ++counts.findings;
    say({{"finding", {{"seed", seed}, {"kind", finding.kind}, {"message", finding.message}}}});
  };
  ++counts.programs;
  counts.generatedOperations += program.operations;
  for (const auto &[operation, number] : program.operationCounts) {
    counts.operations[operation] += number;
  }
  if (options.checks == std::vector<std::string>{"none"}) {
    return;
  }
  Result<Subject> subject = Subject::make(std::move(program), context);
  if (!subject) {
    report({"generator " + std::string(info(subject.error().code).id), subject.error().str()});
    return;
  }
  for (const std::string &check : options.checks) {
    if (auto finding = holdTo(check, *subject, options, counts)) {
      report(*finding);
    }
  }
  alarm(0);
}

int main(int argc, char **argv) {
  Options options;
  CLI::App app("Compares random programs with the interpreter");
  app.add_option("--first", options.first, "the first seed");
  app.add_option("--count", options.count, "number of seeds");
  app.add_option("--check", options.checks,
                 "phases, native (one CPU level, which the seed selects), levels (all CPU levels), "
                 "efforts (-O0 or -O1), without (a disabled pass or rule, which the seed selects), "
                 "formats, threads (bits for several numbers of threads)")
      ->delimiter(',')
      ->check(CLI::IsMember(
          {"phases", "native", "levels", "efforts", "without", "formats", "threads", "none"}));
  app.add_option("--level", options.level, "the CPU level of `native`");
  app.add_option("--runner", options.runner,
                 "a command that runs images for the level as examples/c/run_image.c does");
  app.add_option("--without", options.without, "the pass or rule that `without` disables")
      ->check(CLI::IsMember(optionalPasses()));
  app.add_option("--write", options.writeTo, "an existing folder to write each program's text to");
  app.add_option("--seconds-each", options.secondsEach, "time limit of a program");
  app.add_flag("--exact-only", options.exactOnly,
               "leave out programs whose result bits depend on rounding");
  app.add_flag("--print", options.print, "print each program's text");
  CLI11_PARSE(app, argc, argv);

  Counts counts;
  for (const RuleInfo &rule : allRules()) {
    counts.rules[std::string(rule.name) + " taken"] = 0; // lists the rule even if no program has it
  }
  std::optional<mlir::MLIRContext> context;
  for (uint64_t i = 0; i < options.count; ++i) {
    // Renews the context, which keeps every type and attribute that it has seen.
    if (i % 50 == 0) {
      context.reset();
      context.emplace(programDialects(), mlir::MLIRContext::Threading::DISABLED);
      context->loadAllAvailableDialects();
    }
    run(options, counts, *context, options.first + i);
  }
  say({{"counts",
        {{"programs", counts.programs},
         {"checks", counts.checks},
         {"skipped", counts.skipped},
         {"operations", counts.operations},
         {"rules", counts.rules},
         {"places", counts.places},
         {"generatedOperations", counts.generatedOperations},
         {"exactElements", counts.exactElements},
         {"roundedElements", counts.roundedElements},
         {"widenedElements", counts.widenedElements}}}});
  return counts.findings == 0 ? 0 : 1;
}
