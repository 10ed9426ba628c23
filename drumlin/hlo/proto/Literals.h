// Constants between messages and the values that text has for them.
#pragma once

#include "drumlin/hlo/proto/Shapes.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Fails where the elements aren't as many as the shape has, with the message alone.
Result<Value> readLiteral(const proto::LiteralProto &message, Arena &arena);

// A constant's value of this shape. False where its elements aren't all there, as in `{...}`, or
// aren't numbers of their type.
bool writeLiteral(const Value &value, const Shape &shape, proto::builder::LiteralProto &message);

} // namespace drumlin::hlo
