#include "drumlin/codegen/cpu/element/SpanLoad.h"

#include "drumlin/target/Lanes.h"
#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/IR/PatternMatch.h"

using namespace llvm;

namespace drumlin::codegen {

// Maximum number of lanes that may read the same element. The element's mask bit is the disjunction
// of the mask bits of these lanes.
static constexpr size_t maxReaders = 4;

namespace {
// Consecutive elements that are loaded as one vector.
struct Piece {
  int64_t first; // position of the first element in the span
  Value *value;
};
} // namespace

// Returns the lanes that may be active. If the mask is a conjunction, lanes that one of its
// constant operands excludes are inactive.
static SmallVector<unsigned> possibleLanes(Value *mask, unsigned width) {
  SmallVector<Value *> parts = {mask};
  SmallVector<unsigned> possible;
  BitVector excluded(width);
  while (!parts.empty() && mask) {
    Value *part = parts.pop_back_val(), *left = nullptr, *right = nullptr;
    if (PatternMatch::match(
            part, PatternMatch::m_And(PatternMatch::m_Value(left), PatternMatch::m_Value(right)))) {
      parts.append({left, right});
      continue;
    }
    auto *known = dyn_cast<Constant>(part);
    for (unsigned lane = 0; known && lane < width; ++lane) {
      Constant *each = known->getAggregateElement(lane);
      excluded[lane] = excluded[lane] || (each && each->isNullValue());
    }
  }
  for (unsigned lane = 0; lane < width; ++lane) {
    if (!excluded[lane]) {
      possible.push_back(lane);
    }
  }
  return possible;
}

// Returns a mask of those elements of a piece that an active lane reads. `readers` has, for each
// element of the span, the lanes that read it. Mask bits are permuted as 32-bit numbers, since no
// instruction permutes single bits.
static Value *pieceMask(IRBuilder<> &b, Value *mask, unsigned width, int64_t first, unsigned size,
                        ArrayRef<SmallVector<int, 4>> readers) {
  Value *wide = b.CreateSExt(mask, FixedVectorType::get(b.getInt32Ty(), width));
  Value *none = Constant::getNullValue(wide->getType()), *made = nullptr;
  for (size_t number = 0; number < maxReaders; ++number) {
    SmallVector<int> taken;
    bool isAny = false;
    for (unsigned i = 0; i < size; ++i) {
      auto element = static_cast<size_t>(first) + i;
      bool isRead = element < readers.size() && number < readers[element].size();
      taken.push_back(isRead ? readers[element][number] : static_cast<int>(width));
      isAny = isAny || isRead;
    }
    if (isAny || !made) {
      Value *part = b.CreateShuffleVector(wide, none, taken);
      made = made ? b.CreateOr(made, part) : part;
    }
  }
  return b.CreateICmpSLT(made, Constant::getNullValue(made->getType()));
}

Value *SpanLoad::emit(IRBuilder<> &b, const CpuTarget &target) const {
  SmallVector<unsigned> read = possibleLanes(mask, width);
  std::optional<LaneSpan> span = spanOf(form, read, lanes);
  unsigned bits = element->getPrimitiveSizeInBits();
  if (!span || (mask && !target.hasMaskedAccess(bits))) {
    return nullptr;
  }
  auto size = static_cast<uint64_t>(span->size());
  std::vector<SmallVector<int, 4>> readers(size);
  for (unsigned lane : read) {
    readers[static_cast<size_t>(form.step(lane) - span->first)].push_back(static_cast<int>(lane));
  }
  if (mask && any_of(readers, [](const auto &each) { return each.size() > maxReaders; })) {
    return nullptr;
  }
  // Without a mask, nothing after the span's last element may be read, so the last piece ends with
  // this element.
  auto pieceSize = static_cast<unsigned>(mask ? width : std::min<uint64_t>(width, bit_floor(size)));
  auto *type = FixedVectorType::get(element, pieceSize);
  Align align(bits / 8);
  SmallVector<Piece> pieces;
  for (uint64_t at = 0; at < size; at += pieceSize) {
    auto first = static_cast<int64_t>(mask ? at : std::min<uint64_t>(at, size - pieceSize));
    Value *place =
        b.CreateGEP(element, base, b.getInt64(static_cast<uint64_t>(span->first + first)));
    Instruction *load =
        mask ? static_cast<Instruction *>(b.CreateMaskedLoad(
                   type, place, align, pieceMask(b, mask, width, first, pieceSize, readers),
                   Constant::getNullValue(type)))
             : b.CreateAlignedLoad(type, place, align);
    made(load);
    pieces.push_back({first, load});
  }
  // Each iteration permutes two pieces and selects the lanes whose elements are in these pieces.
  Value *result = nullptr;
  for (size_t i = 0; i < pieces.size(); i += 2) {
    // Lanes that read nothing get an arbitrary element.
    SmallVector<int> taken(width, 0), joined;
    for (unsigned lane = 0; lane < width; ++lane) {
      joined.push_back(static_cast<int>(lane));
    }
    for (unsigned lane : read) {
      int64_t at = form.step(lane) - span->first;
      auto number = std::min(static_cast<size_t>(at) / pieceSize, pieces.size() - 1);
      if (number == i || number == i + 1) {
        auto inPiece = static_cast<int>(at - pieces[number].first);
        taken[lane] = inPiece + static_cast<int>((number - i) * pieceSize);
        joined[lane] = static_cast<int>(width + lane);
      }
    }
    Value *second = i + 1 < pieces.size() ? pieces[i + 1].value : PoisonValue::get(type);
    Value *part = b.CreateShuffleVector(pieces[i].value, second, taken);
    result = result ? b.CreateShuffleVector(result, part, joined) : part;
  }
  return result;
}

} // namespace drumlin::codegen
