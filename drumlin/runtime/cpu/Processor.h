// Processor instructions that the runtime itself uses.
#pragma once

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace drumlin {

// Tells the processor that the thread is spinning.
inline void pauseProcessor() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

// Access to the floating-point control register, which sets rounding, flushing of subnormals and
// traps: MXCSR of x86-64, FPCR of aarch64. Programs run with the default: round to nearest even,
// keep subnormals, no traps.
#if defined(__x86_64__)
inline constexpr uint64_t defaultFloatingPoint = 0x1f80;
inline uint64_t floatingPointControl() { return _mm_getcsr(); }
inline void setFloatingPointControl(uint64_t control) {
  _mm_setcsr(static_cast<uint32_t>(control));
}
#elif defined(__aarch64__)
inline constexpr uint64_t defaultFloatingPoint = 0;
inline uint64_t floatingPointControl() {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return control;
}
inline void setFloatingPointControl(uint64_t control) {
  __asm__ volatile("msr fpcr, %0" : : "r"(control));
}
#else
inline constexpr uint64_t defaultFloatingPoint = 0;
inline uint64_t floatingPointControl() { return 0; }
inline void setFloatingPointControl(uint64_t) {}
#endif

} // namespace drumlin
