// The offsets at which large memory blocks start within a page.
#pragma once

#include <cstddef>

namespace drumlin {

inline constexpr size_t pageBytes = 4096;

// The distance in bytes between the page offsets of consecutive memory blocks: 64 consecutive
// offsets differ, since 5 and 64 have no common divisor.
inline constexpr size_t pageOffsetStep = 5 * 64;

// Returns the offset within a page for the next large memory block, in bytes: a multiple of 64
// below pageBytes that differs from those of the previous 63 blocks.
//
// A processor compares a load with earlier stores by the low 12 bits of their addresses; if these
// overlap, although the full addresses don't, the load waits. Kernels that read slightly after the
// place where they write suffer from this if both arrays start at the same page offset: a roll of
// rows of 4096 bytes by 12 takes ten times as long (Zen 4). Sources: AMD, "Software Optimization
// Guide for the AMD Zen4 Microarchitecture", load-store unit (store-to-load forwarding by bits
// 11:0); Intel, "64 and IA-32 Architectures Optimization Reference Manual", 4-KByte aliasing.
size_t nextPageOffset();

} // namespace drumlin
