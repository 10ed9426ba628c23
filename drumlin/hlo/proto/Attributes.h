// The fields of an instruction as the attributes of text, in XLA's order.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/hlo/proto/AttributeList.h"
#include "drumlin/hlo/proto/Shapes.h"

namespace drumlin::hlo {

// What an attribute needs to know beside its instruction's own fields.
struct AttributeContext {
  // Shape of the first operand; null where there is none.
  const Shape *firstOperand = nullptr;
};

// The fields of an opcode's own.
void printFields(const proto::HloInstructionProto &message, const AttributeContext &context,
                 AttributeList &out);
// The fields that any opcode may have; called computations are printed between.
void printSharedFields(const proto::HloInstructionProto &message, AttributeList &out);
void printOrigin(const proto::OriginalValueProto &origin, const proto::ShapeProto &shape,
                 std::string &out);
void printSharding(const proto::OpSharding &sharding, std::string &out);
void printFrontendAttributes(const proto::FrontendAttributes &attributes, std::string &out);
// The value of a new entry, behind a space, of a list that is being filled: `a=1 b=2`.
Value &addEntry(std::string_view name, List<Value> &items, Arena &arena);
// `{op_name="f" source_line=3}`; without items where the message says nothing.
Value metadataValue(const proto::OpMetadata &metadata, Arena &arena);
void printMetadata(const proto::OpMetadata &metadata, std::string &out);
void printBackendConfig(std::string_view config, AttributeList &out);

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

} // namespace drumlin::hlo
