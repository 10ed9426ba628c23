// Conversion of attributes that does not depend on their operations.
#include "drumlin/ir/vhlo/conversion/ConvertAttributes.h"

#include "drumlin/ir/sdy/SdyDialect.h"
#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "mlir/IR/BuiltinDialect.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace drumlin::vhlo {

//===-- enums ---------------------------------------------------------------------------------===//

// Converts an enum; both dialects give the cases the same numbers.
template <typename To, typename Symbolize>
static Attribute enumOf(EnumAttr attribute, Symbolize symbolize) {
  auto value = symbolize(attribute.getValue());
  return value ? static_cast<Attribute>(To::get(attribute.getContext(), *value)) : Attribute();
}

static Attribute enumToStablehlo(EnumAttr attribute) {
  using namespace stablehlo;
  auto is = [](auto symbolize) { return [symbolize](uint32_t value) { return symbolize(value); }; };
  switch (attribute.getKind()) {
  case EnumKind::ComparisonDirection:
    return enumOf<ComparisonDirectionAttr>(
        attribute, is([](uint32_t v) { return symbolizeComparisonDirection(v); }));
  case EnumKind::ComparisonType:
    return enumOf<ComparisonTypeAttr>(attribute,
                                      is([](uint32_t v) { return symbolizeComparisonType(v); }));
  case EnumKind::CustomCallApiVersion:
    return IntegerAttr::get(IntegerType::get(attribute.getContext(), 32), attribute.getValue());
  case EnumKind::FftType:
    return enumOf<FftTypeAttr>(attribute, is([](uint32_t v) { return symbolizeFftType(v); }));
  case EnumKind::Precision:
    return enumOf<PrecisionAttr>(attribute, is([](uint32_t v) { return symbolizePrecision(v); }));
  case EnumKind::RngAlgorithm:
    return enumOf<RngAlgorithmAttr>(attribute,
                                    is([](uint32_t v) { return symbolizeRngAlgorithm(v); }));
  case EnumKind::RngDistribution:
    return enumOf<RngDistributionAttr>(attribute,
                                       is([](uint32_t v) { return symbolizeRngDistribution(v); }));
  case EnumKind::Transpose:
    return enumOf<TransposeAttr>(attribute, is([](uint32_t v) { return symbolizeTranspose(v); }));
  case EnumKind::ResultAccuracyMode:
    return enumOf<ResultAccuracyModeAttr>(
        attribute, is([](uint32_t v) { return symbolizeResultAccuracyMode(v); }));
  }
  return {};
}

// Converts an enum; null if the attribute is no enum of StableHLO.
static Attribute enumToVhlo(Attribute attribute) {
  using namespace stablehlo;
  auto make = [&](EnumKind kind, auto value) -> Attribute {
    return EnumAttr::get(attribute.getContext(), kind, static_cast<uint32_t>(value.getValue()));
  };
  return llvm::TypeSwitch<Attribute, Attribute>(attribute)
      .Case(
          [&](ComparisonDirectionAttr value) { return make(EnumKind::ComparisonDirection, value); })
      .Case([&](ComparisonTypeAttr value) { return make(EnumKind::ComparisonType, value); })
      .Case([&](FftTypeAttr value) { return make(EnumKind::FftType, value); })
      .Case([&](PrecisionAttr value) { return make(EnumKind::Precision, value); })
      .Case([&](RngAlgorithmAttr value) { return make(EnumKind::RngAlgorithm, value); })
      .Case([&](RngDistributionAttr value) { return make(EnumKind::RngDistribution, value); })
      .Case([&](TransposeAttr value) { return make(EnumKind::Transpose, value); })
      .Case([&](ResultAccuracyModeAttr value) { return make(EnumKind::ResultAccuracyMode, value); })
      .Default([](Attribute) { return Attribute(); });
}

//===-- to stablehlo --------------------------------------------------------------------------===//

static Attribute dictionaryToStablehlo(DictionaryV1Attr dictionary, TypeConverter &types) {
  SmallVector<NamedAttribute> entries;
  llvm::StringSet<> names;
  for (auto [key, value] : dictionary.getValue()) {
    auto name = dyn_cast_or_null<StringAttr>(attributeToStablehlo(key, types));
    Attribute converted = attributeToStablehlo(value, types);
    if (!name || name.empty() || !converted || !names.insert(name.getValue()).second) {
      return {};
    }
    entries.emplace_back(name, converted);
  }
  return DictionaryAttr::get(dictionary.getContext(), entries);
}

