// Compares the numbers of elements in windows, which are computed in closed form, with an
// enumeration. Also tests sizes that are too large for an enumeration.
#include "BruteForce.h"

#include "drumlin/driver/Phases.h"
#include "drumlin/import/Import.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/stablehlo/ConvolutionOp.h"

#include <gtest/gtest.h>

#include <random>

using namespace mlir;

namespace drumlin {

static Operation *firstConvolution(ModuleOp module) {
  Operation *found = nullptr;
  module.walk([&](stablehlo::ConvolutionOp op) { found = op; });
  return found;
}

class WindowsTest : public testing::Test {
protected:
  WindowsTest() : context(programDialects(), MLIRContext::Threading::DISABLED) {}

  // Returns a convolution along one dimension.
  OwningOpRef<ModuleOp> convolution(int64_t extent, int64_t size, int64_t results, int64_t stride,
                                    int64_t low, int64_t high, int64_t baseDilation,
                                    int64_t dilation) {
    auto number = [](int64_t value) { return std::to_string(value); };
    std::string x = "tensor<1x" + number(extent) + "x1xf32>";
    std::string y = "tensor<" + number(size) + "x1x1xf32>";
    std::string r = "tensor<1x" + number(results) + "x1xf32>";
    std::string text =
        "func.func @main(%x: " + x + ", %y: " + y + ") -> " + r + " {\n" +
        "  %0 = stablehlo.convolution(%x, %y) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], "
        "window = {stride = [" +
        number(stride) + "], pad = [[" + number(low) + ", " + number(high) + "]], lhs_dilate = [" +
        number(baseDilation) + "], rhs_dilate = [" + number(dilation) +
        "]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (" + x + ", " + y +
        ") -> " + r + "\n  return %0 : " + r + "\n}";
    auto module = importText(text, "window.mlir", context);
    EXPECT_TRUE(module) << module.error().str();
    return module ? OwningOpRef<ModuleOp>(std::move(*module)) : OwningOpRef<ModuleOp>();
  }

  MLIRContext context;
};

TEST_F(WindowsTest, TermsAreThoseThatMeetElements) {
  std::mt19937 generator(1);
  auto draw = [&](int64_t from, int64_t to) {
    return std::uniform_int_distribution<int64_t>(from, to)(generator);
  };
  for (int i = 0; i < 2000; ++i) {
    int64_t extent = draw(1, 9), size = draw(1, 9), stride = draw(1, 7), low = draw(-3, 20),
            high = draw(-3, 20), baseDilation = draw(1, 7), dilation = draw(1, 7);
    int64_t padded = (extent - 1) * baseDilation + 1 + low + high;
    int64_t covered = (size - 1) * dilation + 1;
    if (padded < covered) {
      continue;
    }
    int64_t results = (padded - covered) / stride + 1;
    auto module = convolution(extent, size, results, stride, low, high, baseDilation, dilation);
    Operation *op = firstConvolution(*module);
    EXPECT_EQ(multiplyAdds(op), countMultiplyAdds(op))
        << extent << " " << size << " " << stride << " " << low << " " << high << " "
        << baseDilation << " " << dilation;
  }
}

TEST_F(WindowsTest, SizesDoNotMatter) {
  constexpr int64_t huge = 1'000'000'000'000;
  auto dilated = convolution(2, 1, 2, huge, 0, 0, huge, 1);
  EXPECT_EQ(multiplyAdds(firstConvolution(*dilated)), 2);
  auto padded = convolution(4, huge + 1, 4, 1, huge / 2, huge / 2, 1, 1);
  EXPECT_EQ(multiplyAdds(firstConvolution(*padded)), 16);
  // Only the first position of each window is inside the input.
  constexpr int64_t prime = 999'999'999'989;
  auto sparse = convolution(3, 3, 2, prime, 0, 0, prime, 1);
  EXPECT_EQ(multiplyAdds(firstConvolution(*sparse)), 2);
}

} // namespace drumlin
