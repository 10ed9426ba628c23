// Shared helpers of kernel tests: operands with many equal and special values, programs as text,
// and bitwise comparison of native code with the interpreter.
#pragma once

#include "drumlin/driver/Compiler.h"
#include "drumlin/import/Import.h"
#include "drumlin/interpreter/Interpreter.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/FloatFormats.h"
#include "drumlin/target/TargetNames.h"
#include "gtest/gtest.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sstream>

namespace drumlin {

//===- values ---------------------------------------------------------------===//

// The values from which the elements of a tensor are drawn.
enum class Values {
  Few,     // a handful of numbers, so that many are equal
  Special, // also zeros of both signs, infinities, and NaNs of both signs
  Many,    // numbers that are rarely equal
};

inline void setElement(Tensor &tensor, int64_t i, double value) {
  std::byte *element = tensor.data() + i * storageBytes(tensor.type());
  if (isFloat(tensor.type())) {
    encodeRun(tensor.type(), &value, element, 1);
    return;
  }
  int64_t bits = isBoolean(tensor.type()) ? value > 0 : static_cast<int64_t>(value);
  std::memcpy(element, &bits, storageBytes(tensor.type()));
}

inline Tensor drawTensor(ElementType type, const Shape &shape, Values values, uint64_t seed) {
  static const double special[] = {0.0, -0.0, INFINITY, -INFINITY, NAN, -NAN, 1, -1};
  Tensor tensor(type, shape);
  std::mt19937_64 generator(seed);
  for (int64_t i = 0; i < tensor.elements(); ++i) {
    uint64_t bits = generator();
    double number = static_cast<double>(bits % 5) - (isUnsigned(type) ? 0 : 2);
    if (values == Values::Many) {
      number = (static_cast<double>(bits >> 11) * 0x1p-53 - (isUnsigned(type) ? 0 : 0.5)) *
               (isFloat(type) ? 8 : 0x1p40);
    } else if (values == Values::Special && isFloat(type) && bits % 3 == 0) {
      number = special[bits / 16 % 8];
    }
    setElement(tensor, i, number);
  }
  return tensor;
}

template <typename T> Tensor tensorOf(ElementType type, Shape shape, const std::vector<T> &values) {
  Tensor tensor(type, std::move(shape));
  std::copy(values.begin(), values.end(), tensor.as<T>());
  return tensor;
}

//===- programs -------------------------------------------------------------===//

inline std::string tensorType(const Shape &shape, ElementType type) {
  std::ostringstream out;
  out << "tensor<";
  for (int64_t size : shape) {
    out << size << "x";
  }
  out << name(type) << ">";
  return out.str();
}

inline std::string list(const std::vector<int64_t> &numbers) {
  std::ostringstream out;
  for (size_t i = 0; i < numbers.size(); ++i) {
    out << (i == 0 ? "" : ", ") << numbers[i];
  }
  return out.str();
}

inline void replaceAll(std::string &text, const std::string &from, const std::string &to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

// Expects bitwise equal elements, except that all NaNs are equal.
inline void expectSame(const Tensor &got, const Tensor &expected) {
  ASSERT_EQ(got.type(), expected.type());
  ASSERT_EQ(got.shape(), expected.shape());
  int64_t size = storageBytes(got.type());
  for (int64_t i = 0; i < got.elements(); ++i) {
    const std::byte *x = got.data() + i * size, *y = expected.data() + i * size;
    if (std::memcmp(x, y, static_cast<size_t>(size)) == 0) {
      continue;
    }
    double gotNumber = toDouble(got.type(), x), expectedNumber = toDouble(got.type(), y);
    ASSERT_TRUE(isFloat(got.type()) && std::isnan(gotNumber) && std::isnan(expectedNumber))
        << "element " << i << ": got " << gotNumber << ", expected " << expectedNumber;
  }
}

inline const std::vector<std::string> nativeOnly = {"native"};
inline const std::vector<std::string> everyTarget = {"native", "avx2", "baseline"};

inline Result<std::unique_ptr<Executable>>
compileAndLoad(mlir::ModuleOp module, const std::string &target, unsigned level = 2) {
  CompileOptions options;
  options.useCache = false;
  options.target = *targetFromName(target);
  options.threads = 1;
  options.level = level;
  auto compiled = compile(module, "test", options);
  if (!compiled) {
    return compiled.error();
  }
  LoadOptions load;
  load.threads = 2;
  return compiled->load("test", load);
}

// Compiles the program `text` for each target and runs it. Calls `compare` with its results and the
// results of the program `reference` in the interpreter. `level` is LLVM's optimization level.
// Tests of many sizes use a lower level if other tests cover the same code at the default level.
template <typename Compare>
void checkWith(const std::string &reference, const std::string &text,
               const std::vector<Tensor> &arguments, const std::vector<std::string> &targets,
               Compare compare, unsigned level = 2) {
  SCOPED_TRACE(text);
  mlir::MLIRContext context(programDialects(), mlir::MLIRContext::Threading::DISABLED);
  auto module = importText(text, "test.mlir", context);
  auto referenceModule = importText(reference, "reference.mlir", context);
  ASSERT_TRUE(module && referenceModule) << (module ? referenceModule : module).error().str();
  auto expected = interpret(**referenceModule, arguments);
  ASSERT_TRUE(expected) << expected.error().str();
  for (const std::string &target : targets) {
    SCOPED_TRACE(target);
    mlir::OwningOpRef<mlir::ModuleOp> copy = mlir::cast<mlir::ModuleOp>((*module)->clone());
    auto executable = compileAndLoad(*copy, target, level);
    ASSERT_TRUE(executable) << executable.error().str();
    auto got = call(**executable, arguments);
    ASSERT_TRUE(got) << got.error().str();
    ASSERT_EQ(got->size(), expected->size());
    compare(*got, *expected);
  }
}

template <typename Compare>
void checkWith(const std::string &text, const std::vector<Tensor> &arguments,
               const std::vector<std::string> &targets, Compare compare, unsigned level = 2) {
  checkWith(text, text, arguments, targets, compare, level);
}

// Compiles and runs programs like checkWith(), and expects results bitwise equal to the
// interpreter's.
inline void checkAgainst(const std::string &reference, const std::string &text,
                         const std::vector<Tensor> &arguments,
                         const std::vector<std::string> &targets) {
  checkWith(reference, text, arguments, targets,
            [](const std::vector<Tensor> &got, const std::vector<Tensor> &expected) {
              for (size_t i = 0; i < expected.size(); ++i) {
                SCOPED_TRACE("result " + std::to_string(i));
                expectSame(got[i], expected[i]);
              }
            });
}
inline void check(const std::string &text, const std::vector<Tensor> &arguments,
                  const std::vector<std::string> &targets = nativeOnly) {
  checkAgainst(text, text, arguments, targets);
}

inline const std::vector<ElementType> nativeTypes = {
    ElementType::I1,   ElementType::SI8,      ElementType::SI16,   ElementType::SI32,
    ElementType::SI64, ElementType::UI8,      ElementType::UI16,   ElementType::UI32,
    ElementType::UI64, ElementType::BF16,     ElementType::F16,    ElementType::F32,
    ElementType::F64,  ElementType::F8E4M3FN, ElementType::F8E5M2, ElementType::F8E4M3FNUZ};

// Scatter bodies that combine %a, the current element, with %b; T is the element type.
inline const std::string addBody =
    "    %n = stablehlo.add %a, %b : tensor<T>\n    stablehlo.return %n : tensor<T>\n";
inline const std::string setBody = "    stablehlo.return %b : tensor<T>\n";
inline const std::string generalBody = "    %m = stablehlo.maximum %a, %b : tensor<T>\n"
                                       "    %n = stablehlo.add %m, %b : tensor<T>\n"
                                       "    stablehlo.return %n : tensor<T>\n";

} // namespace drumlin
