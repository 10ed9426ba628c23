// Replacements that let the library run on systems whose C library is older than the build
// machine's (glibc 2.34): functions that only newer systems have, and functions that newer systems
// have under a newer symbol version. The linker gets `--wrap` for each of these names.
#include <stdint.h>
#include <sys/random.h>

// hypot() under the symbol version that every glibc for x86-64 has. The newer version differs only
// in that it doesn't set `errno`.
__asm__(".symver olderHypot, hypot@GLIBC_2.2.5");
double olderHypot(double x, double y);

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return olderHypot(x, y); }

// Called by C++'s std::random_device. The loop ends: once the system has started, it always has
// random bytes, and getrandom() returns up to 256 of them completely.
uint32_t __wrap_arc4random(void);
uint32_t __wrap_arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
  }
  return bits;
}
