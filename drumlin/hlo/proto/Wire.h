// The wire format of serialized messages: what they are, and whether they are well-formed.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace drumlin::hlo {

// The module in a wrapper that has it as its first field, or the bytes themselves.
std::string_view moduleBytes(std::string_view bytes);

// A text from its first character on that is neither white space nor a comment.
std::string_view protoTextBegin(std::string_view text);

// Whether a text begins as the text form of a module or of its wrapper does.
bool isProtoText(std::string_view text);

// The largest message of protocol buffers.
inline constexpr size_t maxProtoSize = (size_t(1) << 31) - 1;

// How deep messages may lie in one another, as protobuf has it.
inline constexpr unsigned maxProtoNesting = 100;

// The offset of the first field of a module, or of a message in it, that ends behind the bytes, has
// no number, is none that the wire format knows, or a string that isn't UTF-8.
std::optional<size_t> firstInvalidField(std::string_view bytes);

// The same of a message of any kind, whatever lies in fields that have a length.
std::optional<size_t> firstInvalidOuterField(std::string_view bytes);

// Whether the bytes are fields of some message, whatever lies in those that have a length.
bool isMessage(std::string_view bytes);

// Whether the bytes are a shape, with all that lies in it.
bool isShapeMessage(std::string_view bytes);

// Whether the bytes are whole varints, as numbers lie packed in a field.
bool areVarints(std::string_view bytes);

bool isUtf8(std::string_view text);

} // namespace drumlin::hlo
