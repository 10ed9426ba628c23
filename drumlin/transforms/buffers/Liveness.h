// Computes when each piece of memory holds a value, in the linear order of a program.
#pragma once

#include "drumlin/support/SizeExpression.h"
#include "drumlin/transforms/buffers/Reuse.h"

#include <map>
#include <set>

namespace drumlin {

// Alignment of every buffer: a cache line, which is also a full vector register.
inline constexpr int64_t bufferAlignment = 64;

// The interval in the linear order during which a piece of memory holds a value.
struct Interval {
  int64_t size = 0;
  int64_t begin = 0;
  int64_t end = 0;
  int64_t offset = -1;
  // If the value is a result of the program: the index of that result, which determines the buffer.
  std::optional<int64_t> result;
  // If the value is placed in the buffer of a program result that is written later: `roomOf` is the
  // index of that result, and `room` the index of the buffer in Arena::rooms.
  std::optional<int64_t> roomOf = std::nullopt;
  int64_t room = -1;
  // If the value's size is known only at run time: the size and number of the slot that holds the
  // value.
  std::optional<SizeExpression> slotBytes = std::nullopt;
  int64_t slot = -1;
  // Larger values that this value may overwrite from their beginning, if their intervals end where
  // this one begins.
  mlir::SmallVector<Interval *, 1> overwritable = {};
};

// Numbers the operations in program order, including those in loop bodies and branches.
class Liveness {
public:
  Liveness(mlir::func::FuncOp function, const Reuse &reuse);

  // Returns the intervals in order of their start.
  std::vector<Interval *> inOrder();
  const Interval &of(mlir::Value value) { return intervals[keyOf(reuse.memoryOf(value))]; }

  // Returns the time from which a result's buffer is free: after the last use of the argument
  // donated to the result, or from the start if no argument is.
  int64_t freeFrom(int64_t result) const { return donatedUntil.lookup(result); }

private:
  // The operation that defines a value and the value's number. A while's arguments and results
  // share memory, so they have the same key.
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
  llvm::DenseMap<mlir::Operation *, int64_t> lastNumber; // number of each operation's end
  llvm::DenseMap<int64_t, int64_t> donatedUntil;
};

} // namespace drumlin
