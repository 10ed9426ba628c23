// Files in memory that nobody can change: what a loaded image stands in.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

namespace drumlin {

// The descriptor of a new file in memory that holds these bytes one behind the other, and that
// can't be written, mapped to be written, or made longer or shorter. The caller closes it. -1, with
// errno, where there is no memory for it.
int immutableCopy(std::initializer_list<std::span<const std::byte>> parts);

// Makes a file in memory so, which nobody may have mapped to be written; it was made with
// MFD_ALLOW_SEALING. False, with errno, where the system refuses.
bool makeImmutable(int file);

} // namespace drumlin
