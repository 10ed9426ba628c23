// The math functions, compiled natively for several processor levels. They are called on arrays.
#pragma once

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

// `count` is a multiple of sixteen. `b` is read only by functions of two arguments.
typedef void (*NativeCall)(const void *a, const void *b, void *result, size_t count);

typedef struct {
  const char *name; // as in MathFunctions.def; for conversions, `bf16_from_f32` etc.
  NativeCall call;
} NativeFunction;

// Each table ends with a null name.
extern const NativeFunction v3_table[]; // x86-64-v3, with FMA
extern const NativeFunction v4_table[]; // x86-64-v4, with FMA
extern const NativeFunction v1_table[]; // x86-64, without FMA

#ifdef __cplusplus
}
#endif
