// The MLIR model of the operations in the table. A single class implements all operations, and has
// one instance for each row of the table. The inherent attributes of an operation are stored as one
// dictionary.
#include "drumlin/ir/vhlo/VhloDialect.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;

namespace drumlin::vhlo {

namespace {
// The properties of operations with inherent attributes.
struct InherentAttributes {
  DictionaryAttr dictionary;
};

// Reads and writes the attributes of an operation in bytecode as references to attributes, in the
// order of its table row.
struct PropertiesBytecode : BytecodeOpInterface::FallbackModel<PropertiesBytecode> {
  static LogicalResult readProperties(DialectBytecodeReader &reader, OperationState &state);
  void writeProperties(Operation *op, DialectBytecodeWriter &writer) const;
};

class OperationModel : public OperationName::Impl {
public:
  OperationModel(const OperationVersion &row, Dialect &dialect)
      // Rows live until the process ends, so the address of a row can be its unique type id.
      : Impl(row.name, &dialect, TypeID::getFromOpaquePointer(&row), interfaces()), row(row) {}

  const OperationVersion &row;

  LogicalResult foldHook(Operation *, ArrayRef<Attribute>,
                         SmallVectorImpl<OpFoldResult> &) override {
    return failure();
  }
  void getCanonicalizationPatterns(RewritePatternSet &, MLIRContext *) override {}
  bool hasTrait(TypeID trait) override {
    return row.isTerminator() && trait == TypeID::get<OpTrait::IsTerminator>();
  }
  OperationName::ParseAssemblyFn getParseAssemblyFn() override {
    return [](OpAsmParser &parser, OperationState &) -> ParseResult {
      return parser.emitError(parser.getNameLoc(), "expected the generic form of an operation");
    };
  }
  void populateDefaultAttrs(const OperationName &, NamedAttrList &) override {}
  void printAssembly(Operation *op, OpAsmPrinter &printer, StringRef) override {
    printer.printGenericOp(op);
  }
  LogicalResult verifyInvariants(Operation *op) override;
  LogicalResult verifyRegionInvariants(Operation *) override { return success(); }

