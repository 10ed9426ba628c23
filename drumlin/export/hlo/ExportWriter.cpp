#include "drumlin/export/hlo/ExportWriter.h"

#include "drumlin/export/SourcePlace.h"
#include "drumlin/export/hlo/ExportOperations.h"
#include "drumlin/hlo/ElementTypeNames.h"
#include "drumlin/ir/stablehlo/ConstantOp.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "mlir/Transforms/RegionUtils.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace drumlin::hlo {

//===-- texts ---------------------------------------------------------------------------------===//

std::string braces(ArrayRef<int64_t> numbers) {
  return "{" +
         llvm::join(llvm::map_range(numbers, [](int64_t n) { return std::to_string(n); }), ",") +
         "}";
}

std::string numbers(StringRef name, ArrayRef<int64_t> values) {
  return values.empty() ? "" : ", " + name.str() + "=" + braces(values);
}

std::string flag(StringRef name, bool value) { return value ? ", " + name.str() + "=true" : ""; }

StringRef inBraces(StringAttr attribute) {
  return attribute && attribute.getValue().starts_with("{") ? attribute.getValue() : StringRef();
}

std::string shardingText(StringAttr attribute) {
  StringRef text = inBraces(attribute);
  return text.empty() ? "" : ", sharding=" + text.str();
}

std::string inQuotes(StringRef text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '\n') {
      result += "\\n";
      continue;
    }
    if (c == '"' || c == '\\') {
      result += '\\';
    }
    result += c;
  }
  return result + "\"";
}

std::string metadata(Location location) {
  std::string parts;
  auto add = [&](StringRef name, const std::string &value) {
    parts += (parts.empty() ? "" : " ") + name.str() + "=" + value;
  };
  bool isNamed = false;
  location->walk([&](Location inner) {
    if (auto name = dyn_cast<NameLoc>(inner); name && !isNamed) {
      isNamed = true;
      add("op_name", inQuotes(name.getName()));
    }
    auto place = dyn_cast<FileLineColLoc>(inner);
    if (!place) {
      return WalkResult::advance();
    }
    add("source_file", inQuotes(place.getFilename()));
    add("source_line", std::to_string(place.getLine()));
    return WalkResult::interrupt();
  });
  return parts.empty() ? "" : ", metadata={" + parts + "}";
}

static std::optional<std::string> arrayText(RankedTensorType type, StringRef layoutMode) {
  std::optional<ElementType> element = tryElementTypeOf(type);
  if (!element) {
    return std::nullopt;
  }
  auto extensions = dyn_cast_if_present<stablehlo::TypeExtensionsAttr>(type.getEncoding());
  std::string text(hloName(*element));
  text += '[';
  for (auto [i, size] : llvm::enumerate(type.getShape())) {
    bool isBounded = extensions && !ShapedType::isDynamic(extensions.getBounds()[i]);
    text += i ? "," : "";
    text += !ShapedType::isDynamic(size) ? std::to_string(size)
            : isBounded                  ? "<=" + std::to_string(extensions.getBounds()[i])
                                         : "?";
  }
  text += ']';
  if (!layoutMode.empty()) {
    return text + layoutMode.str();
  }
  SmallVector<int64_t> minorToMajor;
  for (int64_t i = type.getRank(); i-- > 0;) {
    minorToMajor.push_back(i);
  }
  return minorToMajor.empty() ? text : text + braces(minorToMajor);
}

std::optional<std::string> shapeText(Type type, StringRef layoutMode) {
  if (isa<stablehlo::TokenType>(type)) {
    return "token[]";
  }
  if (auto tuple = dyn_cast<TupleType>(type)) {
    std::string text;
    for (Type element : tuple.getTypes()) {
      std::optional<std::string> part = shapeText(element);
      if (!part) {
        return std::nullopt;
      }
      text += (text.empty() ? "" : ", ") + *part;
    }
    return "(" + text + ")";
  }
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor ? arrayText(tensor, layoutMode) : std::nullopt;
}

//===-- output --------------------------------------------------------------------------------===//

std::string Output::freshName(StringRef stem) {
  std::string clean;
  for (char c : stem) {
    bool isPlain = llvm::isAlnum(c) || c == '_' || c == '-' || c == '.';
    clean += isPlain ? c : '_';
  }
  if (clean.empty() || llvm::isDigit(clean.front())) {
    clean = "_" + clean;
  }
  return clean + "." + std::to_string(++counts[clean]);
}

