// Converts constants between protos and the values of HLO text.
#pragma once

#include "drumlin/hlo/proto/ProtoShapes.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Converts a literal to a value. Fails if the number of elements differs from the shape's; the
// error then has a message, but no location.
Result<Value> readLiteral(const proto::LiteralProto &message, Arena &arena);

// Converts a constant's value to a literal. Returns false if elements are missing, as in `{...}`,
// or aren't numbers of the element type.
bool writeLiteral(const Value &value, const Shape &shape, proto::builder::LiteralProto &message);

} // namespace drumlin::hlo
