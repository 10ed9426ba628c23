#include "drumlin/ir/vhlo/VersionChange.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace drumlin::vhlo {

namespace {
enum class Default { DefaultAccuracy, EmptyArray, EmptyTensor, False, NoneType, ZeroPadding };

struct AttributeChange {
  StringRef base;
  unsigned number; // the version that adds or removes the attribute
  StringRef attribute;
  Default value;
  bool isAdded;
};

class VersionChanger {
public:
  VersionChanger(ModuleOp module, Version release) : module(module), release(release) {}
  std::optional<VersionObstacle> run();

private:
  std::optional<std::string> change(Operation *op, const OperationVersion &from,
                                    const OperationVersion &to);
  std::optional<std::string> checkConstraints(Operation *op) const;
  std::optional<std::string> checkContent(Operation *op);
  bool isThere(Attribute attribute);
  bool isThere(Type type);

  ModuleOp module;
  Version release;
  llvm::DenseMap<Attribute, bool> attributes;
  llvm::DenseMap<Type, bool> types;
};
} // namespace

static ArrayRef<AttributeChange> attributeChanges() {
  static constexpr AttributeChange changes[] = {
#define VHLO_ATTRIBUTE_ADDED(base, to, attribute, value)                                           \
  {base, to, attribute, Default::value, true},
#define VHLO_ATTRIBUTE_REMOVED(base, to, attribute, value)                                         \
  {base, to, attribute, Default::value, false},
#include "drumlin/ir/vhlo/VhloOperations.def"
  };
  return changes;
}

//===-- defaults ------------------------------------------------------------------------------===//

static Attribute numbers(MLIRContext *context, ArrayRef<int64_t> shape, ArrayRef<int64_t> values) {
  auto data =
      DenseElementsAttr::get(RankedTensorType::get(shape, IntegerType::get(context, 64)), values);
  Type type =
      TensorV1Type::get(context, shape, ScalarType::get(context, ScalarKind::SI64), Attribute());
  return TensorV1Attr::get(context, type, data);
}

// Returns the default attribute. Null if the operation has no default, which is the case for a
// padding whose operand has no rank.
static Attribute defaultOf(Default value, Operation *op) {
  MLIRContext *context = op->getContext();
  switch (value) {
  case Default::DefaultAccuracy:
    return ResultAccuracyV1Attr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                     EnumAttr::get(context, EnumKind::ResultAccuracyMode, 0));
  case Default::EmptyArray:
    return ArrayV1Attr::get(context, {});
  case Default::EmptyTensor:
    return numbers(context, {0}, {});
  case Default::False:
    return BooleanV1Attr::get(context, false);
  case Default::NoneType:
    return TypeV1Attr::get(context, ScalarType::get(context, ScalarKind::None));
  case Default::ZeroPadding: {
    auto lhs = dyn_cast<TensorV1Type>(op->getOperand(0).getType());
    if (!lhs || lhs.getShape().size() < 2) {
      return {};
    }
    int64_t spatial = lhs.getShape().size() - 2;
    return numbers(context, {spatial, 2}, SmallVector<int64_t>(2 * spatial, 0));
  }
  }
  return {};
}

static bool isDefault(Default value, Attribute attribute, Operation *op) {
  // All empty tensors count as equal, even if their shapes differ.
  if (auto tensor = dyn_cast_or_null<TensorV1Attr>(attribute);
      tensor && value == Default::EmptyTensor) {
    return tensor.getData().empty();
  }
  return attribute == defaultOf(value, op);
}

//===-- operations ----------------------------------------------------------------------------===//

static bool isBetween(unsigned low, unsigned number, unsigned high) {
  return low < number && number <= high;
}