static Attribute numberToStablehlo(IntegerV1Attr number, TypeConverter &types) {
  Type type = types.toStablehlo(number.getType());
  bool fits = type && (type.isIndex() ? number.getValue().getBitWidth() == 64
                                      : type.isInteger(number.getValue().getBitWidth()));
  return fits ? IntegerAttr::get(type, number.getValue()) : IntegerAttr();
}

static Attribute numberToStablehlo(FloatV1Attr number, TypeConverter &types) {
  auto type = dyn_cast_or_null<FloatType>(types.toStablehlo(number.getType()));
  return type && &type.getFloatSemantics() == &number.getValue().getSemantics()
             ? FloatAttr::get(type, number.getValue())
             : FloatAttr();
}

static Attribute meshToStablehlo(MeshV1Attr mesh, TypeConverter &types) {
  auto axes = dyn_cast_or_null<ArrayAttr>(attributeToStablehlo(mesh.getAxes(), types));
  SmallVector<stablehlo::MeshAxisAttr> list;
  for (Attribute axis : axes ? axes.getValue() : ArrayRef<Attribute>()) {
    list.push_back(dyn_cast<stablehlo::MeshAxisAttr>(axis));
  }
  DenseIntElementsAttr ids;
  if (mesh.getDeviceIds()) {
    ids = dyn_cast_or_null<DenseIntElementsAttr>(attributeToStablehlo(mesh.getDeviceIds(), types));
  }
  bool isWhole = axes && llvm::all_of(list, [](auto axis) { return axis != nullptr; }) &&
                 (ids != nullptr) == (mesh.getDeviceIds() != nullptr);
  return isWhole ? stablehlo::MeshAttr::get(mesh.getContext(), list, ids) : Attribute();
}

static Attribute axesToStablehlo(ReplicaGroupMeshAxesV1Attr groups, TypeConverter &types) {
  Attribute mesh = attributeToStablehlo(groups.getMesh(), types);
  auto axes = dyn_cast_or_null<ArrayAttr>(attributeToStablehlo(groups.getAxes(), types));
  if (auto name = dyn_cast_or_null<StringAttr>(mesh)) {
    mesh = FlatSymbolRefAttr::get(name);
  }
  return mesh && axes ? stablehlo::ReplicaGroupMeshAxesAttr::getChecked(
                            [&] { return emitError(UnknownLoc::get(groups.getContext())); },
                            groups.getContext(), mesh, axes)
                      : Attribute();
}

static Attribute axisToStablehlo(AxisRefV1Attr axis, TypeConverter &types) {
  auto name = dyn_cast_or_null<StringAttr>(attributeToStablehlo(axis.getName(), types));
  stablehlo::SubAxisInfoAttr part;
  if (axis.getSubAxisInfo()) {
    part = dyn_cast_or_null<stablehlo::SubAxisInfoAttr>(
        attributeToStablehlo(axis.getSubAxisInfo(), types));
  }
  bool isWhole = name && (part != nullptr) == (axis.getSubAxisInfo() != nullptr);
  return isWhole ? stablehlo::AxisRefAttr::get(axis.getContext(), name.getValue(), part)
                 : Attribute();
}

static Attribute accuracyToStablehlo(ResultAccuracyV1Attr accuracy, TypeConverter &types) {
  auto mode = dyn_cast_or_null<stablehlo::ResultAccuracyModeAttr>(
      attributeToStablehlo(accuracy.getMode(), types));
  return mode ? stablehlo::ResultAccuracyAttr::getChecked(
                    [&] { return emitError(UnknownLoc::get(accuracy.getContext())); },
                    accuracy.getContext(), accuracy.getAtol(), accuracy.getRtol(),
                    accuracy.getUlps(), mode)
              : Attribute();
}

