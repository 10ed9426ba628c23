// Converts attributes of HLO text to fields of an instruction's proto, the reverse of
// ProtoAttributes.h.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/ProtoShapes.h"

namespace drumlin::hlo {

// Sets the field that stores an attribute's value. Returns false if there is no such field, or if
// the value is invalid. Callers handle the attributes that name computations or instructions.
bool setField(const Instruction &instruction, const Attribute &attribute,
              proto::builder::HloInstructionProto &message);

void setFrontendAttributes(const Value &value, proto::builder::FrontendAttributes &attributes);

// Returns all integers in a text, in order: 0, 2 and 1 for `[0:2:1]`.
std::vector<int64_t> numbersIn(std::string_view text);
std::vector<int64_t> numbersIn(const Value &value);

// Returns a string's contents without C's escapes. The result refers to the string or to `scratch`.
std::string_view unescaped(const Value &string, std::string &scratch);

} // namespace drumlin::hlo
