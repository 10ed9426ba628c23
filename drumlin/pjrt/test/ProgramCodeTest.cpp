// Code stored without the bytes of weights, and restored.
#include "drumlin/pjrt/ProgramCode.h"

#include <gtest/gtest.h>

using namespace drumlin;
using namespace drumlin::pjrt;

static Tensor numbers(Shape shape) {
  Tensor made(ElementType::SI16, std::move(shape));
  for (int64_t i = 0; i < made.elements(); ++i) {
    made.as<int16_t>()[i] = static_cast<int16_t>(i * 7 + 1);
  }
  return made;
}

static std::string bytesOf(const Tensor &tensor) {
  return {tensor.as<char>(), static_cast<size_t>(tensor.bytes())};
}

TEST(ProgramCode, IsWholeAgain) {
  Tensor plain = numbers({5, 3}), turned = numbers({7, 4, 3}), cut = numbers({6, 33});
  BlockedLayout order = {{7, 4, 3}, {}, {2, 0, 1}};
  BlockedLayout panels = {{33, 6}, {16, 2}, {0, 2, 1, 3}}; // with padding
  BlockedLayout transposed = {{6, 33}, {}, {1, 0}};
  std::vector<Tensor> weights = {toPhysical(turned, order.order),
                                 toPhysical(toPhysical(cut, transposed.order), panels), plain};
  std::string code = "first" + bytesOf(plain) + bytesOf(turned) + "between" + bytesOf(cut) + "last";
  size_t second = 5 + bytesOf(plain).size(), third = second + bytesOf(turned).size() + 7;
  ProgramCode kept = ProgramCode::of(code, {{5, bytesOf(plain).size(), 2},
                                            {second, bytesOf(turned).size(), 0, {order}},
                                            {third, bytesOf(cut).size(), 1, {transposed, panels}}});
  EXPECT_EQ(kept.rest, "firstbetweenlast");
  ASSERT_TRUE(kept.isValid(weights));
  EXPECT_EQ(kept.whole(weights), code);
}

TEST(ProgramCode, NamesOnlyWhatThereIs) {
  std::vector<Tensor> weights = {numbers({5, 3})};
  auto isValid = [&](WeightInCode weight, std::string rest = "0123456789") {
    return ProgramCode{std::move(rest), {std::move(weight)}}.isValid(weights);
  };
  EXPECT_TRUE(isValid({10, 30, 0}));
  EXPECT_TRUE(isValid({10, 30, 0, {{{3, 5}, {}, {1, 0}}}}));
  EXPECT_FALSE(isValid({11, 30, 0}));
  EXPECT_FALSE(isValid({0, 32, 0}));
  EXPECT_FALSE(isValid({0, 30, 1}));
  EXPECT_FALSE(isValid({0, 30, 0, {{{5, 3}, {}, {1, 0}}}}));
  EXPECT_FALSE(isValid({0, 30, 0, {{{3, 5}, {}, {1, 1}}}}));
  ProgramCode overlapping = {"", {{0, 30, 0}, {29, 30, 0}}};
  EXPECT_FALSE(overlapping.isValid(weights));
}
