// Liveness over the linear order of the program, loop bodies and branches in place, and one arena
// filled by best fit.
#include "drumlin/transforms/buffers/Passes.h"

#include "drumlin/ir/plan/ArenaSlots.h"
#include "drumlin/ir/plan/BufferAssignment.h"
#include "drumlin/ir/plan/InPlace.h"
#include "drumlin/ir/stablehlo/StablehloOps.h"
#include "drumlin/support/Cost.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/MathExtras.h"

#include <map>
#include <set>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_ASSIGNBUFFERSPASS
#include "drumlin/transforms/buffers/Passes.h.inc"

// Every buffer begins at a cache line, which is also a whole vector register.
static constexpr int64_t bufferAlignment = 64;

static plan::CopyOp insertCopy(OpOperand &operand, Operation *before, StringRef reason) {
  OpBuilder builder(before);
  Value value = operand.get();
  auto copy = plan::CopyOp::create(builder, before->getLoc(), value.getType(), value, reason);
  operand.set(copy.getResult());
  return copy;
}

static BlockArgument functionArgument(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  return argument && isa<func::FuncOp>(argument.getOwner()->getParentOp()) ? argument
                                                                           : BlockArgument();
}

// Whether the operation that computes `value` may write it into the memory of an argument that was
// donated to it: nobody reads the argument later, and the operation itself only where it writes.
static bool mayOverwrite(BlockArgument argument, OpResult value, const SymbolTable &symbols) {
  Operation *writer = value.getOwner();
  Block *block = argument.getOwner();
  SmallVector<Value> names = {argument};
  while (!names.empty()) {
    Value name = names.pop_back_val();
    for (OpOperand &use : name.getUses()) {
      Operation *user = block->findAncestorOpInBlock(*use.getOwner());
      if (auto bitcast = dyn_cast<plan::BitcastOp>(use.getOwner())) {
        names.push_back(bitcast.getResult());
        continue;
      }
      if (user->isBeforeInBlock(writer)) {
        continue;
      }
      if (user != writer) {
        return false;
      }
      if (auto loop = dyn_cast<stablehlo::WhileOp>(writer)) {
        // As the initial value of the same carried value it is where it has to be.
        if (use.getOwner() != writer || use.getOperandNumber() != value.getResultNumber()) {
          return false;
        }
        continue;
      }
      auto launch = dyn_cast<plan::LaunchOp>(writer);
      auto kernel = launch ? symbols.lookup<plan::KernelOp>(launch.getKernel()) : plan::KernelOp();
      if (!kernel || !mayComputeInPlace(kernel, use.getOperandNumber(), value.getResultNumber())) {
        return false;
      }
    }
  }
  return true;
}

// Results that can't be computed into their own buffer, and carried values that trade places, are
// copied. The copies that read arguments come first, and those into donated memory last, so that
// none destroys what another one needs.
static void insertCopies(func::FuncOp function) {
  SymbolTable symbols(function->getParentOfType<ModuleOp>());
  Operation *terminator = function.getBody().front().getTerminator();
  llvm::DenseMap<int64_t, BlockArgument> donors;
  for (BlockArgument argument : function.getArguments()) {
    if (std::optional<int64_t> result = donatedTo(argument)) {
      donors[*result] = argument;
    }
  }
  llvm::SmallDenseSet<Value> returned;
  for (OpOperand &operand : terminator->getOpOperands()) {
    BlockArgument argument = functionArgument(storageOf(operand.get()));
    // What is donated to its own result is there already.
    if (argument && donors.lookup(operand.getOperandNumber()) != argument) {
      bool isDonated = donors.contains(operand.getOperandNumber());
      insertCopy(operand, terminator, isDonated ? "donation" : "output");
    }
  }
  for (OpOperand &operand : terminator->getOpOperands()) {
    Value storage = storageOf(operand.get());
    if (isa<BlockArgument>(storage)) {
      continue;
    }
    bool computed =
        !isa<stablehlo::ConstantOp>(storage.getDefiningOp()) && returned.insert(storage).second;
    BlockArgument donor = donors.lookup(operand.getOperandNumber());
    if (!computed || (donor && !mayOverwrite(donor, cast<OpResult>(storage), symbols))) {
      insertCopy(operand, terminator, "output");
    }
  }
  function.walk([&](stablehlo::WhileOp loop) {
    Operation *yield = loop.getBody().front().getTerminator();
    for (OpOperand &operand : yield->getOpOperands()) {
      Value storage = storageOf(operand.get());
      auto argument = dyn_cast<BlockArgument>(storage);
      if (loopOfArgument(storage) == loop &&
          argument.getArgNumber() != operand.getOperandNumber()) {
        insertCopy(operand, yield, "loop-carry");
      }
    }
  });
}

