// HLO modules as protocol buffers: `HloModuleProto`, and `HloProto`, which contains one. Reading a
// proto gives the same module as parsing the text that XLA prints for it, so that later stages
// needn't distinguish the two forms.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <optional>

namespace drumlin::hlo {

// Whether bytes begin like a serialized module or like a module's text form. Readable text never
// begins like a serialized module. A module's text form begins with `name:`, `computations {` or
// `hlo_module {`.
bool isProto(std::string_view bytes);

// The type of a serialized message.
enum class ProtoMessage : uint8_t {
  Any,              // a module, a wrapped module, or the text form of either
  Module,           // `HloModuleProto`, or `HloProto`
  ModuleWithConfig, // `HloModuleProtoWithConfig`; the configuration isn't read
};

// Reads a module. Errors have one of the codes HloProtoInvalid, SyntaxInvalid, HloNameUnknown,
// HloNameTaken and HloCycle. Their location is `fileName:byte` of the malformed field or invalid
// message. For the text form, it is `fileName`, except that SyntaxInvalid has
// `fileName:line:column`.
Result<Module> readProto(std::string_view bytes, std::string_view fileName,
                         ProtoMessage kind = ProtoMessage::Any);

// Reads an HLO module from HLO text or a proto; nullopt if the bytes are neither.
std::optional<Result<Module>> readHlo(std::string_view bytes, std::string_view fileName);

enum class ProtoForm : uint8_t { Binary, Text };

// Writes a module as `HloModuleProto`. Ids are positions in the module. Configuration attributes
// such as `num_partitions` have no field and are dropped. Missing shapes are inferred
// (inferShapes). Fails with ArtifactUnsupported if a constant is elided, if any other attribute has
// no field, or if a shape can't be inferred.
Result<std::string> writeProto(Module &module, ProtoForm form = ProtoForm::Binary);

} // namespace drumlin::hlo