void Output::fail(Operation *op, std::string message, std::string remedy) {
  if (!error) {
    error = diagnose(errors::ArtifactUnsupported, std::move(message), placeOf(op->getLoc()),
                     remedy.empty() ? "write text or bytecode with `--emit`" : std::move(remedy));
  }
}

//===-- values and instructions ---------------------------------------------------------------===//

std::string Writer::list(ValueRange values) const {
  return llvm::join(llvm::map_range(values, [&](mlir::Value value) { return name(value); }), ", ");
}

std::string Writer::shapeOf(Operation *op, Type type) {
  std::optional<std::string> text = shapeText(type);
  if (!text) {
    std::string spelling;
    llvm::raw_string_ostream(spelling) << type;
    fail(op, "HLO has no type `" + spelling + "`");
  }
  return text.value_or("");
}

std::string Writer::shapeOf(Operation *op, TypeRange types) {
  return types.size() == 1 ? shapeOf(op, types.front())
                           : shapeOf(op, TupleType::get(op->getContext(), types));
}

std::string Writer::add(Operation *op, StringRef opcode, const std::string &shape,
                        const std::string &operands, const std::string &attributes) {
  lines.push_back({"%" + output.freshName(opcode), shape + " " + opcode.str() + "(" + operands +
                                                       ")" + attributes + metadata(op->getLoc())});
  return lines.back().name;
}

std::string Writer::element(Operation *op, const std::string &of, Type type, size_t index) {
  return add(op, "get-tuple-element", shapeOf(op, type), of, ", index=" + std::to_string(index));
}

void Writer::write(Operation *op, StringRef opcode, const std::string &operands,
                   const std::string &attributes) {
  SmallVector<size_t> elements;
  for (size_t i = 0; i < op->getNumResults(); ++i) {
    elements.push_back(i);
  }
  writeElements(op, opcode, shapeOf(op, op->getResultTypes()), operands, attributes, elements);
}

void Writer::writeElements(Operation *op, StringRef opcode, const std::string &shape,
                           const std::string &operands, const std::string &attributes,
                           ArrayRef<size_t> elements) {
  std::string made = add(op, opcode, shape, operands,
                         attributes + shardingText(op->getAttrOfType<StringAttr>("mhlo.sharding")));
  if (elements.size() == 1 && !StringRef(shape).starts_with("(")) {
    define(op->getResult(0), made);
    return;
  }
  for (auto [result, index] : llvm::zip_equal(op->getResults(), elements)) {
    if (!result.use_empty()) {
      define(result, element(op, made, result.getType(), index));
    }
  }
}

std::string Writer::broadcast(Operation *op, mlir::Value value, Type like) {
  auto type = cast<RankedTensorType>(value.getType()), wanted = cast<RankedTensorType>(like);
  if (type.getRank() != 0 || wanted.getRank() == 0) {
    return name(value);
  }
  auto shape = RankedTensorType::get(wanted.getShape(), type.getElementType());
  return add(op, "broadcast", shapeOf(op, shape), name(value), ", dimensions={}");
}

//===-- computations --------------------------------------------------------------------------===//

std::string Writer::parameter(Operation *op, size_t number, const std::string &shape,
                              const std::string &attributes) {
  lines.push_back({"%" + output.freshName("Arg_" + std::to_string(number)),
                   shape + " parameter(" + std::to_string(number) + ")" + attributes});
  return lines.back().name;
}

std::string Writer::tuple(Operation *op, ValueRange values) {
  std::string shape = shapeOf(op, Type(TupleType::get(op->getContext(), TypeRange(values))));
  return add(op, "tuple", shape, list(values));
}

void Writer::writeOperation(Operation *op) {
  std::optional<OperationWriter> writer = findWriter(op->getName());
  if (!writer) {
    fail(op, "HLO has no instruction for `" + op->getName().getStringRef().str() + "`");
    return;
  }
  writer->write(*this, op, writer->opcode);
}

void Writer::writeBody(Block &block) {
  for (Operation &op : block.without_terminator()) {
    if (output.failed()) {
      return;
    }
    writeOperation(&op);
  }
}

std::string Writer::finish(StringRef stem, const std::string &root, bool isEntry) {
  std::string computation = output.freshName(stem);
  std::string text = (isEntry ? "ENTRY %" : "%") + computation + " {\n";
  for (const Line &line : lines) {
    text += line.name == root ? "  ROOT " : "  ";
    text += line.name + " = " + line.text + "\n";
  }
  output.computations += "\n" + text + "}\n";
  return "%" + computation;
}

