// Recognizes and validates serialized messages.
#pragma once

#include <cstddef>
#include <optional>
#include <string_view>

namespace drumlin::hlo {

// Returns the module in the first field of a wrapper message, or the bytes themselves if they don't
// begin like such a wrapper.
std::string_view moduleBytes(std::string_view bytes);

// Returns the text without leading white space and comments.
std::string_view protoTextBegin(std::string_view text);

// Whether a text begins like the text form of a module or of its wrapper.
bool isProtoText(std::string_view text);

// The maximum size of a protobuf message in bytes.
inline constexpr size_t maxProtoSize = (size_t(1) << 31) - 1;

// The maximum nesting of messages, the same as protobuf's.
inline constexpr unsigned maxProtoNesting = 100;

// Returns the offset of the first malformed field in a module or a nested message; nullopt if there
// is none. A field is malformed if it exceeds the bytes, has the number 0 or an unknown wire type,
// or is a string that isn't UTF-8.
std::optional<size_t> firstInvalidField(std::string_view bytes);

// Returns the offset of the first malformed field in a message of any type, like firstInvalidField.
// Doesn't check the content of fields with a length.
std::optional<size_t> firstInvalidOuterField(std::string_view bytes);

// Whether the bytes are the fields of some message, ignoring the content of fields with a length.
bool isMessage(std::string_view bytes);

// Whether the bytes are a valid shape message, including its nested messages.
bool isShapeMessage(std::string_view bytes);

// Whether the bytes are a sequence of complete varints, as in a packed field.
bool areVarints(std::string_view bytes);

bool isUtf8(std::string_view text);

} // namespace drumlin::hlo
