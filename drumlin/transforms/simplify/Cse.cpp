// Eliminates common subexpressions. MLIR's own pass hashes operations without their regions, so it
// compares all conditionals with the same predicate pairwise.
#include "drumlin/transforms/simplify/Passes.h"

#include "mlir/IR/OperationSupport.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/ScopedHashTable.h"

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_CSEPASS
#include "drumlin/transforms/simplify/Passes.h.inc"

namespace {
// A hash key for an operation. Contains the operation's hash, which is computed once.
struct Candidate {
  Operation *op;
  llvm::hash_code hash;
};

struct CandidateInfo {
  static Candidate getEmptyKey() { return {llvm::DenseMapInfo<Operation *>::getEmptyKey(), {}}; }
  static Candidate getTombstoneKey() {
    return {llvm::DenseMapInfo<Operation *>::getTombstoneKey(), {}};
  }
  static unsigned getHashValue(const Candidate &candidate) {
    return static_cast<unsigned>(static_cast<size_t>(candidate.hash));
  }
  static bool isEqual(const Candidate &a, const Candidate &b) {
    auto isKey = [](const Candidate &each) {
      return each.op == getEmptyKey().op || each.op == getTombstoneKey().op;
    };
    if (a.op == b.op || isKey(a) || isKey(b)) {
      return a.op == b.op;
    }
    return a.hash == b.hash &&
           OperationEquivalence::isEquivalentTo(a.op, b.op, OperationEquivalence::IgnoreLocations);
  }
};

class Eliminator {
public:
  void run(Block &block) {
    Table::ScopeTy scope(known);
    ++depth;
    depthOf[&block] = depth;
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (isOpTriviallyDead(&op)) {
        op.erase();
        continue;
      }
      for (Region &region : op.getRegions()) {
        for (Block &inner : region) {
          run(inner);
        }
      }
      if (op.getNumRegions() != 0) {
        summarize(&op);
      }
      if (op.hasTrait<OpTrait::IsTerminator>() || !isMemoryEffectFree(&op)) {
        continue;
      }
      Candidate candidate = {&op, hashOf(&op)};
      if (Operation *earlier = known.lookup(candidate)) {
        op.replaceAllUsesWith(earlier);
        summaries.erase(&op);
        op.erase();
      } else {
        known.insert(candidate, &op);
      }
    }
    --depth;
  }

private:
  using Table = llvm::ScopedHashTable<Candidate, Operation *, CandidateInfo>;

  // A hash of the operations in an operation's regions, ignoring their operands; and the operands
  // that are defined outside the regions, in order of first use.
  struct Summary {
    llvm::hash_code shape = {};
    llvm::SetVector<Value> captured;
  };

  // Combines the summaries of inner operations.
  void summarize(Operation *op) {
    Summary made;
    auto use = [&](Value value) {
      // Values that are defined at a greater region depth than the operation are inside it.
      if (depthOf.lookup(value.getParentBlock()) <= depth) {
        made.captured.insert(value);
      }
    };
    for (Region &region : op->getRegions()) {
      for (Operation &inner : region.getOps()) {
        made.shape = llvm::hash_combine(
            made.shape,
            OperationEquivalence::computeHash(&inner, OperationEquivalence::ignoreHashValue,
                                              OperationEquivalence::ignoreHashValue,
                                              OperationEquivalence::IgnoreLocations));
        llvm::for_each(inner.getOperands(), use);
        if (auto found = summaries.find(&inner); found != summaries.end()) {
          made.shape = llvm::hash_combine(made.shape, found->second.shape);
          llvm::for_each(found->second.captured, use);
        }
      }
    }
    summaries[op] = std::move(made);
  }

  llvm::hash_code hashOf(Operation *op) {
    llvm::hash_code hash = OperationEquivalence::computeHash(
        op, OperationEquivalence::directHashValue, OperationEquivalence::ignoreHashValue,
        OperationEquivalence::IgnoreLocations);
    if (auto found = summaries.find(op); found != summaries.end()) {
      hash = llvm::hash_combine(hash, found->second.shape);
      for (Value value : found->second.captured) {
        hash = llvm::hash_combine(hash, OperationEquivalence::directHashValue(value));
      }
    }
    return hash;
  }

  Table known;
  llvm::DenseMap<Operation *, Summary> summaries;
  llvm::DenseMap<Block *, int> depthOf;
  int depth = 0;
};

struct CsePass : impl::CsePassBase<CsePass> {
  void runOnOperation() override {
    for (Block &block : getOperation().getBody()) {
      Eliminator().run(block);
    }
  }
};
} // namespace

} // namespace drumlin
