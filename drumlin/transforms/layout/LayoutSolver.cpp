#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/indexing/StridedView.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"
#include "drumlin/transforms/layout/LayoutProblem.h"

using namespace mlir;

namespace drumlin {

// Number of passes over all variables, in program order.
static constexpr int sweeps = 2;
static constexpr size_t maxCandidates = 8;
// Maximum number of variables that are adapted when another candidate of a variable is tried.
static constexpr size_t maxFollowing = 16;
// The cost of a copy into another order, in passes over the value. The copy reads and writes the
// value. Either the read or the write is against the storage order, which costs as much as another
// pass.
static constexpr int64_t passesOfCopy = 3;
// A kernel that doesn't write row-major results is tiled and vectorized worse. A training step
// whose GEMMs each wrote another order, to give a later GEMM a better axis, took 1.5 times as long.
static constexpr int64_t passesOfOtherOrder = 2;
// A copy is an additional kernel launch, which takes about as long as reading this many bytes.
static constexpr int64_t launchBytes = 64 * 1024;
static int64_t copyCost(Value value) {
  return addSaturating(launchBytes, multiplySaturating(passesOfCopy, bytesOf(value)));
}

//===- orders -----------------------------------------------------------------------===//

std::optional<DimensionOrder> reshapedOrder(std::span<const int64_t> from,
                                            std::span<const int64_t> order,
                                            std::span<const int64_t> to, MLIRContext *context) {
  if (llvm::is_contained(from, 0)) {
    return rowMajorOrder(to.size());
  }
  auto array = [](std::span<const int64_t> each) {
    return ArrayRef<int64_t>(each.data(), each.size());
  };
  std::optional<StridedView> view =
      viewThrough(IndexingMap::reshape(array(to), array(from), context),
                  viewInOrder(array(from), array(order)));
  if (!view) {
    return std::nullopt;
  }
  SmallVector<std::pair<int64_t, int64_t>> byStride; // stride and number of each dimension
  for (auto [d, factors] : llvm::enumerate(view->dimensions)) {
    if (factors.size() > 1) {
      return std::nullopt;
    }
    for (const StridedFactor &factor : factors) {
      byStride.push_back({factor.stride, static_cast<int64_t>(d)});
    }
  }
  llvm::sort(byStride, std::greater<>());
  DimensionOrder made = singlesFirst(to);
  for (auto [stride, dimension] : byStride) {
    made.push_back(dimension);
  }
  return canonicalOrder(to, made);
}

bool reshapeIsBitcast(std::span<const int64_t> from, std::span<const int64_t> order,
                      std::span<const int64_t> to, std::span<const int64_t> toOrder,
                      MLIRContext *context) {
  std::optional<DimensionOrder> free = reshapedOrder(from, order, to, context);
  return free && haveSameBytes(to, *free, toOrder);
}

//===- variables --------------------------------------------------------------------===//

const LayoutVariable *LayoutProblem::find(Value value) const {
  auto found = variableOf.find(value);
  return found == variableOf.end() ? nullptr : &variables[found->second];
}

DimensionOrder LayoutProblem::orderOf(Value value) const {
  const LayoutVariable *variable = find(value);
  return variable ? variable->order() : rowMajorOrder(shapeOf(value).size());
}

void LayoutProblem::addCandidate(Value value, std::span<const int64_t> order) {
  auto found = variableOf.find(value);
  if (found == variableOf.end()) {
    return;
  }
  LayoutVariable &variable = variables[found->second];
  DimensionOrder canonical = canonicalOrder(variable.shape, order);
  if (!variable.isFixed && variable.candidates.size() < maxCandidates &&
      !llvm::is_contained(variable.candidates, canonical)) {
    variable.candidates.push_back(std::move(canonical));
  }
}

//===- requests of kernels ----------------------------------------------------------===//

// Returns the last of the dimensions with more than one element, or -1.
static int64_t lastOf(ArrayRef<int64_t> dimensions, const Shape &shape) {
  for (int64_t dimension : llvm::reverse(dimensions)) {
    if (shape[static_cast<size_t>(dimension)] != 1) {
      return dimension;
    }
  }
  return -1;
}

static size_t traversalOf(const KernelAccess &access, KernelTraversal::Kind kind) {
  for (auto [i, traversal] : llvm::enumerate(access.traversals)) {
    if (traversal.kind == kind) {
      return i;
    }
  }
  llvm_unreachable("a dot has a traversal for each operand");
}

// Returns the output order that corresponds to an order of the hero's result, or nothing if there
// is none.
static std::optional<DimensionOrder> outputOrder(const KernelTraversal &traversal,
                                                 ArrayRef<int64_t> heroOrder) {
  DimensionOrder order = singlesFirst(traversal.shape);
  for (int64_t dimension : heroOrder) {
    int64_t at = traversal.heroDimensions[static_cast<size_t>(dimension)];
    if (at >= 0 && traversal.shape[static_cast<size_t>(at)] != 1) {
      if (llvm::is_contained(order, at)) {
        return std::nullopt;
      }
      order.push_back(at);
    }
  }
  if (order.size() != traversal.shape.size()) {
    return std::nullopt;
  }
  return order;
}

static DimensionOrder concatenate(std::initializer_list<ArrayRef<int64_t>> groups) {
  DimensionOrder order;
  for (ArrayRef<int64_t> group : groups) {
    order.insert(order.end(), group.begin(), group.end());
  }
  return order;
}

void LayoutProblem::candidatesOfKernel(const LayoutSite &site) {
  const KernelAccess &access = site.access;
  for (const KernelTraversal &traversal : access.traversals) {
    Value output =
        traversal.kind == KernelTraversal::Output ? site.op->getResult(traversal.output) : Value();
    if (output && access.isDot() && !traversal.heroDimensions.empty()) {
      SmallVector<int64_t> batch = access.roles->batchInResult();
      SmallVector<int64_t> m = access.roles->freeInResult(0), n = access.roles->freeInResult(1);
      for (const DimensionOrder &hero : {concatenate({batch, m, n}), concatenate({batch, n, m})}) {
        if (std::optional<DimensionOrder> order = outputOrder(traversal, hero)) {
          addCandidate(output, *order);
        }
      }
    }
  }
  for (const InputAccess &input : access.inputs) {
    Value operand = site.op->getOperand(input.input);
    const KernelTraversal &traversal = access.traversals[input.traversal];
    std::vector<DimensionOrder> orders;
    if (traversal.kind == KernelTraversal::Output) {
      if (const LayoutVariable *output = find(site.op->getResult(traversal.output))) {
        orders = output->candidates;
      }
    } else {
      orders = {alongFree(access.rolesOf(traversal.kind)),
                alongDepth(access.rolesOf(traversal.kind))};
    }
    bool isMatrix = traversal.kind != KernelTraversal::Output && !input.isPermutation &&
                    site.operandNeed == LayoutNeed::Matrix;
    for (const DimensionOrder &wanted : orders) {
      if (std::optional<DimensionOrder> order =
              isMatrix ? matrixOrder(access, input, wanted, shapeOf(operand))
                       : inputOrder(access, input, wanted, shapeOf(operand))) {
        addCandidate(operand, *order);
      }
    }
    if (const LayoutVariable *variable = find(operand);
        variable && traversal.kind == KernelTraversal::Output) {
      for (const DimensionOrder &lies : std::vector<DimensionOrder>(variable->candidates)) {
        if (std::optional<DimensionOrder> order =
                traversalOrder(access, input, lies, shapeOf(operand))) {
          addCandidate(site.op->getResult(traversal.output), *order);
        }
      }
    }
  }
}

void LayoutProblem::collectCandidates() {
  auto visit = [&](const LayoutSite &site) {
    if (site.kind == LayoutSite::Kernel) {
      candidatesOfKernel(site);
      return;
    }
    if (site.kind == LayoutSite::Reshape) {
      Value from = site.op->getOperand(0), to = site.op->getResult(0);
      for (auto [here, there] : {std::pair(from, to), std::pair(to, from)}) {
        if (const LayoutVariable *variable = find(here)) {
          for (const DimensionOrder &order : std::vector<DimensionOrder>(variable->candidates)) {
            if (auto moved =
                    reshapedOrder(shapeOf(here), order, shapeOf(there), site.op->getContext())) {
              addCandidate(there, *moved);
            }
          }
        }
      }
      return;
    }
    if (site.to < 0) {
      addCandidate(site.use->get(), site.wanted);
      return;
    }
    LayoutVariable &to = variables[static_cast<size_t>(site.to)];
    for (const DimensionOrder &order : std::vector<DimensionOrder>(to.candidates)) {
      addCandidate(site.use->get(), order);
    }
    if (const LayoutVariable *from = find(site.use->get())) {
      for (const DimensionOrder &order : std::vector<DimensionOrder>(from->candidates)) {
        addCandidate(to.values.front(), order);
      }
    }
  };
  llvm::for_each(sites, visit);
  llvm::for_each(llvm::reverse(sites), visit);
}

//===- costs ------------------------------------------------------------------------===//

// Returns the bytes that are read against the value's order. If only a part of the value is read,
// returns at most one cache line per element.
static int64_t bytesReadAcross(Value operand, const KernelTraversal &traversal,
                               const InputAccess &input) {
  int64_t bytes = bytesOf(operand);
  constexpr int64_t lineBytes = 64;
  int64_t lines = elementCount(traversal.shape).value_or(bytes);
  return input.isPartial ? std::min(bytes, multiplySaturating(lines, lineBytes)) : bytes;
}

// Returns the additional cost of reading a traversal's inputs against their orders, if elements
// along the dimensions `wanted` are read together.
int64_t LayoutProblem::readCost(const LayoutSite &site, size_t traversal,
                                ArrayRef<int64_t> wanted) const {
  int64_t cost = 0;
  for (const InputAccess &input : site.access.inputs) {
    if (input.traversal != traversal) {
      continue;
    }
    Value operand = site.op->getOperand(input.input);
    ArrayRef<int64_t> shape = shapeOf(operand);
    int64_t fastest = fastestDimension(shape, orderOf(operand));
    bool asks = llvm::any_of(llvm::enumerate(input.follows), [&](auto pair) {
      return shape[pair.index()] != 1 && llvm::is_contained(wanted, pair.value());
    });
    int64_t followed = fastest < 0 ? InputAccess::all : input.follows[static_cast<size_t>(fastest)];
    bool isAlong = followed == InputAccess::all || llvm::is_contained(wanted, followed);
    if (asks && !isAlong) {
      cost =
          addSaturating(cost, bytesReadAcross(operand, site.access.traversals[traversal], input));
    }
  }
  return cost;
}

int64_t LayoutProblem::loopCost(const LayoutSite &site) const {
  int64_t cost = 0;
  for (auto [number, traversal] : llvm::enumerate(site.access.traversals)) {
    if (traversal.kind == KernelTraversal::Output) {
      int64_t fastest =
          fastestDimension(traversal.shape, orderOf(site.op->getResult(traversal.output)));
      if (fastest >= 0) {
        cost = addSaturating(cost, readCost(site, number, {fastest}));
      }
    }
  }
  return cost;
}

// Determines the axes of the dot along which its operands and results are contiguous.
AssumedOrders LayoutProblem::ordersOf(const LayoutSite &site) const {
  const KernelAccess &access = site.access;
  auto operand = [&](KernelTraversal::Kind kind) {
    const stablehlo::ProductRoles::Operand &roles = access.rolesOf(kind);
    size_t traversal = traversalOf(access, kind);
    const Shape &shape = access.traversals[traversal].shape;
    AssumedOrders::Operand lies;
    lies.alongK = readCost(site, traversal, {lastOf(roles.contracting, shape)}) == 0;
    lies.alongFree = readCost(site, traversal, {lastOf(roles.free, shape)}) == 0;
    return lies;
  };
  AssumedOrders orders;
  orders.lhs = operand(KernelTraversal::Lhs);
  orders.rhs = operand(KernelTraversal::Rhs);
  for (const KernelTraversal &traversal : access.traversals) {
    if (traversal.kind != KernelTraversal::Output || traversal.heroDimensions.empty()) {
      continue;
    }
    int64_t fastest =
        fastestDimension(traversal.shape, orderOf(site.op->getResult(traversal.output)));
    auto follows = [&](ArrayRef<int64_t> dimensions) {
      return fastest >= 0 && llvm::any_of(dimensions, [&](int64_t dimension) {
               return traversal.heroDimensions[static_cast<size_t>(dimension)] == fastest;
             });
    };
    orders.resultsAlongM |= follows(access.roles->freeInResult(0));
    orders.resultsAlongN |= follows(access.roles->freeInResult(1));
  }
  return orders;
}

int64_t LayoutProblem::dotCost(const LayoutSite &site) const {
  return addSaturating(loopCost(site), prices.of(site.access.hero, ordersOf(site)));
}

int64_t LayoutProblem::kernelCost(const LayoutSite &site) const {
  int64_t cost = 0;
  for (Value output : site.op->getResults()) {
    if (!isRowMajor(orderOf(output))) {
      cost = addSaturating(cost, multiplySaturating(passesOfOtherOrder, bytesOf(output)));
    }
  }
  for (unsigned input = 0; input < site.op->getNumOperands(); ++input) {
    if (copiedInput(site, input)) {
      cost = addSaturating(cost, copyCost(site.op->getOperand(input)));
    }
  }
  // For a library, the cost of reading operands is part of the call.
  if (site.access.isDot() && site.operandNeed == LayoutNeed::Any) {
    return addSaturating(cost, dotCost(site));
  }
  return addSaturating(cost, loopCost(site));
}

const DimensionOrder &LayoutProblem::takenOrder(const LayoutSite &handover) const {
  return handover.to < 0 ? handover.wanted : variables[static_cast<size_t>(handover.to)].order();
}

int64_t LayoutProblem::costOf(const LayoutSite &site) const {
  int64_t cost = 0;
  switch (site.kind) {
  case LayoutSite::Kernel:
    cost = kernelCost(site);
    break;
  case LayoutSite::Reshape: {
    Value from = site.op->getOperand(0), to = site.op->getResult(0);
    if (!reshapeIsBitcast(shapeOf(from), orderOf(from), shapeOf(to), orderOf(to),
                          site.op->getContext())) {
      cost = copyCost(from);
    }
    break;
  }
  case LayoutSite::Handover: {
    Value from = site.use->get();
    if (!haveSameBytes(shapeOf(from), orderOf(from), takenOrder(site))) {
      cost = copyCost(from);
    }
    break;
  }
  }
  return multiplySaturating(cost, site.calls);
}

// Returns whether a dot operand in its current order is one matrix per batch: each group of
// dimensions has a single stride. If the operand is computed from inputs, the rules of the library
// check the inputs.
bool LayoutProblem::isMatrix(const LayoutSite &site, unsigned input, size_t traversal) const {
  const KernelAccess &access = site.access;
  unsigned side = access.traversals[traversal].kind == KernelTraversal::Lhs ? 0 : 1;
  const stablehlo::ProductRoles::Operand &roles = access.roles->operands[side];
  Value operand = site.op->getOperand(input);
  ArrayRef<int64_t> shape = shapeOf(operand);
  DimensionOrder lies = orderOf(operand);
  StridedView view = viewInOrder(shape, lies);
  for (const InputAccess &each : access.inputs) {
    if (each.input != input || each.traversal != traversal) {
      continue;
    }
    // Strides and sizes by traversal dimension, outermost first.
    DenseMap<int64_t, StridedDimension> factors;
    if (each.isPermutation) {
      for (auto [d, dimension] : llvm::enumerate(each.follows)) {
        if (shape[d] != 1) {
          factors[dimension] = view.dimensions[d];
        }
      }
    } else if (std::optional<StridedView> moved = operandView(access, each, lies, shape)) {
      for (auto [d, dimension] : llvm::enumerate(moved->dimensions)) {
        factors[static_cast<int64_t>(d)] = dimension;
      }
    } else {
      continue;
    }
    auto innermost = [&](ArrayRef<int64_t> group) {
      StridedDimension all;
      for (int64_t dimension : group) {
        llvm::append_range(all, factors.lookup(dimension));
      }
      return innermostStride(all);
    };
    std::optional<int64_t> batch = innermost(roles.batch), free = innermost(roles.free),
                           depth = innermost(roles.contracting);
    if (!batch || !free || !depth) {
      return false;
    }
    bool isAlongDepth = *depth == 1 || *depth == 0, isAlongFree = *free == 1 || *free == 0;
    if (site.depthInRow[side] ? !isAlongDepth : !isAlongDepth && !isAlongFree) {
      return false;
    }
  }
  return true;
}

std::optional<DimensionOrder> LayoutProblem::copiedInput(const LayoutSite &site,
                                                         unsigned input) const {
  Value operand = site.op->getOperand(input);
  if (!find(operand)) {
    return std::nullopt;
  }
  const KernelAccess &access = site.access;
  ArrayRef<int64_t> shape = shapeOf(operand);
  DimensionOrder rowMajor = rowMajorOrder(shape.size());
  bool isRowMajorOnly = access.rowMajorInputs[input] || site.operandNeed == LayoutNeed::RowMajor;
  if (isRowMajorOnly) {
    bool fits = haveSameBytes(shape, orderOf(operand), rowMajor);
    return fits ? std::nullopt : std::optional(rowMajor);
  }
  if (!access.isDot() || site.operandNeed != LayoutNeed::Matrix) {
    return std::nullopt;
  }
  for (KernelTraversal::Kind kind : {KernelTraversal::Lhs, KernelTraversal::Rhs}) {
    size_t traversal = traversalOf(access, kind);
    if (isMatrix(site, input, traversal)) {
      continue;
    }
    DimensionOrder wanted = alongDepth(access.rolesOf(kind));
    for (const InputAccess &each : access.inputs) {
      if (each.input == input && each.traversal == traversal) {
        return each.isPermutation ? inputOrder(access, each, wanted, shape)
                                  : matrixOrder(access, each, wanted, shape);
      }
    }
  }
  return std::nullopt;
}

//===- choice -----------------------------------------------------------------------===//

int64_t LayoutProblem::knownCost(size_t number) {
  const LayoutSite &site = sites[number];
  if (site.kind != LayoutSite::Kernel) {
    return costOf(site);
  }
  SmallVector<size_t> chosen;
  auto add = [&](Value value) {
    const LayoutVariable *variable = find(value);
    chosen.push_back(variable ? variable->chosen : 0);
  };
  llvm::for_each(site.op->getOperands(), add);
  llvm::for_each(site.op->getResults(), add);
  auto [known, isNew] = knownCosts[number].try_emplace(chosen, 0);
  if (isNew) {
    known->second = costOf(site);
  }
  return known->second;
}

int64_t LayoutProblem::costAround(ArrayRef<size_t> changed) {
  llvm::SetVector<size_t> touched;
  for (size_t variable : changed) {
    touched.insert_range(variables[variable].sites);
  }
  int64_t cost = 0;
  for (size_t site : touched) {
    cost = addSaturating(cost, knownCost(site));
  }
  return cost;
}

// Tries each candidate of a variable. Variables that share a site with it adapt if that lowers the
// cost.
bool LayoutProblem::improve(size_t number) {
  LayoutVariable &variable = variables[number];
  llvm::SetVector<size_t> around;
  for (size_t at : variable.sites) {
    const LayoutSite &site = sites[at];
    auto meet = [&](Value value) {
      auto found = variableOf.find(value);
      if (found != variableOf.end() && found->second != number &&
          variables[found->second].candidates.size() > 1 && around.size() < maxFollowing) {
        around.insert(found->second);
      }
    };
    if (site.kind == LayoutSite::Handover) {
      meet(site.use->get());
      if (site.to >= 0) {
        meet(variables[static_cast<size_t>(site.to)].values.front());
      }
    } else {
      llvm::for_each(site.op->getOperands(), meet);
      llvm::for_each(site.op->getResults(), meet);
    }
  }
  SmallVector<size_t> all(around.begin(), around.end());
  all.push_back(number);
  auto choices = [&] {
    SmallVector<size_t> made;
    for (size_t each : all) {
      made.push_back(variables[each].chosen);
    }
    return made;
  };
  auto choose = [&](ArrayRef<size_t> made) {
    for (auto [each, choice] : llvm::zip(all, made)) {
      variables[each].chosen = choice;
    }
  };
  const SmallVector<size_t> before = choices();
  SmallVector<size_t> best = before;
  int64_t least = costAround(all);
  for (size_t candidate = 0; candidate < variable.candidates.size(); ++candidate) {
    choose(before);
    variable.chosen = candidate;
    for (size_t other : around) {
      size_t kept = variables[other].chosen;
      int64_t leastHere = costAround(other);
      for (size_t choice = 0; choice < variables[other].candidates.size(); ++choice) {
        variables[other].chosen = choice;
        int64_t cost = costAround(other);
        if (cost < leastHere) {
          leastHere = cost;
          kept = choice;
        }
      }
      variables[other].chosen = kept;
    }
    if (int64_t cost = costAround(all); cost < least) {
      least = cost;
      best = choices();
    }
  }
  choose(best);
  return best != before;
}

void LayoutProblem::solve() {
  knownCosts.assign(sites.size(), {});
  for (int sweep = 0; sweep < sweeps; ++sweep) {
    bool changes = false;
    for (size_t variable = 0; variable < variables.size(); ++variable) {
      if (variables[variable].candidates.size() > 1) {
        changes |= improve(variable);
      }
    }
    if (!changes) {
      return;
    }
  }
}

} // namespace drumlin
