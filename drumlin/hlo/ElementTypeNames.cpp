#include "drumlin/hlo/ElementTypeNames.h"

#include <algorithm>
#include <utility>

namespace drumlin::hlo {

static constexpr std::pair<std::string_view, ElementType> elementTypes[] = {
    {"pred", ElementType::I1},
    {"s2", ElementType::SI2},
    {"s4", ElementType::SI4},
    {"s8", ElementType::SI8},
    {"s16", ElementType::SI16},
    {"s32", ElementType::SI32},
    {"s64", ElementType::SI64},
    {"u2", ElementType::UI2},
    {"u4", ElementType::UI4},
    {"u8", ElementType::UI8},
    {"u16", ElementType::UI16},
    {"u32", ElementType::UI32},
    {"u64", ElementType::UI64},
    {"f4e2m1fn", ElementType::F4E2M1FN},
    {"f8e3m4", ElementType::F8E3M4},
    {"f8e4m3", ElementType::F8E4M3},
    {"f8e4m3fn", ElementType::F8E4M3FN},
    {"f8e4m3fnuz", ElementType::F8E4M3FNUZ},
    {"f8e4m3b11fnuz", ElementType::F8E4M3B11FNUZ},
    {"f8e5m2", ElementType::F8E5M2},
    {"f8e5m2fnuz", ElementType::F8E5M2FNUZ},
    {"f8e8m0fnu", ElementType::F8E8M0FNU},
    {"bf16", ElementType::BF16},
    {"f16", ElementType::F16},
    {"f32", ElementType::F32},
    {"f64", ElementType::F64},
    {"c64", ElementType::C64},
    {"c128", ElementType::C128},
};

std::optional<ElementType> elementTypeFromHloName(std::string_view name) {
  for (const auto &[known, type] : elementTypes) {
    if (known == name) {
      return type;
    }
  }
  return std::nullopt;
}

std::string_view hloName(ElementType type) {
  for (const auto &[name, known] : elementTypes) {
    if (known == type) {
      return name;
    }
  }
  return {};
}

bool isElementTypeWord(std::string_view word) {
  if (word == "pred" || word == "token" || word == "opaque") {
    return true;
  }
  size_t letters = word.starts_with("bf") ? 2 : 1;
  return word.size() > letters &&
         std::string_view("sufcb").find(word[0]) != std::string_view::npos &&
         word[letters] >= '0' && word[letters] <= '9' &&
         std::all_of(word.begin(), word.end(),
                     [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z'); });
}

} // namespace drumlin::hlo
