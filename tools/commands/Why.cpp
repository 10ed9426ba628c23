// drumlin why: prints every decision of the compiler, with its reason.
#include "commands/Commands.h"

#include "commands/PrintedColours.h"
#include "commands/Printing.h"

#include "commands/CommandFiles.h"
#include "commands/CommandOptions.h"
#include "commands/Remarks.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "drumlin/transforms/Reasons.h"
#include "mlir/AsmParser/AsmParser.h"
#include "mlir/AsmParser/AsmParserState.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/SourceMgr.h"

#include <cstdio>
#include <set>

namespace drumlin::cli {

// Returns the locations, in the ledger's form, of all operations that have the result `name` (like
// `%12`) in the program's text. Several functions and regions may define this name.
static std::set<std::string> placesOfName(const std::string &path, llvm::StringRef name) {
  std::set<std::string> places;
  Result<std::shared_ptr<MappedFile>> file = readSource(path);
  if (!file) {
    return places;
  }
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  // The program has already been parsed, so there are no new errors to report.
  mlir::ScopedDiagnosticHandler quiet(&context, [](mlir::Diagnostic &) { return mlir::success(); });
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(
      llvm::MemoryBuffer::getMemBufferCopy((*file)->text(), llvm::sys::path::filename(path)),
      llvm::SMLoc());
  mlir::Block block;
  mlir::AsmParserState state;
  if (failed(parseAsmSourceFile(sources, &block, &context, &state))) {
    return places;
  }
  for (const mlir::AsmParserState::OperationDefinition &op : state.getOpDefs()) {
    for (const auto &group : op.resultGroups) {
      llvm::SMRange range = group.definition.loc;
      if (llvm::StringRef(range.Start.getPointer(),
                          static_cast<size_t>(range.End.getPointer() - range.Start.getPointer())) ==
          name) {
        places.insert(plan::sourceOf(op.op->getLoc()));
      }
    }
  }
  return places;
}

struct WhyCommand {
  std::string input, place, kernel, operation, rule;
  bool json = false, remarks = false, declined = false;
  ProgramOptions options;

  Status run() {
    for (auto [option, expression] :
         {std::pair("--kernel", &kernel), std::pair("--operation", &operation)}) {
      std::string problem;
      if (!expression->empty() && !llvm::Regex(*expression).isValid(problem)) {
        return diagnose(errors::FilterInvalid,
                        "`" + *expression + "` is no regular expression: " + problem, option);
      }
    }
    std::set<int64_t> inKernels;
    Result<std::vector<LedgerEntry>> decided = decide(inKernels);
    if (!decided) {
      return decided.error();
    }
    std::vector<LedgerEntry> entries = std::move(*decided);
    std::set<std::string> places;
    if (llvm::StringRef(place).starts_with("%")) {
      places = placesOfName(input, place);
      if (places.empty()) {
        return diagnose(errors::FilterInvalid, "the program's text has no result `" + place + "`",
                        input, "name a result as the text does, or give a line of the source");
      }
    }
    llvm::erase_if(entries, [&](const LedgerEntry &entry) {
      return !isWanted(entry, inKernels) || !isAt(entry, places);
    });
    if (json) {
      std::fprintf(printed(), "%s\n", Ledger::json(entries).c_str());
      return Done{};
    }
    if (remarks) {
      std::fprintf(printed(), "%s", remarksOf(entries).c_str());
      return Done{};
    }
    print(entries);
    return Done{};
  }

private:
  // Returns the program's ledger; sets `inKernels` if the user named kernels of a plan.
  Result<std::vector<LedgerEntry>> decide(std::set<int64_t> &inKernels) {
    if (isImage(input)) {
      return decidedInImage();
    }
    if (backendOf(*options.target)->plansItself()) {
      Result<EngineProgram> made = planEngine(input, options);
      return made ? Result(made->plan.phases.ledger.entries()) : made.error();
    }
    Result<PlannedProgram> planned = planProgram(input, options);
    if (!planned) {
      return planned.error();
    }
    Ledger &ledger = planned->phases.ledger;
    if (!kernel.empty()) {
      inKernels = originsOfKernels(planned->costs());
    }
    return ledger.entries();
  }

  // Returns the decisions that are stored in an image: those about the plan and about tuning.
  Result<std::vector<LedgerEntry>> decidedInImage() const {
    Result<ImageDescription> image = describeImage(input);
    if (!image) {
      return image.error();
    }
    Ledger ledger;
    if (!ledger.restore(image->ledger)) {
      return diagnose(errors::ImageMetadataCorrupt, "the image's ledger can't be read", input);
    }
    return ledger.entries();
  }

  static bool isCounted(const LedgerEntry &entry) {
    const RuleInfo *known = findRule(entry.rule);
    return known && known->kind == RuleKind::Counts;
  }

