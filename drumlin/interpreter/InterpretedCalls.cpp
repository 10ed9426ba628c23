#include "drumlin/interpreter/InterpretedCalls.h"

#include "drumlin/interpreter/ConstantConversion.h"
#include "drumlin/interpreter/Frame.h"
#include "drumlin/interpreter/ValueTypes.h"
#include "drumlin/ir/plan/HostCalls.h"
#include "drumlin/ir/sizes/SizeSymbols.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/diagnostics/InterpreterErrors.h"
#include "drumlin/support/diagnostics/LimitErrors.h"
#include "drumlin/support/diagnostics/UnsupportedErrors.h"

#include "llvm/ADT/TypeSwitch.h"

namespace drumlin {

using mlir::Attribute;
using Value = decltype(HostAttribute::value);

static_assert(static_cast<int>(HostInterface::Process) ==
              static_cast<int>(plan::HostInterface::process));

//===-- attributes ----------------------------------------------------------------------------===//

static std::vector<std::byte> bytesOf(const Tensor &tensor) {
  return {tensor.data(), tensor.data() + tensor.bytes()};
}

static std::optional<Tensor> tensorOf(mlir::ElementsAttr elements) {
  Result<Tensor> tensor = tensorFromAttribute(elements);
  return tensor ? std::optional(*tensor) : std::nullopt;
}

// Signless integers are taken as signed, and `index` as a signed 64-bit integer.
static std::optional<Value> scalarOf(mlir::TypedAttr attribute) {
  mlir::Type type = attribute.getType();
  if (type.isIndex()) {
    type = mlir::IntegerType::get(type.getContext(), 64);
    attribute = mlir::IntegerAttr::get(type, llvm::cast<mlir::IntegerAttr>(attribute).getInt());
  }
  std::optional<ElementType> element = tryStoredTypeOf(type);
  if (!element) {
    return std::nullopt;
  }
  auto elements = mlir::DenseElementsAttr::get(mlir::RankedTensorType::get({}, type),
                                               llvm::ArrayRef<Attribute>(attribute));
  std::optional<Tensor> tensor = tensorOf(elements);
  return tensor ? std::optional<Value>(HostAttribute::Scalar{*element, bytesOf(*tensor)})
                : std::nullopt;
}

static std::optional<Value> arrayOf(mlir::ElementsAttr elements) {
  std::optional<Tensor> tensor = tensorOf(elements);
  return tensor ? std::optional<Value>(
                      HostAttribute::Array{tensor->type(), tensor->elements(), bytesOf(*tensor)})
                : std::nullopt;
}

static std::optional<Value> arrayOf(mlir::DenseArrayAttr array) {
  std::optional<ElementType> element = tryStoredTypeOf(array.getElementType());
  if (!element) {
    return std::nullopt;
  }
  auto bytes =
      llvm::map_range(array.getRawData(), [](char each) { return static_cast<std::byte>(each); });
  return HostAttribute::Array{*element, array.getSize(), {bytes.begin(), bytes.end()}};
}

static std::optional<std::vector<HostAttribute>> attributesOf(mlir::DictionaryAttr dictionary);

static std::optional<Value> valueOf(Attribute attribute) {
  return llvm::TypeSwitch<Attribute, std::optional<Value>>(attribute)
      .Case<mlir::StringAttr>([](auto text) { return Value(text.str()); })
      .Case<mlir::FlatSymbolRefAttr>([](auto name) { return Value(name.getValue().str()); })
      .Case<mlir::DictionaryAttr>([](auto dictionary) -> std::optional<Value> {
        std::optional<std::vector<HostAttribute>> made = attributesOf(dictionary);
        return made ? std::optional<Value>(std::move(*made)) : std::nullopt;
      })
      .Case<mlir::DenseArrayAttr>([](auto array) { return arrayOf(array); })
      .Case<mlir::ElementsAttr>([](auto elements) { return arrayOf(elements); })
      .Case<mlir::IntegerAttr, mlir::FloatAttr>([](auto number) { return scalarOf(number); })
      .Default([](Attribute) { return std::nullopt; });
}

// Converts a dictionary; MLIR keeps its entries sorted by name.
static std::optional<std::vector<HostAttribute>> attributesOf(mlir::DictionaryAttr dictionary) {
  std::vector<HostAttribute> made;
  for (const mlir::NamedAttribute &each : dictionary) {
    std::optional<Value> value = valueOf(each.getValue());
    if (!value) {
      return std::nullopt;
    }
    made.push_back({each.getName().str(), std::move(*value)});
  }
  return made;
}

//===-- values --------------------------------------------------------------------------------===//

static std::optional<std::vector<HostValue>> valuesOf(mlir::TypeRange types,
                                                      llvm::ArrayRef<DimensionOrder> orders,
                                                      const std::vector<Shape> *shapes) {
  std::vector<HostValue> values;
  for (auto [i, type] : llvm::enumerate(types)) {
    std::optional<TensorTypes> tensors = tensorTypesOf(type);
    auto tensor = llvm::dyn_cast<mlir::RankedTensorType>(type);
    if (tensors && tensors->empty()) {
      values.emplace_back(); // a token
      continue;
    }
    std::optional<ElementType> element = tensor ? heldTypeOf(tensor) : std::nullopt;
    bool isGiven = shapes && i < shapes->size();
    if (!element || (!isGiven && !tensor.hasStaticShape())) {
      return std::nullopt;
    }
    bool isOrdered = i < orders.size() && !isRowMajor(orders[i]);
    values.push_back({element, isGiven ? (*shapes)[i] : Shape(tensor.getShape()),
                      isOrdered ? orders[i] : DimensionOrder()});
    if (hasSymbolicSizes(tensor)) {
      values.back().sizes = symbolicSizesOf(tensor);
    }
  }
  return values;
}

Result<HostCall> describeHostCall(mlir::Operation *op, const HostShapes *shapes) {
  std::optional<HostCallParts> parts = hostCallPartsOf(op);
  std::optional<std::vector<HostValue>> operands, results;
  if (parts) {
    operands = valuesOf(parts->signature.getInputs(), parts->operandOrders,
                        shapes ? &shapes->operands : nullptr);
    results = valuesOf(parts->signature.getResults(), parts->resultOrders,
                       shapes ? &shapes->results : nullptr);
  }
  if (!operands || !results) {
    return diagnose(errors::InterpreterUnsupported,
                    "`" + op->getName().getStringRef().str() +
                        "` calls code with values that aren't tensors of known sizes",
                    locationText(op->getLoc()));
  }
  HostCall call{.interface = static_cast<HostInterface>(parts->interface),
                .target = parts->target,
                .operands = std::move(*operands),
                .results = std::move(*results)};
  for (size_t i = 0; i + 1 < parts->aliases.size(); i += 2) {
    call.aliases.emplace_back(parts->aliases[i], parts->aliases[i + 1]);
  }
  if (auto text = llvm::dyn_cast_or_null<mlir::StringAttr>(parts->config)) {
    call.opaque = text.str();
  } else if (auto dictionary = llvm::dyn_cast_or_null<mlir::DictionaryAttr>(parts->config)) {
    std::optional<std::vector<HostAttribute>> attributes = attributesOf(dictionary);
    if (!attributes) {
      return diagnose(errors::UnsupportedAttribute,
                      "`@" + call.target +
                          "` is called with an attribute that isn't a number, a text, an array or "
                          "a dictionary of these",
                      locationText(op->getLoc()));
    }
    call.attributes = std::move(*attributes);
  }
  return call;
}

Result<std::vector<Tensor>> callHost(const HostCall &call, std::vector<Tensor> operands,
                                     const HostCaller &caller) {
  std::vector<Tensor> results;
  std::vector<void *> from, to;
  for (size_t next = 0; const HostValue &value : call.operands) {
    from.push_back(value.isToken() ? nullptr : operands.at(next++).data());
  }
  for (const HostValue &value : call.results) {
    if (value.isToken()) {
      to.push_back(nullptr);
      continue;
    }
    bool isOrdered = !value.layout.empty();
    std::optional<Tensor> tensor = Tensor::allocate(
        *value.type, isOrdered ? physicalShape(value.shape, value.layout) : value.shape);
    if (!tensor) {
      return diagnose(errors::OutOfMemory, "no memory for the results of a call");
    }
    to.push_back(tensor->data());
    results.push_back(std::move(*tensor));
  }
  for (auto [result, operand] : call.aliases) {
    size_t bytes = static_cast<size_t>(
        byteCount(*call.operands.at(operand).type, call.operands.at(operand).shape).value_or(0));
    std::copy_n(static_cast<const std::byte *>(from[operand]), bytes,
                static_cast<std::byte *>(to.at(result)));
    from[operand] = to[result];
  }
  if (Status status = caller(call, from, to); !status) {
    return status.error();
  }
  return results;
}

} // namespace drumlin
