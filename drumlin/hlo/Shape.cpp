#include "drumlin/hlo/Shape.h"

#include <algorithm>
#include <span>
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

const LayoutSuffix *Layout::find(std::string_view name) const {
  for (const LayoutSuffix &suffix : suffixes) {
    if (suffix.name == name) {
      return &suffix;
    }
  }
  return nullptr;
}

std::vector<std::vector<int64_t>> Layout::tiles() const {
  std::vector<std::vector<int64_t>> tiles;
  if (const LayoutSuffix *suffix = find("T")) {
    for (const Value &argument : suffix->arguments) {
      std::vector<int64_t> &tile = tiles.emplace_back();
      for (const Value &size : argument.items) {
        tile.push_back(size.integer().value_or(-1));
      }
    }
  }
  return tiles;
}

void Layout::setTiles(const std::vector<std::vector<int64_t>> &tiles) {
  suffixes.eraseIf([](const LayoutSuffix &suffix) { return suffix.name == "T"; });
  if (tiles.empty()) {
    return;
  }
  LayoutSuffix suffix{"T", {}};
  for (const std::vector<int64_t> &tile : tiles) {
    List<Value> sizes;
    for (int64_t size : tile) {
      sizes.push_back(size < 0 ? Value::word("*") : Value::number(size));
    }
    suffix.arguments.push_back(Value::list('(', std::move(sizes)));
  }
  suffixes.insert(suffixes.begin(), std::move(suffix));
}

int64_t Layout::memorySpace() const {
  const LayoutSuffix *suffix = find("S");
  if (!suffix || suffix->arguments.size() != 1 || suffix->arguments[0].items.size() != 1) {
    return 0;
  }
  return suffix->arguments[0].items[0].integer().value_or(0);
}

void Layout::setMemorySpace(int64_t space) {
  suffixes.eraseIf([](const LayoutSuffix &suffix) { return suffix.name == "S"; });
  if (space != 0) {
    // XLA prints it after tiles and element bits, before what only padded and dynamic shapes have.
    auto after = std::find_if(suffixes.begin(), suffixes.end(), [](const LayoutSuffix &suffix) {
      return suffix.name == "SC" || suffix.name == "P" || suffix.name == "M";
    });
    suffixes.insert(after, {"S", {Value::list('(', {Value::number(space)})}});
  }
}

void Layout::print(std::string &out) const {
  out += '{';
  for (size_t i = 0; i < minorToMajor.size(); ++i) {
    if (i != 0) {
      out += ',';
    }
    out += std::to_string(minorToMajor[i]);
  }
  if (!suffixes.empty()) {
    out += ':';
  }
  for (const LayoutSuffix &suffix : suffixes) {
    out += suffix.name;
    for (const Value &argument : suffix.arguments) {
      argument.print(out);
    }
  }
  out += '}';
}

static std::string text(const std::optional<Layout> &layout) {
  std::string out;
  if (layout) {
    layout->print(out);
  }
  return out;
}

bool Shape::isWellFormed() const {
  if (kind != Kind::Array) {
    return std::all_of(elements.begin(), elements.end(),
                       [](const Shape &each) { return each.isWellFormed(); });
  }
  std::span<const int64_t> order;
  if (layout) {
    order = layout->minorToMajor;
  }
  for (size_t i = 0; i < order.size(); ++i) {
    // Ranks are small.
    bool isNew = std::ranges::find(order.first(i), order[i]) == order.first(i).end();
    if (order[i] < 0 || static_cast<size_t>(order[i]) >= dimensions.size() || !isNew) {
      return false;
    }
  }
  return isElementTypeWord(element) && (!layout || order.size() == dimensions.size());
}

bool Shape::printsAs(const Shape &other) const {
  if (kind != other.kind || indexComments != other.indexComments || element != other.element ||
      dimensions != other.dimensions || layout.has_value() != other.layout.has_value() ||
      (layout && layout->minorToMajor != other.layout->minorToMajor)) {
    return false;
  }
  bool plain = !layout || (layout->suffixes.empty() && other.layout->suffixes.empty());
  return (plain || text(layout) == text(other.layout)) &&
         std::equal(elements.begin(), elements.end(), other.elements.begin(), other.elements.end(),
                    [](const Shape &a, const Shape &b) { return a.printsAs(b); });
}

std::string Shape::str(bool withLayout) const {
  std::string out;
  print(out, withLayout);
  return out;
}

void Shape::print(std::string &out, bool withLayout) const {
  if (kind == Kind::Absent) {
    return;
  }
  if (kind != Kind::Array) {
    out += kind == Kind::Buffer ? "b(" : "(";
    for (size_t i = 0; i < elements.size(); ++i) {
      if (i != 0) {
        out += ", ";
      }
      if (indexComments && i != 0 && i % 5 == 0) {
        out.append("/*index=").append(std::to_string(i)).append("*/");
      }
      elements[i].print(out, withLayout);
    }
    out += ')';
    return;
  }
  out += element;
  out += '[';
  for (size_t i = 0; i < dimensions.size(); ++i) {
    if (i != 0) {
      out += ',';
    }
    if (dimensions[i].dynamic && dimensions[i].size >= 0) {
      out += "<=";
    }
    out += dimensions[i].size < 0 ? "?" : std::to_string(dimensions[i].size);
  }
  out += ']';
  if (withLayout && layout) {
    layout->print(out);
  }
}

} // namespace drumlin::hlo
