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

// The error of results that rounding can't explain: a NaN, infinity or zero sign in the wrong
// place.
constexpr double wrong = 1e30;

// Bits of a reference result: 80 more than an f64 result, to measure its error.
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
  bool supported; // by this processor
};

std::vector<Variant> variants();
NativeCall find(const NativeFunction *table, const std::string &name);

// Returns the distance in ULP of f32, using the unit of subnormals for subnormal results; infinity
// counts as 2^128.
double ulpErrorF32(float got, double exact);
double ulpErrorF32(float got, mpfr_srcptr exact);

// Returns the least magnitude whose unit is used for errors where terms cancel: near the zeros of
// lgamma and digamma below zero errors are absolute; below zero, zeta and polygamma cancel terms of
// odd powers, and the largest term determines the unit.
double leastUnitF64(const std::string &operation, double x, double y);

double ulpErrorF64(double got, mpfr_srcptr exact, mpfr_ptr scratch, double leastUnit);

// Zeros of digamma, of lgamma below zero, and lgamma's two positive zeros; poles.
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
