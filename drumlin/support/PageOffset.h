// Where large memories begin within a page.
#pragma once

#include <cstddef>

namespace drumlin {

inline constexpr size_t pageBytes = 4096;

// Distance by which memories that follow each other begin behind the same place of their pages: 64
// in turn are apart from each other, as 5 and 64 have no divisor in common.
inline constexpr size_t pageOffsetStep = 5 * 64;

// Returns the offset in a page at which the next large memory begins, in bytes: a multiple of 64
// below pageBytes, another one than for the 63 memories before.
//
// A processor compares a load with earlier stores by the low 12 bits of their addresses; where they
// overlap and only the others differ, the load waits. Two arrays that begin at the same place of
// their pages do that to kernels that read a little beside where they write: a roll of rows of
// 4096 bytes by 12 takes ten times as long (Zen 4). Sources: AMD, "Software Optimization Guide for
// the AMD Zen4 Microarchitecture", load-store unit (store-to-load forwarding by bits 11:0); Intel,
// "64 and IA-32 Architectures Optimization Reference Manual", 4-KByte aliasing.
size_t nextPageOffset();

} // namespace drumlin
