#include "drumlin/hlo/Value.h"

#include <algorithm>
#include <charconv>
#include <span>
#include <utility>

namespace drumlin::hlo {

Referent::Referent(const Referent &from) : bits(from.bits) {
  if (const Shape *shape = from.shape()) {
    bits = 0;
    set(std::make_unique<Shape>(*shape));
  }
}

void Referent::destroy(Shape *shape) { delete shape; }

Value::Value(const Value &from)
    : kind(from.kind), bracket(from.bracket), comma(from.comma), percent(from.percent),
      indexComments(from.indexComments), commaAtEnd(from.commaAtEnd), before(from.before),
      beforeClose(from.beforeClose), text(from.text), items(from.items), referent(from.referent),
      comment(from.comment ? std::make_unique<Comment>(*from.comment) : nullptr) {}

Value &Value::operator=(const Value &from) { return *this = Value(from); }

Value Value::word(std::string_view text) {
  Value value;
  value.text = text;
  return value;
}

Value Value::number(int64_t number) {
  Value value;
  value.kind = Kind::Number;
  value.text = std::to_string(number);
  return value;
}

void Value::setNumber(int64_t value, Arena &arena) {
  char digits[24];
  char *end = std::to_chars(digits, digits + sizeof(digits), value).ptr;
  kind = Kind::Number;
  text.assign({digits, static_cast<size_t>(end - digits)}, arena);
}

Value Value::string(std::string_view contents) {
  Value value;
  value.kind = Kind::String;
  value.bracket = '"';
  std::string text;
  for (char c : contents) {
    if (c == '\n') {
      text += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      text += '\\';
    }
    text += c;
  }
  value.text = text;
  return value;
}

Value Value::list(char bracket, List<Value> items, bool spaced) {
  Value value;
  value.kind = Kind::List;
  value.bracket = bracket;
  value.items = std::move(items);
  for (size_t i = 1; i < value.items.size(); ++i) {
    value.items[i].comma = true;
    value.items[i].before.spaces = spaced;
  }
  return value;
}

Value Value::entry(std::string_view key, Value item) {
  Value value;
  value.kind = Kind::Entry;
  value.bracket = '=';
  value.items.reserve(2);
  value.items.push_back(word(key));
  value.items.push_back(std::move(item));
  return value;
}

Value Value::shapeOf(const Shape &shape) {
  Value value;
  value.kind = Kind::Shape;
  value.referent.set(std::make_unique<Shape>(shape));
  return value;
}

std::optional<int64_t> Value::integer() const {
  int64_t number = 0;
  const char *begin = text.view().data(), *last = begin + text.size();
  auto [end, error] = std::from_chars(begin, last, number);
  if (kind != Kind::Number || error != std::errc() || end != last) {
    return std::nullopt;
  }
  return number;
}

std::optional<std::vector<int64_t>> Value::integers() const {
  if (kind != Kind::List) {
    return std::nullopt;
  }
  std::vector<int64_t> numbers;
  for (const Value &item : items) {
    std::optional<int64_t> number = item.integer();
    if (!number) {
      return std::nullopt;
    }
    numbers.push_back(*number);
  }
  return numbers;
}

std::string Value::contents() const {
  if (kind != Kind::String) {
    return text.str();
  }
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 == text.size()) {
      result += text[i];
      continue;
    }
    char c = text[++i];
    result += c == 'n' ? '\n' : c == 't' ? '\t' : c == 'r' ? '\r' : c;
  }
  return result;
}

const Value *Value::find(std::string_view key) const {
  for (const Value &item : items) {
    if (kind == Kind::List && item.kind == Kind::Entry && item.items[0].text == key) {
      return &item.items[1];
    }
  }
  return nullptr;
}

Value *Value::find(std::string_view key) {
  return const_cast<Value *>(std::as_const(*this).find(key));
}

void Value::append(Value item) {
  item.comma = items.size() < 2 || items.back().comma;
  item.before = items.size() < 2 ? Gap() : items.back().before;
  items.push_back(std::move(item));
}

void Value::erase(size_t index) {
  if (index == 0 && items.size() > 1) {
    items[1].before = items[0].before;
  }
  items.erase(items.begin() + static_cast<std::ptrdiff_t>(index));
}

std::string Value::str() const {
  std::string out;
  print(out);
  return out;
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
    // XLA prints the memory space after tiles and element bits, and before the properties that only
    // padded and dynamic shapes have.
    auto after = std::find_if(suffixes.begin(), suffixes.end(), [](const LayoutSuffix &suffix) {
      return suffix.name == "SC" || suffix.name == "P" || suffix.name == "M";
    });
    suffixes.insert(after, {"S", {Value::list('(', {Value::number(space)})}});
  }
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
    // The linear search is fast, as ranks are small.
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

} // namespace drumlin::hlo