// Whether two values have as many bytes at every call.
static bool haveSameBytes(Value a, Value b) {
  bool isStatic = !hasSymbolicSizes(a.getType()) && !hasSymbolicSizes(b.getType());
  return isStatic ? bytesOf(a) == bytesOf(b)
                  : symbolicBytesOf(cast<RankedTensorType>(a.getType())) ==
                        symbolicBytesOf(cast<RankedTensorType>(b.getType()));
}

//===- memory that is handed on ----------------------------------------------===//

// Results that take over the memory of something that nobody needs any more: of an input that their
// kernel may write over, or of the carried value that they become in a loop's next step. What a
// loop begins with is computed into the memory of the carried value.
class Reuse {
public:
  explicit Reuse(func::FuncOp function) : symbols(function->getParentOfType<ModuleOp>()) {
    Operation *terminator = function.getBody().front().getTerminator();
    for (Value returned : terminator->getOperands()) {
      results.insert(storageOf(returned));
    }
    hasDonors = llvm::any_of(function.getArguments(), [](BlockArgument argument) {
      return donatedTo(argument).has_value();
    });
    number(function.getBody().front());
    reuse(function.getBody().front());
  }

  // The value whose memory this one has.
  Value memoryOf(Value value) const {
    value = storageOf(value);
    for (auto found = reused.find(value); found != reused.end(); found = reused.find(value)) {
      value = found->second;
    }
    return value;
  }

private:
  // Positions in the linear order, and the last use of each piece of memory.
  void number(Block &block) {
    for (Operation &op : block) {
      position[&op] = ++next;
      for (Value operand : op.getOperands()) {
        lastUse[storageOf(operand)] = next;
      }
      for (Region &region : op.getRegions()) {
        number(region.front());
      }
    }
  }

  // Memory that a result may take: computed in the same block, or carried by the loop whose body
  // the block is.
  bool isTakable(Value memory, Block &block) const {
    if (memory.getParentBlock() != &block || results.contains(memory)) {
      return false;
    }
    if (isa<BlockArgument>(memory)) {
      auto loop = loopOfArgument(memory);
      return loop && &loop.getBody().front() == &block;
    }
    return isa<plan::LaunchOp, plan::CopyOp>(memory.getDefiningOp());
  }

  // At the end of a step carried values are moved one by one: none may lie in another one's memory.
  bool isYieldedElsewhere(Value result, Value memory) {
    auto carried = dyn_cast<BlockArgument>(memory);
    return carried && llvm::any_of(placesAtEnd(*carried.getOwner(), result),
                                   [&](unsigned place) { return place != carried.getArgNumber(); });
  }

  // Which operands of a block's terminator a value is.
  ArrayRef<unsigned> placesAtEnd(Block &block, Value storage) {
    auto [entry, isNew] = endings.try_emplace(&block);
    if (isNew) {
      for (OpOperand &operand : block.getTerminator()->getOpOperands()) {
        entry->second[storageOf(operand.get())].push_back(operand.getOperandNumber());
      }
    }
    auto found = entry->second.find(storage);
    return found == entry->second.end() ? ArrayRef<unsigned>() : ArrayRef<unsigned>(found->second);
  }

  void take(Value result, Value memory) {
    reused[result] = memory;
    lastUse[memory] = std::max(lastUse[memory], lastUse[result]);
  }

  void reuse(Block &block) {
    for (Operation &op : block) {
      if (auto launch = dyn_cast<plan::LaunchOp>(op)) {
        reuseInputs(launch, block);
      }
      for (Region &region : op.getRegions()) {
        reuse(region.front());
      }
      if (auto loop = dyn_cast<stablehlo::WhileOp>(op)) {
        reuseCarried(loop);
        reuseInitial(loop);
      } else {
        reuseReturned(op);
      }
    }
  }

