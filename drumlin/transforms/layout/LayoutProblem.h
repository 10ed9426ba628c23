// Layout assignment as a problem: one variable for each value between kernels (a loop's carried
// value is one in all of its regions), and sites where the orders of several meet and have a cost.
// AssignLayouts.cpp fills it, LayoutSolver.cpp chooses.
//
// Costs are in bytes that pass through memory, times the calls of a loop's body. What reads a value
// against the order in which it lies takes about twice as long as what reads along it, so it counts
// the value's bytes once more; a copy into another order reads, writes, and does one of them
// across. A product counts the bytes that could be read in the time that its cheapest schedule is
// predicted to take (transforms/gemm/GemmCost.h).
#pragma once

#include "drumlin/target/KernelLayouts.h"
#include "drumlin/transforms/layout/GemmPrices.h"
#include "drumlin/transforms/layout/KernelAccess.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <map>

namespace drumlin {

struct LayoutVariable {
  llvm::SmallVector<mlir::Value, 1> values;
  Shape shape;
  std::vector<DimensionOrder> candidates; // row-major first, but where another order is imposed
  size_t chosen = 0;
  bool isFixed = false; // the caller or what makes it imposes the only candidate
  llvm::SetVector<size_t> sites;

  const DimensionOrder &order() const { return candidates[chosen]; }
};

struct LayoutSite {
  enum Kind {
    Kernel,  // reads its operands along or against their order
    Reshape, // free where the bytes stay in place
    Handover // from one value to another one, or to what the caller asks for
  } kind = Kernel;
  mlir::Operation *op = nullptr;
  int64_t calls = 1; // in one run
  // Of a handover: the use, and the variable that it becomes; where that is -1, `wanted`.
  mlir::OpOperand *use = nullptr;
  int64_t to = -1;
  DimensionOrder wanted;
  // Of a kernel.
  KernelAccess access;
  LayoutNeed operandNeed = LayoutNeed::Any, resultNeed = LayoutNeed::Any;
  std::array<bool, 2> depthInRow = {}; // of a dot's operands, where a library needs it
};

class LayoutProblem {
public:
  explicit LayoutProblem(GemmPrices prices) : prices(std::move(prices)) {}

  std::vector<LayoutVariable> variables;
  std::vector<LayoutSite> sites;
  llvm::DenseMap<mlir::Value, size_t> variableOf;

  const LayoutVariable *find(mlir::Value value) const;
  // Row-major where the value has no variable.
  DimensionOrder orderOf(mlir::Value value) const;
  // A candidate that isn't there yet; fixed variables take none.
  void addCandidate(mlir::Value value, std::span<const int64_t> order);

  int64_t costOf(const LayoutSite &site) const;
  // The order in which the other side of a handover takes the value.
  const DimensionOrder &takenOrder(const LayoutSite &handover) const;
  // The order into which a kernel's input has to be copied before the kernel can read it; nothing
  // where it reads it as it lies.
  std::optional<DimensionOrder> copiedInput(const LayoutSite &site, unsigned input) const;

  // Candidates that the sites ask for.
  void collectCandidates();
  // A fixed number of sweeps in program order; ties go to the first candidate.
  void solve();

private:
  int64_t kernelCost(const LayoutSite &site) const;
  int64_t loopCost(const LayoutSite &site) const;
  int64_t dotCost(const LayoutSite &site) const;
  int64_t readCost(const LayoutSite &site, size_t traversal, llvm::ArrayRef<int64_t> wanted) const;
  bool isMatrix(const LayoutSite &site, unsigned input, size_t traversal) const;
  AssumedOrders ordersOf(const LayoutSite &site) const;
  void candidatesOfKernel(const LayoutSite &site);
  // costOf(), each combination of a site's orders being priced once.
  int64_t knownCost(size_t site);
  int64_t costAround(llvm::ArrayRef<size_t> changed);
  bool improve(size_t variable);

  mutable GemmPrices prices;
  // Of each site, by the candidates that are chosen for its values.
  std::vector<std::map<llvm::SmallVector<size_t>, int64_t>> knownCosts;
};

// The order of the result under which a reshape of a value with this order moves no byte; nothing
// where no order of the result does.
std::optional<DimensionOrder> reshapedOrder(std::span<const int64_t> from,
                                            std::span<const int64_t> order,
                                            std::span<const int64_t> to,
                                            mlir::MLIRContext *context);
bool reshapeIsBitcast(std::span<const int64_t> from, std::span<const int64_t> order,
                      std::span<const int64_t> to, std::span<const int64_t> toOrder,
                      mlir::MLIRContext *context);

} // namespace drumlin
