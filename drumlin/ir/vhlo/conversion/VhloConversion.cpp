#include "drumlin/ir/vhlo/conversion/VhloConversion.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"
#include "drumlin/ir/vhlo/conversion/ConvertAttributes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"

using namespace mlir;

namespace drumlin::vhlo {

namespace {
// Converts a module in one traversal, outer operations first and in program order, so that an
// operation's operands are converted before the operation.
class ProgramConverter {
public:
  std::optional<VersionObstacle> run(ModuleOp module) {
    ScopedDiagnosticHandler silence(module.getContext(), [this](Diagnostic &diagnostic) {
      detail = diagnostic.str();
      return success();
    });
    if (std::optional<VersionObstacle> obstacle = convertDiscardable(module)) {
      return obstacle;
    }
    return convertRegion(module.getBodyRegion());
  }

protected:
  virtual ~ProgramConverter() = default;
  using MaybeObstacle = std::optional<VersionObstacle>;

  // Whether an operation belongs to the source dialects.
  virtual bool isSource(Operation *op) const = 0;
  virtual Type convert(Type type) = 0;
  virtual Attribute convert(Attribute attribute) = 0;
  // Determines the name and attributes of the operation in the other dialect; returns a message if
  // there is an obstacle.
  virtual std::optional<std::string> translate(Operation *op, std::string &name,
                                               NamedAttrList &attributes) = 0;
  // Adds or removes casts between an operation of another dialect, which keeps its types, and
  // converted operations. Called after the regions of the operation are converted.
  virtual void convertForeign(Operation *op) = 0;
  virtual void convertForeignArguments(Block &block) = 0;
  // Whether attributes of other dialects' operations, and of the module, are also converted.
  virtual bool convertsForeignAttributes() const = 0;

  MaybeObstacle convertOperation(Operation *op);
  MaybeObstacle convertRegion(Region &region);
  MaybeObstacle convertDiscardable(Operation *op);
  static VersionObstacle obstacle(Operation *op, const Twine &message) {
    return {op->getLoc(), ("`" + op->getName().getStringRef() + "`: " + message).str()};
  }

