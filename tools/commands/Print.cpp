// drumlin print: prints a program for people to read.
#include "commands/Commands.h"

#include "commands/CommandFiles.h"
#include "commands/CommandOptions.h"
#include "commands/PlanPage.h"
#include "commands/PrintedColours.h"
#include "commands/Printing.h"
#include "drumlin/driver/Phases.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/listing/HloListing.h"
#include "drumlin/listing/MachinePrinters.h"
#include "drumlin/listing/TextPrinter.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/html/HtmlPrinter.h"
#include "drumlin/listing/program/ProgramListing.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "drumlin/support/diagnostics/OptionErrors.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>

namespace drumlin::cli {

struct PrintCommand {
  std::string input, against, only, source, opName, around, computation;
  unsigned depth = 1;
  bool exact = false, metadata = false, json = false, graphviz = false, folds = false, html = false;

  Status run() {
    if (exact) {
      return printExact();
    }
    Result<listing::Module> module = read(input);
    if (!module) {
      return module.error();
    }
    return html ? printPage(std::move(*module)) : print(std::move(*module));
  }

private:
  Status printExact() {
    Result<std::shared_ptr<MappedFile>> file = readSource(input);
    if (!file) {
      return file.error();
    }
    std::optional<Result<hlo::Module>> parsed = hlo::readHlo((*file)->text(), sourceName(input));
    if (!parsed) {
      return diagnose(errors::OptionMeaningless, "`--exact` is for HLO text", "--exact",
                      isImage(input)
                          ? "leave it out, or print the image's plan with `drumlin plan`"
                          : "leave it out, or write StableHLO as text with `drumlin convert "
                            "--emit text -o FILE`");
    }
    if (!*parsed) {
      return parsed->error();
    }
    write(hlo::print(**parsed));
    return Done{};
  }

  Result<listing::Module> read(const std::string &path) const {
    Result<std::shared_ptr<MappedFile>> file = readSource(path);
    if (!file) {
      return file.error();
    }
    if (std::optional<Result<hlo::Module>> parsed =
            hlo::readHlo((*file)->text(), sourceName(path))) {
      return *parsed ? Result(listing::listHlo(std::move(**parsed), {.shortNames = !json}))
                     : parsed->error();
    }
    if (html && isImage(path)) {
      Result<ImageDescription> image = describeImage(path);
      return image ? listImage(*image, path) : image.error();
    }
    // Reads StableHLO, a plan, or the plan in an image.
    mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
    Result<mlir::OwningOpRef<mlir::ModuleOp>> module = readModule(path, context);
    if (!module) {
      return module.error();
    }
    return html ? listWithNotes(**module, path, {decisionsBeside(path), {}})
                : listing::listProgram(**module, path);
  }

  // Returns the decisions in the ledger file that `--stop-after` wrote beside a plan; empty if
  // there is no such file.
  static std::vector<LedgerEntry> decisionsBeside(const std::string &path) {
    std::string file = ledgerPath(path);
    Ledger ledger;
    if (isRegularFile(file)) {
      Result<std::shared_ptr<MappedFile>> text = readSource(file);
      if (text && ledger.restore((*text)->text())) {
        return ledger.entries();
      }
    }
    return {};
  }

  static Result<mlir::OwningOpRef<mlir::ModuleOp>> readModule(const std::string &path,
                                                              mlir::MLIRContext &context) {
    if (!isImage(path)) {
      ImportLimits limits;
      limits.nativeTypesOnly = false;
      limits.convertedOnly = true;
      return importSource(path, context, limits);
    }
    Result<ImageDescription> image = describeImage(path);
    if (!image) {
      return image.error();
    }
    auto module = mlir::parseSourceString<mlir::ModuleOp>(image->plan, &context);
    if (!module) {
      return diagnose(errors::ImageMetadataCorrupt, "the image's plan can't be read", path);
    }
    return module;
  }

  Status printPage(listing::Module module) {
    listing::fold(module);
    if (against.empty()) {
      write(listing::htmlOf(module));
      return Done{};
    }
    Result<listing::Module> other = read(against);
    if (!other) {
      return other.error();
    }
    listing::fold(*other);
    write(listing::htmlOf(module, &*other));
    return Done{};
  }

  // Returns the part of the module that passes the filters.
  Result<listing::Selection> select(const listing::Module &module) const {
    if (!around.empty()) {
      return listing::selectAround(module, around, depth);
    }
    listing::Selection selection;
    for (auto [filter, selectBy] : {std::pair(&only, &listing::selectByOpcode),
                                    {&source, &listing::selectBySource},
                                    {&opName, &listing::selectByScope}}) {
      if (filter->empty()) {
        continue;
      }
      Result<listing::Selection> selected = selectBy(module, *filter);
      if (!selected) {
        return selected.error();
      }
      selection = selection.with(*selected);
    }
    if (selection.isEmpty()) {
      return diagnose(errors::FilterInvalid, "no instruction passes all filters", "",
                      "leave one of them out");
    }
    return selection;
  }

  Status print(listing::Module module) {
    if (folds) {
      listing::fold(module);
    }
    Result<listing::Selection> selected = select(module);
    if (!selected) {
      return selected.error();
    }
    listing::Selection selection = std::move(*selected);
    const listing::Computation *shown = graphviz ? module.entry() : nullptr;
    if (!computation.empty()) {
      Result<std::vector<const listing::Computation *>> found =
          listing::unfold(module, computation);
      if (!found) {
        return found.error();
      }
      shown = found->front();
      selection = selection.within(*found);
    }
    if (graphviz) {
      write(shown ? listing::graphvizOf(*shown, selection) : "digraph {}\n");
    } else {
      write(json ? listing::jsonOf(module, selection)
                 : listing::textOf(module, selection,
                                   {.metadata = metadata, .colours = isColoured(printed())}));
    }
    return Done{};
  }

  static void write(const std::string &text) {
    std::fwrite(text.data(), 1, text.size(), printed());
  }
};

Command addPrint(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "print", "print a program for people to read");
  auto command = std::make_shared<PrintCommand>();
  addOption(*sub, "program", command->input);
  CLI::Option *exact = addOption(*sub, "--exact", command->exact);
  CLI::Option *json = addOption(*sub, "--json", command->json);
  CLI::Option *graphviz = addOption(*sub, "--graphviz", command->graphviz);
  CLI::Option *html = addOption(*sub, "--html", command->html);
  CLI::Option *metadata = addOption(*sub, "--metadata", command->metadata);
  CLI::Option *folds = addOption(*sub, "--fold", command->folds);
  CLI::Option *only = addOption(*sub, "--only", command->only);
  CLI::Option *source = addOption(*sub, "--source", command->source);
  CLI::Option *opName = addOption(*sub, "--op-name", command->opName);
  CLI::Option *around = addOption(*sub, "--around", command->around);
  CLI::Option *depth = addOption(*sub, "--depth", command->depth);
  CLI::Option *computation = addOption(*sub, "--computation", command->computation);
  addOption(*sub, "--against", command->against);
  exclude(around, {only, source, opName});
  exclude(json, {graphviz, metadata});
  exclude(metadata, {graphviz});
  for (CLI::Option *whole : {exact, html}) {
    exclude(whole,
            {json, graphviz, metadata, folds, only, source, opName, around, depth, computation});
  }
  exclude(exact, {html});
  return {sub, [command] { return command->run(); }};
}

} // namespace drumlin::cli
