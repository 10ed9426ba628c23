// Splits Fourier transforms into transforms of lines that fit in the caches of one core. Several
// dimensions are transformed one after another. Long lines become rows and columns of a matrix
// (Bailey, FFTs in external or hierarchical memory, 1990), long real lines become complex lines of
// half the length, and long lines with large prime factors become convolutions (Bluestein).
//
// The steps in between are operations on real and imaginary parts. The kernels of the lines absorb
// transposes and cheap arithmetic (HeroRewrite.cpp).
#include "drumlin/transforms/Rules.h"
#include "drumlin/transforms/rewrite/Passes.h"

#include "drumlin/ir/plan/heroes/FftProblem.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/AddOp.h"
#include "drumlin/ir/stablehlo/BroadcastInDimOp.h"
#include "drumlin/ir/stablehlo/ComplexOp.h"
#include "drumlin/ir/stablehlo/ConcatenateOp.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/FftOp.h"
#include "drumlin/ir/stablehlo/ImagOp.h"
#include "drumlin/ir/stablehlo/MulOp.h"
#include "drumlin/ir/stablehlo/NegOp.h"
#include "drumlin/ir/stablehlo/PadOp.h"
#include "drumlin/ir/stablehlo/RealOp.h"
#include "drumlin/ir/stablehlo/ReshapeOp.h"
#include "drumlin/ir/stablehlo/ReverseOp.h"
#include "drumlin/ir/stablehlo/SliceOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/ir/stablehlo/SubtractOp.h"
#include "drumlin/ir/stablehlo/TransposeOp.h"
#include "drumlin/support/RootsOfUnity.h"
#include "llvm/Support/MathExtras.h"

#include <cmath>

using namespace mlir;

namespace drumlin {

#define GEN_PASS_DEF_SPLITTRANSFORMSPASS
#include "drumlin/transforms/rewrite/Passes.h.inc"

using stablehlo::FftType;

// Maximum bytes of the complex elements of a line. L2 must hold twice this for elements, plus once
// this for tables. Lines that aren't contiguous have a lower limit: one register of lanes holds
// elements of several lines, which are transposed together.
static constexpr int64_t maxLineBytes = 128 * 1024, maxColumnBytes = 32 * 1024;

// Maximum size of a constant table. The program computes larger tables as products of smaller ones.
// A table takes some dozen bytes per number in the compiler, and the numbers' own bytes in the
// image.
static constexpr int64_t maxTable = int64_t(1) << 20;
// Maximum size of a convolution's constant filter. The compiler computes the filter, which is a
// transform, in higher precision. The program transforms larger filters itself.
static constexpr int64_t maxFilter = int64_t(1) << 17;

namespace {
struct Parts {
  Value real, imaginary;
};

// Builds the operations that replace a transform.
class TransformBuilder {
public:
  TransformBuilder(OpBuilder &builder, Location loc, Type element)
      : builder(builder), loc(loc), element(element) {}

  // Transforms along one dimension.
  Parts transform(Parts x, int64_t dimension, bool isInverse) {
    int64_t rank = rankOf(x.real), length = sizeOf(x.real, dimension);
    if (length <= 1) {
      return x;
    }
    SmallVector<int64_t> order, back(static_cast<size_t>(rank));
    for (int64_t d = 0; d < rank; ++d) {
      if (d != dimension) {
        order.push_back(d);
      }
    }
    order.push_back(dimension);
    for (auto [i, d] : llvm::enumerate(order)) {
      back[static_cast<size_t>(d)] = static_cast<int64_t>(i);
    }
    bool isLast = dimension == rank - 1;
    x = isLast ? x : each(x, [&](Value part) { return transposed(part, order); });
    x = transformLast(x, isInverse, isLast ? maxLineBytes : maxColumnBytes);
    return isLast ? x : each(x, [&](Value part) { return transposed(part, back); });
  }

