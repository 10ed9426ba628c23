// Decomposes collectives. In a program for one process, a collective whose group is that process
// alone returns its own operands. Collectives of larger groups stay, and have no native code. In a
// program for several processes, a collective becomes an exchange and a local computation. The
// exchange gives each process the operands that it needs from others.
#include "drumlin/ir/plan/HostCallOp.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/AllGatherOp.h"
#include "drumlin/ir/stablehlo/AllReduceOp.h"
#include "drumlin/ir/stablehlo/AllToAllOp.h"
#include "drumlin/ir/stablehlo/AsyncDoneOp.h"
#include "drumlin/ir/stablehlo/AsyncStartOp.h"
#include "drumlin/ir/stablehlo/CollectiveBroadcastOp.h"
#include "drumlin/ir/stablehlo/CollectivePermuteOp.h"
#include "drumlin/ir/stablehlo/CollectiveReduceOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/CrossReplicaSumOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/MapOp.h"
#include "drumlin/ir/stablehlo/PartitionIdOp.h"
#include "drumlin/ir/stablehlo/RecvOp.h"
#include "drumlin/ir/stablehlo/ReduceScatterOp.h"
#include "drumlin/ir/stablehlo/ReplicaIdOp.h"
#include "drumlin/ir/stablehlo/ReturnOp.h"
#include "drumlin/ir/stablehlo/SendOp.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"
#include "drumlin/transforms/simplify/decompose/Decompose.h"

#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/plan/Origin.h"
#include "drumlin/ir/stablehlo/ReplicaGroups.h"
#include "drumlin/support/Exchange.h"
#include "drumlin/transforms/simplify/decompose/CollectiveGroups.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin {

// Returns whether the only group is process 0 alone. An empty list means all processes if
// `mayBeOfAll`.
static bool isAlone(Operation *op, Attribute ids, bool mayBeOfAll) {
  ScopedDiagnosticHandler quiet(op->getContext(), [](mlir::Diagnostic &) { return success(); });
  FailureOr<stablehlo::IdGroups> groups =
      stablehlo::idGroupsOf([&] { return op->emitError(); }, op, ids);
  if (failed(groups)) {
    return false;
  }
  if (groups->empty()) {
    return mayBeOfAll;
  }
  return groups->size() == 1 && groups->front().size() == 1 && groups->front().front() == 0;
}

// Returns the operands in place of the results.
static Replacements operandsOf(Operation *op, ValueRange operands) {
  return llvm::equal(operands.getTypes(), op->getResultTypes())
             ? Replacements(SmallVector<Value>(operands))
             : std::nullopt;
}

// Returns the process that sends to process 0, or -1 if none does.
static int64_t senderOf(stablehlo::CollectivePermuteOp op) {
  auto pairs = llvm::to_vector(op.getSourceTargetPairs().getValues<int64_t>());
  for (size_t i = 0; i + 1 < pairs.size(); i += 2) {
    if (pairs[i + 1] == 0) {
      return pairs[i];
    }
  }
  return -1;
}

// Returns what process 0 receives if it is the only process: its own operand, or zeros if no
// process sends to it. Returns nothing if another process sends to it.
static Replacements permutationOf(stablehlo::CollectivePermuteOp op) {
  int64_t sender = senderOf(op);
  if (sender > 0) {
    return std::nullopt;
  }
  if (sender == 0) {
    return operandsOf(op, op->getOperands());
  }
  TensorBuilder b(op);
  return SmallVector<Value>{
      b.zero(TensorBuilder::elementOf(op.getResult()), shapeOf(op.getResult()))};
}

//===-- several processes ---------------------------------------------------------------------===//

namespace {
// Builds the replacement of a collective in a program for several processes.
class GridBuilder {
public:
  explicit GridBuilder(Operation *op) : op(op), b(op) {}

  TensorBuilder &builder() { return b; }

  struct Table {
    ArrayRef<int64_t> sources, blocks = {};
    int64_t width = 1;
    bool hasRoots = false;
  };

