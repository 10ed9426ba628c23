// Offsets in the arena, and in the memory of results that aren't begun.
#pragma once

#include "drumlin/transforms/buffers/Liveness.h"

#include <limits>
#include <map>
#include <set>

namespace drumlin {

// Free pieces of one memory, by best fit: O(log n) in their number.
class FreePieces {
public:
  // The bytes and the offset of the smallest piece that is large enough, if any is.
  std::optional<std::pair<int64_t, int64_t>> smallestFor(int64_t size) const;
  // The offset of so many bytes of that piece, taken away.
  std::optional<int64_t> take(int64_t size);
  // The piece that ends there, taken away; its offset.
  std::optional<int64_t> takeLast(int64_t end);
  void release(int64_t offset, int64_t size);

private:
  void insert(int64_t offset, int64_t size);
  void erase(int64_t offset, int64_t size);

  std::map<int64_t, int64_t> byOffset;
  std::set<std::pair<int64_t, int64_t>> bySize;
};

// Offsets by best fit over time: O(n log n) in the number of values. Sizes are the program's, and
// may add up to more than there are numbers.
//
// A result's memory holds nothing before the result is begun, but for an argument that was donated
// to it, until that is used last: in between it has room for other values. Which of them it holds,
// and which results of kernels are written over a larger value that ends with them, is tried in a
// few ways, and the least arena is kept.
class Arena {
public:
  explicit Arena(Liveness &liveness);

  int64_t bytes() const { return total; }
  // Memory beyond the arena is needed as well.
  bool isTooLarge() const { return total > std::numeric_limits<int64_t>::max() / 2; }

private:
  struct Room {
    const Interval *result;
    int64_t freeFrom;
    FreePieces pieces;
  };
  // How a value is placed that fits into several free pieces.
  struct Preference {
    bool tightest = false;   // in the smallest piece of all results', or the first that one has
    bool roomsFirst = false; // in a result's memory, or in what is free of the arena
    // At the beginning of a larger value that it may be written over.
    enum Overwriting { RatherThanGrow, First, Never } overwriting = RatherThanGrow;
  };
  // Rooms that are looked at for one value: those of the results that are begun last.
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
  // How much of a value's memory is another one's that begins where it ends.
  llvm::DenseMap<const Interval *, int64_t> handedOn;
  int64_t total = 0;
};

// Values of one size share a slot where their lifetimes don't meet.
class Slots {
public:
  // `first`: where the slots begin at the nominal sizes.
  Slots(const std::vector<Interval *> &intervals, const SizeExpression::Values &nominal,
        int64_t first);

  int64_t nominalEnd() const { return bytes; }
  std::vector<SizeExpression> sizes() const;

private:
  struct Slot {
    SizeExpression bytes;
    int64_t last = 0; // when it is needed last
    int64_t offset = 0;
  };
  mlir::SmallVector<Slot> slots;
  int64_t bytes;
};

} // namespace drumlin