  // Transforms real elements along the last dimension. Returns the first half of the result, since
  // the result is symmetric.
  Parts transformReal(Value x) {
    int64_t last = rankOf(x) - 1, length = sizeOf(x, last);
    if (!isLong(length / 2, maxLineBytes)) {
      return partsOf(stablehlo::FftOp::create(
          builder, loc, complexType(sized(x, length / 2 + (length > 0 ? 1 : 0))), x, FftType::RFFT,
          ArrayRef<int64_t>(length)));
    }
    if (length % 2 != 0) {
      Parts all = transform({x, zeros(x)}, last, false);
      return each(all, [&](Value part) { return sliced(part, 0, length / 2 + 1); });
    }
    // Transforms pairs of real elements as complex numbers, as FftKernel.cpp does for short lines.
    int64_t half = length / 2;
    Value pairs = reshaped(x, 1, {half, 2});
    Value even = reshaped(sliced(pairs, 0, 1), 2, half);
    Value odd = reshaped(sliced(pairs, 1, 2), 2, half);
    Parts z = transform({even, odd}, last, false);
    z = each(z, [&](Value part) { return joined({part, sliced(part, 0, 1)}); });
    Parts mirror = each(z, [&](Value part) { return reversed(part); });
    mirror.imaginary = negated(mirror.imaginary);
    Value factor = constant(z.real, 0.5);
    Parts sum = each(add(z, mirror), [&](Value part) { return multiplied(part, factor); });
    Parts difference =
        each(subtract(z, mirror), [&](Value part) { return multiplied(part, factor); });
    Parts turned = multiply({difference.imaginary, negated(difference.real)},
                            roots(z.real, length, /*isConjugate=*/false));
    return add(sum, turned);
  }

  Value transformToReal(Parts x, int64_t length) {
    int64_t last = rankOf(x.real) - 1, half = length / 2;
    if (!isLong(half, maxLineBytes)) {
      Value both = stablehlo::ComplexOp::create(builder, loc, complexType(x.real.getType()), x.real,
                                                x.imaginary);
      return stablehlo::FftOp::create(builder, loc, sized(x.real, length), both, FftType::IRFFT,
                                      ArrayRef<int64_t>(length));
    }
    // The first and last elements are real, so their imaginary parts are ignored.
    int64_t inner = length % 2 == 0 ? half : half + 1;
    Value zero = zeros(sliced(x.real, 0, 1));
    SmallVector<Value> line = {zero, sliced(x.imaginary, 1, inner)};
    if (length % 2 == 0) {
      line.push_back(zero);
    }
    x.imaginary = joined(line);
    if (length % 2 != 0) {
      Parts tail = each(x, [&](Value part) { return reversed(sliced(part, 1, half + 1)); });
      tail.imaginary = negated(tail.imaginary);
      return transform({joined({x.real, tail.real}), joined({x.imaginary, tail.imaginary})}, last,
                       true)
          .real;
    }
    Parts mirror = each(x, [&](Value part) { return sliced(reversed(part), 0, half); });
    mirror.imaginary = negated(mirror.imaginary);
    x = each(x, [&](Value part) { return sliced(part, 0, half); });
    Parts odd = multiply(subtract(x, mirror), roots(x.real, length, /*isConjugate=*/true));
    Parts z = add(add(x, mirror), {negated(odd.imaginary), odd.real});
    Value two = constant(x.real, 0.5);
    z = each(z, [&](Value part) { return multiplied(part, two); });
    z = transform(z, last, true);
    z = each(z, [&](Value part) { return reshaped(part, 1, {half, 1}); });
    return reshaped(joined({z.real, z.imaginary}), 2, length);
  }

private:
  //===- lines --------------------------------------------------------------------===//

  bool isLong(int64_t length, int64_t maxBytes) const {
    return length > maxBytes / (2 * element.getIntOrFloatBitWidth() / 8);
  }

  Parts transformLast(Parts x, bool isInverse, int64_t maxBytes) {
    int64_t length = sizeOf(x.real, rankOf(x.real) - 1);
    if (!isLong(length, maxBytes)) {
      return transformLine(x, isInverse);
    }
    // The largest factors must be short enough to be computed in one pass each.
    int64_t rest = length;
    for (int64_t factor = 2; factor <= largestDirectFactor; ++factor) {
      while (rest % factor == 0) {
        rest /= factor;
      }
    }
    return rest == 1 ? transformMatrix(x, isInverse) : transformAsConvolution(x, isInverse);
  }

