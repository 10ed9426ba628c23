// How many elements kernels for CPUs compute at a time.
#pragma once

namespace drumlin {

// For every type and processor: one 512-bit register of f32, which is several of a processor with
// shorter ones. A kernel may take several times as many at once.
inline constexpr unsigned lanes = 16;

} // namespace drumlin
