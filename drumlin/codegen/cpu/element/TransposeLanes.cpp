#include "drumlin/codegen/cpu/element/TransposeLanes.h"

#include <algorithm>

using namespace llvm;

namespace drumlin::codegen {

// The transposition uses two kinds of shuffles that are single instructions: interleaving chunks of
// lanes within 128-bit blocks, and selecting every second block of two registers. In other networks
// with the same number of shuffles, a shuffle takes several instructions or an index register, and
// code generation takes far longer.
static constexpr unsigned blockBits = 128;

// Returns the order [x0 y0 x1 y1 …] of the lower or the upper chunks of each block.
static SmallVector<int> interleaved(unsigned lanes, unsigned block, unsigned chunk, bool upper) {
  SmallVector<int> order;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned inBlock = lane % block, number = inBlock / chunk;
    unsigned from = lane - inBlock + number / 2 * chunk + inBlock % chunk;
    order.push_back(
        static_cast<int>(from + (upper ? block / 2 : 0) + (number % 2 == 1 ? lanes : 0)));
  }
  return order;
}

// Returns the order [x0 x2 … y0 y2 …] of blocks; with `odd`, [x1 x3 … y1 y3 …].
static SmallVector<int> everyOther(unsigned lanes, unsigned block, bool odd) {
  SmallVector<int> order;
  for (unsigned lane = 0; lane < lanes; ++lane) {
    unsigned number = lane / block * 2 + odd; // the block's index in both registers
    order.push_back(static_cast<int>(number * block + lane % block));
  }
  return order;
}

void transposeLanes(IRBuilder<> &b, SmallVectorImpl<Value *> &rows) {
  auto lanes = static_cast<unsigned>(rows.size());
  unsigned block = std::min(lanes, blockBits / rows.front()->getType()->getScalarSizeInBits());
  // Transposes squares of lanes. A square consists of the same block of several adjacent rows.
  for (unsigned chunk = 1; chunk < block; chunk *= 2) {
    SmallVector<int> lower = interleaved(lanes, block, chunk, false);
    SmallVector<int> upper = interleaved(lanes, block, chunk, true);
    SmallVector<Value *> before(rows.begin(), rows.end());
    for (unsigned row = 0; row < lanes; ++row) {
      if (!(row & chunk)) {
        Value *x = before[row], *y = before[row + chunk];
        unsigned to = row - row % chunk + row % chunk * 2;
        rows[to] = b.CreateShuffleVector(x, y, lower);
        rows[to + 1] = b.CreateShuffleVector(x, y, upper);
      }
    }
  }
  // The code generator tries to combine consecutive shuffles. If it saw the shuffles of both steps
  // together, these attempts would take half of its time. The fence separates the two steps.
  Type *type = rows.front()->getType();
  if (type->isFPOrFPVectorTy() && block < lanes) {
    for (Value *&row : rows) {
      row = b.CreateIntrinsic(Intrinsic::arithmetic_fence, {type}, {row});
    }
  }
  // Moves each block to its row.
  SmallVector<int> even = everyOther(lanes, block, false), odd = everyOther(lanes, block, true);
  for (unsigned apart = block; apart < lanes; apart *= 2) {
    for (unsigned row = 0; row < lanes; ++row) {
      if (!(row & apart)) {
        Value *x = rows[row], *y = rows[row + apart];
        rows[row] = b.CreateShuffleVector(x, y, even);
        rows[row + apart] = b.CreateShuffleVector(x, y, odd);
      }
    }
  }
}

} // namespace drumlin::codegen
