#include "drumlin/transforms/buffers/PlacedArena.h"

#include "drumlin/support/Cost.h"
#include "drumlin/support/PageOffset.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace drumlin {

static int64_t aligned(int64_t size) {
  return std::max<int64_t>(
      multiplySaturating(llvm::divideCeilSigned(size, bufferAlignment), bufferAlignment),
      bufferAlignment);
}

std::optional<std::pair<int64_t, int64_t>> FreePieces::smallestFor(int64_t size) const {
  auto fit = bySize.lower_bound({size, 0});
  return fit == bySize.end() ? std::nullopt : std::optional(*fit);
}

std::optional<int64_t> FreePieces::take(int64_t size) {
  auto fit = smallestFor(size);
  if (!fit) {
    return std::nullopt;
  }
  auto [available, offset] = *fit;
  erase(offset, available);
  if (available > size) {
    insert(offset + size, available - size);
  }
  return offset;
}

std::optional<int64_t> FreePieces::takeLast(int64_t end) {
  if (byOffset.empty() || byOffset.rbegin()->first + byOffset.rbegin()->second != end) {
    return std::nullopt;
  }
  auto [offset, available] = *byOffset.rbegin();
  erase(offset, available);
  return offset;
}

void FreePieces::release(int64_t offset, int64_t size) {
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

void FreePieces::insert(int64_t offset, int64_t size) {
  byOffset[offset] = size;
  bySize.insert({size, offset});
}

void FreePieces::erase(int64_t offset, int64_t size) {
  byOffset.erase(offset);
  bySize.erase({size, offset});
}

// Maximum number of values for which several placement strategies are tried.
static constexpr size_t maxValuesTried = 10000;

Arena::Arena(Liveness &liveness) {
  placeAll(liveness, {});
  std::vector<Interval *> intervals = liveness.inOrder();
  if (total == 0 || intervals.size() > maxValuesTried) {
    return;
  }
  bool overwrites = llvm::any_of(
      intervals, [](const Interval *interval) { return !interval->overwritable.empty(); });
  SmallVector<Preference> preferences;
  for (auto overwriting : {Preference::RatherThanGrow, Preference::First, Preference::Never}) {
    for (bool roomsFirst : {false, true}) {
      for (bool tightest : {false, true}) {
        bool differs = (overwrites || overwriting == Preference::RatherThanGrow) &&
                       (!rooms.empty() || (!roomsFirst && !tightest));
        if (differs) {
          preferences.push_back({tightest, roomsFirst, overwriting});
        }
      }
    }
  }
  size_t best = 0, last = 0;
  int64_t least = total;
  for (size_t i = 1; i < preferences.size() && least > 0; ++i) {
    placeAll(liveness, preferences[i]);
    last = i;
    if (total < least) {
      best = i;
      least = total;
    }
  }
  if (best != last) {
    placeAll(liveness, preferences[best]);
  }
}

void Arena::placeAll(Liveness &liveness, Preference preference) {
  free = {};
  rooms.clear();
  handedOn.clear();
  total = 0;
  std::vector<Interval *> intervals = liveness.inOrder();
  for (Interval *interval : intervals) {
    interval->room = -1;
    interval->roomOf.reset();
    if (interval->result && !interval->slotBytes && interval->size > 0) {
      rooms.push_back({interval, liveness.freeFrom(*interval->result), {}});
      rooms.back().pieces.release(0, aligned(interval->size));
    }
  }
  auto endsLater = [](const Interval *a, const Interval *b) {
    return std::make_tuple(a->end, a->room, a->offset, a->begin) <
           std::make_tuple(b->end, b->room, b->offset, b->begin);
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
      release(*dead);
    }
    place(*interval, preference);
    live.insert(interval);
  }
}