  void reuseInputs(plan::LaunchOp launch, Block &block) {
    auto kernel = symbols.lookup<plan::KernelOp>(launch.getKernel());
    llvm::SmallDenseMap<Value, int64_t> uses;
    for (Value operand : launch->getOperands()) {
      ++uses[memoryOf(operand)];
    }
    llvm::SmallDenseSet<Value> taken;
    for (OpResult result : launch->getOpResults()) {
      if (results.contains(result) || result.use_empty()) {
        continue;
      }
      for (OpOperand &operand : launch->getOpOperands()) {
        Value memory = memoryOf(operand.get());
        if (uses.lookup(memory) == 1 && isTakable(memory, block) &&
            lastUse[memory] == position[launch] && !taken.contains(memory) &&
            haveSameBytes(memory, result) && !isYieldedElsewhere(result, memory) &&
            mayComputeInPlace(kernel, operand.getOperandNumber(), result.getResultNumber())) {
          taken.insert(memory);
          take(result, memory);
          break;
        }
      }
    }
  }

  // A carried value's memory is free once its last reader in the body is done.
  void reuseCarried(stablehlo::WhileOp loop) {
    Block &body = loop.getBody().front();
    for (OpOperand &yielded : body.getTerminator()->getOpOperands()) {
      Value next = storageOf(yielded.get());
      Value carried = body.getArgument(yielded.getOperandNumber());
      if (isMovable(next, body) && lastUse[carried] < position[next.getDefiningOp()]) {
        take(next, carried);
      }
    }
  }

  // A carried value's memory is free before the loop begins, so that its initial value may be
  // computed there, if the loop alone reads that, once.
  void reuseInitial(stablehlo::WhileOp loop) {
    llvm::SmallDenseMap<Value, int64_t> uses;
    for (Value initial : loop->getOperands()) {
      ++uses[memoryOf(initial)];
    }
    for (OpOperand &operand : loop->getOpOperands()) {
      Value memory = memoryOf(operand.get()), carried = loop->getResult(operand.getOperandNumber());
      Operation *defining = memory.getDefiningOp();
      bool isComputedBefore = defining && isa<plan::LaunchOp, plan::CopyOp>(defining) &&
                              defining->getBlock() == loop->getBlock() && !results.contains(memory);
      // A donated argument's memory is the result's before anything is computed.
      bool isDonated = hasDonors && results.contains(carried);
      if (isComputedBefore && !isDonated && uses.lookup(memory) == 1 &&
          lastUse[memory] == position[loop] && haveSameBytes(memory, carried)) {
        take(memory, carried);
      }
    }
  }

  // What a branch computes is computed into the result that it becomes, which nothing else has.
  void reuseReturned(Operation &branching) {
    for (Region &region : branching.getRegions()) {
      Block &branch = region.front();
      for (OpOperand &returned : branch.getTerminator()->getOpOperands()) {
        Value next = storageOf(returned.get());
        if (isMovable(next, branch)) {
          take(next, branching.getResult(returned.getOperandNumber()));
        }
      }
    }
  }

  // Whether a value that a block ends with is computed there, for one place, and has its own
  // memory.
  bool isMovable(Value value, Block &block) {
    Operation *defining = value.getDefiningOp();
    return defining && placesAtEnd(block, value).size() == 1 &&
           isa<plan::LaunchOp, plan::CopyOp>(defining) && defining->getBlock() == &block &&
           memoryOf(value) == value;
  }

  SymbolTable symbols;
  llvm::DenseSet<Value> results; // what the program returns: computed into buffers of the caller's
  bool hasDonors = false;        // whether arguments' memory is that of results
  llvm::DenseMap<Value, Value> reused;
  llvm::DenseMap<Value, int64_t> lastUse;
  llvm::DenseMap<Operation *, int64_t> position;
  llvm::DenseMap<Block *, llvm::DenseMap<Value, SmallVector<unsigned, 1>>> endings;
  int64_t next = 0;
};

// The extent in the linear order during which a piece of memory holds a value.
struct Interval {
  int64_t size = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t offset = -1;
  std::optional<int64_t> result; // the result buffer that it is, instead of a part of the arena
  // The result in whose buffer it lies until that is begun, and that buffer's number among them.
  std::optional<int64_t> roomOf = std::nullopt;
  int64_t room = -1;
  // Of a size that is known when the program runs: the slot's, and its number.
  std::optional<SizeExpression> slotBytes = std::nullopt;
  int64_t slot = -1;
};

