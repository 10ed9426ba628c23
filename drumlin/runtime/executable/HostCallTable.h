// An image's table of the calls that its entry makes of code outside of the image, in FlatBuffers.
#pragma once

#include "drumlin/support/HostCall.h"

#include <flatbuffers/flatbuffers.h>

#include <string>
#include <vector>

namespace drumlin::flat {
struct HostCall;
} // namespace drumlin::flat

namespace drumlin {

using HostCallTable = flatbuffers::Vector<flatbuffers::Offset<flat::HostCall>>;

flatbuffers::Offset<HostCallTable> putHostCalls(flatbuffers::FlatBufferBuilder &builder,
                                                const std::vector<HostCall> &calls);

// Reads a table whose structure FlatBuffers' verifier has checked, and checks its contents. Returns
// what is wrong, or an empty string. `from` may be null.
std::string readHostCalls(const HostCallTable *from, std::vector<HostCall> &calls);

} // namespace drumlin