// Converts the attributes of an operation to another version of the operation. Returns a message if
// this version cannot express them.
static std::optional<std::string> changeAttributes(Operation *op, const OperationVersion &from,
                                                   const OperationVersion &to,
                                                   NamedAttrList &attributes) {
  bool isUpwards = from.number < to.number;
  for (const AttributeChange &change : attributeChanges()) {
    if (change.base != from.base || !isBetween(std::min(from.number, to.number), change.number,
                                               std::max(from.number, to.number))) {
      continue;
    }
    if (change.isAdded == isUpwards) {
      Attribute value = defaultOf(change.value, op);
      if (!value) {
        return "attribute `" + change.attribute.str() +
               "` has no default for operands without rank";
      }
      attributes.set(change.attribute, value);
      continue;
    }
    if (!isUpwards && !isDefault(change.value, attributes.get(change.attribute), op)) {
      return "attribute `" + change.attribute.str() + "` is newer than the release";
    }
    attributes.erase(change.attribute);
  }
  return std::nullopt;
}

std::optional<std::string> VersionChanger::change(Operation *op, const OperationVersion &from,
                                                  const OperationVersion &to) {
  NamedAttrList attributes(inherentAttributes(op));
  if (std::optional<std::string> obstacle = changeAttributes(op, from, to, attributes)) {
    return obstacle;
  }
  if (!to.operands.accepts(op->getNumOperands()) || !to.results.accepts(op->getNumResults())) {
    return "its older version takes one operand, not " + std::to_string(op->getNumOperands());
  }
  if (!to.regions.accepts(op->getNumRegions())) {
    return "its older version has no regions";
  }
  OperationState state(op->getLoc(), to.name, op->getOperands(), op->getResultTypes());
  state.attributes = op->getDiscardableAttrDictionary();
  if (!to.attributes.empty()) {
    state.propertiesAttr = attributes.getDictionary(op->getContext());
  }
  for (Region &region : op->getRegions()) {
    state.addRegion()->takeBody(region);
  }
  Operation *changed = OpBuilder(op).create(state);
  op->replaceAllUsesWith(changed);
  op->erase();
  return std::nullopt;
}

//===-- what a release has --------------------------------------------------------------------===//

bool VersionChanger::isThere(Type type) {
  auto [known, isNew] = types.try_emplace(type, true);
  if (!isNew) {
    return known->second;
  }
  Version first = oldestVersion;
  if (auto scalar = dyn_cast<ScalarType>(type)) {
    first = scalarInfo(scalar.getKind()).first;
  } else if (auto quantized = dyn_cast<QuantizedV1Type>(type)) {
    first = quantized.getQuantizedDimension() ? Version{0, 18, 0} : oldestVersion;
  } else if (isa<BufferV1Type>(type)) {
    first = {1, 13, 0};
  } else if (isa<FutureV1Type>(type)) {
    first = {1, 15, 0};
  }
  bool result = first <= release;
  type.walkImmediateSubElements([&](Attribute attribute) { result = result && isThere(attribute); },
                                [&](Type inner) { result = result && isThere(inner); });
  return types[type] = result;
}

bool VersionChanger::isThere(Attribute attribute) {
  auto [known, isNew] = attributes.try_emplace(attribute, true);
  if (!isNew) {
    return known->second;
  }
  Version first = oldestVersion;
  if (auto value = dyn_cast<EnumAttr>(attribute)) {
    first = enumInfo(value.getKind()).first;
  } else if (isa<ResultAccuracyV1Attr>(attribute)) {
    first = {1, 9, 0};
  } else if (isa<SubAxisInfoV1Attr, AxisRefV1Attr, ReplicaGroupMeshAxesV1Attr, MeshAxisV1Attr,
                 MeshV1Attr>(attribute)) {
    first = {1, 16, 0};
  }
  bool result = first <= release;
  attribute.walkImmediateSubElements([&](Attribute inner) { result = result && isThere(inner); },
                                     [&](Type inner) { result = result && isThere(inner); });
  return attributes[attribute] = result;
}

