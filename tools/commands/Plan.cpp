// drumlin plan: prints a program's plan and its costs.
#include "commands/CommandOptions.h"
#include "commands/Commands.h"

#include "commands/PlanPage.h"
#include "commands/Printing.h"

#include "drumlin/driver/LibraryReport.h"
#include "drumlin/driver/backend/BackendChoice.h"
#include "drumlin/ir/costs/SymbolicCost.h"
#include "drumlin/listing/fold/Fold.h"
#include "drumlin/listing/html/HtmlPrinter.h"
#include "drumlin/runtime/executable/ImageFile.h"
#include "drumlin/support/AtomicFile.h"
#include "drumlin/support/diagnostics/ImageErrors.h"
#include "mlir/Parser/Parser.h"

#include <cstdio>

namespace drumlin::cli {

struct PlanCommand {
  std::string input, lock;
  bool json = false, html = false;
  EngineFlags flags;
  ProgramOptions options;

  Status run() {
    const auto *gpu = llvm::dyn_cast<GpuTarget>(options.target.get());
    bool isEngine = backendOf(*options.target)->plansItself();
    if (gpu && lock.empty() && !html) {
      return printLibraryCalls(*gpu);
    }
    if (isEngine) {
      return lock.empty() && !html ? printEngineCost(input, options, flags, json) : writeEngine();
    }
    if (isImage(input) && lock.empty()) {
      return showImage();
    }
    if (isImage(input)) {
      Result<std::string> text = lockOfImage(input);
      return text ? writeFile(lock, *text) : Status(text.error());
    }
    Result<PlannedProgram> planned = planProgram(input, options);
    if (!planned) {
      return planned.error();
    }
    mlir::ModuleOp module = *planned->program.module;
    if (!lock.empty()) {
      return writeFile(lock, lockText(planned->lock(programName(input))));
    }
    if (html) {
      showPage(listWithNotes(module, "", {planned->phases.ledger.entries(), {}}));
    } else {
      show(module);
    }
    return Done{};
  }

private:
  Status writeEngine() {
    Result<EngineProgram> made = planEngine(input, options, flags);
    if (!made) {
      return made.error();
    }
    if (html) {
      showPage(listForEngine(*made->program.module, made->plan));
      return Done{};
    }
    return writeFile(lock, lockText(makeEngineLock(made->plan, programName(input), *made->engine)));
  }

  static void showPage(listing::Module listed) {
    listing::fold(listed);
    std::string page = listing::htmlOf(listed);
    std::fwrite(page.data(), 1, page.size(), printed());
  }

  Status printLibraryCalls(const GpuTarget &target) {
    Result<Program> program = readProgram(input, options);
    if (!program) {
      return program.error();
    }
    Result<std::vector<LibraryKernel>> kernels =
        libraryPlan(*program->module, target, optionsFor(input, options));
    if (!kernels) {
      return kernels.error();
    }
    std::string text = json ? libraryJson(*kernels, target) + "\n" : libraryText(*kernels, target);
    std::fputs(text.c_str(), printed());
    return Done{};
  }

  void show(mlir::ModuleOp module) {
    PlanCost costs = planCost(module);
    addSymbolicCosts(module, costs);
    std::fprintf(printed(), "%s\n",
                 (json ? planJson(module, costs) : planText(module, costs)).c_str());
  }

  // Prints the plan that an image contains, with its costs. JSON and the page are made from the
  // plan's text, and the page also from the image's ledger.
  Status showImage() {
    Result<ImageDescription> image = describeImage(input);
    if (!image) {
      return image.error();
    }
    if (html) {
      Result<listing::Module> listed = listImage(*image, input);
      if (listed) {
        showPage(std::move(*listed));
      }
      return listed ? Status(Done{}) : Status(listed.error());
    }
    if (!json) {
      std::fprintf(printed(), "%s\n", image->plan.c_str());
      return Done{};
    }
    mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
    mlir::OwningOpRef<mlir::ModuleOp> module =
        mlir::parseSourceString<mlir::ModuleOp>(image->plan, &context);
    if (!module) {
      return diagnose(errors::ImageMetadataCorrupt, "the image's plan can't be read", input);
    }
    show(*module);
    return Done{};
  }
};

Command addPlan(CLI::App &app) {
  CLI::App *sub = addSubcommand(app, "plan", "print the optimized program with its costs");
  auto command = std::make_shared<PlanCommand>();
  addOption(*sub, "program", command->input);
  CLI::Option *json = addOption(*sub, "--json", command->json);
  CLI::Option *html = addOption(*sub, "--html", command->html);
  exclude(html, {json});
  addEngineFlags(*sub, command->flags);
  exclude(addOption(*sub, "--lock", command->lock), {json, html});
  addCompileOptions(*sub, command->options);
  return {sub, [command] { return command->run(); }, &command->options};
}

} // namespace drumlin::cli
