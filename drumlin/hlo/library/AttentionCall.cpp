#include "drumlin/hlo/library/AttentionCall.h"

#include "drumlin/hlo/library/CallConfiguration.h"

#include <initializer_list>
#include <string>

namespace drumlin::hlo {

// Returns the dimension numbers of a matrix product as protobuf's JSON.
static llvm::json::Value dimensionNumbers(int64_t lhsContracting, int64_t rhsContracting,
                                          int64_t lhsHead, int64_t rhsHead) {
  auto texts = [](std::initializer_list<int64_t> numbers) {
    llvm::json::Array array;
    for (int64_t number : numbers) {
      array.push_back(std::to_string(number));
    }
    return array;
  };
  return llvm::json::Object{{"lhs_contracting_dimensions", texts({lhsContracting})},
                            {"rhs_contracting_dimensions", texts({rhsContracting})},
                            {"lhs_batch_dimensions", texts({0, lhsHead})},
                            {"rhs_batch_dimensions", texts({0, rhsHead})}};
}

// Returns the head dimension according to the contracting dimensions of the two matrix products;
// nullopt if these dimensions match no known dimension order of attention.
static std::optional<int64_t> headDimensionOf(const llvm::json::Object &attention) {
  const llvm::json::Value *scores = attention.get("bmm1_dot_dimension_numbers");
  const llvm::json::Value *values = attention.get("bmm2_dot_dimension_numbers");
  for (int64_t head : {1, 2}) {
    int64_t sequence = 3 - head;
    if (scores && values && *scores == dimensionNumbers(3, 3, head, head) &&
        *values == dimensionNumbers(3, sequence, 1, head)) {
      return head;
    }
  }
  return std::nullopt;
}

std::optional<AttentionCall> readAttentionCall(std::string_view target, std::string_view config,
                                               size_t operands) {
  bool hasBias = target == "__cudnn$fmhaScaleBiasSoftmax";
  auto attention = readCallConfiguration(config, "cudnn_fmha_backend_config");
  auto head = attention ? headDimensionOf(*attention) : std::nullopt;
  if (!head || !(hasBias || target == "__cudnn$fmhaSoftmax")) {
    return std::nullopt;
  }
  AttentionCall call;
  call.headDimension = *head;
  call.operands = {"q", "k", "v"};
  if (hasBias) {
    call.operands.emplace_back("bias");
  }
  call.scale = attention->getNumber("fmha_scale").value_or(1);
  llvm::StringRef mask = attention->getString("mask_type").value_or("NO_MASK");
  call.isCausal = mask == "CAUSAL" || attention->getBoolean("is_causal_mask").value_or(false);
  bool isKnown = (call.isCausal || mask == "NO_MASK") &&
                 attention->getNumber("dropout_rate").value_or(0) == 0 &&
                 attention->getNumber("sliding_window_length").value_or(0) <= 0 &&
                 attention->getNumber("max_seg_per_batch").value_or(1) <= 1;
  return isKnown && call.operands.size() == operands ? std::optional(call) : std::nullopt;
}

} // namespace drumlin::hlo
