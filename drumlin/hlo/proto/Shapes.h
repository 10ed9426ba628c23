// Shapes between messages and the model.
#pragma once

#include "drumlin/hlo/Shape.h"

#include "drumlin/hlo/proto/Builders.h"

namespace drumlin::hlo {

// HLO's name of the type in text: `f32`, `token`; empty where there is none.
std::string_view elementName(int type);

Shape readShape(const proto::ShapeProto &message);

// Arrays without a layout get the one from the last dimension to the first.
void writeShape(const Shape &shape, proto::builder::ShapeProto &message);

// The shape that an attribute's value names; nothing where it is none.
std::optional<Shape> shapeOf(const Value &value);

// `{1,2}`, with brackets of the given kind.
template <typename Numbers>
Value numberList(char bracket, const Numbers &numbers, bool spaced = false) {
  std::vector<Value> items;
  items.reserve(numbers.size());
  for (int64_t number : numbers) {
    items.push_back(Value::number(number));
  }
  return Value::list(bracket, std::move(items), spaced);
}

} // namespace drumlin::hlo
