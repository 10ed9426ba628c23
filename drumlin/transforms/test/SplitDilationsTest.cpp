// Tests that convolutions of dilated inputs give the same numbers after their phases become
// separate convolutions, for all kinds of windows.
#include "drumlin/ir/stablehlo/ConvolutionOp.h"
#include "drumlin/transforms/Reasons.h"
#include "drumlin/transforms/rewrite/DilationPhases.h"
#include "drumlin/transforms/rewrite/Passes.h"
#include "drumlin/transforms/test/ExpectSame.h"

#include <sstream>

using namespace drumlin;

namespace {
// Draws random convolutions of one to three spatial dimensions.
class RandomConvolution {
public:
  explicit RandomConvolution(uint64_t seed) : random(seed) {
    size_t rank = 1 + below(3);
    featureGroups = below(4) == 0 ? 2 : 1;
    batchGroups = featureGroups == 1 && below(4) == 0 ? 2 : 1;
    inputBatch = batchGroups * static_cast<int64_t>(1 + below(2));
    inputFeatures = static_cast<int64_t>(1 + below(2));
    outputFeatures = 2 * static_cast<int64_t>(1 + below(2));
    for (size_t d = 0; d < rank; ++d) {
      DilatedDimension made;
      made.input = static_cast<int64_t>(1 + below(5));
      made.kernel = static_cast<int64_t>(1 + below(rank == 3 ? 3 : 6));
      made.stride = static_cast<int64_t>(1 + below(3));
      made.dilation = static_cast<int64_t>(1 + below(rank == 3 ? 3 : 5));
      made.kernelDilation = static_cast<int64_t>(1 + below(3));
      int64_t dilated = (made.input - 1) * made.dilation + 1;
      int64_t extent = (made.kernel - 1) * made.kernelDilation + 1;
      made.low = static_cast<int64_t>(below(7)) - 2;
      int64_t high = static_cast<int64_t>(below(7)) - 2;
      // The dimension has at least as many positions as a window.
      high = std::max(high, extent - dilated - made.low);
      made.output = (dilated + made.low + high - extent) / made.stride + 1;
      dimensions.push_back(made);
      highs.push_back(high);
      isReversed.push_back(below(3) == 0);
    }
    featuresFirst = below(2) == 0;
  }

  Shape input() const {
    return shape(inputBatch, inputFeatures * featureGroups, &DilatedDimension::input);
  }
  Shape kernel() const { return shape(outputFeatures, inputFeatures, &DilatedDimension::kernel); }
  Shape output() const {
    return shape(inputBatch / batchGroups, outputFeatures, &DilatedDimension::output);
  }

  std::string program() const {
    auto type = [](const Shape &shape) {
      std::ostringstream out;
      out << "tensor<";
      for (int64_t size : shape) {
        out << size << "x";
      }
      out << "f32>";
      return out.str();
    };
    std::string spatial;
    for (size_t d = 0; d < dimensions.size(); ++d) {
      spatial += (d == 0 ? "" : ", ") + std::to_string(d);
    }
    auto roles = [&](const char *first, const char *second) {
      return featuresFirst ? std::string("[") + first + ", " + second + ", " + spatial + "]"
                           : std::string("[") + first + ", " + spatial + ", " + second + "]";
    };
    std::ostringstream out;
    out << "func.func @main(%x: " << type(input()) << ", %w: " << type(kernel()) << ") -> "
        << type(output())
        << " {\n  %r = stablehlo.convolution(%x, %w) dim_numbers = " << roles("b", "f") << "x"
        << roles("o", "i") << "->" << roles("b", "f")
        << ", window = {stride = " << list(&DilatedDimension::stride) << ", pad = [";
    for (size_t d = 0; d < dimensions.size(); ++d) {
      out << (d == 0 ? "" : ", ") << "[" << dimensions[d].low << ", " << highs[d] << "]";
    }
    out << "], lhs_dilate = " << list(&DilatedDimension::dilation)
        << ", rhs_dilate = " << list(&DilatedDimension::kernelDilation) << ", reverse = [";
    for (size_t d = 0; d < dimensions.size(); ++d) {
      out << (d == 0 ? "" : ", ") << (isReversed[d] ? "true" : "false");
    }
    out << "]} {batch_group_count = " << batchGroups
        << " : i64, feature_group_count = " << featureGroups << " : i64} : (" << type(input())
        << ", " << type(kernel()) << ") -> " << type(output())
        << "\n  return %r : " << type(output()) << "\n}\n";
    return out.str();
  }

private:
  size_t below(size_t n) { return random() % n; }

