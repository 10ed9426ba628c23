#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/export/hlo/ExportWriter.h"
#include "drumlin/ir/stablehlo/CompositeOp.h"
#include "drumlin/ir/stablehlo/CustomCallOp.h"
#include "drumlin/ir/stablehlo/GetTupleElementOp.h"
#include "drumlin/ir/stablehlo/IfOp.h"
#include "drumlin/ir/stablehlo/WhileOp.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

// Writes an instruction whose result is a tuple; the tuple's first elements are the operation's
// results.
static void writeFirstElements(Writer &writer, Operation *op, StringRef opcode, TypeRange types,
                               const std::string &operands, const std::string &attributes) {
  Type tuple = TupleType::get(op->getContext(), types);
  SmallVector<size_t> elements;
  for (size_t i = 0; i < op->getNumResults(); ++i) {
    elements.push_back(i);
  }
  writer.writeElements(op, opcode, writer.shapeOf(op, tuple), operands, attributes, elements);
}

//===-- tuples and barriers -------------------------------------------------------------------===//

void writeTuple(Writer &writer, Operation *op, StringRef opcode) {
  writer.define(op->getResult(0), writer.tuple(op, op->getOperands()));
}

void writeGetTupleElement(Writer &writer, Operation *op, StringRef opcode) {
  auto element = cast<stablehlo::GetTupleElementOp>(op);
  writer.define(op->getResult(0), writer.element(op, writer.name(op->getOperand(0)),
                                                 op->getResult(0).getType(), element.getIndex()));
}

void writeBarrier(Writer &writer, Operation *op, StringRef opcode) {
  bool isOne = op->getNumOperands() == 1;
  writer.write(op, opcode,
               isOne ? writer.name(op->getOperand(0)) : writer.tuple(op, op->getOperands()));
}

//===-- calls ---------------------------------------------------------------------------------===//

static void writeCallOf(Writer &writer, Operation *op, StringRef opcode, StringRef symbol,
                        const std::string &attributes = {}) {
  std::string computation = writer.computationOf(op, symbol);
  writer.write(op, opcode, writer.list(op->getOperands()),
               ", to_apply=" + computation + attributes);
}

void writeCall(Writer &writer, Operation *op, StringRef opcode) {
  writeCallOf(writer, op, opcode, cast<func::CallOp>(op).getCallee());
}

void writeComposite(Writer &writer, Operation *op, StringRef opcode) {
  auto composite = cast<stablehlo::CompositeOp>(op);
  std::string attributes;
  llvm::raw_string_ostream(attributes) << composite.getCompositeAttributes();
  writeCallOf(writer, op, opcode, composite.getDecomposition(),
              ", is_composite=true, frontend_attributes={composite.attributes=" +
                  inQuotes(attributes) + ",composite.name=" + inQuotes(composite.getName()) +
                  ",composite.version=" + inQuotes(std::to_string(composite.getVersion())) + "}");
}

// Returns the text of a configuration, which is a dictionary or a string.
static std::string backendConfig(std::optional<mlir::Attribute> config) {
  if (!config) {
    return "";
  }
  if (auto text = dyn_cast<StringAttr>(*config)) {
    return text.empty() ? "" : ", backend_config=" + inQuotes(text);
  }
  std::string text;
  llvm::raw_string_ostream(text) << *config;
  return ", backend_config=" + inQuotes(text);
}

void writeCustomCall(Writer &writer, Operation *op, StringRef opcode) {
  auto call = cast<stablehlo::CustomCallOp>(op);
  std::string attributes = ", custom_call_target=" + inQuotes(call.getCallTargetName());
  if (call.getHasSideEffect()) {
    attributes += ", custom_call_has_side_effect=true";
  }
  stablehlo::CustomCallApiVersion version = call.getApiVersion();
  if (version != stablehlo::CustomCallApiVersion::API_VERSION_ORIGINAL) {
    attributes += ", api_version=" + stablehlo::stringifyEnum(version).str();
  }
  std::string called;
  for (auto symbol : call.getCalledComputations().getAsRange<FlatSymbolRefAttr>()) {
    called += (called.empty() ? "" : ", ") + writer.computationOf(op, symbol.getValue());
  }
  if (!called.empty()) {
    attributes += ", called_computations={" + called + "}";
  }
  writer.write(op, opcode, writer.list(op->getOperands()),
               attributes + backendConfig(call.getBackendConfig()));
}

// Writes the start of an asynchronous operation. The result is the tuple ((operands), results,
// context). The region becomes a computation.
void writeAsyncStart(Writer &writer, Operation *op, StringRef opcode) {
  MLIRContext *context = op->getContext();
  std::string computation = writer.scalarComputation(op->getRegion(0), "async");
  TypeRange results = op->getRegion(0).front().getTerminator()->getOperandTypes();
  Type given = results.size() == 1 ? results.front() : Type(TupleType::get(context, results));
  Type taken = TupleType::get(context, op->getOperandTypes());
  Type number = RankedTensorType::get({}, IntegerType::get(context, 32, IntegerType::Unsigned));
  Type shape = TupleType::get(context, {taken, given, number});
  writer.define(op->getResult(0),
                writer.add(op, opcode, writer.shapeOf(op, shape), writer.list(op->getOperands()),
                           ", calls=" + computation));
}

void writeAsyncDone(Writer &writer, Operation *op, StringRef opcode) {
  writer.write(op, opcode, writer.list(op->getOperands()));
}

//===-- loops and branches --------------------------------------------------------------------===//

// Writes a loop. Values from outside that the regions use become part of the loop's state.
void writeWhile(Writer &writer, Operation *op, StringRef opcode) {
  auto loop = cast<stablehlo::WhileOp>(op);
  SmallVector<mlir::Value> captured = capturedBy(op->getRegions());
  SmallVector<mlir::Value> operands(op->getOperands());
  llvm::append_range(operands, captured);
  std::string condition = writer.conditionComputation(loop.getCond(), captured);
  std::string body =
      writer.tupleComputation(loop.getBody(), captured, /*givesCaptured=*/true, "body");
  std::string state = writer.tuple(op, operands);
  writeFirstElements(writer, op, opcode, TypeRange(ValueRange(operands)), state,
                     ", condition=" + condition + ", body=" + body);
}

// Writes a conditional. The operand of each branch is a tuple of the values from outside that the
// branch uses. The result is a tuple.
void writeConditional(Writer &writer, Operation *op, StringRef opcode) {
  std::string operands = writer.name(op->getOperand(0));
  SmallVector<std::string> branches;
  for (Region &region : op->getRegions()) {
    SmallVector<mlir::Value> captured = capturedBy(region);
    branches.push_back(
        writer.tupleComputation(region, captured, /*givesCaptured=*/false, "branch"));
    operands += ", " + writer.tuple(op, captured);
  }
  std::string attributes =
      isa<stablehlo::IfOp>(op)
          ? ", true_computation=" + branches[0] + ", false_computation=" + branches[1]
          : ", branch_computations={" + llvm::join(branches, ", ") + "}";
  writeFirstElements(writer, op, opcode, op->getResultTypes(), operands, attributes);
}

} // namespace drumlin::hlo
