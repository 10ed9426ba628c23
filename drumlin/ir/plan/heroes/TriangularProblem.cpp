#include "drumlin/ir/plan/heroes/TriangularProblem.h"

#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace drumlin {

static int64_t matricesOf(mlir::Value value) {
  int64_t matrices = 1;
  for (int64_t size : shapeOf(value).drop_back(2)) {
    matrices = multiplySaturating(matrices, size);
  }
  return matrices;
}

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
  matrices = matricesOf(a);
  isSized = any_of(op->getOperandTypes(), hasSymbolicSizes);
  size = lanes = shapeOf(a).back();
  if (auto factorization = dyn_cast<stablehlo::CholeskyOp>(op)) {
    lower = factorization.getLower();
    return;
  }
  auto solve = cast<stablehlo::TriangularSolveOp>(op);
  ArrayRef<int64_t> b = shapeOf(solve.getB()).take_back(2);
  lanesAreRows = !solve.getLeftSide();
  lanes = solve.getLeftSide() ? b[1] : b[0];
  // x op(a) = b is op(a)^T x^T = b^T.
  transposed = (solve.getTransposeA() != stablehlo::Transpose::NO_TRANSPOSE) == solve.getLeftSide();
  conjugated = solve.getTransposeA() == stablehlo::Transpose::ADJOINT;
  lower = solve.getLower() != transposed;
  unitDiagonal = solve.getUnitDiagonal();
}

bool TriangularProblem::factorizes() const { return isa<stablehlo::CholeskyOp>(op); }

double TriangularProblem::multiplyAdds() const {
  auto n = static_cast<double>(size), m = static_cast<double>(lanes);
  return factorizes() ? n * n * n / 6 : n * n * m / 2;
}

int64_t TriangularProblem::panels() const { return divideCeilSigned(lanes, panelLanes()); }

int64_t tasksOf(plan::TriangularScheduleAttr schedule, const TriangularProblem &problem) {
  if (problem.matrices == 0 || problem.size == 0 || problem.lanes == 0) {
    return 0;
  }
  bool isWhole = schedule.getAlgorithm() == plan::TriangularAlgorithm::whole;
  int64_t panels = problem.panels();
  if (!isWhole) {
    // The matrix of a solve is packed in a step of its own.
    panels = std::max(panels, divideCeilSigned(problem.size, problem.panelLanes()));
  }
  int64_t items = isWhole && problem.factorizes() ? problem.matrices
                                                  : multiplySaturating(problem.matrices, panels);
  return divideCeilSigned(items, schedule.getTile());
}

std::string findScheduleFault(plan::TriangularScheduleAttr schedule,
                              const TriangularProblem &problem) {
  if (schedule.getTile() < 1) {
    return "a task has at least one matrix or panel";
  }
  if (problem.isSized && schedule.getAlgorithm() != plan::TriangularAlgorithm::whole) {
    return "tasks don't share the steps of matrices whose sizes are known when the program runs";
  }
  if (schedule.getBlock() < 1 || schedule.getBlock() % problem.panelLanes() != 0) {
    return "a block has the rows of whole panels, a multiple of " +
           std::to_string(problem.panelLanes());
  }
  return "";
}

} // namespace drumlin
