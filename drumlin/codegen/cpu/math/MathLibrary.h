// The vector math functions as LLVM bitcode, for the code generator to link into kernels.
//
// Every function of MathFunctions.def is defined as `<lanes x element> @drumlin_<name>(<lanes x
// element>, ...)`. Every conversion of MathConversions.def is defined as `@drumlin_<kind>_from_f32`
// and `@drumlin_f32_from_<kind>`, with sixteen lanes of `float` and of `i8` or `i16`. `<8 x float>
// @drumlin_f32_from_f64_odd(<8 x double>)` is the first of the two roundings from f64 to formats
// narrower than f32. All functions are `alwaysinline` without target features, so that they are
// compiled for the kernel that uses them. A few functions call an internal slow path, a separate
// function in the bitcode that takes pointers and isn't inlined. A slow path is linked with its
// caller, and needs the kernel's target features only for speed. The functions call nothing else,
// so kernels import nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace drumlin {

struct MathLibrary {
  std::span<const uint8_t> bitcode; // one module for x86-64; static storage
};

// Returns the variant with fused multiply-adds (llvm.fma) or the one without. The fused one
// requires a target with FMA; on other targets llvm.fma would become library calls.
MathLibrary mathLibrary(bool fma);

enum class MathElement : uint8_t { F32, F64 };

// One line of MathFunctions.def.
struct MathFunction {
  std::string_view name;      // without `drumlin_`
  std::string_view operation; // name of the operation in the program
  MathElement element;
  unsigned arity;
  unsigned lanes;
  double maxUlp; // documented largest error, in units in the last place
  std::string_view method;
};

std::span<const MathFunction> mathFunctions();

// Returns the function for an operation and element type, or nullptr if there is none.
const MathFunction *findMathFunction(std::string_view operation, MathElement element);

} // namespace drumlin
