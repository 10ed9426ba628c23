// HLO modules as protocol buffers: `HloModuleProto`, and `HloProto`, which wraps one. Both are read
// into the module that XLA's text of them would give, so that nothing behind the reader knows in
// which form a module came.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <optional>

namespace drumlin::hlo {

// Whether bytes begin as a serialized module does, which no text does, or as the text form of one:
// with `name:`, `computations {`, `hlo_module {`.
bool isProto(std::string_view bytes);

// What bytes are a message of.
enum class ProtoMessage : uint8_t {
  Any,              // as isProto() sees: a module, one in a wrapper, or the text form of one
  Module,           // `HloModuleProto`, or `HloProto`
  ModuleWithConfig, // `HloModuleProtoWithConfig`; the configuration isn't read
};

// Fails with the place `fileName:byte` of the field that isn't well-formed, or of the message that
// makes no sense, of the text form `fileName`: HloProtoInvalid, SyntaxInvalid (of the text form),
// HloNameUnknown, HloNameTaken, HloCycle.
Result<Module> readProto(std::string_view bytes, std::string_view fileName,
                         ProtoMessage kind = ProtoMessage::Any);

// A module of HLO, as text or as protocol buffers; nothing for other programs.
std::optional<Result<Module>> readHlo(std::string_view bytes, std::string_view fileName);

enum class ProtoForm : uint8_t { Binary, Text };

// `HloModuleProto`; the ids are those of places in the module. What text says of the configuration,
// such as `num_partitions`, has no field. Shapes that the text left out are inferred (inferShapes).
// Fails with ArtifactUnsupported where a constant is elided, an attribute has no field or a shape
// can't be inferred.
Result<std::string> writeProto(Module &module, ProtoForm form = ProtoForm::Binary);

} // namespace drumlin::hlo
