#include "drumlin/interpreter/kernels/Fft.h"
#include "drumlin/interpreter/kernels/Elements.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace drumlin::interpreter {

using Real = long double;

// Complex numbers, computed by the plain formulas: std::complex would repair infinities, and is
// slower.
struct Number {
  Real real = 0;
  Real imaginary = 0;
};
static Number operator+(Number a, Number b) { return {a.real + b.real, a.imaginary + b.imaginary}; }
static Number operator*(Number a, Number b) {
  return {a.real * b.real - a.imaginary * b.imaginary, a.real * b.imaginary + a.imaginary * b.real};
}
static Number conjugate(Number a) { return {a.real, -a.imaginary}; }

using Numbers = std::vector<Number>;

// Returns exp(-2 pi i j / n). The angle is reduced to the first eighth of the circle, so that
// multiples of a quarter turn are exact and equal values stay equal.
static Number rootOfUnity(int64_t j, int64_t n) {
  j %= n;
  bool negative = 2 * j > n; // in the lower half plane: the conjugate of the root n - j
  j = negative ? n - j : j;
  bool beyondQuarter = 4 * j > n;
  int64_t k = beyondQuarter ? n - 2 * j : 2 * j; // here the angle is pi k / n, at most pi / 2
  bool beyondEighth = 4 * k > n;
  Real angle = std::numbers::pi_v<Real> * static_cast<Real>(beyondEighth ? n - 2 * k : 2 * k) /
               (2 * static_cast<Real>(n));
  Real cosine = beyondEighth ? std::sin(angle) : std::cos(angle);
  Real sine = beyondEighth ? std::cos(angle) : std::sin(angle);
  return {beyondQuarter ? -cosine : cosine, negative ? sine : -sine};
}

static int64_t smallestFactor(int64_t n) {
  for (int64_t factor = 2; factor * factor <= n; ++factor) {
    if (n % factor == 0) {
      return factor;
    }
  }
  return n;
}

// The roots of unity for transforms of length n; lengths that divide n use the same table.
struct Roots {
  explicit Roots(int64_t n) : n(n) {
    for (int64_t j = 0; j < n; ++j) {
      values.push_back(rootOfUnity(j, n));
    }
  }
  // Returns exp(-2 pi i j / length). `length` must divide n, and `j` must be less than `length`.
  Number operator()(int64_t j, int64_t length) const {
    return values[static_cast<size_t>(j * (n / length))];
  }
  int64_t n;
  Numbers values;
};

// Larger primes are transformed as convolutions, by Bluestein (A linear filtering approach to the
// computation of the discrete Fourier transform, 1970).
constexpr int64_t largestDirectPrime = 61;

static Numbers transformed(const Numbers &input, const Roots &roots);

// jk = (j^2 + k^2 - (k - j)^2) / 2 makes the transform a convolution with the chirp w^(-j^2 / 2),
// which is computed by transforms of a power-of-two length.
static Numbers bluestein(const Numbers &input) {
  int64_t n = static_cast<int64_t>(input.size());
  int64_t padded = 1;
  while (padded < 2 * n - 1) {
    padded *= 2;
  }
  Roots roots(padded);
  // Squares are taken modulo 2n, the period of the chirp.
  auto chirp = [&](int64_t j) { return rootOfUnity(j * j % (2 * n), 2 * n); };
  Numbers signal(static_cast<size_t>(padded)), filter(static_cast<size_t>(padded));
  for (int64_t j = 0; j < n; ++j) {
    signal[static_cast<size_t>(j)] = input[static_cast<size_t>(j)] * chirp(j);
    filter[static_cast<size_t>(j)] = conjugate(chirp(j));
    filter[static_cast<size_t>((padded - j) % padded)] = conjugate(chirp(j));
  }
  signal = transformed(signal, roots);
  filter = transformed(filter, roots);
  for (size_t j = 0; j < signal.size(); ++j) {
    signal[j] = conjugate(signal[j] * filter[j]);
  }
  signal = transformed(signal, roots);
  Numbers result;
  Real scale = 1 / static_cast<Real>(padded);
  for (int64_t k = 0; k < n; ++k) {
    Number value = conjugate(signal[static_cast<size_t>(k)]);
    result.push_back(Number{value.real * scale, value.imaginary * scale} * chirp(k));
  }
  return result;
}

// Transforms n numbers that are `stride` apart into n consecutive numbers, splitting by the
// smallest factor down to primes (Cooley and Tukey, An algorithm for the machine calculation of
// complex Fourier series, 1965). `parts` is scratch memory.
static void transform(const Number *input, int64_t stride, int64_t n, Number *result,
                      const Roots &roots, Numbers &parts) {
  if (n <= 1) {
    std::copy_n(input, n, result);
    return;
  }
  int64_t factor = smallestFactor(n), rest = n / factor;
  if (factor == n && n > largestDirectPrime) {
    Numbers line;
    for (int64_t j = 0; j < n; ++j) {
      line.push_back(input[j * stride]);
    }
    std::ranges::copy(bluestein(line), result);
    return;
  }
  for (int64_t r = 0; r < factor; ++r) {
    transform(input + r * stride, stride * factor, rest, result + r * rest, roots, parts);
  }
  // `result` now holds `factor` transforms of `rest` numbers each. The numbers at index `first` of
  // all transforms give the results at the indices first, first + rest, first + 2 rest, ….
  parts.resize(std::max(parts.size(), static_cast<size_t>(factor)));
  for (int64_t first = 0; first < rest; ++first) {
    for (int64_t r = 0; r < factor; ++r) {
      parts[static_cast<size_t>(r)] = result[r * rest + first];
    }
    for (int64_t k = first; k < n; k += rest) {
      Number sum;
      for (int64_t r = 0, turn = 0; r < factor; ++r) {
        sum = sum + roots(turn, n) * parts[static_cast<size_t>(r)];
        turn += k < n - turn ? k : k - n;
      }
      result[k] = sum;
    }
  }
}