  // Exchanges operands. Returns the operands received from each source, stacked in a new first
  // dimension if `isStacked`. If the table has `blocks`, the operands already have that dimension.
  SmallVector<Value> exchange(ValueRange operands, const Table &table, bool isStacked = true) {
    OpBuilder &builder = b.operations();
    SmallVector<NamedAttribute> config;
    auto add = [&](StringRef name, ArrayRef<int64_t> numbers) {
      if (!numbers.empty()) {
        config.push_back(builder.getNamedAttr(name, builder.getDenseI64ArrayAttr(numbers)));
      }
    };
    add(blocksAttribute, table.blocks);
    add(rootsAttribute, table.hasRoots ? ArrayRef<int64_t>{1} : ArrayRef<int64_t>());
    add(sourcesAttribute, table.sources);
    SmallVector<Type> results;
    for (Value operand : table.hasRoots ? operands.drop_back() : operands) {
      RankedTensorType type = TensorBuilder::typeOf(operand);
      SmallVector<int64_t> shape(type.getShape());
      if (!table.blocks.empty()) {
        shape.erase(shape.begin());
      }
      if (isStacked) {
        shape.insert(shape.begin(), table.width);
      }
      results.push_back(type.clone(shape));
    }
    auto call = plan::HostCallOp::create(
        builder, b.location(), results, operands,
        plan::HostInterfaceAttr::get(builder.getContext(), plan::HostInterface::exchange),
        builder.getStringAttr(meetingName(op)),
        TypeAttr::get(builder.getFunctionType(operands.getTypes(), results)),
        builder.getDictionaryAttr(config), ArrayAttr(), ArrayAttr(), DenseI64ArrayAttr(),
        builder.getUnitAttr());
    return SmallVector<Value>(call.getOutputs());
  }

  // Returns this process's replica id, its partition id, or for `process` its number among all
  // processes.
  Value number(StringRef what) {
    OpBuilder &builder = b.operations();
    Type type = RankedTensorType::get({}, b.unsignedType(32));
    auto call = plan::HostCallOp::create(
        builder, b.location(), TypeRange(type), ValueRange(),
        plan::HostInterfaceAttr::get(builder.getContext(), plan::HostInterface::process),
        builder.getStringAttr(what), TypeAttr::get(builder.getFunctionType({}, TypeRange(type))),
        Attribute(), ArrayAttr(), ArrayAttr(), DenseI64ArrayAttr(), UnitAttr());
    return call.getOutputs().front();
  }

  // Returns this process's entry of a table that has one entry per process, as an i64 scalar.
  Value entry(ArrayRef<int64_t> table) {
    OpBuilder &builder = b.operations();
    auto type = RankedTensorType::get({static_cast<int64_t>(table.size())}, b.signedType(64));
    Value all = stablehlo::ConstantOp::create(builder, b.location(),
                                              DenseIntElementsAttr::get(type, table));
    return b.sliceAt(all, 0, b.convert(number("process"), b.signedType(64)));
  }

  // Computes body(…body(stack[0], stack[1])…, stack[n - 1]), rounding each step to the body's type.
  // If groups differ in size, includes only the entries of the process's own group.
  Value reduce(Value stack, Region &body, const CollectiveGroups &groups, Type element) {
    Type computed = cast<RankedTensorType>(body.front().getArgument(0).getType()).getElementType();
    auto part = [&](TensorBuilder &, Value index) {
      return b.convert(b.sliceAt(stack, 0, index), computed);
    };
    auto partAt = [&](int64_t i) {
      SmallVector<int64_t> shape(shapeOf(stack).drop_front());
      return b.convert(b.reshape(b.slice(stack, 0, i, i + 1), shape), computed);
    };
    Value size = groups.isUniform() ? Value() : entry(groups.sizes);
    auto step = [&](Value i, Value sum, Value next) {
      Value combined = combine(sum, next, body);
      return size ? b.select(b.compare(stablehlo::ComparisonDirection::LT, i, size), combined, sum)
                  : combined;
    };
    Type index = b.signedType(64);
    Value sum = partAt(0);
    if (groups.width <= maxUnrolledParts) {
      for (int64_t i = 1; i < groups.width; ++i) {
        sum = step(size ? b.integer(index, static_cast<uint64_t>(i)) : Value(), sum, partAt(i));
      }
      return b.convert(sum, element);
    }
    Value count = b.integer(index, static_cast<uint64_t>(groups.width - 1));
    auto next = [&](TensorBuilder &inner, Value i, ValueRange carried) {
      Value place = b.add(i, b.integer(index, 1));
      return TensorBuilder::Carried{step(place, carried[0], part(inner, place))};
    };
    return b.convert(b.countedLoop(count, sum, next).front(), element);
  }

