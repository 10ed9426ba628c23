#include "drumlin/hlo/library/GemmCall.h"

#include "drumlin/hlo/library/CallConfiguration.h"

#include <algorithm>
#include <array>
#include <utility>

namespace drumlin::hlo {

std::optional<size_t> GemmCall::operand(std::string_view role) const {
  auto found = std::find(operands.begin(), operands.end(), role);
  return found == operands.end() ? std::nullopt
                                 : std::optional(static_cast<size_t>(found - operands.begin()));
}

// Sets the roles of the operands. Returns false if the number of roles isn't `count`.
static bool nameOperands(GemmCall &call, size_t count) {
  static constexpr std::array<std::string_view, 4> scales = {"a_scale", "b_scale", "c_scale",
                                                             "d_scale"};
  std::vector<std::string_view> &roles = call.operands;
  roles = {"a", "b"};
  if (call.beta != 0) {
    roles.emplace_back("c");
  }
  size_t others = roles.size() + (call.hasBias ? 1 : 0);
  if (call.isF8) {
    // c_scale is omitted if c has no f8 type, and d_scale is omitted if neither c nor d has an f8
    // type.
    size_t given = count < others ? 0 : count - others;
    roles.insert(roles.end(), scales.begin(), scales.begin() + (given == 4 ? 4 : 2));
    if (given == 3) {
      roles.push_back(scales[3]);
    }
  }
  if (call.hasBias) {
    roles.emplace_back("bias");
  }
  return roles.size() == count;
}

// Returns an array of integers, which protobuf's JSON writes as strings if they have 64 bits.
static std::optional<std::vector<int64_t>> dimensionsOf(const llvm::json::Object &of,
                                                        llvm::StringRef name) {
  std::vector<int64_t> dimensions;
  const llvm::json::Array *array = of.getArray(name);
  for (const llvm::json::Value &item : array ? *array : llvm::json::Array()) {
    int64_t number = 0;
    if (auto text = item.getAsString(); text && !text->getAsInteger(10, number)) {
      dimensions.push_back(number);
    } else if (auto integer = item.getAsInteger()) {
      dimensions.push_back(*integer);
    } else {
      return std::nullopt;
    }
  }
  return dimensions;
}

static bool readEpilogue(llvm::StringRef name, GemmCall &call) {
  call.hasBias = name.consume_front("BIAS_") || name == "BIAS";
  call.function = name == "RELU"   ? GemmCall::Function::Relu
                  : name == "GELU" ? GemmCall::Function::Gelu
                                   : GemmCall::Function::None;
  return name == "DEFAULT" || name == "BIAS" || call.function != GemmCall::Function::None;
}

static bool readDimensions(const llvm::json::Object &numbers, GemmCall &call) {
  for (auto [name, into] : {std::pair("lhs_contracting_dimensions", &call.lhsContracting),
                            {"rhs_contracting_dimensions", &call.rhsContracting},
                            {"lhs_batch_dimensions", &call.lhsBatch},
                            {"rhs_batch_dimensions", &call.rhsBatch}}) {
    auto dimensions = dimensionsOf(numbers, name);
    if (!dimensions) {
      return false;
    }
    *into = std::move(*dimensions);
  }
  return true;
}

std::optional<GemmCall> readGemmCall(std::string_view target, std::string_view config,
                                     size_t operands) {
  GemmCall call;
  call.isF8 = target == "__cublas$lt$matmul$f8";
  bool isGemm = call.isF8 || target == "__cublas$lt$matmul" || target == "__cublas$gemm";
  auto gemm = readCallConfiguration(config, "gemm_backend_config");
  const llvm::json::Object *numbers = gemm ? gemm->getObject("dot_dimension_numbers") : nullptr;
  if (!isGemm || !numbers || !readDimensions(*numbers, call)) {
    return std::nullopt;
  }
  call.alpha = gemm->getNumber("alpha_real").value_or(1);
  call.beta = gemm->getNumber("beta").value_or(0);
  call.givesLargest = gemm->getBoolean("damax_output").value_or(false);
  bool isKnown = readEpilogue(gemm->getString("epilogue").value_or("DEFAULT"), call) &&
                 gemm->getNumber("alpha_imag").value_or(0) == 0 && nameOperands(call, operands);
  return isKnown ? std::optional(std::move(call)) : std::nullopt;
}

} // namespace drumlin::hlo
