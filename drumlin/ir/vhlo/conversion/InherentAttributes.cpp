// Conversion of operations' inherent attributes, by the table of ConvertAttributes.def.
#include "drumlin/ir/vhlo/conversion/ConvertAttributes.h"

#include "drumlin/ir/stablehlo/StablehloDialect.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace drumlin::vhlo {

namespace {
enum class Form { Same, Numbers, Flags, Symbol, Symbols, Channel, Unit, ApiVersion };
enum class Default {
  None,
  DefaultAccuracy,
  DefaultPrecision,
  EmptyArray,
  EmptyConfiguration,
  EmptyDictionary,
  EmptyString,
  EmptyTensor,
  False,
  LastDimension,
  NoComparisonType,
  NoFlags,
  Ones,
  OriginalApi,
  ZeroInteger,
  ZeroVersion,
  Zeros,
};

struct AttributeRule {
  StringRef vhlo, stablehlo;
  Form form = Form::Same;
  Default absent = Default::None;
};
} // namespace

// Returns the rule for an attribute of an operation. A rule for this operation alone has precedence
// over a general rule.
static AttributeRule ruleFor(StringRef base, StringRef name) {
  static constexpr AttributeRule rules[] = {
#define VHLO_ATTRIBUTE_AS(vhlo, stablehlo, form, absent)                                           \
  {vhlo, stablehlo, Form::form, Default::absent},
#include "drumlin/ir/vhlo/conversion/ConvertAttributes.def"
  };
  auto find = [](StringRef name) {
    return llvm::find_if(rules, [&](const AttributeRule &rule) { return rule.vhlo == name; });
  };
  const auto *rule = find((base + "." + name).str());
  if (rule == std::end(rules)) {
    rule = find(name);
  }
  return rule == std::end(rules) ? AttributeRule{name, name} : *rule;
}

//===-- defaults ------------------------------------------------------------------------------===//

static bool isSplat(Attribute attribute, int64_t value) {
  auto tensor = dyn_cast<TensorV1Attr>(attribute);
  return tensor && tensor.getData().isSplat() && !tensor.getData().empty() &&
         tensor.getData().getElementType().isInteger() &&
         tensor.getData().getSplatValue<APInt>().getSExtValue() == value;
}

static bool isNumber(Attribute attribute, int64_t value) {
  auto number = dyn_cast<IntegerV1Attr>(attribute);
  return number && number.getValue().getSExtValue() == value;
}

static bool isEmptyString(Attribute attribute) {
  auto string = dyn_cast<StringV1Attr>(attribute);
  return string && string.getValue().empty();
}

static bool isEmptyDictionary(Attribute attribute) {
  auto dictionary = dyn_cast<DictionaryV1Attr>(attribute);
  return dictionary && dictionary.getValue().empty();
}

static bool isCase(Attribute attribute, EnumKind kind, uint32_t value) {
  return attribute == EnumAttr::get(attribute.getContext(), kind, value);
}

static bool isDefault(Default absent, Attribute attribute) {
  switch (absent) {
  case Default::None:
    return false;
  case Default::DefaultAccuracy: {
    auto accuracy = dyn_cast<ResultAccuracyV1Attr>(attribute);
    return accuracy && accuracy.getAtol().isZero() && accuracy.getRtol().isZero() &&
           accuracy.getUlps() == 0 && isCase(accuracy.getMode(), EnumKind::ResultAccuracyMode, 0);
  }
  case Default::DefaultPrecision: {
    auto list = dyn_cast<ArrayV1Attr>(attribute);
    return list && llvm::all_of(list.getValue(), [](Attribute each) {
             return isCase(each, EnumKind::Precision, 0);
           });
  }
  case Default::EmptyArray: {
    auto list = dyn_cast<ArrayV1Attr>(attribute);
    return list && list.getValue().empty();
  }
  case Default::EmptyConfiguration:
    return isEmptyString(attribute) || isEmptyDictionary(attribute);
  case Default::EmptyDictionary:
    return isEmptyDictionary(attribute);
  case Default::EmptyString:
    return isEmptyString(attribute);
  case Default::EmptyTensor: {
    auto tensor = dyn_cast<TensorV1Attr>(attribute);
    return tensor && tensor.getData().empty();
  }
  case Default::False:
    return attribute == BooleanV1Attr::get(attribute.getContext(), false);
  case Default::LastDimension:
    return isNumber(attribute, -1);
  case Default::NoComparisonType:
    return isCase(attribute, EnumKind::ComparisonType, 0);
  case Default::OriginalApi:
    return isCase(attribute, EnumKind::CustomCallApiVersion, 1);
  case Default::ZeroInteger:
  case Default::ZeroVersion:
    return isNumber(attribute, 0);
  case Default::Ones:
    return isSplat(attribute, 1);
  case Default::NoFlags:
  case Default::Zeros:
    return isSplat(attribute, 0);
  }
  return false;
}

