// The library runs on systems whose C library is older than the build machine's (glibc 2.34): what
// newer ones have under a newer version of a name, or only they have, is taken from here. The
// linker is told `--wrap` for each of these names.
#include <stdint.h>
#include <sys/random.h>

// The same function under the version of its name that every glibc for x86-64 has; the newer one
// only leaves `errno` alone.
__asm__(".symver olderHypot, hypot@GLIBC_2.2.5");
double olderHypot(double x, double y);

double __wrap_hypot(double x, double y);
double __wrap_hypot(double x, double y) { return olderHypot(x, y); }

// C++'s std::random_device calls it. It can't fail: the system has random bytes once it has
// started, and so few of them are never given in part.
uint32_t __wrap_arc4random(void);
uint32_t __wrap_arc4random(void) {
  uint32_t bits = 0;
  while (getrandom(&bits, sizeof(bits), 0) != sizeof(bits)) {
  }
  return bits;
}
