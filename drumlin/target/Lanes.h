// The number of elements that CPU kernels compute at a time.
#pragma once

namespace drumlin {

// The number is the same for every type and processor: one 512-bit register of f32, or several
// shorter registers. A kernel may compute a multiple of this number at once.
inline constexpr unsigned lanes = 16;

} // namespace drumlin