Attribute attributeToStablehlo(Attribute attribute, TypeConverter &types) {
  MLIRContext *context = attribute.getContext();
  return llvm::TypeSwitch<Attribute, Attribute>(attribute)
      .Case([&](EnumAttr value) { return enumToStablehlo(value); })
      .Case([&](BooleanV1Attr value) -> Attribute {
        return BoolAttr::get(context, value.getValue());
      })
      .Case([&](StringV1Attr value) -> Attribute {
        return StringAttr::get(context, value.getValue());
      })
      .Case([&](IntegerV1Attr value) { return numberToStablehlo(value, types); })
      .Case([&](FloatV1Attr value) { return numberToStablehlo(value, types); })
      .Case([&](TensorV1Attr value) -> Attribute { return value.getData(); })
      .Case([&](TypeV1Attr value) -> Attribute {
        Type type = types.toStablehlo(value.getValue());
        return type ? TypeAttr::get(type) : Attribute();
      })
      .Case([&](ArrayV1Attr value) -> Attribute {
        SmallVector<Attribute> items;
        for (Attribute item : value.getValue()) {
          items.push_back(attributeToStablehlo(item, types));
          if (!items.back()) {
            return {};
          }
        }
        return ArrayAttr::get(context, items);
      })
      .Case([&](DictionaryV1Attr value) { return dictionaryToStablehlo(value, types); })
      .Case([&](OutputOperandAliasV1Attr value) -> Attribute {
        return stablehlo::OutputOperandAliasAttr::get(context, value.getOutputTupleIndices(),
                                                      value.getOperandIndex(),
                                                      value.getOperandTupleIndices());
      })
      .Case([&](ResultAccuracyV1Attr value) { return accuracyToStablehlo(value, types); })
      .Case([&](SubAxisInfoV1Attr value) -> Attribute {
        return stablehlo::SubAxisInfoAttr::get(context, value.getPreSize(), value.getSize());
      })
      .Case([&](AxisRefV1Attr value) { return axisToStablehlo(value, types); })
      .Case([&](MeshAxisV1Attr value) -> Attribute {
        auto name = dyn_cast_or_null<StringAttr>(attributeToStablehlo(value.getName(), types));
        return name ? stablehlo::MeshAxisAttr::get(context, name.getValue(), value.getSize())
                    : Attribute();
      })
      .Case([&](MeshV1Attr value) { return meshToStablehlo(value, types); })
      .Case([&](ReplicaGroupMeshAxesV1Attr value) { return axesToStablehlo(value, types); })
      .Default([](Attribute other) {
        return isa<VhloDialect>(other.getDialect()) ? Attribute() : other;
      });
}

//===-- to vhlo -------------------------------------------------------------------------------===//

// Converts an attribute; null if it is no attribute of StableHLO or has no counterpart.
static Attribute stablehloToVhlo(Attribute attribute, TypeConverter &types) {
  MLIRContext *context = attribute.getContext();
  if (Attribute value = enumToVhlo(attribute)) {
    return value;
  }
  auto string = [&](StringRef text) { return StringV1Attr::get(context, text); };
  return llvm::TypeSwitch<Attribute, Attribute>(attribute)
      .Case([&](stablehlo::OutputOperandAliasAttr value) -> Attribute {
        return OutputOperandAliasV1Attr::get(context, value.getOutputTupleIndices(),
                                             value.getOperandIndex(),
                                             value.getOperandTupleIndices());
      })
      .Case([&](stablehlo::ResultAccuracyAttr value) -> Attribute {
        return ResultAccuracyV1Attr::get(context, value.getAtol(), value.getRtol(), value.getUlps(),
                                         enumToVhlo(value.getMode()));
      })
      .Case([&](stablehlo::SubAxisInfoAttr value) -> Attribute {
        return SubAxisInfoV1Attr::get(context, value.getPreSize(), value.getSize());
      })
      .Case([&](stablehlo::AxisRefAttr value) -> Attribute {
        Attribute part =
            value.getSubAxisInfo() ? attributeToVhlo(value.getSubAxisInfo(), types) : Attribute();
        return AxisRefV1Attr::get(context, string(value.getName()), part);
      })
      .Case([&](stablehlo::MeshAxisAttr value) -> Attribute {
        return MeshAxisV1Attr::get(context, string(value.getName()), value.getSize());
      })
      .Case([&](stablehlo::MeshAttr value) -> Attribute {
        SmallVector<Attribute> axes;
        for (stablehlo::MeshAxisAttr axis : value.getAxes()) {
          axes.push_back(attributeToVhlo(axis, types));
        }
        Attribute ids =
            value.getDeviceIds() ? attributeToVhlo(value.getDeviceIds(), types) : Attribute();
        return MeshV1Attr::get(context, ArrayV1Attr::get(context, axes), ids);
      })
      .Case([&](stablehlo::ReplicaGroupMeshAxesAttr value) -> Attribute {
        Attribute mesh = attributeToVhlo(value.getMesh(), types);
        Attribute axes = attributeToVhlo(value.getAxes(), types);
        return mesh && axes ? ReplicaGroupMeshAxesV1Attr::get(context, mesh, axes) : Attribute();
      })
      .Default([](Attribute) { return Attribute(); });
}

