#include "drumlin/ir/plan/heroes/TriangularProblem.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/CholeskyOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/TriangularSolveOp.h"
#include "drumlin/support/Cost.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin {

static mlir::Operation *triangularIn(mlir::Block &region) {
  for (mlir::Operation &each : region) {
    if (isa<stablehlo::CholeskyOp, stablehlo::TriangularSolveOp>(each)) {
      return &each;
    }
  }
  return nullptr;
}

TriangularProblem::TriangularProblem(mlir::Block &region)
    : TriangularProblem(triangularIn(region)) {}

TriangularProblem::TriangularProblem(mlir::Operation *op) : op(op) {
  if (!op) {
    return;
  }
  mlir::Value a = op->getOperand(0);
  element = part = elementTypeOf(mlir::getElementTypeOrSelf(a.getType()));
  if (isComplex(element)) {
    part = element == ElementType::C128 ? ElementType::F64 : ElementType::F32;
  }
  std::vector<Size> ofA = sizesOf(cast<mlir::RankedTensorType>(a.getType()));
  for (const Size &outer : ArrayRef(ofA).drop_back(2)) {
    matrices = matrices * outer;
  }
  isSized = any_of(op->getOperandTypes(), hasSymbolicSizes);
  size = lanes = ofA.back();
  if (auto factorization = dyn_cast<stablehlo::CholeskyOp>(op)) {
    lower = factorization.getLower();
    return;
  }
  auto solve = cast<stablehlo::TriangularSolveOp>(op);
  std::vector<Size> ofB = sizesOf(cast<mlir::RankedTensorType>(solve.getB().getType()));
  lanesAreRows = !solve.getLeftSide();
  lanes = lanesAreRows ? ofB[ofB.size() - 2] : ofB.back();
  // x op(a) = b is equivalent to op(a)^T x^T = b^T.
  transposed = (solve.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE) == solve.getLeftSide();
  conjugated = solve.getTransposeA() == stablehlo::Transpose::ADJOINT;
  lower = solve.getLower() != transposed;
  unitDiagonal = solve.getUnitDiagonal();
}

bool TriangularProblem::factorizes() const { return isa<stablehlo::CholeskyOp>(op); }

double TriangularProblem::multiplyAdds() const {
  auto n = static_cast<double>(size.nominal), m = static_cast<double>(lanes.nominal);
  return factorizes() ? n * n * n / 6 : n * n * m / 2;
}

Size TriangularProblem::panels() const { return lanes.ceilQuotient(panelLanes()); }

Size tasksOf(plan::TriangularScheduleAttr schedule, const TriangularProblem &problem) {
  if (problem.matrices.is(0) || problem.size.is(0) || problem.lanes.is(0)) {
    return 0;
  }
  bool isWhole = schedule.getAlgorithm() == plan::TriangularAlgorithm::whole;
  Size panels = problem.panels();
  if (!isWhole) {
    // The matrix of a solve is packed in a separate step.
    panels = Size::larger(panels, problem.size.ceilQuotient(problem.panelLanes()));
  }
  bool areMatrices = isWhole && problem.factorizes();
  Size items = areMatrices ? problem.matrices : problem.matrices * panels;
  return items.ceilQuotient(schedule.getTile());
}

std::string findScheduleFault(plan::TriangularScheduleAttr schedule,
                              const TriangularProblem &problem) {
  if (schedule.getTile() < 1) {
    return "a task has at least one matrix or panel";
  }
  if (problem.isSized && schedule.getAlgorithm() != plan::TriangularAlgorithm::whole) {
    return "`stepped` needs matrix sizes that are known at compile time";
  }
  if (schedule.getBlock() < 1 || schedule.getBlock() % problem.panelLanes() != 0) {
    return "`block` must be a multiple of the columns of a panel, " +
           std::to_string(problem.panelLanes());
  }
  return "";
}

std::string plan::TriangularScheduleAttr::findFault(mlir::Operation *kernel) const {
  return findScheduleFault(*this, TriangularProblem(kernel->getRegion(0).front()));
}

} // namespace drumlin
