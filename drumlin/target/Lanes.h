// The number of elements that CPU kernels compute at a time.
#pragma once

namespace drumlin {

// The number of lanes is the same for every type and processor. For f32, it is one 512-bit register
// or several shorter registers. A kernel may compute a multiple of this number at once.
inline constexpr unsigned lanes = 16;

} // namespace drumlin