  Parts transformLine(Parts x, bool isInverse) {
    Type type = complexType(x.real.getType());
    Value both = stablehlo::ComplexOp::create(builder, loc, type, x.real, x.imaginary);
    return partsOf(stablehlo::FftOp::create(builder, loc, type, both,
                                            isInverse ? FftType::IFFT : FftType::FFT,
                                            ArrayRef<int64_t>(sizeOf(x.real, rankOf(x.real) - 1))));
  }

  // Treats x(n2 j1 + j2) as a matrix. Transforming its columns, multiplying by w^(k1 j2), and
  // transforming its rows gives X(k1 + n1 k2).
  Parts transformMatrix(Parts x, bool isInverse) {
    int64_t rank = rankOf(x.real), length = sizeOf(x.real, rank - 1);
    int64_t columns = 1;
    for (int64_t size = 1; size * size <= length; ++size) {
      columns = length % size == 0 ? size : columns;
    }
    int64_t rows = length / columns;
    x = each(x, [&](Value part) { return reshaped(part, 1, {rows, columns}); });
    x = transform(x, rank - 1, isInverse);
    x = multiply(x, matrixRoots(x.real, rows, columns, isInverse));
    x = transform(x, rank, isInverse);
    SmallVector<int64_t> order;
    for (int64_t d = 0; d < rank - 1; ++d) {
      order.push_back(d);
    }
    order.append({rank, rank - 1});
    return each(x, [&](Value part) { return reshaped(transposed(part, order), 2, length); });
  }

  Parts transformAsConvolution(Parts x, bool isInverse) {
    int64_t last = rankOf(x.real) - 1, length = sizeOf(x.real, last);
    int64_t padded = 1;
    while (padded < 2 * length - 1) {
      padded *= 2;
    }
    // The inverse transform equals the forward transform with real and imaginary parts exchanged
    // before and after it.
    auto exchanged = [&](Parts value) {
      return isInverse ? Parts{value.imaginary, value.real} : value;
    };
    bool isComputed = padded > maxFilter;
    Parts line = isComputed ? chirpLine(length) : Parts();
    Parts by = isComputed ? along(x.real, line) : constants(x.real, chirp(length));
    x = multiply(exchanged(x), by);
    x = each(x, [&](Value part) { return extended(part, padded); });
    x = transform(x, last, false);
    x = multiply(x, isComputed ? along(x.real, filterLine(line, padded))
                               : filterConstants(x.real, length, padded));
    x = transform(x, last, true);
    x = each(x, [&](Value part) { return sliced(part, 0, length); });
    x = exchanged(multiply(x, by));
    if (isInverse) {
      Value scale = constant(x.real, 1 / static_cast<double>(length));
      x = each(x, [&](Value part) { return multiplied(part, scale); });
    }
    return x;
  }

  //===- operations ----------------------------------------------------------------===//

  static Parts each(Parts x, llvm::function_ref<Value(Value)> make) {
    Value real = make(x.real);
    return {real, make(x.imaginary)};
  }
  static int64_t rankOf(Value value) { return static_cast<int64_t>(shapeOf(value).size()); }
  static int64_t sizeOf(Value value, int64_t dimension) {
    return shapeOf(value)[static_cast<size_t>(dimension)];
  }
  RankedTensorType typeOf(ArrayRef<int64_t> shape) { return RankedTensorType::get(shape, element); }
  static std::vector<SizeExpression> sizesOf(Value value) {
    return symbolicSizesOf(cast<RankedTensorType>(value.getType()));
  }
  // Returns the value's type with its last `replaced` sizes replaced by `last`.
  RankedTensorType withLast(Value value, size_t replaced, ArrayRef<int64_t> last) {
    SmallVector<int64_t> shape(shapeOf(value).drop_back(replaced));
    std::vector<SizeExpression> sizes = sizesOf(value);
    sizes.resize(shape.size());
    shape.append(last.begin(), last.end());
    sizes.insert(sizes.end(), last.begin(), last.end());
    return typeOfSizes(element, shape, sizes);
  }
  RankedTensorType sized(Value value, int64_t last) { return withLast(value, 1, {last}); }
  static RankedTensorType complexType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return tensor.clone(ComplexType::get(tensor.getElementType()));
  }

