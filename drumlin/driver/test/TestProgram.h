// Parses programs and runs the phases on them, for tests.
#pragma once

#include "drumlin/driver/Phases.h"
#include "mlir/Parser/Parser.h"

#include <memory>

namespace drumlin {

struct TestProgram {
  explicit TestProgram(std::string_view text)
      : context(programDialects(), mlir::MLIRContext::Threading::DISABLED) {
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  Status run(const CompileOptions &options = {}) { return runPhases(*module, options, result); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PhaseResult result;
};

} // namespace drumlin