class Liveness {
public:
  Liveness(func::FuncOp function, const Reuse &reuse) : reuse(reuse) {
    number(function.getBody().front());
    Operation *terminator = function.getBody().front().getTerminator();
    for (OpOperand &operand : terminator->getOpOperands()) {
      Value storage = storageOf(operand.get());
      auto found = intervals.find(keyOf(storage));
      if (found != intervals.end()) {
        found->second.result = operand.getOperandNumber();
      }
    }
  }

  // In the order in which they begin.
  std::vector<Interval *> inOrder() {
    std::vector<Interval *> all;
    for (auto &key : order) {
      all.push_back(&intervals[key]);
    }
    return all;
  }
  const Interval &of(Value value) { return intervals[keyOf(reuse.memoryOf(value))]; }

private:
  // A while's arguments and results are the same memory: the operation and the number stand for all
  // of them.
  using Key = std::pair<Operation *, unsigned>;
  static Key keyOf(Value storage) {
    if (stablehlo::WhileOp loop = loopOfArgument(storage)) {
      return {loop, cast<BlockArgument>(storage).getArgNumber()};
    }
    auto result = dyn_cast<OpResult>(storage);
    return result ? Key(result.getOwner(), result.getResultNumber()) : Key(nullptr, 0);
  }

  void define(Operation *op) {
    for (OpResult result : op->getResults()) {
      Value memory = reuse.memoryOf(result);
      if (memory != result && intervals.count(keyOf(memory)) != 0) {
        use(result);
        continue;
      }
      // Of a loop's memory, what it begins with is the first value.
      Key key = keyOf(memory);
      if (memory == result && intervals.count(key) != 0) {
        use(result);
        continue;
      }
      Interval &made = intervals[key];
      made = {bytesOf(result), next, next, -1, std::nullopt};
      if (hasSymbolicSizes(result.getType())) {
        SizeExpression bytes = symbolicBytesOf(cast<RankedTensorType>(result.getType()));
        made.slotBytes =
            (bytes + (bufferAlignment - 1)).quotient(bufferAlignment) * bufferAlignment;
      }
      order.push_back(key);
    }
  }

  // The storage is needed until now; if it was made outside a loop that we are in, until that loop
  // ends.
  void use(Value value) {
    Value storage = reuse.memoryOf(value);
    auto found = intervals.find(keyOf(storage));
    if (found == intervals.end()) {
      return;
    }
    Operation *owner = found->first.first;
    found->second.end = std::max(found->second.end, next);
    for (Operation *loop : openLoops) {
      if (owner != loop && !loop->isProperAncestor(owner)) {
        usedInLoop[loop].insert(found->first);
        break;
      }
    }
  }

  void number(Block &block) {
    for (Operation &op : block) {
      ++next;
      for (Value operand : op.getOperands()) {
        use(operand);
      }
      if (isa<plan::BitcastOp, stablehlo::ConstantOp>(op)) {
        continue;
      }
      define(&op);
      if (op.getNumRegions() == 0) {
        continue;
      }
      // Branches run once at most, but one after another is an order that holds for each.
      bool isLoop = isa<stablehlo::WhileOp>(op);
      if (isLoop) {
        openLoops.push_back(&op);
      }
      for (Region &region : op.getRegions()) {
        number(region.front());
      }
      if (isLoop) {
        openLoops.pop_back();
      }
      ++next;
      for (unsigned i = 0; i < op.getNumResults(); ++i) {
        intervals[{&op, i}].end = next;
      }
      for (const Key &key : usedInLoop[&op]) {
        intervals[key].end = std::max(intervals[key].end, next);
      }
      // What an inner loop keeps, an outer one that it stands in keeps as well.
      for (Operation *outer : openLoops) {
        for (const Key &key : usedInLoop[&op]) {
          if (!outer->isProperAncestor(key.first)) {
            usedInLoop[outer].insert(key);
          }
        }
      }
    }
  }

  const Reuse &reuse;
  int64_t next = 0;
  std::map<Key, Interval> intervals;
  std::vector<Key> order;
  SmallVector<Operation *> openLoops;
  llvm::DenseMap<Operation *, std::set<Key>> usedInLoop;
};

