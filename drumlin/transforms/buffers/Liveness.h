// When each piece of memory holds a value, in the linear order of a program.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "drumlin/transforms/buffers/Reuse.h"

#include <map>
#include <set>

namespace drumlin {

// Every buffer begins at a cache line, which is also a whole vector register.
inline constexpr int64_t bufferAlignment = 64;

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
  // Larger ones at whose beginning it may lie, if they end where it begins.
  mlir::SmallVector<Interval *, 1> overwritable = {};
};

// Numbers the operations in order, loop bodies and branches in place.
class Liveness {
public:
  Liveness(mlir::func::FuncOp function, const Reuse &reuse);

  // In the order in which they begin.
  std::vector<Interval *> inOrder();
  const Interval &of(mlir::Value value) { return intervals[keyOf(reuse.memoryOf(value))]; }

  // When the memory of a result of the program is free first: behind the last use of the argument
  // that lies there, if one does.
  int64_t freeFrom(int64_t result) const { return donatedUntil.lookup(result); }

private:
  // A while's arguments and results are the same memory: the operation and the number stand for all
  // of them.
  using Key = std::pair<mlir::Operation *, unsigned>;
  static Key keyOf(mlir::Value storage);
  void define(mlir::Operation *op);
  void use(mlir::Value value);
  void number(mlir::Block &block);
  int64_t lastUseOf(mlir::BlockArgument argument) const;

  const Reuse &reuse;
  int64_t next = 0;
  std::map<Key, Interval> intervals;
  std::vector<Key> order;
  mlir::SmallVector<mlir::Operation *> openLoops;
  llvm::DenseMap<mlir::Operation *, std::set<Key>> usedInLoop;
  llvm::DenseMap<mlir::Operation *, int64_t> lastNumber; // of the operation, and of those inside
  llvm::DenseMap<int64_t, int64_t> donatedUntil;
};

} // namespace drumlin
