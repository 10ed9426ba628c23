// Programs as text, through the phases.
#pragma once

#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/plan/PlanDialect.h"
#include "mlir/Parser/Parser.h"

#include <memory>

namespace drumlin {

struct TestProgram {
  explicit TestProgram(std::string_view text) : context(mlir::MLIRContext::Threading::DISABLED) {
    mlir::DialectRegistry registry;
    registerDialects(registry);
    registry.insert<plan::PlanDialect>();
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  }

  Status run(const CompileOptions &options = {}) { return runPhases(*module, options, result); }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  PhaseResult result;
};

} // namespace drumlin
