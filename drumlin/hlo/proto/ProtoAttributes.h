// Converts the fields of an instruction's proto to attributes of HLO text, in XLA's order.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/AttributeList.h"
#include "drumlin/hlo/proto/ProtoShapes.h"

namespace drumlin::hlo {

// Information that the conversion needs in addition to the instruction's fields.
struct AttributeContext {
  // The shape of the first operand, or null.
  const Shape *firstOperand = nullptr;
};

// Converts the fields that are specific to the opcode.
void printFields(const proto::HloInstructionProto &message, const AttributeContext &context,
                 AttributeList &out);
// Converts the fields that any opcode may have. Called computations are added before these.
void printSharedFields(const proto::HloInstructionProto &message, AttributeList &out);
void printOrigin(const proto::OriginalValueProto &origin, const proto::ShapeProto &shape,
                 std::string &out);
void printSharding(const proto::OpSharding &sharding, std::string &out);
void printFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &out);
// Adds an entry to a space-separated list such as `a=1 b=2`, and returns its value.
Value &addEntry(std::string_view name, List<Value> &items, Arena &arena);
// Returns metadata such as `{op_name="f" source_line=3}`; fields with default values are omitted.
Value metadataValue(const proto::OpMetadata &metadata, Arena &arena);
void printMetadata(const proto::OpMetadata &metadata, std::string &out);
void printBackendConfig(std::string_view config, AttributeList &out);

// Prints a list such as `{1,2}`.
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

} // namespace drumlin::hlo