// Returns the rank of an operation's window, or nothing if it has no window.
static std::optional<int64_t> windowRank(const NamedAttrList &attributes) {
  for (StringRef name : {"window_dimensions", "input_spatial_dimensions"}) {
    if (auto tensor = dyn_cast_or_null<TensorV1Attr>(attributes.get(name))) {
      return tensor.getData().getNumElements();
    }
  }
  return std::nullopt;
}

static Attribute splat(MLIRContext *context, ArrayRef<int64_t> shape, unsigned bits, int64_t value,
                       TypeConverter &types) {
  auto type = RankedTensorType::get(shape, IntegerType::get(context, bits));
  auto data = type.getNumElements() == 0
                  ? DenseElementsAttr::get(type, ArrayRef<APInt>())
                  : DenseElementsAttr::get(type, APInt(bits, value, /*isSigned=*/true));
  return attributeToVhlo(data, types);
}

// Creates the default attribute that `absent` specifies; null if there is none. `others` lists
// those attributes of the operation that are present.
static Attribute makeDefault(Default absent, MLIRContext *context, const NamedAttrList &others,
                             TypeConverter &types) {
  auto number = [&](int64_t value) {
    return attributeToVhlo(IntegerAttr::get(IntegerType::get(context, 64), value), types);
  };
  int64_t rank = windowRank(others).value_or(0);
  switch (absent) {
  case Default::None:
    return {};
  case Default::DefaultAccuracy:
    return ResultAccuracyV1Attr::get(context, APFloat(0.0), APFloat(0.0), 0,
                                     EnumAttr::get(context, EnumKind::ResultAccuracyMode, 0));
  case Default::DefaultPrecision:
    return ArrayV1Attr::get(
        context, SmallVector<Attribute>(2, EnumAttr::get(context, EnumKind::Precision, 0)));
  case Default::EmptyArray:
    return ArrayV1Attr::get(context, {});
  case Default::EmptyConfiguration: {
    Attribute api = others.get("api_version");
    constexpr uint32_t typedFfi = 4;
    return api && isCase(api, EnumKind::CustomCallApiVersion, typedFfi)
               ? static_cast<Attribute>(DictionaryV1Attr::get(context, {}))
               : StringV1Attr::get(context, "");
  }
  case Default::EmptyDictionary:
    return DictionaryV1Attr::get(context, {});
  case Default::EmptyString:
    return StringV1Attr::get(context, "");
  case Default::EmptyTensor:
    return splat(context, {0}, 64, 0, types);
  case Default::False:
    return BooleanV1Attr::get(context, false);
  case Default::LastDimension:
    return number(-1);
  case Default::NoComparisonType:
    return EnumAttr::get(context, EnumKind::ComparisonType, 0);
  case Default::OriginalApi:
    return EnumAttr::get(context, EnumKind::CustomCallApiVersion, 1);
  case Default::ZeroInteger:
  case Default::ZeroVersion:
    return number(0);
  case Default::Ones:
    return splat(context, {rank}, 64, 1, types);
  case Default::NoFlags:
    return splat(context, {rank}, 1, 0, types);
  case Default::Zeros:
    return splat(context, {rank, 2}, 64, 0, types);
  }
  return {};
}

//===-- forms ---------------------------------------------------------------------------------===//

static std::optional<int64_t> numberOf(Attribute attribute) {
  auto number = dyn_cast_or_null<IntegerV1Attr>(attribute);
  return number && number.getValue().getSignificantBits() <= 64
             ? std::optional<int64_t>(number.getValue().getSExtValue())
             : std::nullopt;
}

