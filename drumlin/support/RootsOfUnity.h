// Complex roots of unity, exact to far more digits than any type that code computes in: what tables
// of Fourier transforms are rounded from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drumlin {

class RootsOfUnity {
public:
  // Of 113 bits, as IEEE 754's binary128 has them.
#if __LDBL_MANT_DIG__ == 113 // aarch64
  using Wide = long double;
#else
  using Wide = __float128;
#endif
  struct Root {
    Wide real, imaginary;
  };

  explicit RootsOfUnity(int64_t n);

  // exp(-2 pi i j / n), for any j that isn't negative. Exact on the axes; roots that mirror each
  // other have equal digits.
  Root operator()(int64_t j) const;

private:
  int64_t n;
  // The angle pi h / (2 n) is that of coarse[h / step] and of fine[h % step] together.
  int64_t step = 1;
  std::vector<Root> coarse, fine;
};

// exp(-pi i k^2 / n) for k < n: as jk = (j^2 + k^2 - (k - j)^2) / 2, a transform of any length is a
// convolution with the conjugate of these, multiplied by them before and behind (Bluestein, A
// linear filtering approach to the computation of the discrete Fourier transform, 1970).
std::vector<RootsOfUnity::Root> chirp(int64_t n);
// The transform of that conjugate, `padded` elements long, and divided by `padded`: of 63 bits.
// `padded` is at least 2 n - 1, and of small factors.
std::vector<RootsOfUnity::Root> chirpFilter(int64_t n, int64_t padded);

} // namespace drumlin