SmallVector<mlir::Value> capturedBy(MutableArrayRef<Region> regions) {
  llvm::SetVector<mlir::Value> values;
  getUsedValuesDefinedAbove(regions, values);
  return values.takeVector();
}

std::string Writer::scalarComputation(Region &region, StringRef stem) {
  Operation *op = region.getParentOp();
  Writer inner(output);
  for (BlockArgument argument : region.getArguments()) {
    size_t number = argument.getArgNumber();
    inner.define(argument, inner.parameter(op, number, shapeOf(op, argument.getType())));
  }
  for (mlir::Value value : capturedBy(region)) {
    auto constant = value.getDefiningOp<stablehlo::ConstantOp>();
    if (!constant) {
      fail(op, "HLO's computations take no values from outside, but the region of `" +
                   op->getName().getStringRef().str() + "` does");
      return {};
    }
    inner.writeOperation(constant);
  }
  inner.writeBody(region.front());
  Operation *terminator = region.front().getTerminator();
  bool isSingle = terminator->getNumOperands() == 1;
  if (output.failed()) {
    return {};
  }
  std::string root = isSingle ? inner.name(terminator->getOperand(0))
                              : inner.tuple(terminator, terminator->getOperands());
  return inner.finish(stem, root);
}

void Writer::openTuple(Region &region, ValueRange captured) {
  Operation *op = region.getParentOp();
  SmallVector<mlir::Value> parts(region.getArguments());
  llvm::append_range(parts, captured);
  auto type = TupleType::get(op->getContext(), TypeRange(ValueRange(parts)));
  std::string argument = parameter(op, 0, shapeOf(op, Type(type)));
  for (auto [index, part] : llvm::enumerate(parts)) {
    define(part, element(op, argument, part.getType(), index));
  }
}

std::string Writer::tupleComputation(Region &region, ValueRange captured, bool givesCaptured,
                                     StringRef stem) {
  Writer inner(output);
  inner.openTuple(region, captured);
  inner.writeBody(region.front());
  if (output.failed()) {
    return {};
  }
  Operation *terminator = region.front().getTerminator();
  SmallVector<mlir::Value> results(terminator->getOperands());
  if (givesCaptured) {
    llvm::append_range(results, captured);
  }
  std::string root = inner.tuple(terminator, results);
  return inner.finish(stem, root);
}

std::string Writer::conditionComputation(Region &region, ValueRange captured) {
  Writer inner(output);
  inner.openTuple(region, captured);
  inner.writeBody(region.front());
  return output.failed()
             ? std::string()
             : inner.finish("condition", inner.name(region.front().getTerminator()->getOperand(0)));
}

std::string Writer::functionComputation(func::FuncOp function) {
  bool isEntry = function.getName() == "main";
  Writer inner(output);
  for (BlockArgument argument : function.getArguments()) {
    unsigned number = argument.getArgNumber();
    auto mode = function.getArgAttrOfType<StringAttr>(number, "mhlo.layout_mode");
    auto sharding = function.getArgAttrOfType<StringAttr>(number, "mhlo.sharding");
    std::optional<std::string> shape = shapeText(argument.getType(), inBraces(mode));
    if (!shape) {
      shape = shapeOf(function, argument.getType()); // reports the unsupported type
    }
    inner.define(argument, inner.parameter(function, number, *shape, shardingText(sharding)));
  }
  inner.writeBody(function.front());
  if (output.failed()) {
    return {};
  }
  Operation *terminator = function.front().getTerminator();
  std::string root = terminator->getNumOperands() == 1
                         ? inner.name(terminator->getOperand(0))
                         : inner.tuple(terminator, terminator->getOperands());
  return inner.finish(function.getName(), root, isEntry);
}

std::string Writer::computationOf(Operation *op, StringRef name) {
  auto function = output.module.lookupSymbol<func::FuncOp>(name);
  auto [place, isNew] = output.functions.try_emplace(name);
  if (!function || function.isExternal() || (!isNew && place->second.empty())) {
    fail(op, "`" + name.str() + "` isn't a function with a body, or is recursive");
    return {};
  }
  if (isNew) {
    std::string computation = functionComputation(function);
    output.functions[name] = computation;
  }
  return output.functions[name];
}

} // namespace drumlin::hlo