// Returns a result buffer with a free piece that fits the value, or null.
Arena::Room *Arena::roomFor(const Interval &interval, int64_t size, Preference preference) {
  Room *best = nullptr;
  int64_t least = std::numeric_limits<int64_t>::max();
  size_t first = rooms.size() > maxRooms ? rooms.size() - maxRooms : 0;
  for (Room &room : MutableArrayRef<Room>(rooms).drop_front(first)) {
    if (interval.begin <= room.freeFrom || interval.end >= room.result->begin) {
      continue;
    }
    auto piece = room.pieces.smallestFor(size);
    // Pieces consist of full cache lines, but the last line of the result's memory may be partial.
    bool fits = piece && piece->second + interval.size <= room.result->size;
    if (fits && piece->first < least) {
      best = &room;
      least = preference.tightest ? piece->first : 0;
    }
  }
  return best;
}

// Frees the memory of a dead value, except the part that another value already uses.
void Arena::release(Interval &dead) {
  int64_t kept = handedOn.lookup(&dead);
  if (kept < aligned(dead.size)) {
    piecesOf(dead).release(dead.offset + kept, aligned(dead.size) - kept);
  }
}

// Returns the larger value that `interval` may overwrite from its beginning, or null. If the larger
// value is in a result's memory, both values must end before the result begins.
Interval *Arena::overwrittenBy(const Interval &interval) const {
  for (Interval *larger : interval.overwritable) {
    bool isPlaced = !larger->result && !larger->slotBytes && larger->end == interval.begin;
    bool isFree =
        larger->room < 0 || interval.end < rooms[static_cast<size_t>(larger->room)].result->begin;
    if (isPlaced && isFree && !handedOn.contains(larger)) {
      return larger;
    }
  }
  return nullptr;
}

bool Arena::placeOver(Interval &interval) {
  Interval *larger = overwrittenBy(interval);
  if (!larger) {
    return false;
  }
  handedOn[larger] = aligned(interval.size);
  interval.offset = larger->offset;
  interval.room = larger->room;
  interval.roomOf = larger->roomOf;
  return true;
}

// Places the value in a free piece of the arena or of a result's memory.
bool Arena::placeInPiece(Interval &interval, Preference preference) {
  int64_t size = aligned(interval.size);
  std::optional<int64_t> offset = preference.roomsFirst ? std::nullopt : free.take(size);
  // A zero-size value needs no result buffer.
  Room *room = offset || interval.size == 0 ? nullptr : roomFor(interval, size, preference);
  if (room) {
    interval.room = room - rooms.data();
    interval.roomOf = room->result->result;
    interval.offset = *room->pieces.take(size);
    return true;
  }
  if (!offset && preference.roomsFirst) {
    offset = free.take(size);
  }
  interval.offset = offset.value_or(interval.offset);
  return offset.has_value();
}

// Returns an offset after all other values. Without an additional shift, values whose size is a
// multiple of the page size would all begin at the same offset within a page.
int64_t Arena::beginAtEnd(int64_t size) {
  int64_t begin = total;
  if (begin > 0 && size > 0 && size % int64_t(pageBytes) == 0) {
    begin = addSaturating(begin, pageOffsetStep);
    free.release(total, pageOffsetStep);
  }
  return begin;
}

void Arena::place(Interval &interval, Preference preference) {
  bool isPlaced = (preference.overwriting == Preference::First && placeOver(interval)) ||
                  placeInPiece(interval, preference) ||
                  (preference.overwriting == Preference::RatherThanGrow && placeOver(interval));
  if (!isPlaced) {
    // If a free piece is at the end, the value begins there, and the arena grows only by what is
    // missing.
    std::optional<int64_t> last = free.takeLast(total);
    interval.offset = last ? *last : beginAtEnd(interval.size);
    total = addSaturating(interval.offset, aligned(interval.size));
  }
}

Slots::Slots(const std::vector<Interval *> &intervals, const SizeExpression::Values &nominal,
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

std::vector<SizeExpression> Slots::sizes() const {
  std::vector<SizeExpression> made;
  for (const Slot &slot : slots) {
    made.push_back(slot.bytes);
  }
  return made;
}

} // namespace drumlin