  TypeConverter types;
  std::string detail;
};
} // namespace

static std::string str(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

std::optional<VersionObstacle> ProgramConverter::convertDiscardable(Operation *op) {
  if (!isSource(op) && !convertsForeignAttributes()) {
    return std::nullopt;
  }
  NamedAttrList attributes;
  for (NamedAttribute each : op->getDiscardableAttrs()) {
    Attribute value = convert(each.getValue());
    if (!value) {
      return obstacle(op, "attribute `" + each.getName().getValue() +
                              "` has a value that has no counterpart");
    }
    attributes.append(each.getName(), value);
  }
  op->setDiscardableAttrs(attributes.getDictionary(op->getContext()));
  return std::nullopt;
}

std::optional<VersionObstacle> ProgramConverter::convertRegion(Region &region) {
  bool isSourceRegion = isSource(region.getParentOp());
  for (Block &block : region) {
    if (isSourceRegion) {
      for (BlockArgument argument : block.getArguments()) {
        Type type = convert(argument.getType());
        if (!type) {
          return obstacle(region.getParentOp(),
                          "type `" + str(argument.getType()) + "` has no counterpart");
        }
        argument.setType(type);
      }
    } else {
      convertForeignArguments(block);
    }
    for (Operation &op : llvm::make_early_inc_range(block)) {
      if (std::optional<VersionObstacle> obstacle = convertOperation(&op)) {
        return obstacle;
      }
    }
  }
  return std::nullopt;
}

std::optional<VersionObstacle> ProgramConverter::convertOperation(Operation *op) {
  if (std::optional<VersionObstacle> obstacle = convertDiscardable(op)) {
    return obstacle;
  }
  if (!isSource(op)) {
    for (Region &region : op->getRegions()) {
      if (std::optional<VersionObstacle> obstacle = convertRegion(region)) {
        return obstacle;
      }
    }
    convertForeign(op);
    return std::nullopt;
  }
  std::string name;
  NamedAttrList attributes;
  if (std::optional<std::string> message = translate(op, name, attributes)) {
    return obstacle(op, *message);
  }
  OperationState state(op->getLoc(), name, op->getOperands(), TypeRange());
  for (Type type : op->getResultTypes()) {
    state.types.push_back(convert(type));
    if (!state.types.back()) {
      return obstacle(op, "type `" + str(type) + "` has no counterpart");
    }
  }
  for (unsigned i = 0; i < op->getNumRegions(); ++i) {
    state.addRegion();
  }
  Operation *converted = OpBuilder(op).create(state);
  detail.clear();
  if (converted->getPropertiesStorageSize() != 0 &&
      failed(converted->setPropertiesFromAttribute(attributes.getDictionary(op->getContext()),
                                                   [&] { return emitError(op->getLoc()); }))) {
    return obstacle(op, detail);
  }
  converted->setDiscardableAttrs(op->getDiscardableAttrDictionary());
  // The regions are converted before they move, because the counterpart of a `return` depends on
  // the operation whose region it terminates.
  for (auto [from, to] : llvm::zip_equal(op->getRegions(), converted->getRegions())) {
    if (std::optional<VersionObstacle> obstacle = convertRegion(from)) {
      return obstacle;
    }
    to.takeBody(from);
  }
  op->replaceAllUsesWith(converted);
  op->erase();
  return std::nullopt;
}

//===-- to stablehlo --------------------------------------------------------------------------===//

namespace {
class ToStablehlo : public ProgramConverter {
  bool isSource(Operation *op) const override { return operationVersion(op) != nullptr; }
  Type convert(Type type) override { return types.toStablehlo(type); }
  Attribute convert(Attribute attribute) override { return attributeToStablehlo(attribute, types); }
  std::optional<std::string> translate(Operation *op, std::string &name,
                                       NamedAttrList &attributes) override;
  void convertForeign(Operation *op) override;
  void convertForeignArguments(Block &) override {}
  bool convertsForeignAttributes() const override { return true; }
};
} // namespace

// Returns the name in `stablehlo`: `func.func` for `func_v1`; the name for `return_v1` depends on
// the operation that it terminates; all other operations keep their name.
static std::string nameInStablehlo(Operation *op, const OperationVersion &row) {
  if (row.base == "func" || row.base == "call") {
    return "func." + row.base;
  }
  const OperationVersion *parent =
      op->getParentOp() ? operationVersion(op->getParentOp()) : nullptr;
  bool isFunctionEnd = row.isTerminator() && ((parent && parent->base == "func") ||
                                              isa_and_nonnull<func::FuncOp>(op->getParentOp()));
  return (isFunctionEnd ? "func." : "stablehlo.") + row.base;
}

std::optional<std::string> ToStablehlo::translate(Operation *op, std::string &name,
                                                  NamedAttrList &attributes) {
  const OperationVersion &row = *operationVersion(op);
  name = nameInStablehlo(op, row);
  if (!RegisteredOperationName::lookup(name, op->getContext())) {
    return "there is no operation `" + name + "`";
  }
  return inherentToStablehlo(row.base, inherentAttributes(op), types, attributes);
}

// Converts the results of a cast, and removes a cast between a type and its counterpart.
void ToStablehlo::convertForeign(Operation *op) {
  auto cast = dyn_cast<UnrealizedConversionCastOp>(op);
  if (!cast) {
    return;
  }
  for (Value result : cast.getResults()) {
    if (Type type = types.toStablehlo(result.getType())) {
      result.setType(type);
    }
  }
  if (cast.getOperandTypes() == cast.getResultTypes()) {
    cast.replaceAllUsesWith(cast.getOperands());
    cast.erase();
  }
}

// Finds what has no meaning outside of an artifact: casts between types that aren't counterparts,
// and `vhlo` types and attributes that are nested in types and attributes of other dialects.
static std::optional<VersionObstacle> findRest(ModuleOp module) {
  AttrTypeWalker walker;
  auto check = [](auto typeOrAttribute) {
    return isa<VhloDialect>(typeOrAttribute.getDialect()) ? WalkResult::interrupt()
                                                          : WalkResult::advance();
  };
  walker.addWalk([&](Type type) { return check(type); });
  walker.addWalk([&](Attribute attribute) { return check(attribute); });
  std::optional<VersionObstacle> rest;
  module->walk([&](Operation *op) {
    bool isWhole = !isa<UnrealizedConversionCastOp>(op) &&
                   !walker.walk(op->getAttrDictionary()).wasInterrupted();
    auto holds = [&](Value value) { return walker.walk(value.getType()).wasInterrupted(); };
    isWhole &= llvm::none_of(op->getResults(), holds);
    for (Region &region : op->getRegions()) {
      for (Block &block : region) {
        isWhole &= llvm::none_of(block.getArguments(), holds);
      }
    }
    if (isWhole) {
      return WalkResult::advance();
    }
    rest = {op->getLoc(), ("`" + op->getName().getStringRef() +
                           "` has types or attributes without a counterpart in StableHLO")
                              .str()};
    return WalkResult::interrupt();
  });
  return rest;
}

std::optional<VersionObstacle> convertToStablehlo(ModuleOp module) {
  std::optional<VersionObstacle> obstacle = ToStablehlo().run(module);
  return obstacle ? obstacle : findRest(module);
}

//===-- from stablehlo ------------------------------------------------------------------------===//

namespace {
class FromStablehlo : public ProgramConverter {
  bool isSource(Operation *op) const override {
    return isa_and_nonnull<stablehlo::StablehloDialect, func::FuncDialect>(op->getDialect());
  }
  Type convert(Type type) override { return types.toVhlo(type); }
  Attribute convert(Attribute attribute) override { return attributeToVhlo(attribute, types); }
  std::optional<std::string> translate(Operation *op, std::string &name,
                                       NamedAttrList &attributes) override;
  void convertForeign(Operation *op) override;
  void convertForeignArguments(Block &block) override;
  bool convertsForeignAttributes() const override { return false; }
  void convertUses(Value value, OpBuilder builder);
};
} // namespace

std::optional<std::string> FromStablehlo::translate(Operation *op, std::string &name,
                                                    NamedAttrList &attributes) {
  const OperationVersion *row = operationAt(op->getName().stripDialect(), newestVersion);
  if (!row) {
    return "artifacts have no such operation";
  }
  name = row->name;
  auto inherent = dyn_cast_or_null<DictionaryAttr>(op->getPropertiesAsAttribute());
  if (!inherent) {
    inherent = DictionaryAttr::get(op->getContext());
  }
  return inherentToVhlo(*row, inherent, types, attributes);
}

// Replaces all uses of a value that keeps its type by a cast to the counterpart of the type.
void FromStablehlo::convertUses(Value value, OpBuilder builder) {
  Type type = types.toVhlo(value.getType());
  if (!type || type == value.getType() || value.use_empty()) {
    return;
  }
  auto cast = UnrealizedConversionCastOp::create(builder, value.getLoc(), type, value);
  value.replaceAllUsesExcept(cast.getResult(0), cast);
}

void FromStablehlo::convertForeignArguments(Block &block) {
  for (BlockArgument argument : block.getArguments()) {
    convertUses(argument, OpBuilder::atBlockBegin(&block));
  }
}

void FromStablehlo::convertForeign(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<VhloDialect>(operand.get().getType().getDialect())) {
      continue;
    }
    if (Type type = types.toStablehlo(operand.get().getType())) {
      OpBuilder before(op);
      operand.set(UnrealizedConversionCastOp::create(before, op->getLoc(), type, operand.get())
                      .getResult(0));
    }
  }
  OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (Value result : op->getResults()) {
    convertUses(result, builder);
  }
}

std::optional<VersionObstacle> convertFromStablehlo(ModuleOp module) {
  return FromStablehlo().run(module);
}

} // namespace drumlin::vhlo