static Type elementOf(Type type) {
  if (auto tensor = dyn_cast<TensorV1Type>(type)) {
    return tensor.getElementType();
  }
  if (auto tensor = dyn_cast<UnrankedTensorV1Type>(type)) {
    return tensor.getElementType();
  }
  return type;
}

// Checks restrictions that releases lifted without a new version of the operation.
std::optional<std::string> VersionChanger::checkConstraints(Operation *op) const {
  const OperationVersion &row = *operationVersion(op);
  static constexpr StringRef reductions[] = {"all_reduce",    "reduce",  "reduce_scatter",
                                             "reduce_window", "scatter", "select_and_scatter"};
  if (release < Version{0, 17, 0} && llvm::is_contained(reductions, row.base)) {
    for (auto [operand, result] : llvm::zip(op->getOperandTypes(), op->getResultTypes())) {
      if (elementOf(operand) != elementOf(result)) {
        return "results of another element type than the operands are newer than the release";
      }
    }
  }
  if (row.base != "custom_call") {
    return std::nullopt;
  }
  if (release < Version{1, 17, 0} &&
      llvm::any_of(op->getOperandTypes(), [](Type type) { return isa<FutureV1Type>(type); })) {
    return "operands of type `future` are newer than the release";
  }
  if (release < Version{1, 3, 0}) {
    mlir::DictionaryAttr attributes = inherentAttributes(op);
    auto version = dyn_cast_or_null<EnumAttr>(attributes.get("api_version"));
    constexpr uint32_t typedFfi = 4;
    if (isa_and_nonnull<DictionaryV1Attr>(attributes.get("backend_config")) ||
        (version && version.getValue() == typedFfi)) {
      return "a dictionary as `backend_config` is newer than the release";
    }
  }
  return std::nullopt;
}

std::optional<std::string> VersionChanger::checkContent(Operation *op) {
  for (NamedAttribute attribute : op->getAttrs()) {
    if (!isThere(attribute.getValue())) {
      return "the value of attribute `" + attribute.getName().str() + "` is newer than the release";
    }
  }
  for (Type type : llvm::concat<Type>(SmallVector<Type>(op->getOperandTypes()),
                                      SmallVector<Type>(op->getResultTypes()))) {
    if (!isThere(type)) {
      std::string text;
      llvm::raw_string_ostream(text) << type;
      return "type `" + text + "` is newer than the release";
    }
  }
  return checkConstraints(op);
}

std::optional<VersionObstacle> VersionChanger::run() {
  // Operations are collected first, because the loop replaces them. Regions move to the new
  // operations.
  SmallVector<Operation *> operations;
  module->walk([&](Operation *op) {
    if (operationVersion(op)) {
      operations.push_back(op);
    }
  });
  std::string where = "release " + release.str() + " of the format: ";
  for (Operation *op : operations) {
    const OperationVersion &from = *operationVersion(op);
    const OperationVersion *to = operationAt(from.base, release);
    Location location = op->getLoc();
    if (!to) {
      return VersionObstacle{location, "operation `" + from.name + "` doesn't exist in " +
                                           "release " + release.str() + " of the format"};
    }
    if (to == &from) {
      continue;
    }
    if (std::optional<std::string> obstacle = change(op, from, *to)) {
      return VersionObstacle{location, "operation `" + from.name + "` can't be expressed in " +
                                           where + *obstacle};
    }
  }
  std::optional<VersionObstacle> found;
  module->walk([&](Operation *op) {
    if (!operationVersion(op)) {
      return WalkResult::advance();
    }
    std::optional<std::string> obstacle = checkContent(op);
    if (!obstacle) {
      return WalkResult::advance();
    }
    found = VersionObstacle{op->getLoc(), "operation `" + operationVersion(op)->name +
                                              "` can't be expressed in " + where + *obstacle};
    return WalkResult::interrupt();
  });
  return found;
}

std::optional<VersionObstacle> changeVersion(ModuleOp module, Version release) {
  release.patch = 0;
  return VersionChanger(module, release).run();
}

} // namespace drumlin::vhlo
