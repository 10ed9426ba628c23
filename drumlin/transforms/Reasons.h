// Enumerators of Reasons.def: why a rule was taken or declined. Separate from the ledger's header,
// so that a new enumerator rebuilds only the files that name enumerators.
#pragma once

#include <cstdint>

namespace drumlin {

enum class Reason : uint8_t {
#define DRUMLIN_REASON(Name, ...) Name,
#include "drumlin/transforms/Reasons.def"
};

} // namespace drumlin