  Parts partsOf(Value complex) {
    Value real = stablehlo::RealOp::create(builder, loc, complex);
    return {real, stablehlo::ImagOp::create(builder, loc, complex)};
  }
  Value transposed(Value value, ArrayRef<int64_t> order) {
    SmallVector<int64_t> shape;
    std::vector<SizeExpression> before = sizesOf(value), sizes;
    for (int64_t d : order) {
      shape.push_back(sizeOf(value, d));
      sizes.push_back(before[static_cast<size_t>(d)]);
    }
    return stablehlo::TransposeOp::create(builder, loc, typeOfSizes(element, shape, sizes), value,
                                          order);
  }
  // Reshapes the last `replaced` dimensions to `last`.
  Value reshaped(Value value, size_t replaced, ArrayRef<int64_t> last) {
    return stablehlo::ReshapeOp::create(builder, loc, withLast(value, replaced, last), value);
  }
  Value sliced(Value value, int64_t from, int64_t to) {
    auto rank = static_cast<size_t>(rankOf(value));
    SmallVector<int64_t> begin(rank, 0), end(shapeOf(value)), steps(rank, 1);
    begin.back() = from;
    end.back() = to;
    auto slice =
        stablehlo::SliceOp::create(builder, loc, sized(value, to - from), value, begin, end, steps);
    std::vector<SizeExpression> limits = sizesOf(value);
    limits.back() = to;
    setSymbolicSizes(slice, slice.getLimitIndicesAttrName(), limits);
    return slice;
  }
  Value reversed(Value value) {
    return stablehlo::ReverseOp::create(builder, loc, value.getType(), value,
                                        ArrayRef<int64_t>(rankOf(value) - 1));
  }
  Value joined(ValueRange values) {
    int64_t last = 0;
    for (Value value : values) {
      last += sizeOf(value, rankOf(value) - 1);
    }
    Value first = values.front();
    return stablehlo::ConcatenateOp::create(builder, loc, sized(first, last), values,
                                            static_cast<uint64_t>(rankOf(first) - 1));
  }
  Value extended(Value value, int64_t last) {
    Value zero = stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(typeOf({}), builder.getFloatAttr(element, 0)));
    auto rank = static_cast<size_t>(rankOf(value));
    SmallVector<int64_t> none(rank, 0), high(rank, 0);
    high.back() = last - sizeOf(value, rankOf(value) - 1);
    return stablehlo::PadOp::create(builder, loc, sized(value, last), value, zero, none, high,
                                    none);
  }
  Value constant(Value like, double value) {
    return stablehlo::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(cast<RankedTensorType>(like.getType()),
                               builder.getFloatAttr(element, value)));
  }
  Value zeros(Value like) { return constant(like, 0); }
  Value negated(Value value) { return stablehlo::NegOp::create(builder, loc, value); }
  Value multiplied(Value x, Value y) { return stablehlo::MulOp::create(builder, loc, x, y); }
  Value added(Value x, Value y) { return stablehlo::AddOp::create(builder, loc, x, y); }
  Value subtracted(Value x, Value y) { return stablehlo::SubtractOp::create(builder, loc, x, y); }
  Parts add(Parts x, Parts y) {
    Value real = added(x.real, y.real);
    return {real, added(x.imaginary, y.imaginary)};
  }
  Parts subtract(Parts x, Parts y) {
    Value real = subtracted(x.real, y.real);
    return {real, subtracted(x.imaginary, y.imaginary)};
  }
  Parts multiply(Parts x, Parts y) {
    Value real = subtracted(multiplied(x.real, y.real), multiplied(x.imaginary, y.imaginary));
    return {real, added(multiplied(x.real, y.imaginary), multiplied(x.imaginary, y.real))};
  }

  // Broadcasts numbers along the last dimensions to the shape of a value.
  Parts along(Value like, Parts numbers) {
    int64_t rank = rankOf(like), inner = rankOf(numbers.real);
    SmallVector<int64_t> dimensions;
    for (int64_t d = rank - inner; d < rank; ++d) {
      dimensions.push_back(d);
    }
    return each(numbers, [&](Value part) -> Value {
      return rank == inner ? part
                           : stablehlo::BroadcastInDimOp::create(builder, loc, like.getType(), part,
                                                                 dimensions)
                                 .getResult();
    });
  }

  //===- constants ------------------------------------------------------------------===//

  template <typename T> Value table(ArrayRef<int64_t> shape, ArrayRef<RootsOfUnity::Wide> values) {
    std::vector<T> rounded;
    for (RootsOfUnity::Wide value : values) {
      rounded.push_back(static_cast<T>(value));
    }
    return stablehlo::ConstantOp::create(
        builder, loc, DenseElementsAttr::get(typeOf(shape), ArrayRef<T>(rounded)));
  }

  Parts constantTable(ArrayRef<int64_t> sizes, ArrayRef<RootsOfUnity::Root> values) {
    std::vector<RootsOfUnity::Wide> real, imaginary;
    for (const RootsOfUnity::Root &value : values) {
      real.push_back(value.real);
      imaginary.push_back(value.imaginary);
    }
    auto made = [&](ArrayRef<RootsOfUnity::Wide> part) {
      return element.isF64() ? table<double>(sizes, part) : table<float>(sizes, part);
    };
    Value first = made(real);
    return {first, made(imaginary)};
  }
  // Returns constants along the last dimension of a value.
  Parts constants(Value like, ArrayRef<RootsOfUnity::Root> values) {
    return along(like, constantTable({static_cast<int64_t>(values.size())}, values));
  }

  // The constant filter is divided by the padded length, but the inverse transform also divides by
  // it. Multiplies by the length to undo one division.
  Parts filterConstants(Value like, int64_t length, int64_t padded) {
    std::vector<RootsOfUnity::Root> filter = chirpFilter(length, padded);
    for (RootsOfUnity::Root &each : filter) {
      each.real *= padded;
      each.imaginary *= padded;
    }
    return constants(like, filter);
  }

  //===- tables that the program computes ---------------------------------------------===//

  // Broadcasts a line or a matrix to these sizes.
  Parts spread(Parts matrix, ArrayRef<int64_t> sizes, ArrayRef<int64_t> dimensions) {
    return each(matrix, [&](Value part) -> Value {
      return stablehlo::BroadcastInDimOp::create(builder, loc, typeOf(sizes), part, dimensions);
    });
  }
  static int64_t middleDivisor(int64_t n) {
    int64_t found = 1;
    for (int64_t divisor = 2; divisor * divisor <= n; ++divisor) {
      found = n % divisor == 0 ? divisor : found;
    }
    return found;
  }

  // Returns w^(stride j k) for row j and column k, where w = exp(-2 pi i / n). For a long side, a
  // position s a + b gives the product w^(stride s j a) w^(stride j b). Each multiplication rounds
  // once.
  Parts powers(int64_t rows, int64_t columns, int64_t n, int64_t stride, bool isConjugate) {
    bool splitsColumns = columns >= rows;
    int64_t inner = middleDivisor(splitsColumns ? columns : rows);
    if (rows * columns <= maxTable || inner == 1) {
      return powerTable(rows, columns, n, stride, isConjugate);
    }
    int64_t outer = (splitsColumns ? columns : rows) / inner;
    Parts product;
    if (splitsColumns) {
      SmallVector<int64_t> sizes = {rows, outer, inner};
      product = multiply(spread(powers(rows, outer, n, stride * inner, isConjugate), sizes, {0, 1}),
                         spread(powers(rows, inner, n, stride, isConjugate), sizes, {0, 2}));
    } else {
      SmallVector<int64_t> sizes = {outer, inner, columns};
      product =
          multiply(spread(powers(outer, columns, n, stride * inner, isConjugate), sizes, {0, 2}),
                   spread(powers(inner, columns, n, stride, isConjugate), sizes, {1, 2}));
    }
    return each(product, [&](Value part) -> Value {
      return stablehlo::ReshapeOp::create(builder, loc, typeOf({rows, columns}), part);
    });
  }
  Parts powerTable(int64_t rows, int64_t columns, int64_t n, int64_t stride, bool isConjugate) {
    RootsOfUnity exact(n);
    std::vector<RootsOfUnity::Root> values;
    for (int64_t j = 0; j < rows; ++j) {
      for (int64_t k = 0; k < columns; ++k) {
        auto power = static_cast<__int128>(stride) * j * k % n;
        values.push_back(exact(static_cast<int64_t>(power)));
        values.back().imaginary *= isConjugate ? -1 : 1;
      }
    }
    return constantTable({rows, columns}, values);
  }

  // Returns the numbers of rows and columns, both powers of two, of a nearly square matrix that has
  // at least `count` elements.
  static std::pair<int64_t, int64_t> squareOf(int64_t count) {
    int64_t rows = 1, columns = 1;
    while (rows * columns < count) {
      (columns > rows ? rows : columns) *= 2;
    }
    return {rows, columns};
  }
  // Returns the first `count` elements of a matrix in row-major order.
  Parts firstOf(Parts matrix, int64_t count) {
    return each(matrix, [&](Value part) {
      int64_t all = elementsOf(part);
      Value line = stablehlo::ReshapeOp::create(builder, loc, typeOf({all}), part);
      return all == count ? line : sliced(line, 0, count);
    });
  }
  // Returns the outer product of two lines. Its rows follow `x`.
  Parts outerProduct(Parts x, Parts y) {
    SmallVector<int64_t> sizes = {sizeOf(x.real, 0), sizeOf(y.real, 0)};
    return multiply(spread(x, sizes, {0}), spread(y, sizes, {1}));
  }
  // Returns w^k for k < count, where w = exp(-2 pi i / n). With k = s a + b, that is the product
  // w^(s a) w^b.
  Parts rootLine(int64_t count, int64_t n, bool isConjugate) {
    auto [rows, columns] = squareOf(count);
    auto line = [&](int64_t count, int64_t step) {
      RootsOfUnity exact(n);
      std::vector<RootsOfUnity::Root> values;
      for (int64_t k = 0; k < count; ++k) {
        values.push_back(exact(static_cast<int64_t>(static_cast<__int128>(k) * step % n)));
        values.back().imaginary *= isConjugate ? -1 : 1;
      }
      return constantTable({count}, values);
    };
    return firstOf(outerProduct(line(rows, columns), line(columns, 1)), count);
  }
  // Returns exp(-pi i k^2 / n) for k < n. With v = exp(-pi i / n) and k = s a + b, that is the
  // product v^(s^2 a^2) v^(b^2) v^(2 s a b).
  Parts chirpLine(int64_t n) {
    auto [rows, columns] = squareOf(n);
    auto squares = [&](int64_t count, int64_t step) {
      RootsOfUnity exact(2 * n);
      std::vector<RootsOfUnity::Root> values;
      for (int64_t k = 0; k < count; ++k) {
        auto power = static_cast<__int128>(k) * step % (2 * n) * (static_cast<__int128>(k) * step);
        values.push_back(exact(static_cast<int64_t>(power % (2 * n))));
      }
      return constantTable({count}, values);
    };
    Parts own = outerProduct(squares(rows, columns), squares(columns, 1));
    return firstOf(multiply(own, powers(rows, columns, 2 * n, 2 * columns, false)), n);
  }
  // Returns the transform of the convolution's filter. The filter is the conjugate of the chirp.
  Parts filterLine(Parts chirp, int64_t padded) {
    chirp.imaginary = negated(chirp.imaginary);
    int64_t length = sizeOf(chirp.real, 0);
    Parts filter = each(chirp, [&](Value part) {
      Value tail = reversed(sliced(part, 1, length));
      return joined({extended(part, padded - length + 1), tail});
    });
    return transform(filter, 0, false);
  }

  // Returns w^k along the last dimension, where w = exp(-2 pi i / n), or the conjugates of these
  // numbers.
  Parts roots(Value like, int64_t n, bool isConjugate) {
    int64_t count = sizeOf(like, rankOf(like) - 1);
    if (count > maxTable) {
      return along(like, rootLine(count, n, isConjugate));
    }
    RootsOfUnity exact(n);
    std::vector<RootsOfUnity::Root> values;
    for (int64_t k = 0; k < count; ++k) {
      values.push_back(exact(k));
      values.back().imaginary *= isConjugate ? -1 : 1;
    }
    return constants(like, values);
  }
  // Returns w^(j k) for row j and column k.
  Parts matrixRoots(Value like, int64_t rows, int64_t columns, bool isConjugate) {
    return along(like, powers(rows, columns, rows * columns, 1, isConjugate));
  }

  OpBuilder &builder;
  Location loc;
  Type element;
};
} // namespace