  std::optional<Attribute> getInherentAttr(Operation *op, StringRef name) override;
  void setInherentAttr(Operation *op, StringAttr name, Attribute value) override;
  void populateInherentAttrs(Operation *op, NamedAttrList &attributes) override;
  LogicalResult verifyInherentAttrs(OperationName, NamedAttrList &,
                                    function_ref<InFlightDiagnostic()>) override {
    return success();
  }
  int getOpPropertyByteSize() override {
    return row.attributes.empty() ? 0 : sizeof(InherentAttributes);
  }
  void initProperties(OperationName, OpaqueProperties storage, OpaqueProperties init) override {
    if (!row.attributes.empty()) {
      new (storage.as<InherentAttributes *>())
          InherentAttributes(init ? *init.as<InherentAttributes *>() : InherentAttributes());
    }
  }
  void deleteProperties(OpaqueProperties) override {}
  void populateDefaultProperties(OperationName, OpaqueProperties) override {}
  LogicalResult setPropertiesFromAttr(OperationName, OpaqueProperties properties, Attribute value,
                                      function_ref<InFlightDiagnostic()> emitError) override;
  Attribute getPropertiesAsAttr(Operation *op) override {
    return row.attributes.empty() ? Attribute() : inherentAttributes(op);
  }
  void copyProperties(OpaqueProperties to, OpaqueProperties from) override {
    if (!row.attributes.empty()) {
      *to.as<InherentAttributes *>() = *from.as<InherentAttributes *>();
    }
  }
  bool compareProperties(OpaqueProperties left, OpaqueProperties right) override {
    return row.attributes.empty() || left.as<InherentAttributes *>()->dictionary ==
                                         right.as<InherentAttributes *>()->dictionary;
  }
  llvm::hash_code hashProperties(OpaqueProperties properties) override {
    return row.attributes.empty() ? llvm::hash_code(0)
                                  : hash_value(properties.as<InherentAttributes *>()->dictionary);
  }

private:
  static mlir::detail::InterfaceMap interfaces() {
    mlir::detail::InterfaceMap map;
    map.insertModels<PropertiesBytecode>();
    return map;
  }
};
} // namespace

//===-- attributes ----------------------------------------------------------------------------===//

DictionaryAttr inherentAttributes(Operation *op) {
  DictionaryAttr dictionary;
  if (op->getPropertiesStorageSize() != 0) {
    dictionary = op->getPropertiesStorage().as<InherentAttributes *>()->dictionary;
  }
  return dictionary ? dictionary : DictionaryAttr::get(op->getContext());
}

std::optional<Attribute> OperationModel::getInherentAttr(Operation *op, StringRef name) {
  if (!row.hasAttribute(name)) {
    return std::nullopt;
  }
  return inherentAttributes(op).get(name);
}

void OperationModel::setInherentAttr(Operation *op, StringAttr name, Attribute value) {
  NamedAttrList attributes(inherentAttributes(op));
  if (value) {
    attributes.set(name, value);
  } else {
    attributes.erase(name);
  }
  op->getPropertiesStorage().as<InherentAttributes *>()->dictionary =
      attributes.getDictionary(op->getContext());
}

void OperationModel::populateInherentAttrs(Operation *op, NamedAttrList &attributes) {
  attributes.append(inherentAttributes(op).getValue());
}

LogicalResult OperationModel::setPropertiesFromAttr(OperationName name, OpaqueProperties properties,
                                                    Attribute value,
                                                    function_ref<InFlightDiagnostic()> emitError) {
  auto dictionary = dyn_cast_or_null<DictionaryAttr>(value);
  if (dictionary && dictionary.empty() && row.attributes.empty()) {
    return success();
  }
  if (!dictionary || row.attributes.empty()) {
    return emitError() << "expected a dictionary of the attributes of `" << row.name << "`";
  }
  for (NamedAttribute each : dictionary) {
    if (!row.hasAttribute(each.getName())) {
      return emitError() << "`" << row.name << "` has no attribute `" << each.getName().getValue()
                         << "`";
    }
  }
  properties.as<InherentAttributes *>()->dictionary = dictionary;
  return success();
}

//===-- verification --------------------------------------------------------------------------===//

static LogicalResult verifyCount(Operation *op, Arity arity, size_t count, StringRef what) {
  if (arity.accepts(count)) {
    return success();
  }
  return op->emitOpError() << "expected " << arity.least << (arity.isVariadic ? " or more " : " ")
                           << what << ", got " << count;
}

LogicalResult OperationModel::verifyInvariants(Operation *op) {
  if (failed(verifyCount(op, row.operands, op->getNumOperands(), "operands")) ||
      failed(verifyCount(op, row.results, op->getNumResults(), "results")) ||
      failed(verifyCount(op, row.regions, op->getNumRegions(), "regions"))) {
    return failure();
  }
  if (op->getNumSuccessors() != 0) {
    return op->emitOpError() << "expected no successors";
  }
  DictionaryAttr attributes = inherentAttributes(op);
  for (StringRef name : row.attributes) {
    if (!attributes.get(name)) {
      return op->emitOpError() << "expected an attribute `" << name << "`";
    }
  }
  return success();
}

//===-- bytecode ------------------------------------------------------------------------------===//

const OperationVersion *operationVersion(Operation *op) {
  return op->isRegistered() && isa<VhloDialect>(op->getDialect())
             ? static_cast<const OperationVersion *>(op->getName().getTypeID().getAsOpaquePointer())
             : nullptr;
}

LogicalResult PropertiesBytecode::readProperties(DialectBytecodeReader &reader,
                                                 OperationState &state) {
  auto &row = *static_cast<const OperationVersion *>(state.name.getTypeID().getAsOpaquePointer());
  if (row.attributes.empty()) {
    return success();
  }
  SmallVector<NamedAttribute, 8> attributes;
  for (StringRef name : row.attributes) {
    Attribute value;
    if (failed(reader.readAttribute(value))) {
      return failure();
    }
    attributes.emplace_back(StringAttr::get(state.getContext(), name), value);
  }
  // Rows are already in alphabetical order.
  state.getOrAddProperties<InherentAttributes>().dictionary =
      DictionaryAttr::getWithSorted(state.getContext(), attributes);
  return success();
}

void PropertiesBytecode::writeProperties(Operation *op, DialectBytecodeWriter &writer) const {
  DictionaryAttr attributes = inherentAttributes(op);
  for (StringRef name : operationVersion(op)->attributes) {
    writer.writeAttribute(attributes.get(name));
  }
}

void VhloDialect::registerOperations() {
  for (const OperationVersion &row : allOperations()) {
    SmallVector<StringRef> names(row.attributes.begin(), row.attributes.end());
    RegisteredOperationName::insert(std::make_unique<OperationModel>(row, *this), names);
  }
}

} // namespace drumlin::vhlo