  Value zerosLike(Value result) {
    return b.zero(TensorBuilder::elementOf(result), shapeOf(result));
  }

private:
  // More entries than this are combined in a loop, since an unrolled kernel would get too long.
  static constexpr int64_t maxUnrolledParts = 16;

  // Applies the body to each element, as `map` does.
  Value combine(Value lhs, Value rhs, Region &body) {
    OpBuilder &builder = b.operations();
    auto type = TensorBuilder::typeOf(lhs);
    auto map = stablehlo::MapOp::create(
        builder, b.location(), type, ValueRange{lhs, rhs},
        builder.getDenseI64ArrayAttr(llvm::to_vector(llvm::seq<int64_t>(0, type.getRank()))));
    body.cloneInto(&map.getComputation(), map.getComputation().begin(), mapping);
    mapping.clear();
    Value made = decomposeMap(map)->front();
    map->erase();
    return made;
  }

  Operation *op;
  TensorBuilder b;
  IRMapping mapping;
};
} // namespace

static Replacements gatherAll(stablehlo::AllGatherOp op, GridBuilder made,
                              const CollectiveGroups &groups) {
  TensorBuilder &b = made.builder();
  auto dimension = static_cast<int64_t>(op.getAllGatherDim());
  SmallVector<Value> results;
  for (auto [stack, result] : llvm::zip_equal(
           made.exchange(op->getOperands(), {.sources = groups.sources, .width = groups.width}),
           op->getResults())) {
    // [n, …, d, …] ==> […, n, d, …]
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, dimension + 1));
    order.push_back(0);
    llvm::append_range(
        order, llvm::seq<int64_t>(dimension + 1, static_cast<int64_t>(shapeOf(stack).size())));
    results.push_back(b.reshape(b.transpose(stack, order), shapeOf(result)));
  }
  return results;
}

static Replacements reduceAll(Operation *op, Region &body, GridBuilder made,
                              const CollectiveGroups &groups) {
  SmallVector<Value> results;
  for (auto [stack, result] : llvm::zip_equal(
           made.exchange(op->getOperands(), {.sources = groups.sources, .width = groups.width}),
           op->getResults())) {
    results.push_back(made.reduce(stack, body, groups, TensorBuilder::elementOf(result)));
  }
  return results;
}

static Replacements sumOverReplicas(stablehlo::CrossReplicaSumOp op, GridBuilder made,
                                    const CollectiveGroups &groups) {
  Region body;
  auto scalar = RankedTensorType::get({}, TensorBuilder::elementOf(op.getResult()));
  Block &block = body.emplaceBlock();
  block.addArguments({scalar, scalar}, {op.getLoc(), op.getLoc()});
  OpBuilder builder(op.getContext());
  builder.setInsertionPointToEnd(&block);
  Value sum =
      stablehlo::AddOp::create(builder, op.getLoc(), block.getArgument(0), block.getArgument(1));
  stablehlo::ReturnOp::create(builder, op.getLoc(), sum);
  return reduceAll(op, body, std::move(made), groups);
}

// […, n · size, …] ==> [n, …, size, …]
static Value cut(TensorBuilder &b, Value whole, int64_t dimension, int64_t count) {
  SmallVector<int64_t> split(shapeOf(whole));
  auto place = split.begin() + dimension;
  *place /= count;
  split.insert(place, count);
  SmallVector<int64_t> order = {dimension};
  for (int64_t d = 0; d < static_cast<int64_t>(split.size()); ++d) {
    if (d != dimension) {
      order.push_back(d);
    }
  }
  return b.transpose(b.reshape(whole, split), order);
}