// Returns the numbers of a one-dimensional tensor of integers of this width, or nothing.
static std::optional<SmallVector<int64_t>> numbersOf(Attribute attribute, unsigned bits) {
  auto tensor = dyn_cast_or_null<TensorV1Attr>(attribute);
  if (!tensor || tensor.getData().getType().getRank() != 1 ||
      !tensor.getData().getElementType().isInteger(bits)) {
    return std::nullopt;
  }
  SmallVector<int64_t> numbers;
  for (const APInt &number : tensor.getData().getValues<APInt>()) {
    numbers.push_back(bits == 1 ? number.getZExtValue() : number.getSExtValue());
  }
  return numbers;
}

static Attribute symbolOf(Attribute attribute) {
  auto name = dyn_cast<StringV1Attr>(attribute);
  return name ? FlatSymbolRefAttr::get(attribute.getContext(), name.getValue()) : Attribute();
}

// Converts an attribute of form `form`; null if the attribute has a different form.
static Attribute formToStablehlo(Form form, Attribute attribute, TypeConverter &types) {
  MLIRContext *context = attribute.getContext();
  switch (form) {
  case Form::Numbers: {
    std::optional<SmallVector<int64_t>> numbers = numbersOf(attribute, 64);
    return numbers ? DenseI64ArrayAttr::get(context, *numbers) : Attribute();
  }
  case Form::Flags: {
    std::optional<SmallVector<int64_t>> numbers = numbersOf(attribute, 1);
    return numbers ? DenseBoolArrayAttr::get(context,
                                             SmallVector<bool>(numbers->begin(), numbers->end()))
                   : Attribute();
  }
  case Form::Symbol:
    return symbolOf(attribute);
  case Form::Symbols: {
    auto list = dyn_cast<ArrayV1Attr>(attribute);
    SmallVector<Attribute> symbols;
    for (Attribute item : list ? list.getValue() : ArrayRef<Attribute>()) {
      symbols.push_back(symbolOf(item));
    }
    bool isWhole = list && llvm::all_of(symbols, [](Attribute each) { return each != nullptr; });
    return isWhole ? ArrayAttr::get(context, symbols) : Attribute();
  }
  case Form::Channel: {
    std::optional<int64_t> id = numberOf(attribute);
    return id ? stablehlo::ChannelHandleAttr::get(context, *id, 0) : Attribute();
  }
  case Form::Unit: {
    auto flag = dyn_cast<BooleanV1Attr>(attribute);
    return flag && flag.getValue() ? UnitAttr::get(context) : Attribute();
  }
  case Form::Same:
  case Form::ApiVersion:
    return attributeToStablehlo(attribute, types);
  }
  return {};
}

static Attribute formToVhlo(Form form, Attribute attribute, TypeConverter &types) {
  MLIRContext *context = attribute.getContext();
  switch (form) {
  case Form::Channel: {
    auto channel = dyn_cast<stablehlo::ChannelHandleAttr>(attribute);
    auto id = channel ? IntegerAttr::get(IntegerType::get(context, 64), channel.getHandle())
                      : IntegerAttr();
    return id ? attributeToVhlo(id, types) : Attribute();
  }
  case Form::Unit:
    return BooleanV1Attr::get(context, true);
  case Form::ApiVersion: {
    auto number = dyn_cast<IntegerAttr>(attribute);
    bool isCase =
        number &&
        enumInfo(EnumKind::CustomCallApiVersion).hasCase(number.getValue().getLimitedValue());
    return isCase ? EnumAttr::get(context, EnumKind::CustomCallApiVersion,
                                  number.getValue().getZExtValue())
                  : Attribute();
  }
  default:
    return attributeToVhlo(attribute, types);
  }
}

//===-- groups --------------------------------------------------------------------------------===//

static std::string noCounterpart(StringRef name) {
  return "attribute `" + name.str() + "` has a value that has no counterpart";
}

// Joins the attributes of a group to one attribute, which is added to `converted`. Removes the
// joined attributes from `attributes`.
static std::optional<std::string> joinGroup(const AttributeGroup &group, NamedAttrList &attributes,
                                            MLIRContext *context, NamedAttrList &converted) {
  SmallVector<SmallVector<int64_t>> parts;
  for (StringRef part : group.parts) {
    bool isList = part.consume_front("*");
    Attribute attribute = attributes.erase(part);
    std::optional<SmallVector<int64_t>> numbers;
    if (isList) {
      numbers = numbersOf(attribute, 64);
    } else if (std::optional<int64_t> number = numberOf(attribute)) {
      numbers = SmallVector<int64_t>{*number};
    }
    if (!numbers) {
      return noCounterpart(part);
    }
    parts.push_back(*numbers);
  }
  converted.set(group.name, group.join(context, parts));
  return std::nullopt;
}