static int64_t aligned(int64_t size) {
  return std::max<int64_t>(
      multiplySaturating(llvm::divideCeilSigned(size, bufferAlignment), bufferAlignment),
      bufferAlignment);
}

// Free pieces of one memory, by best fit: O(log n) in their number.
class FreePieces {
public:
  // The offset of a piece of so many bytes; nothing where none is large enough.
  std::optional<int64_t> take(int64_t size) {
    auto fit = bySize.lower_bound({size, 0});
    if (fit == bySize.end()) {
      return std::nullopt;
    }
    auto [available, offset] = *fit;
    erase(offset, available);
    if (available > size) {
      insert(offset + size, available - size);
    }
    return offset;
  }

  // The piece that ends there, taken away; its offset.
  std::optional<int64_t> takeLast(int64_t end) {
    if (byOffset.empty() || byOffset.rbegin()->first + byOffset.rbegin()->second != end) {
      return std::nullopt;
    }
    auto [offset, available] = *byOffset.rbegin();
    erase(offset, available);
    return offset;
  }

  void release(int64_t offset, int64_t size) {
    auto after = byOffset.lower_bound(offset);
    if (after != byOffset.end() && after->first == offset + size) {
      size += after->second;
      erase(after->first, after->second);
    }
    auto before = byOffset.lower_bound(offset);
    if (before != byOffset.begin()) {
      --before;
      if (before->first + before->second == offset) {
        offset = before->first;
        size += before->second;
        erase(before->first, before->second);
      }
    }
    insert(offset, size);
  }

private:
  void insert(int64_t offset, int64_t size) {
    byOffset[offset] = size;
    bySize.insert({size, offset});
  }
  void erase(int64_t offset, int64_t size) {
    byOffset.erase(offset);
    bySize.erase({size, offset});
  }

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
};

// Offsets by best fit over time: O(n log n) in the number of values. Sizes are the program's, and
// may add up to more than there are numbers.
//
// A result's memory holds nothing before the result is begun: until then it has room for smaller
// values. What takes the whole of it would look like the result.
class Arena {
public:
  // The intervals are in the order in which they begin; `donated` results lie in arguments.
  void place(const std::vector<Interval *> &intervals, const llvm::DenseSet<int64_t> &donated) {
    for (Interval *interval : intervals) {
      if (interval->result && !interval->slotBytes && !donated.contains(*interval->result) &&
          interval->size >= 2 * bufferAlignment) {
        rooms.push_back({interval, {}});
        rooms.back().pieces.release(0, interval->size / bufferAlignment * bufferAlignment);
      }
    }
    auto endsLater = [](const Interval *a, const Interval *b) {
      return std::make_tuple(a->end, a->room, a->offset) <
             std::make_tuple(b->end, b->room, b->offset);
    };
    std::set<Interval *, decltype(endsLater)> live(endsLater);
    for (Interval *interval : intervals) {
      if (isTooLarge()) {
        return;
      }
      if (interval->result || interval->slotBytes) {
        continue;
      }
      while (!live.empty() && (*live.begin())->end < interval->begin) {
        Interval *dead = *live.begin();
        live.erase(live.begin());
        piecesOf(*dead).release(dead->offset, aligned(dead->size));
      }
      place(*interval);
      live.insert(interval);
    }
  }
  int64_t bytes() const { return total; }
  // Memory beyond the arena is needed as well.
  bool isTooLarge() const { return total > std::numeric_limits<int64_t>::max() / 2; }

private:
  struct Room {
    const Interval *result;
    FreePieces pieces;
  };
  // Rooms that are looked at for one value: those of the results that are begun last.
  static constexpr size_t maxRooms = 64;

  FreePieces &piecesOf(const Interval &interval) {
    return interval.room < 0 ? free : rooms[static_cast<size_t>(interval.room)].pieces;
  }