// Returns whether one kernel can compute the complete transform.
static bool isWhole(stablehlo::FftOp fft, Type element) {
  bool isReal = fft.getFftType() == FftType::RFFT || fft.getFftType() == FftType::IRFFT;
  int64_t length = fft.getFftLength().back() / (isReal ? 2 : 1);
  return fft.getFftLength().size() == 1 &&
         length <= maxLineBytes / (2 * element.getIntOrFloatBitWidth() / 8);
}

static void apply(stablehlo::FftOp fft, Type element, Ledger &ledger) {
  auto eraseUnused = [&](Operation *op) {
    ledger.record(Rule::EraseUnused, op, Decision::taken());
    op->erase();
  };
  OpBuilder builder(fft);
  TransformBuilder build(builder, fft.getLoc(), element);
  auto rank = static_cast<int64_t>(shapeOf(fft.getOperand()).size());
  int64_t outermost = rank - static_cast<int64_t>(fft.getFftLength().size());
  FftType kind = fft.getFftType();
  bool isInverse = kind == FftType::IFFT || kind == FftType::IRFFT;
  Parts x;
  if (kind == FftType::RFFT) {
    x = build.transformReal(fft.getOperand());
  } else if (auto complex = fft.getOperand().getDefiningOp<stablehlo::ComplexOp>()) {
    x = {complex.getLhs(), complex.getRhs()};
  } else {
    x.real = stablehlo::RealOp::create(builder, fft.getLoc(), fft.getOperand());
    x.imaginary = stablehlo::ImagOp::create(builder, fft.getLoc(), fft.getOperand());
  }
  bool isReal = kind == FftType::RFFT || kind == FftType::IRFFT;
  for (int64_t d = rank - (isReal ? 2 : 1); d >= outermost; --d) {
    x = build.transform(x, d, isInverse);
  }
  if (kind == FftType::IRFFT) {
    fft.getResult().replaceAllUsesWith(build.transformToReal(x, fft.getFftLength().back()));
    fft.erase();
    return;
  }
  for (Operation *user : llvm::make_early_inc_range(fft->getUsers())) {
    if (isa<stablehlo::RealOp, stablehlo::ImagOp>(user)) {
      user->getResult(0).replaceAllUsesWith(isa<stablehlo::RealOp>(user) ? x.real : x.imaginary);
      eraseUnused(user);
    }
  }
  if (!fft->use_empty()) {
    Value both =
        stablehlo::ComplexOp::create(builder, fft.getLoc(), fft.getType(), x.real, x.imaginary);
    fft.getResult().replaceAllUsesWith(both);
  }
  Operation *operand = fft.getOperand().getDefiningOp();
  fft.erase();
  if (isa_and_nonnull<stablehlo::ComplexOp>(operand) && operand->use_empty()) {
    eraseUnused(operand);
  }
}

struct SplitTransformsPass : impl::SplitTransformsPassBase<SplitTransformsPass> {
  SplitTransformsPass() = default;
  explicit SplitTransformsPass(Ledger &ledger) : ledger(&ledger) {}

  void runOnOperation() override {
    Ledger own;
    SmallVector<stablehlo::FftOp> transforms;
    getOperation().walk([&](stablehlo::FftOp fft) { transforms.push_back(fft); });
    for (stablehlo::FftOp fft : transforms) {
      Type element = getElementTypeOrSelf(fft.getOperand().getType());
      if (auto complex = dyn_cast<ComplexType>(element)) {
        element = complex.getElementType();
      }
      if (!isWhole(fft, element)) {
        Ledger &into = ledger ? *ledger : own;
        into.record(Rule::SplitTransform, fft, Decision::taken());
        apply(fft, element, into);
      }
    }
  }

  Ledger *ledger = nullptr;
};

std::unique_ptr<Pass> createSplitTransformsPass(Ledger &ledger) {
  return std::make_unique<SplitTransformsPass>(ledger);
}

} // namespace drumlin