// Each process gets its own part of the operands of all processes, and reduces these parts.
static Replacements reduceThenScatter(stablehlo::ReduceScatterOp op, GridBuilder made,
                                      const CollectiveGroups &groups) {
  TensorBuilder &b = made.builder();
  Value parts =
      cut(b, op->getOperand(0), static_cast<int64_t>(op.getScatterDimension()), groups.width);
  Value stack =
      made.exchange(parts,
                    {.sources = groups.sources, .blocks = groups.places, .width = groups.width})
          .front();
  return SmallVector<Value>{
      made.reduce(stack, op.getComputation(), groups, TensorBuilder::elementOf(op->getResult(0)))};
}

static Replacements exchangeParts(stablehlo::AllToAllOp op, GridBuilder made,
                                  const CollectiveGroups &groups) {
  TensorBuilder &b = made.builder();
  SmallVector<Value> cuts;
  for (Value operand : op->getOperands()) {
    cuts.push_back(cut(b, operand, static_cast<int64_t>(op.getSplitDimension()), groups.width));
  }
  SmallVector<Value> results;
  auto dimension = static_cast<int64_t>(op.getConcatDimension());
  for (auto [stack, result] : llvm::zip_equal(
           made.exchange(
               cuts, {.sources = groups.sources, .blocks = groups.places, .width = groups.width}),
           op->getResults())) {
    SmallVector<int64_t> order = llvm::to_vector(llvm::seq<int64_t>(1, dimension + 1));
    order.push_back(0);
    llvm::append_range(
        order, llvm::seq<int64_t>(dimension + 1, static_cast<int64_t>(shapeOf(stack).size())));
    results.push_back(b.reshape(b.transpose(stack, order), shapeOf(result)));
  }
  return results;
}

// Sends each process the operands of the root of its group. If the program computes the root, the
// exchange looks it up at run time.
static Replacements broadcastFromRoot(stablehlo::CollectiveBroadcastOp op, GridBuilder made,
                                      const CollectiveGroups &groups) {
  TensorBuilder &b = made.builder();
  SmallVector<Value> operands(op->getOperands());
  if (op.getHasDynamicRoot()) {
    operands.back() = b.convert(operands.back(), b.signedType(64));
    return made.exchange(operands,
                         {.sources = groups.sources, .width = groups.width, .hasRoots = true},
                         /*isStacked=*/false);
  }
  SmallVector<int64_t> roots;
  for (size_t i = 0; i < groups.sources.size(); i += static_cast<size_t>(groups.width)) {
    roots.push_back(groups.sources[i]);
  }
  return made.exchange(operands, {.sources = roots}, /*isStacked=*/false);
}

static Replacements reduceToRoot(stablehlo::CollectiveReduceOp op, GridBuilder made,
                                 const CollectiveGroups &groups) {
  TensorBuilder &b = made.builder();
  SmallVector<Value> operands(op->getOperands());
  SmallVector<int64_t> sources(groups.sources);
  SmallVector<Value> isRoot;
  size_t count = op->getNumResults();
  auto isInGroup = llvm::map_to_vector(groups.sizes,
                                       [](int64_t size) { return static_cast<int64_t>(size > 0); });
  Value place = made.entry(groups.places);
  if (op.getHasDynamicRoot()) {
    // Each process sends its position in the group. The value received is the root's position, if
    // there is a root.
    SmallVector<Value> places(count, place);
    places.push_back(b.convert(operands.pop_back_val(), b.signedType(64)));
    SmallVector<Value> roots =
        made.exchange(places, {.sources = groups.sources, .width = groups.width, .hasRoots = true},
                      /*isStacked=*/false);
    Value isMember = b.compare(stablehlo::ComparisonDirection::NE, made.entry(isInGroup),
                               b.integer(b.signedType(64), 0));
    for (Value root : roots) {
      isRoot.push_back(
          b.logicalAnd(isMember, b.compare(stablehlo::ComparisonDirection::EQ, place, root)));
    }
  } else {
    SmallVector<int64_t> areRoots;
    for (auto [size, own] : llvm::zip_equal(groups.sizes, groups.places)) {
      bool needs = size > 0 && own == 0;
      if (!needs) {
        size_t begin = areRoots.size() * static_cast<size_t>(groups.width);
        std::fill_n(sources.begin() + static_cast<std::ptrdiff_t>(begin), groups.width, -1);
      }
      areRoots.push_back(needs);
    }
    isRoot.assign(count, b.compare(stablehlo::ComparisonDirection::NE, made.entry(areRoots),
                                   b.integer(b.signedType(64), 0)));
  }
  SmallVector<Value> results;
  for (auto [stack, result, root] :
       llvm::zip_equal(made.exchange(operands, {.sources = sources, .width = groups.width}),
                       op->getResults(), isRoot)) {
    Value reduced =
        made.reduce(stack, op.getComputation(), groups, TensorBuilder::elementOf(result));
    results.push_back(b.select(root, reduced, made.zerosLike(result)));
  }
  return results;
}