  // Returns Ledger::text(), coloured if standard output has colours.
  static std::string textOf(const LedgerEntry &entry) {
    std::string text = Ledger::text(entry);
    if (!isColoured(printed())) {
      return text;
    }
    std::string outcome = Ledger::outcome(entry), end = ": " + entry.rule + ": " + outcome;
    return coloured(text.substr(0, text.size() - end.size()), Colour::Bold, true) + ": " +
           coloured(entry.rule, Colour::Cyan, true) + ": " +
           coloured(outcome, entry.reason == Reason::Taken ? Colour::Green : Colour::Yellow, true);
  }

  // Prints one line for decisions that differ only in the inlined calls of their operations. If the
  // ledger has only a count of a pass's changes, the changes get one line per pass, unless filters
  // are given.
  void print(const std::vector<LedgerEntry> &entries) const {
    bool showsCounts = !place.empty() || !kernel.empty() || !operation.empty() || !rule.empty();
    std::vector<std::string> lines;
    llvm::StringMap<size_t> times;
    std::map<std::string, int64_t> counted;
    std::vector<LedgerEntry> decisions;
    for (const LedgerEntry &entry : entries) {
      if (isCounted(entry) && !showsCounts) {
        counted[entry.rule] += entry.count;
        continue;
      }
      if (!isCounted(entry)) {
        decisions.push_back(entry);
      }
      std::string line = textOf(entry);
      if (times[line]++ == 0) {
        lines.push_back(std::move(line));
      }
    }
    for (const std::string &line : lines) {
      size_t count = times.lookup(line);
      std::fprintf(printed(), "%s%s\n", line.c_str(),
                   count == 1 ? "" : (" (" + std::to_string(count) + " calls)").c_str());
    }
    for (const auto &[name, count] : counted) {
      std::fprintf(printed(), "%s: %lld operation%s\n", name.c_str(), static_cast<long long>(count),
                   count == 1 ? "" : "s");
    }
    std::fprintf(printed(), "%s\n", summary(decisions).c_str());
  }

  // Returns the program operations in kernels of the given name.
  std::set<int64_t> originsOfKernels(const PlanCost &costs) const {
    std::set<int64_t> origins;
    for (const LaunchCost &launch : costs.launches) {
      if (llvm::Regex(kernel).match(launch.kernel)) {
        llvm::SmallVector<int64_t> own = plan::originsOfLaunch(launch.op);
        origins.insert(own.begin(), own.end());
      }
    }
    return origins;
  }

  // Returns whether an entry is about the result or the source line that the user named. `places`:
  // the result's locations; empty if the user named a source line. A source line may be given
  // without its file.
  bool isAt(const LedgerEntry &entry, const std::set<std::string> &places) const {
    if (place.empty()) {
      return true;
    }
    if (!places.empty()) {
      return places.count(entry.source) != 0;
    }
    llvm::StringRef source = entry.source;
    bool hasFile = llvm::StringRef(place).contains(':');
    llvm::StringRef from = hasFile ? source : source.split(':').second;
    return from.consume_front(place) && (from.empty() || from.starts_with(":"));
  }

  bool isWanted(const LedgerEntry &entry, const std::set<int64_t> &inKernels) const {
    if (declined && entry.reason == Reason::Taken) {
      return false;
    }
    if (!rule.empty() && entry.rule != rule) {
      return false;
    }
    llvm::Regex wanted(operation);
    if (!operation.empty() && !wanted.match(entry.operation) && !wanted.match(entry.source)) {
      return false;
    }
    return kernel.empty() || llvm::any_of(entry.origins, [&](int64_t origin) {
             return inKernels.count(origin) != 0;
           });
  }

  // Returns e.g. `12 decisions: 9 taken, 3 declined (repeated 2, barrier 1)`.
  static std::string summary(const std::vector<LedgerEntry> &entries) {
    std::map<std::string_view, size_t> declinedBy;
    size_t taken = 0;
    for (const LedgerEntry &entry : entries) {
      if (entry.reason == Reason::Taken) {
        ++taken;
      } else {
        ++declinedBy[info(entry.reason).code];
      }
    }
    std::string text =
        std::to_string(entries.size()) + (entries.size() == 1 ? " decision: " : " decisions: ") +
        std::to_string(taken) + " taken, " + std::to_string(entries.size() - taken) + " declined";
    const char *before = " (";
    for (auto [code, count] : declinedBy) {
      text += before + std::string(code) + " " + std::to_string(count);
      before = ", ";
    }
    return text + (declinedBy.empty() ? "" : ")");
  }
};

Command addWhy(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "why", "print every decision with its reason");
  auto command = std::make_shared<WhyCommand>();
  addOption(*sub, "program", command->input);
  addOption(*sub, "place", command->place);
  CLI::Option *json = addOption(*sub, "--json", command->json);
  exclude(addOption(*sub, "--remarks", command->remarks), {json});
  addOption(*sub, "--kernel", command->kernel);
  addOption(*sub, "--operation", command->operation);
  addOption(*sub, "--rule", command->rule);
  addOption(*sub, "--declined", command->declined);
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
