// Shapes between messages and the model.
#pragma once

#include "drumlin/hlo/Value.h"

#include "drumlin/hlo/proto/Builders.h"

namespace drumlin::hlo {

// HLO's name of the type in text: `f32`, `token`; empty where there is none.
std::string_view elementName(int type);

// In the arena, which is the module's; without one the shape has memory of its own.
Shape readShape(const proto::ShapeProto &message, Arena *arena = nullptr);
// Into an empty shape.
void readShape(const proto::ShapeProto &message, Arena *arena, Shape &shape);

// Arrays without a layout get the one from the last dimension to the first.
void writeShape(const Shape &shape, proto::builder::ShapeProto &message);

// The shape that an attribute's value names; nothing where it is none.
std::optional<Shape> shapeOf(const Value &value);

// `{1,2}`, with brackets of the given kind.
template <typename Numbers> Value numberList(char bracket, const Numbers &numbers, Arena &arena) {
  Value list;
  list.kind = Value::Kind::List;
  list.bracket = bracket;
  list.items.reserve(numbers.size(), arena);
  for (int64_t number : numbers) {
    Value &item = list.items.emplace_back();
    item.setNumber(number, arena);
    item.comma = list.items.size() != 1;
  }
  return list;
}

} // namespace drumlin::hlo
