#include "drumlin/interpreter/kernels/EvaluateDot.h"
#include "drumlin/interpreter/kernels/EvaluateProducts.h"
#include "drumlin/interpreter/kernels/EvaluateShape.h"
#include "drumlin/interpreter/kernels/Index.h"

namespace drumlin::interpreter {

static int64_t product(std::span<const int64_t> sizes) {
  int64_t result = 1;
  for (int64_t size : sizes) {
    result *= size;
  }
  return result;
}

static void append(std::vector<int64_t> &list, std::span<const int64_t> more) {
  list.insert(list.end(), more.begin(), more.end());
}

// Multiplies lhs [batch, m, k] by rhs [batch, k, n] into the result [batch, m, n].
template <typename C>
static void multiply(const C *lhs, const C *rhs, Tensor &result, int64_t batch, int64_t m,
                     int64_t k, int64_t n, bool isWide) {
  auto sums = std::make_unique_for_overwrite<C[]>(static_cast<size_t>(n));
  for (int64_t b = 0; b < batch; ++b) {
    for (int64_t i = 0; i < m; ++i) {
      std::fill_n(sums.get(), n, C(0));
      for (int64_t p = 0; p < k; ++p) {
        C factor = lhs[(b * m + i) * k + p];
        const C *terms = rhs + (b * k + p) * n;
        if (isWide) {
          addProducts(sums.get(), factor, terms, n);
        } else {
          addRoundedProducts(result.type(), sums.get(), factor, terms, n);
        }
      }
      storeProducts(
          result.type(), sums.get(),
          result.data() + (b * m + i) * n * static_cast<int64_t>(storageBytes(result.type())), n);
    }
  }
}

Result<Tensor> dotGeneral(const Tensor &lhs, const Tensor &rhs, const DotDimensions &dimensions,
                          ElementType resultType, const KernelOptions &options) {
  std::vector<int64_t> lhsBound = dimensions.lhsBatching;
  append(lhsBound, dimensions.lhsContracting);
  std::vector<int64_t> rhsBound = dimensions.rhsBatching;
  append(rhsBound, dimensions.rhsContracting);
  std::vector<int64_t> lhsFree = remainingDimensions(lhs.rank(), lhsBound);
  std::vector<int64_t> rhsFree = remainingDimensions(rhs.rank(), rhsBound);

  Shape shape = pick(lhs.shape(), dimensions.lhsBatching);
  int64_t batch = product(shape);
  append(shape, pick(lhs.shape(), lhsFree));
  append(shape, pick(rhs.shape(), rhsFree));
  Result<Tensor> result = allocate(resultType, shape, options);
  if (!result || result->elements() == 0) {
    return result;
  }
  int64_t widest = std::max(lhs.elements(), rhs.elements());
  if (Status fits = checkWorkspace(widest, sizeof(std::complex<double>), options); !fits) {
    return fits.error();
  }
  std::vector<int64_t> lhsOrder = dimensions.lhsBatching;
  append(lhsOrder, lhsFree);
  append(lhsOrder, dimensions.lhsContracting);
  std::vector<int64_t> rhsOrder = dimensions.rhsBatching;
  append(rhsOrder, dimensions.rhsContracting);
  append(rhsOrder, rhsFree);
  Result<Tensor> left = asProductOperand(lhs, resultType);
  Result<Tensor> right = asProductOperand(rhs, resultType);
  if (!left || !right) {
    return !left ? left : right;
  }
  Result<Tensor> packedLhs = transpose(*left, lhsOrder, options);
  Result<Tensor> packedRhs = transpose(*right, rhsOrder, options);
  if (!packedLhs || !packedRhs) {
    return !packedLhs ? packedLhs : packedRhs;
  }
  withProductType(resultType, [&]<typename C>() {
    multiply<C>(productTerms<C>(*packedLhs).get(), productTerms<C>(*packedRhs).get(), *result,
                batch, product(pick(lhs.shape(), lhsFree)),
                product(pick(lhs.shape(), dimensions.lhsContracting)),
                product(pick(rhs.shape(), rhsFree)), options.wideAccumulation);
  });
  return result;
}

} // namespace drumlin::interpreter