static Numbers transformed(const Numbers &input, const Roots &roots) {
  Numbers result(input.size()), parts;
  transform(input.data(), 1, static_cast<int64_t>(input.size()), result.data(), roots, parts);
  return result;
}

// Computes the inverse: the conjugate of the conjugate's transform, divided by the length.
static Numbers inverted(Numbers input, const Roots &roots) {
  for (Number &value : input) {
    value = conjugate(value);
  }
  Numbers result = transformed(input, roots);
  Real length = static_cast<Real>(std::max<size_t>(input.size(), 1));
  for (Number &value : result) {
    value = {value.real / length, -value.imaginary / length};
  }
  return result;
}

// Transforms all lines of one dimension.
static void transformDimension(Numbers &values, const Shape &shape, size_t dimension,
                               bool isInverse) {
  int64_t n = shape[dimension];
  int64_t stride = rowMajorStrides(shape)[dimension];
  if (n <= 1 || values.empty()) {
    return;
  }
  Roots roots(n);
  Numbers line(static_cast<size_t>(n));
  for (int64_t start = 0; start < static_cast<int64_t>(values.size()); ++start) {
    if (start / stride % n != 0) {
      continue; // not the first element of its line
    }
    for (int64_t j = 0; j < n; ++j) {
      line[static_cast<size_t>(j)] = values[static_cast<size_t>(start + j * stride)];
    }
    Numbers result = isInverse ? inverted(line, roots) : transformed(line, roots);
    for (int64_t j = 0; j < n; ++j) {
      values[static_cast<size_t>(start + j * stride)] = result[static_cast<size_t>(j)];
    }
  }
}

static Numbers load(const Tensor &operand) {
  auto decoded = decodeAll<std::complex<Real>>(operand);
  Numbers values;
  for (int64_t i = 0; i < operand.elements(); ++i) {
    values.push_back({decoded[i].real(), decoded[i].imag()});
  }
  return values;
}

// Resizes the innermost dimension. Elements beyond the new size are dropped. Missing elements are
// the conjugates of existing ones for real transforms (`isHermitian`).
static Numbers resized(const Numbers &values, int64_t from, int64_t to, bool isHermitian) {
  Numbers result;
  int64_t rows = from == 0 ? 0 : static_cast<int64_t>(values.size()) / from;
  for (int64_t row = 0; row < rows; ++row) {
    for (int64_t j = 0; j < to; ++j) {
      bool mirrored = isHermitian && j >= from;
      Number value = values[static_cast<size_t>(row * from + (mirrored ? to - j : j))];
      bool isReal = isHermitian && (j == 0 || 2 * j == to);
      result.push_back(mirrored ? conjugate(value) : isReal ? Number{value.real, 0} : value);
    }
  }
  return result;
}

Result<Tensor> fourierTransform(FourierTransform transform, const Tensor &operand,
                                std::span<const int64_t> lengths, const KernelOptions &options) {
  bool toReal = transform == FourierTransform::RealInverse;
  bool fromReal = transform == FourierTransform::RealForward;
  bool isInverse = toReal || transform == FourierTransform::Inverse;
  ElementType type = toReal ? partType(operand.type()) : complexType(operand.type());
  if (!isComplex(fromReal ? type : operand.type()) || (fromReal && isComplex(operand.type()))) {
    return unsupportedElementType("fft", operand.type());
  }
  const Shape &shape = operand.shape();
  size_t first = shape.size() - lengths.size(), last = shape.size() - 1;
  Shape resultShape = shape;
  resultShape[last] =
      fromReal ? (lengths.back() == 0 ? 0 : lengths.back() / 2 + 1) : lengths.back();
  Result<Tensor> result = allocate(type, resultShape, options);
  // At most about four numbers per element are needed: the element's value and, for one line at a
  // time, its input, its result and its root of unity.
  Status fits = checkWorkspace(std::max(operand.elements(), result ? result->elements() : 0),
                               4 * static_cast<int64_t>(sizeof(Number)), options);
  if (!result || !fits) {
    return result ? Result<Tensor>(fits.error()) : result;
  }
  Numbers values = load(operand);
  if (!isInverse) {
    for (size_t d = last + 1; d-- > first;) {
      transformDimension(values, shape, d, false);
    }
  } else {
    for (size_t d = first; d < last; ++d) {
      transformDimension(values, shape, d, true);
    }
    if (toReal) {
      values = resized(values, shape[last], lengths.back(), /*isHermitian=*/true);
    }
    transformDimension(values, resultShape, last, true);
  }
  if (fromReal) {
    values = resized(values, shape[last], resultShape[last], /*isHermitian=*/false);
  }
  for (int64_t i = 0; i < result->elements(); ++i) {
    Number value = values[static_cast<size_t>(i)];
    std::byte *target = result->data() + i * storageBytes(type);
    if (toReal) {
      storeRun<Real>(type, &value.real, target, 1);
    } else {
      std::complex<Real> both(value.real, value.imaginary);
      storeRun<std::complex<Real>>(type, &both, target, 1);
    }
  }
  return result;
}

} // namespace drumlin::interpreter
