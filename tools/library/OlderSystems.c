// Replacements that let the library run on systems whose C library is older than the build
// machine's (glibc 2.34): functions that newer systems have only under a newer version, or only
// they have. The linker gets `--wrap` for each of these names.
#include <stdint.h>
#include <sys/random.h>

// The function under the symbol version that every glibc for x86-64 has; the newer version differs
// only in leaving `errno` alone.
__asm__(".symver olderHypot, hypot@GLIBC_2.2.5");
double olderHypot(double x, double y);

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return olderHypot(x, y); }

// Called by C++'s std::random_device. It can't fail: once the system has started, it always has
// random bytes, and returns so few of them completely.
uint32_t __wrap_arc4random(void);
uint32_t __wrap_arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
  }
  return bits;
}