static Replacements permute(stablehlo::CollectivePermuteOp op, GridBuilder made,
                            const GridShape &grid) {
  Result<PairedProcesses> paired = pairedProcesses(
      op.getSourceTargetPairs(), stablehlo::channelOf(op.getChannelHandle()), grid, "");
  if (!paired) {
    return std::nullopt;
  }
  return made.exchange(op->getOperands(), {.sources = paired->sources}, /*isStacked=*/false);
}

// Returns nothing if groups don't fit the grid; checkCollective() has then reported an error.
static Replacements decomposeOnGrid(Operation *op, const GridShape &grid) {
  bool isOfRun = llvm::any_of(
      llvm::concat<const Type>(op->getOperandTypes(), op->getResultTypes()),
      [](Type type) { return static_cast<bool>(cast<RankedTensorType>(type).getEncoding()); });
  if (isOfRun) {
    return std::nullopt;
  }
  GridBuilder made(op);
  if (auto permutation = dyn_cast<stablehlo::CollectivePermuteOp>(op)) {
    return permute(permutation, std::move(made), grid);
  }
  if (isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op)) {
    return SmallVector<Value>{
        made.number(isa<stablehlo::ReplicaIdOp>(op) ? "replica" : "partition")};
  }
  if (!isCollective(op)) {
    return std::nullopt;
  }
  Result<CollectiveGroups> groups = collectiveGroups(op, grid);
  if (!groups) {
    return std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, Replacements>(op)
      .Case<stablehlo::AllGatherOp>([&](auto each) { return gatherAll(each, made, *groups); })
      .Case<stablehlo::AllReduceOp>(
          [&](auto each) { return reduceAll(each, each.getComputation(), made, *groups); })
      .Case<stablehlo::AllToAllOp>([&](auto each) { return exchangeParts(each, made, *groups); })
      .Case<stablehlo::CollectiveBroadcastOp>(
          [&](auto each) { return broadcastFromRoot(each, made, *groups); })
      .Case<stablehlo::CollectiveReduceOp>(
          [&](auto each) { return reduceToRoot(each, made, *groups); })
      .Case<stablehlo::CrossReplicaSumOp>(
          [&](auto each) { return sumOverReplicas(each, made, *groups); })
      .Case<stablehlo::ReduceScatterOp>(
          [&](auto each) { return reduceThenScatter(each, made, *groups); })
      .Default([](Operation *) { return std::nullopt; });
}

Status checkCollectives(Region &function) {
  GridShape grid = gridOf(function.getParentOp());
  Status status = Done();
  function.walk([&](Operation *op) {
    bool isOfProcesses =
        isCollective(op) ||
        isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp, stablehlo::SendOp, stablehlo::RecvOp>(
            op);
    if (!isOfProcesses || (grid.replicas == 1 && grid.partitions == 1)) {
      return WalkResult::advance();
    }
    status = isCompiledGrid(grid)
                 ? checkCollective(op, grid)
                 : Status(diagnose(errors::ProcessGridMismatch,
                                   "the program has " + std::to_string(grid.replicas) +
                                       " replicas of " + std::to_string(grid.partitions) +
                                       " partitions, and compiled programs have 1 to " +
                                       std::to_string(maxCompiledProcesses) + " processes",
                                   plan::sourceOf(op->getLoc())));
    return status ? WalkResult::advance() : WalkResult::interrupt();
  });
  return status;
}

//===-- one process ---------------------------------------------------------------------------===//

