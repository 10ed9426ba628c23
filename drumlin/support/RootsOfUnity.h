// Complex roots of unity with far more digits than any type that kernels compute in; tables of
// Fourier transforms are rounded from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace drumlin {

class RootsOfUnity {
public:
  // A type with 113 bits of significand, like IEEE 754's binary128.
#if __LDBL_MANT_DIG__ == 113 // aarch64
  using Wide = long double;
#else
  using Wide = __float128;
#endif
  struct Root {
    Wide real, imaginary;
  };

  explicit RootsOfUnity(int64_t n);

  // Returns exp(-2 pi i j / n) for j >= 0. Exact on the axes; mirrored roots have equal digits.
  Root operator()(int64_t j) const;

private:
  int64_t n;
  // The angle pi h / (2 n) is the sum of the angles of coarse[h / step] and fine[h % step].
  int64_t step = 1;
  std::vector<Root> coarse, fine;
};

// Returns the chirp, exp(-pi i k^2 / n) for k < n. Since jk = (j^2 + k^2 - (k - j)^2) / 2, a
// transform of any length is a convolution with the conjugates of the chirp, if the transform's
// input and output are multiplied by the chirp (Bluestein, A linear filtering approach to the
// computation of the discrete Fourier transform, 1970).
std::vector<RootsOfUnity::Root> chirp(int64_t n);
// Returns the Fourier transform, of length `padded` and divided by `padded`, of the chirp's
// conjugates, with 63 bits of precision. `padded` must be at least 2 n - 1 and have small factors.
std::vector<RootsOfUnity::Root> chirpFilter(int64_t n, int64_t padded);

} // namespace drumlin