  Shape shape(int64_t first, int64_t second, int64_t DilatedDimension::*size) const {
    Shape made = {first};
    if (featuresFirst) {
      made.push_back(second);
    }
    for (const DilatedDimension &dimension : dimensions) {
      made.push_back(dimension.*size);
    }
    if (!featuresFirst) {
      made.push_back(second);
    }
    return made;
  }
  std::string list(int64_t DilatedDimension::*number) const {
    std::string text;
    for (const DilatedDimension &dimension : dimensions) {
      text += (text.empty() ? "[" : ", ") + std::to_string(dimension.*number);
    }
    return text + "]";
  }

  std::mt19937_64 random;
  std::vector<DilatedDimension> dimensions;
  std::vector<int64_t> highs;
  std::vector<bool> isReversed;
  int64_t featureGroups = 1, batchGroups = 1, inputBatch = 1, inputFeatures = 1, outputFeatures = 1;
  bool featuresFirst = false;
};
} // namespace

TEST(SplitDilations, GiveTheSameNumbers) {
  int64_t split = 0;
  for (uint64_t seed = 0; seed < 600 && !testing::Test::HasFailure(); ++seed) {
    RandomConvolution drawn(seed);
    Ledger ledger;
    expectSameAfter(
        drawn.program(),
        {wholeNumbers(ElementType::F32, drawn.input(), 1),
         wholeNumbers(ElementType::F32, drawn.kernel(), 2)},
        [&] { return createSplitDilationsPass(ledger); },
        [&](mlir::ModuleOp module) {
          // No remaining convolution multiplies inserted zeros, except if the ledger says so.
          bool isDeclined = false;
          for (const LedgerEntry &entry : ledger.entries()) {
            isDeclined |= entry.reason != Reason::Taken;
            split += entry.reason == Reason::Taken ? 1 : 0;
          }
          module.walk([&](stablehlo::ConvolutionOp op) {
            bool isDilated = false;
            for (int64_t dilation : op.lhsDilationOrDefault()) {
              isDilated |= dilation > 1;
            }
            EXPECT_TRUE(!isDilated || isDeclined);
          });
        });
  }
  EXPECT_GT(split, 300);
}

// Where a phase has no tap, the kernel has zeros. If the kernel isn't dilated, all phases together
// have at most as many MACs as the convolution with inserted zeros.
TEST(SplitDilations, CountFewerProducts) {
  for (int64_t kernel = 1; kernel <= 16; ++kernel) {
    for (int64_t dilation = 2; dilation <= 8; ++dilation) {
      for (int64_t low = 0; low < dilation; ++low) {
        DilatedDimension d{/*input=*/16, kernel, /*output=*/15 * dilation + 1};
        d.dilation = dilation;
        d.low = low;
        for (const PhaseSplit &split : phaseSplits(d)) {
          int64_t products = 0, needed = 0;
          for (const PhaseGroup &group : split.groups) {
            products += group.size * static_cast<int64_t>(group.phases.size());
            for (const PhaseGroup::Taps &taps : group.taps) {
              needed += taps.count;
            }
          }
          EXPECT_EQ(needed, kernel);
          EXPECT_LE(products, kernel * dilation);
          EXPECT_LE(products,
                    (kernel + dilation - 1) / dilation * std::min(kernel, dilation) + dilation);
        }
      }
    }
  }
}

// Convolutions whose dilation would take long to analyze are not split, and the ledger says so.
TEST(SplitDilations, DeclineHugeDilations) {
  Ledger ledger;
  mlir::MLIRContext context(testDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(
      "func.func @main(%x: tensor<1x2x1xf32>, %w: tensor<1x1x1xf32>) -> tensor<1x2001x1xf32> {\n"
      "  %r = stablehlo.convolution(%x, %w) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f], window = "
      "{lhs_dilate = [2000]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : "
      "(tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2001x1xf32>\n"
      "  return %r : tensor<1x2001x1xf32>\n}\n",
      "test.mlir", context);
  ASSERT_TRUE(module) << module.error().str();
  mlir::PassManager passes(&context);
  passes.addNestedPass<mlir::func::FuncOp>(createSplitDilationsPass(ledger));
  ASSERT_TRUE(mlir::succeeded(passes.run(**module)));
  ASSERT_EQ(ledger.entries().size(), 1u);
  EXPECT_EQ(ledger.entries().front().reason, Reason::OverBudget);
}
