// Compares a tensor engine's FLOPs with an enumeration of its single instructions.
#include "drumlin/target/TensorEngine.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace drumlin {

static const TensorEngine &engineOf(std::string_view name) { return *findTensorEngine(name); }

// Returns the FLOPs of an instruction, which occupies the whole array: 2 · rows · columns ·
// elements.
static int64_t instruction(int64_t elements) { return 2 * 128 * 128 * elements; }

static int64_t enumerateTranspose(int64_t rows, int64_t columns) {
  int64_t flops = 0;
  for (int64_t row = 0; row < rows; row += 128) {
    for (int64_t column = 0; column < columns; column += 128) {
      flops += instruction(std::min<int64_t>(128, rows - row));
    }
  }
  return flops;
}

static int64_t enumerateProduct(int64_t k, int64_t held, int64_t moving) {
  int64_t flops = 0;
  for (int64_t depth = 0; depth < k; depth += 128) {
    for (int64_t column = 0; column < held; column += 128) {
      for (int64_t element = 0; element < moving; element += 512) {
        flops += instruction(std::min<int64_t>(512, moving - element));
      }
    }
  }
  return flops;
}

static EngineFlops enumerate(const EngineProduct &product) {
  EngineFlops flops;
  flops.holdsRhs = enumerateProduct(product.k, product.n, product.m) <=
                   enumerateProduct(product.k, product.m, product.n);
  for (int64_t b = 0; b < product.batch; ++b) {
    for (int64_t i = 0; i < product.m; ++i) {
      flops.model += 2 * product.n * product.k;
    }
    flops.matmul += flops.holdsRhs ? enumerateProduct(product.k, product.n, product.m)
                                   : enumerateProduct(product.k, product.m, product.n);
    flops.turnLhs += product.turnsLhs ? enumerateTranspose(product.m, product.k) : 0;
    flops.turnRhs += product.turnsRhs ? enumerateTranspose(product.n, product.k) : 0;
  }
  return flops;
}

static const int64_t sizes[] = {1, 2, 100, 127, 128, 129, 500, 512, 513, 1000, 4096};

TEST(TensorEngineTest, WalksEveryInstruction) {
  const TensorEngine &engine = engineOf("trn1");
  for (int64_t m : sizes) {
    for (int64_t k : sizes) {
      for (int64_t n : sizes) {
        for (int64_t batch : {1, 3}) {
          for (int turned = 0; turned < 4; ++turned) {
            EngineProduct product{batch, m, n, k, (turned & 1) != 0, (turned & 2) != 0};
            EngineFlops walked = traverseTiles(engine, product), expected = enumerate(product);
            ASSERT_EQ(walked.model, expected.model) << m << " " << k << " " << n;
            ASSERT_EQ(walked.matmul, expected.matmul) << m << " " << k << " " << n;
            ASSERT_EQ(walked.turnLhs, expected.turnLhs) << m << " " << k << " " << n;
            ASSERT_EQ(walked.turnRhs, expected.turnRhs) << m << " " << k << " " << n;
            ASSERT_EQ(walked.holdsRhs, expected.holdsRhs) << m << " " << k << " " << n;
            ASSERT_GE(walked.matmul, walked.model);
          }
        }
      }
    }
  }
}

// The product of one token and a 4096 × 4096 weight, for both orders in which the weight may be
// stored.
TEST(TensorEngineTest, DerivesTheReportedFigures) {
  for (const TensorEngine &engine : tensorEngines()) {
    EngineFlops canonical = traverseTiles(engine, {1, 1, 4096, 4096, true, false});
    EXPECT_EQ(canonical.model, 33'554'432);
    EXPECT_EQ(canonical.matmul, 33'554'432);
    EXPECT_EQ(canonical.transposes(), 1'048'576);
    EXPECT_EQ(canonical.hardware(), 34'603'008);
    EngineFlops checkpoint = traverseTiles(engine, {1, 1, 4096, 4096, true, true});
    EXPECT_EQ(checkpoint.transposes(), 4'296'015'872);
    EXPECT_EQ(checkpoint.hardware(), 4'329'570'304);
  }
}

TEST(TensorEngineTest, Saturates) {
  EngineFlops flops =
      traverseTiles(engineOf("inf2"), {1 << 30, int64_t(1) << 40, int64_t(1) << 40, 1, true, true});
  EXPECT_EQ(flops.hardware(), INT64_MAX);
  EXPECT_EQ(traverseTiles(engineOf("inf2"), {1, 0, 5, 5, true, true}).matmul, 0);
}

TEST(TensorEngineTest, AdjustsByType) {
  const ElementType one[] = {ElementType::BF16, ElementType::F16};
  const ElementType fp8[] = {ElementType::F8E4M3FN, ElementType::F8E5M2};
  for (const TensorEngine &engine : tensorEngines()) {
    for (ElementType type : one) {
      EXPECT_EQ(typeFactor(engine, type), 1);
    }
    EXPECT_EQ(typeFactor(engine, ElementType::F32), 4);
    for (ElementType type : fp8) {
      EXPECT_EQ(typeFactor(engine, type), engine.name == "trn2" ? 0.5 : 1);
    }
  }
  EXPECT_EQ(findTensorEngine("trn9"), nullptr);
  EXPECT_EQ(tensorEngines().size(), 4u);
}

} // namespace drumlin
