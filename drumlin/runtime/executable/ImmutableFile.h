// Files in memory that nobody can change: what a loaded image stands in.
#pragma once

#include <cstddef>
#include <span>

namespace drumlin {

// The descriptor of a new file in memory that holds these bytes, and that can't be written, mapped
// to be written, or made longer or shorter. The caller closes it. -1, with errno, where there is no
// memory for it.
int immutableCopy(std::span<const std::byte> bytes);

// Makes a file in memory so, which nobody may have mapped to be written; it was made with
// MFD_ALLOW_SEALING. False, with errno, where the system refuses.
bool makeImmutable(int file);

} // namespace drumlin
