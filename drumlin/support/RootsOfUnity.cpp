#include "drumlin/support/RootsOfUnity.h"

#include <utility>

namespace drumlin {

using Wide = RootsOfUnity::Wide;
using Root = RootsOfUnity::Root;

// Returns pi as the sum of three doubles, which has more digits than the type.
static Wide pi() {
  return Wide(0x1.921fb54442d18p1) + Wide(0x1.1a62633145c07p-53) + Wide(-0x1.f1976b7ed8fbcp-109);
}

// Computes exp(i x) by its series, for 0 <= x <= pi / 4: the 32nd term is below 2^-113 of the sum.
static Root exponential(Wide x) {
  Root sum{1, 0};
  Wide term = 1;
  for (int k = 1; k < 32; ++k) {
    term = term * x / k;
    Wide &part = k % 2 == 0 ? sum.real : sum.imaginary;
    part = k % 4 < 2 ? part + term : part - term;
  }
  return sum;
}

RootsOfUnity::RootsOfUnity(int64_t n) : n(n) {
  int64_t eighth = n / 2; // the largest h, for the angle pi / 4
  while (step * step < eighth) {
    step *= 2;
  }
  auto at = [&](int64_t h) {
    return exponential(pi() * static_cast<Wide>(h) / (2 * static_cast<Wide>(n)));
  };
  for (int64_t h = 0; h < step; ++h) {
    fine.push_back(at(h));
  }
  for (int64_t h = 0; h <= eighth; h += step) {
    coarse.push_back(at(h));
  }
}

Root RootsOfUnity::operator()(int64_t j) const {
  // The position is measured in eighths of the step between neighbouring roots, so that the ends of
  // quadrants and octants are integers.
  int64_t position = j % n * 8;
  bool isLower = position > 4 * n;
  position = isLower ? 8 * n - position : position;
  bool isLeft = position > 2 * n;
  position = isLeft ? 4 * n - position : position;
  bool isSteep = position > n;
  position = isSteep ? 2 * n - position : position;
  int64_t h = position / 2;
  const Root &a = coarse[static_cast<size_t>(h / step)], &b = fine[static_cast<size_t>(h % step)];
  Root root{a.real * b.real - a.imaginary * b.imaginary,
            a.real * b.imaginary + a.imaginary * b.real};
  if (isSteep) {
    std::swap(root.real, root.imaginary);
  }
  root.real = isLeft ? -root.real : root.real;
  root.imaginary = isLower ? root.imaginary : -root.imaginary;
  return root;
}

// Computes the chirp; squares are reduced modulo 2 n, its period.
std::vector<Root> chirp(int64_t n) {
  RootsOfUnity roots(2 * n);
  std::vector<Root> values;
  for (int64_t k = 0; k < n; ++k) {
    values.push_back(roots(static_cast<int64_t>(static_cast<__int128>(k) * k % (2 * n))));
  }
  return values;
}

namespace {
struct Number {
  long double real = 0, imaginary = 0;

  explicit Number(const Root &root)
      : real(static_cast<long double>(root.real)),
        imaginary(static_cast<long double>(root.imaginary)) {}
  Number() = default;
};
} // namespace

// Transforms every `step`-th element from `first` on. Splits the length by its smallest factor.
static std::vector<Number> transformed(const std::vector<Number> &input, size_t first, size_t step,
                                       const std::vector<Number> &roots) {
  size_t n = input.size() / step;
  if (n == 1) {
    return {input[first]};
  }
  size_t factor = 2;
  while (n % factor != 0) {
    ++factor;
  }
  size_t rest = n / factor;
  std::vector<Number> result(n);
  for (size_t part = 0; part < factor; ++part) {
    std::vector<Number> of = transformed(input, first + part * step, step * factor, roots);
    for (size_t k = 0; k < n; ++k) {
      const Number &x = of[k % rest], &w = roots[part * k % n * step];
      result[k].real += x.real * w.real - x.imaginary * w.imaginary;
      result[k].imaginary += x.real * w.imaginary + x.imaginary * w.real;
    }
  }
  return result;
}

std::vector<Root> chirpFilter(int64_t n, int64_t padded) {
  auto size = static_cast<size_t>(padded);
  std::vector<Number> filter(size), roots;
  std::vector<Root> values = chirp(n);
  for (size_t k = 0; k < values.size(); ++k) {
    Number conjugate(values[k]);
    conjugate.imaginary = -conjugate.imaginary;
    filter[k] = filter[(size - k) % size] = conjugate;
  }
  RootsOfUnity exact(padded);
  for (int64_t k = 0; k < padded; ++k) {
    roots.emplace_back(exact(k));
  }
  std::vector<Root> result;
  for (const Number &each : transformed(filter, 0, 1, roots)) {
    result.push_back({static_cast<Wide>(each.real) / static_cast<Wide>(padded),
                      static_cast<Wide>(each.imaginary) / static_cast<Wide>(padded)});
  }
  return result;
}

} // namespace drumlin
