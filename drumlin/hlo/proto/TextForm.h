// The text form of protocol buffers (`name: "jit_f"`), between which and the wire format
// Hlo.proto's description is all that is needed.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace drumlin::hlo {

// A module's bytes; of a text that begins with `hlo_module`, the bytes of that one. Fails with
// SyntaxInvalid and the place `fileName:line:column`.
Result<std::string> bytesOfProtoText(std::string_view text, std::string_view fileName);

// The text form of a module's well-formed bytes.
std::string protoText(std::string_view bytes);

} // namespace drumlin::hlo
