// Helpers that write tensors by hand, for the tests of this folder.
#pragma once

#include "drumlin/interpreter/kernels/Elements.h"

#include <cmath>
#include <complex>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace drumlin::interpreter {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double quietNan = std::numeric_limits<double>::quiet_NaN();

inline Tensor make(ElementType type, Shape shape, const std::vector<double> &values) {
  Tensor tensor(type, std::move(shape));
  EXPECT_EQ(tensor.elements(), static_cast<int64_t>(values.size()));
  withValueType(type, [&]<typename C>() {
    for (size_t i = 0; i < values.size(); ++i) {
      C value;
      if constexpr (isBoolValue<C>) {
        value = values[i] != 0;
      } else if constexpr (isComplexValue<C>) {
        value = C(values[i], 0);
      } else {
        value = static_cast<C>(values[i]);
      }
      storeRun<C>(type, &value, tensor.data() + i * storageBytes(type), 1);
    }
  });
  return tensor;
}

inline Tensor make(ElementType type, const std::vector<double> &values) {
  return make(type, {static_cast<int64_t>(values.size())}, values);
}

inline Tensor makeComplex(ElementType type, const std::vector<std::complex<double>> &values) {
  Tensor tensor(type, {static_cast<int64_t>(values.size())});
  storeRun<std::complex<double>>(type, values.data(), tensor.data(), tensor.elements());
  return tensor;
}

inline std::vector<double> elements(const Tensor &tensor) {
  std::vector<double> values;
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    values.push_back(toDouble(tensor.type(), tensor.data() + i * storageBytes(tensor.type())));
  }
  return values;
}

inline std::vector<std::complex<double>> complexElements(const Tensor &tensor) {
  std::vector<std::complex<double>> values(static_cast<size_t>(tensor.elements()));
  loadRun<std::complex<double>>(tensor.type(), tensor.data(), values.data(), tensor.elements());
  return values;
}

// Returns whether two numbers are the same: NaN equals NaN, but zeros of different signs differ.
inline bool same(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}

inline void expectElements(const Result<Tensor> &tensor, const std::vector<double> &expected) {
  ASSERT_TRUE(bool(tensor)) << tensor.error().str();
  std::vector<double> got = elements(*tensor);
  ASSERT_EQ(got.size(), expected.size());
  for (size_t i = 0; i < got.size(); ++i) {
    EXPECT_TRUE(same(got[i], expected[i]))
        << "element " << i << " is " << got[i] << ", expected " << expected[i];
  }
}

inline void expectTensor(const Result<Tensor> &tensor, ElementType type, const Shape &shape,
                         const std::vector<double> &expected) {
  ASSERT_TRUE(bool(tensor)) << tensor.error().str();
  EXPECT_EQ(tensor->type(), type);
  EXPECT_EQ(tensor->shape(), shape);
  expectElements(tensor, expected);
}

} // namespace drumlin::interpreter