static std::optional<std::string> splitGroup(const AttributeGroup &group, NamedAttrList &attributes,
                                             TypeConverter &types, NamedAttrList &converted) {
  Attribute attribute = attributes.erase(group.name);
  SmallVector<SmallVector<int64_t>> parts;
  if (attribute) {
    parts = group.split(attribute);
  }
  if (parts.empty()) {
    return noCounterpart(group.name);
  }
  MLIRContext *context = attribute.getContext();
  for (auto [name, numbers] : llvm::zip_equal(group.parts, parts)) {
    Attribute value = name.starts_with("*")
                          ? static_cast<Attribute>(DenseI64ArrayAttr::get(context, numbers))
                          : IntegerAttr::get(IntegerType::get(context, 64), numbers.front());
    converted.set(name.ltrim('*'), attributeToVhlo(value, types));
  }
  return std::nullopt;
}

//===-- the algorithm of a dot ----------------------------------------------------------------===//

static constexpr StringLiteral algorithmParts[] = {
    "lhs_precision_type",          "rhs_precision_type",  "accumulation_type",
    "lhs_component_count",         "rhs_component_count", "num_primitive_operations",
    "allow_imprecise_accumulation"};

static bool isNone(Attribute attribute) {
  auto type = dyn_cast_or_null<TypeAttr>(attribute);
  return type && isa<NoneType>(type.getValue());
}

// Joins the attributes that `algorithmParts` lists to the algorithm of a dot. If all seven
// attributes are `none`, adds no algorithm. Returns a message if only some of them are `none`.
static std::optional<std::string> joinAlgorithm(NamedAttrList &attributes, TypeConverter &types,
                                                MLIRContext *context, NamedAttrList &converted) {
  SmallVector<Attribute> parts;
  for (StringRef name : algorithmParts) {
    Attribute part = attributes.erase(name);
    parts.push_back(part ? attributeToStablehlo(part, types) : part);
  }
  if (llvm::all_of(parts, isNone)) {
    return std::nullopt;
  }
  SmallVector<Type> partTypes;
  SmallVector<int64_t> numbers;
  for (Attribute part : ArrayRef(parts).take_front(3)) {
    auto type = dyn_cast_or_null<TypeAttr>(part);
    partTypes.push_back(type && !isNone(part) ? type.getValue() : Type());
  }
  for (Attribute part : ArrayRef(parts).slice(3, 3)) {
    auto number = dyn_cast_or_null<IntegerAttr>(part);
    if (number && number.getValue().getSignificantBits() <= 64) {
      numbers.push_back(number.getValue().getSExtValue());
    }
  }
  auto imprecise = dyn_cast_or_null<BoolAttr>(parts.back());
  if (!llvm::all_of(partTypes, [](Type type) { return type != nullptr; }) || numbers.size() != 3 ||
      !imprecise) {
    return noCounterpart("lhs_precision_type");
  }
  converted.set("algorithm", stablehlo::DotAlgorithmAttr::get(context, partTypes[0], partTypes[1],
                                                              partTypes[2], numbers[0], numbers[1],
                                                              numbers[2], imprecise.getValue()));
  return std::nullopt;
}

static std::optional<std::string> splitAlgorithm(NamedAttrList &attributes, TypeConverter &types,
                                                 MLIRContext *context, NamedAttrList &converted) {
  auto algorithm = dyn_cast_or_null<stablehlo::DotAlgorithmAttr>(attributes.erase("algorithm"));
  SmallVector<Attribute> parts(std::size(algorithmParts), TypeAttr::get(NoneType::get(context)));
  if (algorithm) {
    auto number = [&](int64_t value) {
      return IntegerAttr::get(IntegerType::get(context, 64), value);
    };
    parts = {TypeAttr::get(algorithm.getLhsPrecisionType()),
             TypeAttr::get(algorithm.getRhsPrecisionType()),
             TypeAttr::get(algorithm.getAccumulationType()),
             number(algorithm.getLhsComponentCount()),
             number(algorithm.getRhsComponentCount()),
             number(algorithm.getNumPrimitiveOperations()),
             BoolAttr::get(context, algorithm.getAllowImpreciseAccumulation())};
  }
  for (auto [name, part] : llvm::zip_equal(algorithmParts, parts)) {
    Attribute value = attributeToVhlo(part, types);
    if (!value) {
      return noCounterpart(name);
    }
    converted.set(name, value);
  }
  return std::nullopt;
}

