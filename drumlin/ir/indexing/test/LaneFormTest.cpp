// Tests that the computed form of an expression agrees with the values that the expression has in
// all lanes.
#include "drumlin/ir/indexing/LaneForm.h"

#include "drumlin/ir/indexing/AffineSimplifier.h"
#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <gtest/gtest.h>
#include <random>

using namespace mlir;

namespace drumlin {

static constexpr unsigned lanes = 16;

static int64_t valueOf(AffineExpr expression, llvm::ArrayRef<int64_t> dims) {
  if (auto dim = dyn_cast<AffineDimExpr>(expression)) {
    return dims[dim.getPosition()];
  }
  if (auto constant = dyn_cast<AffineConstantExpr>(expression)) {
    return constant.getValue();
  }
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t left = valueOf(binary.getLHS(), dims), right = valueOf(binary.getRHS(), dims);
  switch (expression.getKind()) {
  case AffineExprKind::Add:
    return left + right;
  case AffineExprKind::Mul:
    return left * right;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(left, right);
  default:
    return llvm::mod(left, right);
  }
}

namespace {
class LaneFormTest : public testing::Test {
protected:
  int64_t draw(int64_t below) {
    return std::uniform_int_distribution<int64_t>(0, below - 1)(random);
  }

  // Returns a random expression of two dimensions. It has sums, products, quotients and remainders,
  // as indices of reshapes have.
  AffineExpr randomExpression(int depth) {
    if (depth == 0) {
      return getAffineDimExpr(static_cast<unsigned>(draw(2)), &context);
    }
    AffineExpr left = randomExpression(depth - 1);
    int64_t number = int64_t(1) << draw(6);
    switch (draw(5)) {
    case 0:
      return left + randomExpression(depth - 1);
    case 1:
      return left * (draw(3) == 0 ? draw(7) : number);
    case 2:
      return left.floorDiv(draw(3) == 0 ? 1 + draw(12) : number);
    case 3:
      return left % (draw(3) == 0 ? 1 + draw(12) : number);
    default:
      return left + draw(40);
    }
  }

  MLIRContext context;
  std::mt19937_64 random{5};
};
} // namespace

TEST_F(LaneFormTest, HoldsForEachLane) {
  const int64_t sizes[] = {96, 128};
  AffineSimplifier simplifier(sizes, {}, &context);
  int counts[4] = {};
  for (int i = 0; i < 5'000; ++i) {
    AffineExpr expression = simplifier.run(randomExpression(4));
    // d0 is the same for all lanes; the lanes run along d1.
    LaneForm uniform{false, 0, int64_t(1) << draw(4)};
    uniform.residue = draw(uniform.alignment);
    LaneForm along{false, 1, lanes};
    LaneForm form = laneForm(expression, {uniform, along}, {}, lanes);
    counts[form.varies ? 0 : form.isUniform() ? 1 : form.steps.empty() ? 2 : 3] += 1;
    if (form.varies) {
      continue;
    }
    for (int64_t d0 = uniform.residue; d0 < sizes[0]; d0 += uniform.alignment) {
      for (int64_t d1 = 0; d1 < sizes[1]; d1 += lanes) {
        int64_t base = valueOf(expression, {d0, d1});
        ASSERT_EQ(form.alignment == 0 ? base : llvm::mod(base, form.alignment), form.residue);
        for (unsigned lane = 1; lane < lanes; ++lane) {
          ASSERT_EQ(valueOf(expression, {d0, d1 + lane}), base + form.step(lane));
        }
      }
    }
  }
  // Each kind of lane form must have occurred.
  for (int count : counts) {
    EXPECT_GE(count, 250);
  }
}

} // namespace drumlin
