// Every math function as a loop over arrays. DRUMLIN_MATH_PREFIX names the variant.
#include "NativeFunctions.h"

#include "../Arctangent.c"
#include "../Bessel.c"
#include "../ErrorFunction.c"
#include "../Exponential.c"
#include "../FloatConversion.c"
#include "../Gamma.c"
#include "../Logarithm.c"
#include "../Power.c"
#include "../Remainder.c"
#include "../Trigonometric.c"
#include "../Zeta.c"

typedef v16f VectorF32;
typedef v8d VectorF64;
typedef float ScalarF32;
typedef double ScalarF64;
typedef v16us Vector16;
typedef v16uc Vector8;

typedef v16f UnalignedVectorF32 __attribute__((aligned(4)));
typedef v8d UnalignedVectorF64 __attribute__((aligned(8)));
typedef v16us UnalignedVector16 __attribute__((aligned(2)));
typedef v16uc UnalignedVector8 __attribute__((aligned(1)));
typedef v8f UnalignedVectorHalf __attribute__((aligned(4)));

#define ARGUMENTS1(element) *(const UnalignedVector##element *)((const Scalar##element *)a + i)
#define ARGUMENTS2(element)                                                                        \
  ARGUMENTS1(element), *(const UnalignedVector##element *)((const Scalar##element *)b + i)

#define DRUMLIN_MATH_FUNCTION(name, operation, element, arity, lanes, maxUlp, method)              \
  static void call_##name(const void *a, const void *b, void *result, size_t count) {              \
    (void)b;                                                                                       \
    for (size_t i = 0; i < count; i += lanes) {                                                    \
      *(UnalignedVector##element *)((Scalar##element *)result + i) =                               \
          DRUMLIN_MATH_NAME(name)(ARGUMENTS##arity(element));                                      \
    }                                                                                              \
  }
#include "../MathFunctions.def"

#define DRUMLIN_MATH_CONVERSION(kind, type, bits)                                                  \
  static void call_##kind##_from_f32(const void *a, const void *b, void *result, size_t count) {   \
    (void)b;                                                                                       \
    for (size_t i = 0; i < count; i += 16) {                                                       \
      *(UnalignedVector##bits *)((uint##bits##_t *)result + i) =                                   \
          DRUMLIN_MATH_NAME(kind##_from_f32)(ARGUMENTS1(F32));                                     \
    }                                                                                              \
  }                                                                                                \
  static void call_f32_from_##kind(const void *a, const void *b, void *result, size_t count) {     \
    (void)b;                                                                                       \
    for (size_t i = 0; i < count; i += 16) {                                                       \
      *(UnalignedVectorF32 *)((float *)result + i) = DRUMLIN_MATH_NAME(f32_from_##kind)(           \
          *(const UnalignedVector##bits *)((const uint##bits##_t *)a + i));                        \
    }                                                                                              \
  }
#include "../MathConversions.def"

static void call_f32_from_f64_odd(const void *a, const void *b, void *result, size_t count) {
  (void)b;
  for (size_t i = 0; i < count; i += 8) {
    *(UnalignedVectorHalf *)((float *)result + i) =
        DRUMLIN_MATH_NAME(f32_from_f64_odd)(ARGUMENTS1(F64));
  }
}

const NativeFunction DRUMLIN_MATH_NAME(table)[] = {
#define DRUMLIN_MATH_FUNCTION(name, ...) {#name, call_##name},
#include "../MathFunctions.def"
#define DRUMLIN_MATH_CONVERSION(kind, ...)                                                         \
  {#kind "_from_f32", call_##kind##_from_f32}, {"f32_from_" #kind, call_f32_from_##kind},
#include "../MathConversions.def"
    {"f32_from_f64_odd", call_f32_from_f64_odd},
    {NULL, NULL},
};
