// Prints time-stamp cycles per sixteen elements of every function, on arrays that fit into L1.
#include "drumlin/codegen/cpu/math/test/NativeFunctions.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>
#include <x86intrin.h>

static double cyclesPerSixteen(NativeCall call, const void *a, const void *b, void *result,
                               size_t count) {
  uint64_t best = UINT64_MAX;
  for (int round = 0; round < 200; ++round) {
    uint64_t start = __rdtsc();
    call(a, b, result, count);
    best = std::min<uint64_t>(best, __rdtsc() - start);
  }
  return static_cast<double>(best) * 16 / static_cast<double>(count);
}

int main() {
  constexpr size_t Count = 1024;
  std::vector<double> wide(Count), result(Count);
  std::vector<float> narrow(Count);
  for (size_t i = 0; i < Count; ++i) {
    // The points are between 0 and 1, where every function is defined, and are spread by a
    // multiplicative sequence.
    narrow[i] = static_cast<float>(
        static_cast<double>(static_cast<uint32_t>(i * 2654435761u)) * 0x1p-32 * 0.98 + 0.01);
    wide[i] = narrow[i];
  }
  std::printf("%-22s %10s %10s %10s\n", "cycles per 16", "x86-64", "x86-64-v3", "x86-64-v4");
  for (size_t i = 0; v3_table[i].name; ++i) {
    std::string name = v3_table[i].name;
    bool isWide = name.ends_with("_f64") || name == "f32_from_f64_odd";
    const void *input =
        isWide ? static_cast<const void *>(wide.data()) : static_cast<const void *>(narrow.data());
    std::printf("%-22s", name.c_str());
    for (const NativeFunction *table : {v1_table, v3_table, v4_table}) {
      bool supported =
          table == v1_table || (table == v3_table ? __builtin_cpu_supports("x86-64-v3") != 0
                                                  : __builtin_cpu_supports("x86-64-v4") != 0);
      std::printf(" %10.1f",
                  supported ? cyclesPerSixteen(table[i].call, input, input, result.data(), Count)
                            : 0.0);
    }
    std::printf("\n");
  }
  return 0;
}