  void place(Interval &interval) {
    int64_t size = aligned(interval.size);
    if (std::optional<int64_t> offset = free.take(size)) {
      interval.offset = *offset;
      return;
    }
    size_t first = rooms.size() > maxRooms ? rooms.size() - maxRooms : 0;
    for (size_t i = first; i < rooms.size(); ++i) {
      const Interval &result = *rooms[i].result;
      if (interval.end >= result.begin || size >= result.size) {
        continue;
      }
      if (std::optional<int64_t> offset = rooms[i].pieces.take(size)) {
        interval.room = static_cast<int64_t>(i);
        interval.roomOf = result.result;
        interval.offset = *offset;
        return;
      }
    }
    // A free piece at the end grows instead of being left behind.
    interval.offset = free.takeLast(total).value_or(total);
    total = addSaturating(interval.offset, size);
  }

  FreePieces free;
  std::vector<Room> rooms;
  int64_t total = 0;
};

// Values of one size share a slot where their lifetimes don't meet.
class Slots {
public:
  // `first`: where the slots begin at the nominal sizes.
  Slots(const std::vector<Interval *> &intervals, const SizeExpression::Values &nominal,
        int64_t first)
      : bytes(first) {
    for (Interval *interval : intervals) {
      if (interval->result || !interval->slotBytes) {
        continue;
      }
      auto *found = llvm::find_if(slots, [&](const Slot &slot) {
        return slot.bytes == *interval->slotBytes && slot.last < interval->begin;
      });
      if (found == slots.end()) {
        slots.push_back({*interval->slotBytes, 0, bytes});
        found = slots.end() - 1;
        bytes = addSaturating(bytes, interval->slotBytes->evaluate(nominal).value_or(0));
      }
      found->last = interval->end;
      interval->slot = found - slots.begin();
      interval->offset = found->offset;
    }
  }

  int64_t nominalEnd() const { return bytes; }
  std::vector<SizeExpression> sizes() const {
    std::vector<SizeExpression> made;
    for (const Slot &slot : slots) {
      made.push_back(slot.bytes);
    }
    return made;
  }

private:
  struct Slot {
    SizeExpression bytes;
    int64_t last = 0; // when it is needed last
    int64_t offset = 0;
  };
  SmallVector<Slot> slots;
  int64_t bytes;
};

struct AssignBuffersPass : impl::AssignBuffersPassBase<AssignBuffersPass> {
  void runOnOperation() override {
    func::FuncOp function = getOperation();
    MLIRContext *context = &getContext();
    insertCopies(function);
    Reuse reuse(function);
    Liveness liveness(function, reuse);
    Arena arena;
    llvm::DenseSet<int64_t> donated;
    for (BlockArgument argument : function.getArguments()) {
      if (std::optional<int64_t> result = donatedTo(argument)) {
        donated.insert(*result);
      }
    }
    arena.place(liveness.inOrder(), donated);
    if (arena.isTooLarge()) {
      function.emitError("has values whose bytes together don't fit in 64 bits");
      return signalPassFailure();
    }
    Slots slots(liveness.inOrder(), nominalValues(sizeSymbolsOf(function)), arena.bytes());
    auto weights = static_cast<int64_t>(weightCount(function));
    function.walk<WalkOrder::PreOrder>([&](Operation *op) {
      if (op == function || isa<plan::BitcastOp>(op) || op->getNumResults() == 0) {
        return;
      }
      SmallVector<Attribute> buffers;
      for (OpResult result : op->getResults()) {
        if (isa<stablehlo::ConstantOp>(op)) {
          buffers.push_back(plan::BufferAttr::get(context, plan::BufferKind::weight, weights++, 0,
                                                  bytesOf(result)));
          continue;
        }
        const Interval &interval = liveness.of(result);
        buffers.push_back(
            interval.result ? plan::BufferAttr::get(context, plan::BufferKind::result,
                                                    *interval.result, 0, interval.size)
            : interval.roomOf
                ? plan::BufferAttr::get(context, plan::BufferKind::result, *interval.roomOf,
                                        interval.offset, interval.size)
                : plan::BufferAttr::get(context, plan::BufferKind::arena, interval.slot + 1,
                                        interval.offset, interval.size));
      }
      op->setAttr(buffersAttribute, ArrayAttr::get(context, buffers));
    });
    function->setAttr(arenaBytesAttribute,
                      IntegerAttr::get(IntegerType::get(context, 64), slots.nominalEnd()));
    if (std::vector<SizeExpression> sizes = slots.sizes(); !sizes.empty()) {
      function->setAttr(arenaSlotsAttribute, sizes::SizesAttr::get(context, str(sizes)));
    }
  }
};

} // namespace drumlin
