// Immutable files in memory, from which images are loaded.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <span>

namespace drumlin {

// Creates a file in memory that concatenates these bytes and can't be written, mapped writable,
// grown or shrunk. Returns its descriptor, which the caller closes, or -1 with errno if memory is
// short.
int immutableCopy(std::initializer_list<std::span<const std::byte>> parts);

// Makes a file in memory immutable. It must have been created with MFD_ALLOW_SEALING and have no
// writable mapping. False, with errno, if the system refuses.
bool makeImmutable(int file);

} // namespace drumlin
