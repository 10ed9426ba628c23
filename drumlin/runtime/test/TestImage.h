// The images that the loader's tests run: descriptions shared by the tests and by the tool that
// puts them into shared objects during the build.
#pragma once

#include "drumlin/runtime/Abi.h"
#include "drumlin/runtime/executable/WeightsFile.h"
#include "drumlin/support/Hash.h"

#include <cstring>
#include <string>
#include <string_view>
#include <vector>

namespace drumlin {

inline constexpr int64_t testImageElements = 1000;

// The elements of the weight; the first one is the program's factor.
inline std::vector<std::byte> testWeight(std::string_view kind = {}) {
  std::vector<float> numbers = {kind == "otherweights" ? 7.0f : 2.0f, 3, 4, 5};
  std::vector<std::byte> bytes(numbers.size() * sizeof(float));
  std::memcpy(bytes.data(), numbers.data(), bytes.size());
  return bytes;
}

// The tests' program: out = x * w[0] + y over 1000 elements; sum = the sum of out; total is donated
// to next = total + 1. Kinds: "plain"; "sidefile" has its weight in a side file, "appended" after
// its code; "otherweights" has another weight; "feature" requires a processor that doesn't exist;
// "abi", "nocode" and "failing" differ only in their code; "static" takes y as a static,
// column-major argument; "timed" launches kernels through the timers; "scalars" has a scalar for
// `empty`; "huge" needs 32 TiB, "hugeresult" 16 TiB for `sum`; "oldmeta" has a description of
// another interface version; "badmeta" has no valid one.
inline ImageDescription testImageDescription(std::string_view kind) {
  ImageDescription description;
  description.abi = kind == "oldmeta" ? DRUMLIN_IMAGE_ABI + 1 : DRUMLIN_IMAGE_ABI;
  description.compilerVersion = "0.1.0";
  description.program = "main";
  description.targetCpu = "x86-64";
  description.cpuFeatures = {"sse2"};
  if (kind == "feature") {
    description.targetCpu = "imaginary";
    description.cpuFeatures = {"sse2", "warp-drive"};
  }
  description.arguments = {{"x", ElementType::F32, {10, 100}, -1},
                           {"y", ElementType::F32, {10, 100}, -1},
                           {"total", ElementType::F32, {}, 2},
                           {"empty", ElementType::F32, {0}, -1}};
  if (kind == "static") {
    description.arguments[1].isStatic = true;
    description.arguments[1].layout = {1, 0};
  }
  description.results = {{"out", ElementType::F32, {10, 100}, -1},
                         {"sum", ElementType::F32, {}, -1},
                         {"next", ElementType::F32, {}, -1}};
  if (kind == "scalars") {
    description.arguments[3].shape = {};
  }
  if (kind == "hugeresult") {
    description.results[1].shape = {int64_t(1) << 42};
  }
  description.arenaBytes = testImageElements * sizeof(float);
  if (kind == "huge") {
    description.arenaBytes = uint64_t(1) << 45;
  }
  description.scratchBytes = 4096;
  WeightDescription weight;
  weight.value = {"w", ElementType::F32, {4}, -1};
  weight.contentHash = contentHash(testWeight(kind));
  description.weights = {weight};
  bool hasSideFile = kind == "sidefile" || kind == "otherweights";
  placeWeights(description, hasSideFile ? 0 : 1024);
  if (kind == "appended") {
    description.weights[0].isAppended = true;
    description.appendedBytes = testWeight().size();
  } else if (!hasSideFile) {
    for (std::byte byte : testWeight()) {
      description.weights[0].embedded.push_back(static_cast<uint8_t>(byte));
    }
  }
  description.kernels = {{"multiply_add", "0123", 10, 2000, 8000, 4000}};
  description.cost.matrixFlops = 2000;
  description.cost.otherBytesWritten = 4000;
  description.isTimed = true;
  description.plan = "plan.program @main";
  description.ledger = "[]";
  description.lock = "drumlin plan lock 2\nend\n";
  return description;
}

} // namespace drumlin