// Returns whether a process carries out the operation together with other processes.
static bool needsOthers(Operation *op) {
  auto isOfOne = [&](auto collective, bool mayBeOfAll) {
    return isAlone(op, collective.getReplicaGroups(), mayBeOfAll) &&
           llvm::equal(op->getOperandTypes(), op->getResultTypes());
  };
  return llvm::TypeSwitch<Operation *, bool>(op)
      .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
            stablehlo::ReduceScatterOp>([&](auto collective) { return !isOfOne(collective, true); })
      .Case<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(
          [&](auto collective) { return !isOfOne(collective, false); })
      .Case<stablehlo::CollectivePermuteOp>([](auto permute) { return senderOf(permute) > 0; })
      .Case<stablehlo::SendOp, stablehlo::RecvOp>([](auto transfer) {
        return !transfer.getIsHostTransfer() && transfer.getSourceTargetPairs() &&
               !transfer.getSourceTargetPairs()->empty();
      })
      .Default([](auto) { return false; });
}

Status checkProcessCount(Operation *module, const GridShape &grid, Meetings meetings) {
  Status status = Done();
  if (grid.replicas != 1 || grid.partitions != 1) {
    return status;
  }
  module->walk([&](Operation *op) {
    bool isTransfer = isa<stablehlo::SendOp, stablehlo::RecvOp>(op);
    if ((meetings == Meetings::Transfers && !isTransfer) || !needsOthers(op)) {
      return WalkResult::advance();
    }
    status = diagnose(errors::ProcessCountMissing,
                      "`" + op->getName().getStringRef().str() +
                          "` needs several processes, but the program is compiled for one",
                      plan::sourceOf(op->getLoc()));
    return WalkResult::interrupt();
  });
  return status;
}

Replacements decomposeCollectives(Operation *op) {
  auto alone = [&](auto collective, bool mayBeOfAll) -> Replacements {
    return isAlone(op, collective.getReplicaGroups(), mayBeOfAll)
               ? operandsOf(op, op->getOperands())
               : std::nullopt;
  };
  GridShape grid = gridOf(op);
  if (grid.replicas != 1 || grid.partitions != 1) {
    return isCompiledGrid(grid) ? decomposeOnGrid(op, grid) : std::nullopt;
  }
  return llvm::TypeSwitch<Operation *, Replacements>(op)
      .Case<stablehlo::AllGatherOp, stablehlo::AllReduceOp, stablehlo::AllToAllOp,
            stablehlo::ReduceScatterOp>([&](auto collective) { return alone(collective, true); })
      .Case<stablehlo::CollectiveBroadcastOp, stablehlo::CollectiveReduceOp>(
          [&](auto collective) { return alone(collective, false); })
      .Case<stablehlo::CollectivePermuteOp>([](auto permute) { return permutationOf(permute); })
      .Case<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>([](auto id) -> Replacements {
        TensorBuilder b(id);
        return SmallVector<Value>{b.zero(TensorBuilder::elementOf(id.getResult()))};
      })
      .Default([](auto) { return std::nullopt; });
}

// Computes asynchronous operations where they are started, so that nothing runs concurrently.
void inlineAsynchronous(Region &function) {
  SmallVector<stablehlo::AsyncStartOp> starts;
  function.walk([&](stablehlo::AsyncStartOp start) {
    for (Operation *user : llvm::make_early_inc_range(start->getUsers())) {
      if (auto call = dyn_cast<stablehlo::CustomCallOp>(user); call && isOrderMark(call)) {
        user->erase();
      }
    }
    bool isAwaited = llvm::all_of(
        start->getUsers(), [](Operation *user) { return isa<stablehlo::AsyncDoneOp>(user); });
    if (isAwaited && start.getBody().hasOneBlock()) {
      starts.push_back(start);
    }
  });
  for (stablehlo::AsyncStartOp start : starts) {
    OpBuilder builder(start);
    Block &body = start.getBody().front();
    IRMapping mapping;
    mapping.map(body.getArguments(), start->getOperands());
    for (Operation &op : body.without_terminator()) {
      builder.clone(op, mapping);
    }
    SmallVector<Value> results;
    for (Value value : body.getTerminator()->getOperands()) {
      results.push_back(mapping.lookupOrDefault(value));
    }
    for (Operation *done : llvm::make_early_inc_range(start->getUsers())) {
      done->replaceAllUsesWith(results);
      done->erase();
    }
    start.erase();
  }
}

} // namespace drumlin
