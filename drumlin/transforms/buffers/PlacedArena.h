// Assigns values their offsets in the arena, or in result buffers that don't hold a result yet.
#pragma once

#include "drumlin/transforms/buffers/Liveness.h"

#include <limits>
#include <map>
#include <set>

namespace drumlin {

// The free pieces of one memory, allocated by best fit. Each operation takes O(log n) for n pieces.
class FreePieces {
public:
  // Returns the size and offset of the smallest piece of at least `size` bytes, if there is one.
  std::optional<std::pair<int64_t, int64_t>> smallestFor(int64_t size) const;
  // Allocates `size` bytes from the smallest sufficient piece; returns their offset.
  std::optional<int64_t> take(int64_t size);
  // If the last free piece ends at `end`, allocates it and returns its offset.
  std::optional<int64_t> takeLast(int64_t end);
  void release(int64_t offset, int64_t size);

private:
  void insert(int64_t offset, int64_t size);
  void erase(int64_t offset, int64_t size);

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
};

// Assigns offsets by best fit over time: O(n log n) in the number of values. Sizes come from the
// program, and their sum may overflow.
//
// A result buffer can hold other values until the result is first written. If it holds a donated
// argument, it is free only from that argument's last use until the first write. A kernel's result
// may also be written over a larger value that the kernel is the last to read. Several strategies
// for using result buffers and for overwriting values are tried, and the one with the smallest
// arena is kept.
class Arena {
public:
  explicit Arena(Liveness &liveness);

  int64_t bytes() const { return total; }
  // Returns whether the arena takes more than half of the int64_t range: the rest is left for other
  // memory.
  bool isTooLarge() const { return total > std::numeric_limits<int64_t>::max() / 2; }

private:
  struct Room {
    const Interval *result;
    int64_t freeFrom;
    FreePieces pieces;
  };
  // How to place a value that fits into several free pieces.
  struct Preference {
    bool tightest = false;   // use the smallest piece of all result buffers, not the first found
    bool roomsFirst = false; // try result buffers before the arena
    // When to place the value at the beginning of a larger value that it may overwrite.
    enum Overwriting { RatherThanGrow, First, Never } overwriting = RatherThanGrow;
  };
  // Maximum number of result buffers tried per value; the results that are written last come first.
  static constexpr size_t maxRooms = 64;

  FreePieces &piecesOf(const Interval &interval) {
    return interval.room < 0 ? free : rooms[static_cast<size_t>(interval.room)].pieces;
  }
  void placeAll(Liveness &liveness, Preference preference);
  Room *roomFor(const Interval &interval, int64_t size, Preference preference);
  Interval *overwrittenBy(const Interval &interval) const;
  bool placeOver(Interval &interval);
  bool placeInPiece(Interval &interval, Preference preference);
  int64_t beginAtEnd(int64_t size);
  void place(Interval &interval, Preference preference);
  void release(Interval &dead);

  FreePieces free;
  std::vector<Room> rooms;
  // For each overwritten value: bytes at its beginning that belong to the value written over it.
  llvm::DenseMap<const Interval *, int64_t> handedOn;
  int64_t total = 0;
};

// Values of equal size share a slot if their lifetimes don't overlap.
class Slots {
public:
  // `first`: offset of the first slot at the nominal sizes.
  Slots(const std::vector<Interval *> &intervals, const SizeExpression::Values &nominal,
        int64_t first);

  int64_t nominalEnd() const { return bytes; }
  std::vector<SizeExpression> sizes() const;

private:
  struct Slot {
    SizeExpression bytes;
    int64_t last = 0; // end of the last interval in this slot
    int64_t offset = 0;
  };
  mlir::SmallVector<Slot> slots;
  int64_t bytes;
};

} // namespace drumlin