static Attribute listToVhlo(ArrayAttr list, TypeConverter &types) {
  SmallVector<Attribute> items;
  for (Attribute item : list) {
    items.push_back(attributeToVhlo(item, types));
    if (!items.back()) {
      return {};
    }
  }
  return ArrayV1Attr::get(list.getContext(), items);
}

static Attribute dictionaryToVhlo(DictionaryAttr dictionary, TypeConverter &types) {
  SmallVector<std::pair<Attribute, Attribute>> entries;
  for (NamedAttribute entry : dictionary) {
    Attribute value = attributeToVhlo(entry.getValue(), types);
    if (!value) {
      return {};
    }
    entries.emplace_back(StringV1Attr::get(dictionary.getContext(), entry.getName().getValue()),
                         value);
  }
  return DictionaryV1Attr::get(dictionary.getContext(), entries);
}

template <typename Number>
static Attribute numbersToVhlo(MLIRContext *context, ArrayRef<Number> numbers, unsigned bits,
                               TypeConverter &types) {
  auto type =
      RankedTensorType::get(static_cast<int64_t>(numbers.size()), IntegerType::get(context, bits));
  return attributeToVhlo(DenseElementsAttr::get(type, numbers), types);
}

Attribute attributeToVhlo(Attribute attribute, TypeConverter &types) {
  MLIRContext *context = attribute.getContext();
  if (isa<stablehlo::StablehloDialect>(attribute.getDialect())) {
    return stablehloToVhlo(attribute, types);
  }
  if (!isa<BuiltinDialect>(attribute.getDialect())) {
    return attribute;
  }
  return llvm::TypeSwitch<Attribute, Attribute>(attribute)
      .Case([&](BoolAttr value) -> Attribute {
        return BooleanV1Attr::get(context, value.getValue());
      })
      .Case([&](IntegerAttr value) -> Attribute {
        Type type = types.toVhlo(value.getType());
        return type ? IntegerV1Attr::get(context, type, value.getValue()) : Attribute();
      })
      .Case([&](FloatAttr value) -> Attribute {
        Type type = types.toVhlo(value.getType());
        return type ? FloatV1Attr::get(context, type, value.getValue()) : Attribute();
      })
      .Case([&](StringAttr value) -> Attribute {
        return isa<NoneType>(value.getType()) ? StringV1Attr::get(context, value.getValue())
                                              : Attribute();
      })
      .Case([&](FlatSymbolRefAttr value) -> Attribute {
        return StringV1Attr::get(context, value.getValue());
      })
      .Case([&](TypeAttr value) -> Attribute {
        Type type = types.toVhlo(value.getValue());
        return type ? TypeV1Attr::get(context, type) : Attribute();
      })
      .Case([&](ArrayAttr value) { return listToVhlo(value, types); })
      .Case([&](DictionaryAttr value) { return dictionaryToVhlo(value, types); })
      .Case([&](DenseI64ArrayAttr value) {
        return numbersToVhlo(context, value.asArrayRef(), 64, types);
      })
      .Case([&](DenseBoolArrayAttr value) {
        return numbersToVhlo(context, value.asArrayRef(), 1, types);
      })
      .Case([&](DenseElementsAttr value) -> Attribute {
        Type type = types.toVhlo(value.getType());
        // Quantized elements and strings cannot be stored as a tensor of numbers.
        return type && tensorToBuiltin(type) ? TensorV1Attr::get(context, type, value)
                                             : Attribute();
      })
      // Elements that are stored outside the program have MLIR's own attribute in artifacts, too.
      .Case([](DenseResourceElementsAttr value) -> Attribute { return value; })
      // Attributes of unregistered dialects, and shardings, are kept.
      .Case([](OpaqueAttr value) -> Attribute { return value; })
      .Default([](Attribute value) {
        return isa<sdy::SdyDialect>(value.getDialect()) ? value : Attribute();
      });
}

} // namespace drumlin::vhlo
