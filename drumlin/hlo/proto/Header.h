// Reads the parts of a module's proto other than its computations.
#pragma once

#include "drumlin/hlo/proto/ProtoAttributes.h"

namespace drumlin::hlo {

void readHeader(const proto::HloModuleProto &message, AttributeList &attributes);
void readFrames(const proto::StackFrameIndexProto &index, Module &module);

} // namespace drumlin::hlo
