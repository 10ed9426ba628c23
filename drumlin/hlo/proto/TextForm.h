// Converts between the text form of protocol buffers (`name: "jit_f"`) and the wire format, using
// the schema of Hlo.proto.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// Converts a module's text form to bytes. If the text begins with `hlo_module`, returns the bytes
// of that field. Fails with SyntaxInvalid and the location `fileName:line:column`.
Result<std::string> bytesOfProtoText(std::string_view text, std::string_view fileName);

// Returns the text form of a module's bytes, which must be well-formed.
std::string protoText(std::string_view bytes);

} // namespace drumlin::hlo
