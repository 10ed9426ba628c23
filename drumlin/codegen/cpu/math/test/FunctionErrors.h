// The math functions of each native variant, and the errors of their results in units in the last
// place (ULP).
#pragma once

#include "drumlin/codegen/cpu/math/test/NativeFunctions.h"

#include <cstdint>
#include <mpfr.h>
#include <span>
#include <string>
#include <vector>

namespace drumlin::codegen::math {

// The error of a result that rounding can't explain: a wrong NaN or infinity, or a zero with the
// wrong sign.
constexpr double wrong = 1e30;

// Precision of a reference result in bits. It exceeds the precision of f64 by more than 80 bits, to
// measure errors of f64 results.
constexpr mpfr_prec_t referencePrecision = 140;

enum class Element : uint8_t { F32, F64 };

struct FunctionInfo {
  const char *name;
  const char *operation;
  Element element;
  int arity;
  double maxUlp;
};

std::span<const FunctionInfo> functions();

struct Variant {
  const char *name;
  const NativeFunction *table;
  bool supported; // whether this processor supports it
};

std::vector<Variant> variants();
NativeCall find(const NativeFunction *table, const std::string &name);

// Return the error of `got` in ULP of f32. For subnormal results, the unit is the spacing of
// subnormal numbers. Infinity counts as 2^128.
double ulpErrorF32(float got, double exact);
double ulpErrorF32(float got, mpfr_srcptr exact);

// Returns a lower bound for the unit of errors at operands x and y: the unit is at least the ULP of
// the returned number. Near the zeros of lgamma and digamma below zero, errors are absolute. For
// zeta and polygamma below zero, terms of odd powers cancel, and the largest term determines the
// unit.
double leastUnitF64(const std::string &operation, double x, double y);

double ulpErrorF64(double got, mpfr_srcptr exact, mpfr_ptr scratch, double leastUnit);

// Points near which errors are hard to bound: zeros of digamma and lgamma, and poles.
constexpr double hardPlaces[] = {1.4616321449683623,
                                 -0.504083008264455409,
                                 -1.573498473162390459,
                                 -2.610720868444144651,
                                 -19.6936,
                                 -2.457024738220800,
                                 -2.747682646727413,
                                 -3.143580888349981,
                                 -9.99999972442664,
                                 -12.0000000020877,
                                 -15.00000000000076,
                                 1,
                                 2,
                                 -1,
                                 -2,
                                 -20,
                                 -100,
                                 8,
                                 2.5,
                                 1.5,
                                 0.5,
                                 -0.5};

} // namespace drumlin::codegen::math
