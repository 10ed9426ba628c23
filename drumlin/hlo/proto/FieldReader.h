// The attributes of text as an instruction's fields: the other direction of Attributes.h.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/Shapes.h"

namespace drumlin::hlo {

// Whether the attribute has a field; those that name computations or instructions are their
// caller's.
bool setField(const Instruction &instruction, const Attribute &attribute,
              proto::builder::HloInstructionProto &message);

void setFrontendAttributes(const Value &value, proto::builder::FrontendAttributes &attributes);

// All integers in a text, in order: of `[0:2:1]` 0, 2 and 1.
std::vector<int64_t> numbersIn(std::string_view text);
std::vector<int64_t> numbersIn(const Value &value);

// A string's contents, without C's escapes. They lie in the string itself, or in `scratch`.
std::string_view unescaped(const Value &string, std::string &scratch);

} // namespace drumlin::hlo
