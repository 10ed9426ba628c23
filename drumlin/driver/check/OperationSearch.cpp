#include "drumlin/driver/check/OperationSearch.h"

#include "drumlin/driver/ValueDescriptions.h"
#include "drumlin/driver/check/PhaseProgram.h"
#include "drumlin/driver/check/RoundingAllowance.h"
#include "drumlin/driver/check/RoundingNotes.h"
#include "drumlin/interpreter/PlanOperations.h"
#include "drumlin/ir/plan/KernelOp.h"
#include "drumlin/ir/plan/LaunchOp.h"
#include "drumlin/ir/plan/OperationClasses.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/SetVector.h"

namespace drumlin {

bool comesFromRounding(mlir::Value yielded) {
  llvm::SetVector<mlir::Operation *> reached;
  if (mlir::Operation *op = yielded.getDefiningOp()) {
    reached.insert(op);
  }
  for (size_t i = 0; i < reached.size(); ++i) {
    mlir::Operation *op = reached[i];
    OperationClass of = classify(op);
    bool computes = of == OperationClass::Pointwise || of == OperationClass::Reduction ||
                    of == OperationClass::Hero;
    for (mlir::Value operand : op->getOperands()) {
      mlir::Type element = mlir::getElementTypeOrSelf(operand.getType());
      if (computes && llvm::isa<mlir::FloatType>(element)) {
        return true;
      }
      if (mlir::Operation *from = operand.getDefiningOp()) {
        reached.insert(from);
      }
    }
  }
  return false;
}

// Returns the values that the kernel can be compiled to store: all values of a loop kernel, or the
// values of a GEMM kernel that have the shape of the dot's result.
static llvm::SmallVector<mlir::Value> keepableValues(plan::KernelOp kernel) {
  mlir::Block &body = kernel.getBody().front();
  mlir::Operation *hero = nullptr;
  llvm::SmallVector<mlir::Value> values;
  for (mlir::Operation &op : body.without_terminator()) {
    OperationClass of = classify(&op);
    hero = of == OperationClass::Hero ? &op : hero;
    bool isLoop = kernel.getKind() == plan::KernelKind::loop;
    bool isEpilogue = kernel.getKind() == plan::KernelKind::gemm && hero;
    if (of == OperationClass::Constant || !(isLoop || isEpilogue)) {
      continue;
    }
    for (mlir::Value result : op.getResults()) {
      bool fits =
          isLoop || mlir::cast<mlir::RankedTensorType>(result.getType()).getShape() ==
                        mlir::cast<mlir::RankedTensorType>(hero->getResult(0).getType()).getShape();
      if (fits) {
        values.push_back(result);
      }
    }
  }
  return values;
}

// Returns a program that launches the kernel once, in the form that a program has after the phase
// `schedule`.
static mlir::OwningOpRef<mlir::ModuleOp> programOf(plan::KernelOp kernel) {
  mlir::Location location = kernel.getLoc();
  mlir::OwningOpRef<mlir::ModuleOp> module = mlir::ModuleOp::create(location);
  mlir::OpBuilder builder = mlir::OpBuilder::atBlockEnd(module->getBody());
  auto copy = mlir::cast<plan::KernelOp>(builder.clone(*kernel.getOperation()));
  mlir::Block &region = copy.getBody().front();
  region.getTerminator()->setOperands(keepableValues(copy));
  mlir::TypeRange arguments(region.getArgumentTypes());
  mlir::TypeRange results(region.getTerminator()->getOperandTypes());
  auto main = mlir::func::FuncOp::create(builder, location, "main",
                                         builder.getFunctionType(arguments, results));
  mlir::Block *body = main.addEntryBlock();
  builder.setInsertionPointToEnd(body);
  auto launch = plan::LaunchOp::create(builder, location, results,
                                       mlir::FlatSymbolRefAttr::get(copy.getSymNameAttr()),
                                       mlir::ValueRange(body->getArguments()));
  mlir::func::ReturnOp::create(builder, location, launch->getResults());
  return module;
}

void searchOperation(plan::KernelOp kernel, const std::vector<Tensor> &inputs,
                     const CompileOptions &compilation, const CheckOptions &options,
                     LaunchDivergence &divergence) {
  if (keepableValues(kernel).empty()) {
    return;
  }
  mlir::OwningOpRef<mlir::ModuleOp> program = programOf(kernel);
  auto run = [&](const InterpreterTable &table) {
    return interpret(*program, inputs, interpreterFor(table, options));
  };
  CompileOptions inner;
  inner.target = compilation.target;
  inner.numerics = compilation.numerics;
  inner.useCache = false; // the copy still has the key of the original kernel
  inner.startFrom = "schedule";
  mlir::OwningOpRef<mlir::ModuleOp> copy = mlir::cast<mlir::ModuleOp>(program->clone());
  Result<Compilation> compiled = compile(*copy, "operations", inner);
  Result<std::vector<Tensor>> expected = run(planOperations());
  if (!expected || !compiled) {
    return;
  }
  LoadOptions load;
  load.threads = options.threads;
  Result<std::unique_ptr<Executable>> executable = compiled->load("operations", load);
  if (!executable) {
    return;
  }
  Result<std::vector<Tensor>> got = call(**executable, inputs);
  if (!got) {
    return;
  }
  llvm::SmallVector<mlir::Value> values = keepableValues(kernel);
  std::vector<std::vector<double>> allowances(values.size());
  if (!options.tolerance.isGiven()) {
    allowances = roundingAllowances(run, *expected, planOperations(), unseenRelaxations(kernel),
                                    manyRoundingEvaluations);
    allowances.resize(values.size());
  }
  for (size_t i = 0; i < values.size(); ++i) {
    bool isRounded = comesFromRounding(values[i]);
    ElementCheck check = checkElements((*got)[i], (*expected)[i], options.tolerance, isRounded);
    if (check.diverges) {
      mlir::Operation *op = values[i].getDefiningOp();
      std::string source = plan::sourceOf(op->getLoc());
      divergence.operation =
          op->getName().getStringRef().str() + (source.empty() ? "" : " at " + source);
      divergence.operationType = describeValue(values[i].getType()).typeText();
      divergence.operationElements = check;
      return;
    }
  }
}

} // namespace drumlin
