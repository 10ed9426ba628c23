// An image's table of the calls that its entry makes of code outside of it, as flat tables.
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

// Trusts nothing but that the structure verifies. Gives what is wrong, or nothing. `from` may be
// null.
std::string readHostCalls(const HostCallTable *from, std::vector<HostCall> &calls);

} // namespace drumlin