std::vector<std::string> stablehloAttributeNames(const OperationVersion &row) {
  std::vector<std::string> names;
  const AttributeGroup *group = attributeGroup(row.base);
  for (StringRef name : row.attributes) {
    if (group && (llvm::is_contained(group->parts, name) ||
                  llvm::is_contained(group->parts, ("*" + name).str()))) {
      names.push_back(group->name.str());
    } else if (row.base == "dot_general" && llvm::is_contained(algorithmParts, name)) {
      names.push_back("algorithm");
    } else {
      names.push_back(ruleFor(row.base, name).stablehlo.str());
    }
  }
  llvm::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

//===-- all of an operation -------------------------------------------------------------------===//

std::optional<std::string> inherentToStablehlo(StringRef base, DictionaryAttr attributes,
                                               TypeConverter &types, NamedAttrList &converted) {
  MLIRContext *context = attributes.getContext();
  NamedAttrList rest(attributes);
  if (const AttributeGroup *group = attributeGroup(base)) {
    if (std::optional<std::string> error = joinGroup(*group, rest, context, converted)) {
      return error;
    }
  }
  if (base == "dot_general") {
    if (std::optional<std::string> error = joinAlgorithm(rest, types, context, converted)) {
      return error;
    }
  }
  // If only one of a custom call's `operand_layouts` and `result_layouts` is the default, both
  // attributes are kept.
  auto isNoLayout = [&](StringRef name) {
    Attribute layouts = rest.get(name);
    return layouts && isDefault(Default::EmptyArray, layouts);
  };
  bool keepsLayouts = isNoLayout("operand_layouts") != isNoLayout("result_layouts");
  for (NamedAttribute each : rest) {
    StringRef name = each.getName();
    AttributeRule rule = ruleFor(base, name);
    if (isDefault(rule.absent, each.getValue()) && !(keepsLayouts && name.ends_with("_layouts"))) {
      continue;
    }
    Attribute value = formToStablehlo(rule.form, each.getValue(), types);
    if (!value) {
      return noCounterpart(name);
    }
    converted.set(rule.stablehlo, value);
  }
  return std::nullopt;
}

std::optional<std::string> inherentToVhlo(const OperationVersion &row, DictionaryAttr attributes,
                                          TypeConverter &types, NamedAttrList &converted) {
  MLIRContext *context = attributes.getContext();
  NamedAttrList rest(attributes);
  if (const AttributeGroup *group = attributeGroup(row.base)) {
    if (std::optional<std::string> error = splitGroup(*group, rest, types, converted)) {
      return error;
    }
  }
  if (row.base == "dot_general") {
    if (std::optional<std::string> error = splitAlgorithm(rest, types, context, converted)) {
      return error;
    }
  }
  SmallVector<AttributeRule> absent;
  for (StringRef name : row.attributes) {
    if (converted.get(name)) {
      continue;
    }
    AttributeRule rule = ruleFor(row.base, name);
    Attribute given = rest.erase(rule.stablehlo);
    if (!given) {
      absent.push_back(rule);
      // The rule may apply to a single operation. In this case, the name in the rule has a prefix.
      absent.back().vhlo = name;
      continue;
    }
    Attribute value = formToVhlo(rule.form, given, types);
    if (!value) {
      return noCounterpart(rule.stablehlo);
    }
    converted.set(name, value);
  }
  for (const AttributeRule &rule : absent) {
    Attribute value = makeDefault(rule.absent, context, converted, types);
    if (!value) {
      return "attribute `" + rule.stablehlo.str() + "` is missing, and artifacts have no default";
    }
    converted.set(rule.vhlo, value);
  }
  if (!rest.empty()) {
    return "attribute `" + rest.begin()->getName().str() + "` has no counterpart";
  }
  return std::nullopt;
}

} // namespace drumlin::vhlo
