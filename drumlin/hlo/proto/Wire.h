// What can be seen of a serialized message without its description.
#pragma once

#include <cstddef>
#include <string_view>

namespace drumlin::hlo {

// The module in a wrapper that has it as its first field, or the bytes themselves.
std::string_view moduleBytes(std::string_view bytes);

// Whether a text begins as the text form of a module or of its wrapper does.
bool isProtoText(std::string_view text);

// The offset of the first field that ends behind the bytes, has no number or is none that the wire
// format knows; descends into computations and instructions. The bytes' size where there is none.
size_t firstInvalidField(std::string_view bytes);

} // namespace drumlin::hlo
