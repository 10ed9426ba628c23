// What a user says the program is (`--model-type`), and what is decided otherwise for it. A type
// changes where values are computed, and nothing about their roundings.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace drumlin {

enum class ModelType : uint8_t { Generic, Transformer, UNetInference };

struct ModelTypeInfo {
  ModelType type;
  std::string_view name; // as the command line has it
  // A layer norm ends with elementwise operations on rows whose sums it has taken. A kernel of
  // loops has such a row in the cache and makes them in the same traversal; a product with weights
  // that absorbs them leaves the sums to kernels of their own, and repeats the operations while it
  // packs. The products of attention, which are batched, absorb the end of a softmax as always: its
  // scores are larger than the product's result, and one more pass over them costs more.
  bool keepsNormalizations;
  // A convolution of a window absorbs the activation before it only in part, since an exponential
  // costs too much to be repeated; both halves of it would be written and read. It is computed
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
