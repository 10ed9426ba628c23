// Converts shapes between protos and HLO modules.
#pragma once

#include "drumlin/hlo/Value.h"

#include "drumlin/hlo/proto/Builders.h"

namespace drumlin::hlo {

// Returns the name of an element type in HLO text, such as `f32` or `token`; empty if unknown.
std::string_view elementName(int type);

// Returns the converted shape. Its memory is in `arena`, which must be the module's, or on the heap
// if `arena` is null.
Shape readShape(const proto::ShapeProto &message, Arena *arena = nullptr);
// Converts a shape into `shape`, which must be empty.
void readShape(const proto::ShapeProto &message, Arena *arena, Shape &shape);

// Converts a shape to a proto. Arrays without a layout get the row-major layout.
void writeShape(const Shape &shape, proto::builder::ShapeProto &message);

// Returns the shape that an attribute's value states, or nullopt.
std::optional<Shape> shapeOf(const Value &value);

// Returns a list of numbers such as `{1,2}`. `bracket`: the opening bracket.
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
