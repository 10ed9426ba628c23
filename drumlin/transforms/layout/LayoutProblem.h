// Layout assignment as an optimization problem. A variable is the dimension order of a value
// between kernels; a loop's carried value is one variable in all regions of the loop. A site is a
// kernel, a reshape or a handover: the orders of the values at a site determine the site's cost.
// AssignLayouts.cpp builds the problem, and LayoutSolver.cpp solves it.
//
// Costs are bytes moved through memory, times the number of calls of a loop's body. Reading a value
// against its storage order takes about twice as long as reading it along that order, so the
// value's bytes count once more. A copy into another order reads and writes the value; either the
// read or the write is against the storage order. A GEMM costs the bytes that could be read in the
// predicted time of its cheapest schedule (transforms/gemm/GemmCost.h).
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
  std::vector<DimensionOrder> candidates; // row-major first, unless another order is imposed
  size_t chosen = 0;
  bool isFixed = false; // the caller or the producer imposes the only candidate
  llvm::SetVector<size_t> sites;

  const DimensionOrder &order() const { return candidates[chosen]; }
};

struct LayoutSite {
  enum Kind {
    Kernel,  // reads its operands along or against their order
    Reshape, // free if the bytes stay in place
    Handover // from one value to another, or to the caller
  } kind = Kernel;
  mlir::Operation *op = nullptr;
  int64_t calls = 1; // number of calls per run of the program
  // For a handover: the use, and the variable that receives the value. If `to` is -1, the receiver
  // needs the order `wanted`.
  mlir::OpOperand *use = nullptr;
  int64_t to = -1;
  DimensionOrder wanted;
  // For a kernel: how it accesses its values, and which layouts its operands and result need.
  KernelAccess access;
  LayoutNeed operandNeed = LayoutNeed::Any, resultNeed = LayoutNeed::Any;
  // Per operand of a dot: whether a library requires contiguous elements along the contracting
  // dimension.
  std::array<bool, 2> depthInRow = {};
};

class LayoutProblem {
public:
  explicit LayoutProblem(GemmPrices prices) : prices(std::move(prices)) {}

  std::vector<LayoutVariable> variables;
  std::vector<LayoutSite> sites;
  llvm::DenseMap<mlir::Value, size_t> variableOf;

  const LayoutVariable *find(mlir::Value value) const;
  // Returns the order of a value: row-major if it has no variable.
  DimensionOrder orderOf(mlir::Value value) const;
  // Adds a candidate if it is new; fixed variables accept none.
  void addCandidate(mlir::Value value, std::span<const int64_t> order);

  int64_t costOf(const LayoutSite &site) const;
  // Returns the order in which the receiving side of a handover takes the value.
  const DimensionOrder &takenOrder(const LayoutSite &handover) const;
  // Returns the order into which a kernel's input must be copied before the kernel can read it, or
  // nothing if no copy is needed.
  std::optional<DimensionOrder> copiedInput(const LayoutSite &site, unsigned input) const;

  // Adds the candidates that the sites request.
  void collectCandidates();
  // Runs a fixed number of sweeps in program order; ties go to the first candidate.
  void solve();

private:
  int64_t kernelCost(const LayoutSite &site) const;
  int64_t loopCost(const LayoutSite &site) const;
  int64_t dotCost(const LayoutSite &site) const;
  int64_t readCost(const LayoutSite &site, size_t traversal, llvm::ArrayRef<int64_t> wanted) const;
  bool isMatrix(const LayoutSite &site, unsigned input, size_t traversal) const;
  AssumedOrders ordersOf(const LayoutSite &site) const;
  void candidatesOfKernel(const LayoutSite &site);
  // Returns costOf() of a site from a cache, computing it once for each combination of orders.
  int64_t knownCost(size_t site);
  int64_t costAround(llvm::ArrayRef<size_t> changed);
  bool improve(size_t variable);

  mutable GemmPrices prices;
  // Known costs per site, by the chosen candidates of its values.
  std::vector<std::map<llvm::SmallVector<size_t>, int64_t>> knownCosts;
};

// Returns the result order that makes a reshape of a value with order `from` a no-op in memory, or
// nothing if there is none.
std::optional<DimensionOrder> reshapedOrder(std::span<const int64_t> from,
                                            std::span<const int64_t> order,
                                            std::span<const int64_t> to,
                                            mlir::MLIRContext *context);
bool reshapeIsBitcast(std::span<const int64_t> from, std::span<const int64_t> order,
                      std::span<const int64_t> to, std::span<const int64_t> toOrder,
                      mlir::MLIRContext *context);

} // namespace drumlin
