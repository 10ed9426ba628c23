#include "drumlin/codegen/cpu/element/TransposeLanes.h"

using namespace llvm;

namespace drumlin::codegen {

// Exchanges of halves, quarters, eighths and single lanes.
void transposeLanes(IRBuilder<> &b, SmallVectorImpl<Value *> &rows) {
  unsigned lanes = static_cast<unsigned>(rows.size());
  for (unsigned half = lanes / 2; half > 0; half /= 2) {
    SmallVector<int> upper, lower;
    for (unsigned lane = 0; lane < lanes; ++lane) {
      bool high = lane & half;
      upper.push_back(static_cast<int>(high ? lanes + lane - half : lane));
      lower.push_back(static_cast<int>(high ? lanes + lane : lane + half));
    }
    for (unsigned row = 0; row < lanes; ++row) {
      if (!(row & half)) {
        Value *x = rows[row], *y = rows[row + half];
        rows[row] = b.CreateShuffleVector(x, y, upper);
        rows[row + half] = b.CreateShuffleVector(x, y, lower);
      }
    }
  }
}

} // namespace drumlin::codegen
