// The kind of model that the user declares (`--model-type`), and the decisions that depend on it.
// These decisions determine which kernel computes a value, but never how the value is rounded.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drumlin {

enum class ModelType : uint8_t { Generic, Transformer, UNetInference };

struct ModelTypeInfo {
  ModelType type;
  std::string_view name; // name on the command line
  // If true, GEMMs with weights don't absorb the elementwise end of a layer norm. A loop kernel
  // computes the sums of a row, and then the elementwise end while the row is in the cache. A GEMM
  // that absorbs the end leaves the sums to separate kernels and repeats the elementwise operations
  // while it packs. The batched GEMMs of attention still absorb the end of a softmax: the scores
  // are larger than the GEMM's result, so another pass over them costs more.
  bool keepsNormalizations;
  // If true, windowed convolutions don't absorb the activation before them. An exponential is too
  // expensive to repeat, so a convolution would absorb only the other operations of the activation,
  // and two intermediate values would be stored and reloaded. Instead, the activation is computed
  // once.
  bool keepsActivations;
};

inline constexpr std::array<ModelTypeInfo, 3> modelTypes = {{
    {ModelType::Generic, "generic", false, false},
    {ModelType::Transformer, "transformer", true, false},
    {ModelType::UNetInference, "unet-inference", false, true},
}};

constexpr const ModelTypeInfo &info(ModelType type) {
  return modelTypes[static_cast<size_t>(type)];
}

constexpr std::optional<ModelType> modelTypeOf(std::string_view name) {
  for (const ModelTypeInfo &each : modelTypes) {
    if (each.name == name) {
      return each.type;
    }
  }
  return std::nullopt;
}

} // namespace drumlin
