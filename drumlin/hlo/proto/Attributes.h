// The fields of an instruction as the attributes of text, in XLA's order.
#pragma once

#include "drumlin/hlo/proto/Shapes.h"

namespace drumlin::hlo {

// What an attribute needs to know beside its instruction's own fields.
struct AttributeContext {
  // Shape of the first operand; null where there is none.
  const Shape *firstOperand = nullptr;
};

// Appends `, name=value` for each field of an opcode's own.
void printFields(const proto::HloInstructionProto &message, const AttributeContext &context,
                 std::string &out);
// The fields that any opcode may have; called computations are printed between.
void printSharedFields(const proto::HloInstructionProto &message, std::string &out);
void printOrigin(const proto::OriginalValueProto &origin, const proto::ShapeProto &shape,
                 std::string &out);
void printSharding(const proto::OpSharding &sharding, std::string &out);
void printFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &out);
// `{op_name="f" source_line=3}`; without items where the message says nothing.
Value metadataValue(const proto::OpMetadata &metadata);
void printMetadata(const proto::OpMetadata &metadata, std::string &out);
void printBackendConfig(const std::string &config, std::string &out);

// `{1,2}`
template <typename Numbers> void printNumbers(const Numbers &numbers, std::string &out) {
  out += '{';
  bool isFirst = true;
  for (auto number : numbers) {
    out += isFirst ? "" : ",";
    out += std::to_string(number);
    isFirst = false;
  }
  out += '}';
}

// A string in quotes, with C's escapes.
void printQuoted(std::string_view text, std::string &out);

} // namespace drumlin::hlo
