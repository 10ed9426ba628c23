// Enumerators of Rules.def: the rules of the ledger. Separate from the ledger's header, so that a
// new enumerator rebuilds only the files that name enumerators.
#pragma once

#include <cstdint>

namespace drumlin {

enum class Rule : uint8_t {
#define DRUMLIN_RULE(Name, ...) Name,
#include "drumlin/transforms/Rules.def"
};

} // namespace drumlin
