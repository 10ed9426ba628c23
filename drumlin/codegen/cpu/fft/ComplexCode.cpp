#include "drumlin/codegen/cpu/fft/ComplexCode.h"

#include "llvm/IR/Intrinsics.h"

#include <tuple>

using namespace llvm;

namespace drumlin::codegen {

Complex ComplexCode::add(Complex x, Complex y) {
  return {b.CreateFAdd(x.real, y.real), b.CreateFAdd(x.imaginary, y.imaginary)};
}
Complex ComplexCode::subtract(Complex x, Complex y) {
  return {b.CreateFSub(x.real, y.real), b.CreateFSub(x.imaginary, y.imaginary)};
}
Complex ComplexCode::conjugate(Complex x) { return {x.real, b.CreateFNeg(x.imaginary)}; }
Complex ComplexCode::timesI(Complex x) { return {b.CreateFNeg(x.imaginary), x.real}; }

Complex ComplexCode::scale(Complex x, double factor) {
  Constant *by = ConstantFP::get(x.real->getType(), factor);
  return {b.CreateFMul(x.real, by), b.CreateFMul(x.imaginary, by)};
}

Value *ComplexCode::multiplyAdd(Value *x, Value *y, Value *sum) {
  return hasFma ? b.CreateIntrinsic(x->getType(), Intrinsic::fma, {x, y, sum})
                : b.CreateFAdd(b.CreateFMul(x, y), sum);
}

Complex ComplexCode::multiply(Complex x, Complex y) {
  Value *real = b.CreateFNeg(b.CreateFMul(x.imaginary, y.imaginary));
  return {multiplyAdd(x.real, y.real, real),
          multiplyAdd(x.real, y.imaginary, b.CreateFMul(x.imaginary, y.real))};
}

Constant *ComplexCode::constant(Value *like, RootsOfUnity::Wide value) {
  Type *type = like->getType();
  // Rounds directly from long double to f32. Rounding to double first could round twice.
  double rounded = type->getScalarType()->isFloatTy()
                       ? static_cast<double>(static_cast<float>(value))
                       : static_cast<double>(value);
  return ConstantFP::get(type, rounded);
}

// Returns x exp(-2 pi i j / n).
Complex ComplexCode::timesRoot(Complex x, int64_t j, int64_t n, const RootsOfUnity &roots) {
  j %= n;
  if (2 * j >= n) {
    // For even n, root number j is the negative of root number j - n / 2.
    Complex y = timesRoot(x, j - n / 2, n, roots);
    return n % 2 == 0 ? Complex{b.CreateFNeg(y.real), b.CreateFNeg(y.imaginary)}
                      : multiply(x, {constant(x.real, roots(j).real),
                                     constant(x.real, roots(j).imaginary)});
  }
  if (j == 0) {
    return x;
  }
  if (4 * j == n) {
    return {x.imaginary, b.CreateFNeg(x.real)};
  }
  RootsOfUnity::Root root = roots(j);
  if (8 * j == n || 8 * j == 3 * n) {
    Constant *half = constant(x.real, roots(n / 8).real);
    Value *sum = b.CreateFMul(b.CreateFAdd(x.real, x.imaginary), half);
    Value *difference = b.CreateFMul(b.CreateFSub(x.imaginary, x.real), half);
    return 8 * j == n ? Complex{sum, difference} : Complex{difference, b.CreateFNeg(sum)};
  }
  return multiply(x, {constant(x.real, root.real), constant(x.real, root.imaginary)});
}

ComplexCode::Halves ComplexCode::halvesOf(ArrayRef<Complex> x) {
  Halves halves;
  halves.first = halves.total = x[0];
  for (size_t k = 1; 2 * k < x.size(); ++k) {
    halves.sums.push_back(add(x[k], x[x.size() - k]));
    halves.differences.push_back(subtract(x[k], x[x.size() - k]));
    halves.total = add(halves.total, halves.sums.back());
  }
  return halves;
}

std::pair<Complex, Complex> ComplexCode::mirroredResults(const Halves &halves,
                                                         function_ref<Complex(size_t)> root) {
  Complex even = halves.first, odd;
  for (size_t k = 1; k <= halves.sums.size(); ++k) {
    auto [cosine, sine] = root(k);
    Complex sum = halves.sums[k - 1], difference = halves.differences[k - 1];
    even = {multiplyAdd(sum.real, cosine, even.real),
            multiplyAdd(sum.imaginary, cosine, even.imaginary)};
    odd = k == 1 ? Complex{b.CreateFMul(difference.real, sine),
                           b.CreateFMul(difference.imaginary, sine)}
                 : Complex{multiplyAdd(difference.real, sine, odd.real),
                           multiplyAdd(difference.imaginary, sine, odd.imaginary)};
  }
  return {{b.CreateFAdd(even.real, odd.imaginary), b.CreateFSub(even.imaginary, odd.real)},
          {b.CreateFSub(even.real, odd.imaginary), b.CreateFAdd(even.imaginary, odd.real)}};
}

void ComplexCode::transformPrime(MutableArrayRef<Complex> x) {
  size_t n = x.size();
  RootsOfUnity roots(static_cast<int64_t>(n));
  Halves halves = halvesOf(x);
  x[0] = halves.total;
  for (size_t m = 1; 2 * m < n; ++m) {
    std::tie(x[m], x[n - m]) = mirroredResults(halves, [&](size_t k) -> Complex {
      RootsOfUnity::Root root = roots(static_cast<int64_t>(m * k));
      return {constant(halves.first.real, root.real), constant(halves.first.real, -root.imaginary)};
    });
  }
}

void ComplexCode::transform(MutableArrayRef<Complex> x) {
  size_t n = x.size();
  if (n < 2) {
    return;
  }
  if (n == 2) {
    Complex sum = add(x[0], x[1]);
    x[1] = subtract(x[0], x[1]);
    x[0] = sum;
    return;
  }
  size_t outer = n > 4 && n % 4 == 0 ? 4 : 2;
  while (n % outer != 0) {
    ++outer;
  }
  if (outer == n) {
    transformPrime(x);
    return;
  }
  // The elements are x(inner j + i). Transforms along j for each i first, then along i.
  size_t inner = n / outer;
  RootsOfUnity roots(static_cast<int64_t>(n));
  SmallVector<SmallVector<Complex>> columns(outer);
  for (size_t i = 0; i < inner; ++i) {
    SmallVector<Complex> line;
    for (size_t j = 0; j < outer; ++j) {
      line.push_back(x[inner * j + i]);
    }
    transform(line);
    for (size_t k = 0; k < outer; ++k) {
      columns[k].push_back(
          timesRoot(line[k], static_cast<int64_t>(i * k), static_cast<int64_t>(n), roots));
    }
  }
  for (size_t k = 0; k < outer; ++k) {
    transform(columns[k]);
    for (size_t i = 0; i < inner; ++i) {
      x[k + outer * i] = columns[k][i];
    }
  }
}

} // namespace drumlin::codegen
