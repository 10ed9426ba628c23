// Operations that the compiler decomposes by their definitions. If the decomposition of an
// operation has intermediate roundings, exact programs don't contain the operation.
#include "Generator.h"
#include "PrintedProgram.h"

namespace drumlin::fuzz {

static Facts roundedFacts(ElementType type) { return {-1, isFloat(type), isFloat(type)}; }

static std::string attributes(const std::string &text) { return " <{" + text + "}> : ("; }

bool Generator::definition() {
  static constexpr Family all[] = {
      &Generator::summation, &Generator::olderForm,   &Generator::mapping,
      &Generator::scan,      &Generator::normalizing, &Generator::randomBits,
      &Generator::drawing,   &Generator::raggedDot,   &Generator::upperHalf,
      &Generator::tuple,     &Generator::dynamicConv};
  return (this->*all[random.below(std::size(all))])();
}

// Emits matrix products as older programs write them.
bool Generator::summation() {
  ElementType element = anyElement();
  int64_t rows = random.between(1, 9), columns = random.between(1, 9), depth = random.between(1, 9);
  if (isExact && isFloat(element)) {
    return false;
  }
  Value left = ofType({element, {rows, depth}});
  if (random.chance(40)) {
    TensorType type = {element, {depth, rows}};
    emit(type,
         "\"stablehlo.unary_einsum\"(" + left.name + ")" +
             attributes("einsum_config = \"ab->ba\"") + left.type.text() + ") -> " + type.text(),
         left.facts());
    return true;
  }
  Value right = ofType({element, {depth, columns}});
  TensorType type = {element, {rows, columns}};
  std::string operands = left.name + ", " + right.name;
  std::string types = left.type.text() + ", " + right.type.text() + ") -> " + type.text();
  bool isDot = random.chance(50);
  emit(type,
       isDot ? "stablehlo.dot " + operands + " : (" + types
             : "\"stablehlo.einsum\"(" + operands + ")" +
                   attributes("einsum_config = \"ab,bc->ac\"") + types,
       roundedFacts(element));
  return true;
}

// Emits older forms of data movement, or a sum over a group of one replica.
bool Generator::olderForm() {
  Value value = findOrMake([](const Value &each) { return hasElements(each); },
                           [&] { return TensorType{anyElement(), {anySize()}}; });
  if (!hasElements(value)) {
    return false;
  }
  TensorType type = value.type;
  switch (random.below(3)) {
  case 0:
    emit(type,
         "\"stablehlo.cross-replica-sum\"(" + value.name + ")" +
             attributes("replica_groups = dense<[[0]]> : tensor<1x1xi64>") + value.type.text() +
             ") -> " + type.text(),
         value.facts());
    return true;
  case 1: {
    int64_t size = random.between(1, 3);
    type.shape.insert(type.shape.begin(), size);
    if (!fits(type.shape) || type.shape.size() > 5) {
      return false;
    }
    emit(type,
         "stablehlo.broadcast " + value.name + ", sizes = [" + std::to_string(size) + "] : (" +
             value.type.text() + ") -> " + type.text(),
         value.facts());
    return true;
  }
  default: {
    size_t dimension = random.below(type.shape.size());
    int64_t count = random.between(1, 4);
    std::vector<int64_t> places;
    for (int64_t i = 0; i < count; ++i) {
      places.push_back(random.between(0, type.shape[dimension] - 1));
    }
    Value indices = dense(ElementType::SI32, places);
    type.shape[dimension] = count;
    emit(type,
         "\"stablehlo.torch_index_select\"(" + value.name + ", " + indices.name + ")" +
             attributes("batch_dims = 0 : i64, dim = " + std::to_string(dimension) + " : i64") +
             value.type.text() + ", " + indices.type.text() + ") -> " + type.text(),
         value.facts());
    return true;
  }
  }
}

bool Generator::mapping() {
  Value left = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  Value right = ofType(left.type);
  TensorType scalar = {left.type.element, {}};
  std::vector<int64_t> dimensions;
  for (size_t d = 0; d < left.type.shape.size(); ++d) {
    dimensions.push_back(static_cast<int64_t>(d));
  }
  std::string text = scalar.text();
  emit(left.type,
       "\"stablehlo.map\"(" + left.name + ", " + right.name + ") <{dimensions = " +
           arrayText(dimensions) + "}> ({ ^bb0(%x: " + text + ", %y: " + text +
           "): %z = stablehlo.maximum %x, %y : " + text + " stablehlo.return %z : " + text +
           " }) : (" + left.type.text() + ", " + right.type.text() + ") -> " + left.type.text(),
       madeOf({&left, &right},
              left.isIntegral() && right.isIntegral() ? std::max(left.bound, right.bound) : -1));
  return true;
}

// Emits a running maximum or minimum, from either end.
bool Generator::scan() {
  Value value = findOrMake([](const Value &each) { return hasElements(each); },
                           [&] { return TensorType{anyElement(), {anySize()}}; });
  if (!hasElements(value)) {
    return false;
  }
  size_t dimension = random.below(value.type.shape.size());
  TensorType part = value.type;
  part.shape.erase(part.shape.begin() + static_cast<std::ptrdiff_t>(dimension));
  Value init = ofType(part);
  Facts facts =
      madeOf({&value, &init},
             value.isIntegral() && init.isIntegral() ? std::max(value.bound, init.bound) : -1);
  std::string text = part.text();
  std::string operation = random.pick<std::string>({"maximum", "minimum"});
  std::string types = "(" + value.type.text() + ", " + text + ")";
  emitSeveral({value.type, part},
              "chlo.scan(" + value.name + ") inits (" + init.name +
                  ") dimension=" + std::to_string(dimension) +
                  " attributes {is_reverse = " + (random.chance(50) ? "true" : "false") +
                  "} { ^bb0(%x: " + text + ", %c: " + text + "): %z = stablehlo." + operation +
                  " %x, %c : " + text + " stablehlo.return %z, %z : " + text + ", " + text +
                  " } : " + types + " -> " + types,
              {facts, facts});
  return true;
}

// Emits a batch normalization. For narrow types each feature has only one element: a sum of several
// elements in another order would be rounded differently, which would change the results by more
// than their last bit.
bool Generator::normalizing() {
  ElementType element = anyElement();
  if (isExact || !isFloat(element)) {
    return false;
  }
  bool isNarrow = info(element).bits <= 16;
  int64_t features = random.between(1, 9);
  Value value = ofType(isNarrow ? TensorType{element, {features}}
                                : TensorType{element, {random.between(1, 9), features, 3}});
  TensorType vectorType = {element, {features}};
  Value scale = ofType(vectorType), offset = ofType(vectorType), mean = ofType(vectorType);
  Value variance = unaryOf("stablehlo.abs", ofType(vectorType));
  std::string form = attributes(
      "epsilon = 1.0 : f32, feature_index = " + std::string(isNarrow ? "0" : "1") + " : i64");
  std::string data = value.type.text(), vector = vectorType.text();
  std::string three = data + ", " + vector + ", " + vector;
  Facts facts = roundedFacts(element);
  switch (random.below(3)) {
  case 0:
    emit(value.type,
         "\"stablehlo.batch_norm_inference\"(" + value.name + ", " + scale.name + ", " +
             offset.name + ", " + mean.name + ", " + variance.name + ")" + form + three + ", " +
             vector + ", " + vector + ") -> " + data,
         facts);
    return true;
  case 1:
    emitSeveral({value.type, vectorType, vectorType},
                "\"stablehlo.batch_norm_training\"(" + value.name + ", " + scale.name + ", " +
                    offset.name + ")" + form + three + ") -> (" + three + ")",
                {facts, facts, facts});
    return true;
  default:
    emitSeveral({value.type, vectorType, vectorType},
                "\"stablehlo.batch_norm_grad\"(" + value.name + ", " + scale.name + ", " +
                    mean.name + ", " + variance.name + ", " + value.name + ")" + form + three +
                    ", " + vector + ", " + data + ") -> (" + three + ")",
                {facts, facts, facts});
    return true;
  }
}

bool Generator::randomBits() {
  TensorType type = {anyElement(), anyShape(2)};
  if (isBoolean(type.element) || (isExact && isFloat(type.element)) || !fits(type.shape)) {
    return false;
  }
  std::string algorithm = random.pick<std::string>({"THREE_FRY", "PHILOX", "DEFAULT"});
  Value state = dense(ElementType::UI64, {random.between(0, 1000), random.between(0, 1000)});
  emitSeveral({state.type, type},
              "stablehlo.rng_bit_generator " + state.name + ", algorithm = " + algorithm + " : (" +
                  state.type.text() + ") -> (" + state.type.text() + ", " + type.text() + ")",
              {{-1, false, false}, {-1, isFloat(type.element), false}});
  return true;
}

// Emits random numbers; the draws are numbered in program order.
bool Generator::drawing() {
  TensorType type = {anyElement(), anyShape(2)};
  if ((isExact && isFloat(type.element)) || !fits(type.shape)) {
    return false;
  }
  Value low = scalar(type.element, 1), high = scalar(type.element, isBoolean(type.element) ? 1 : 3);
  Value shape = dense(ElementType::SI64, type.shape);
  bool isNormal = isFloat(type.element) && random.chance(30);
  emit(type,
       "stablehlo.rng " + low.name + ", " + high.name + ", " + shape.name +
           ", distribution = " + (isNormal ? "NORMAL" : "UNIFORM") + " : (" + low.type.text() +
           ", " + high.type.text() + ", " + shape.type.text() + ") -> " + type.text(),
       {-1, false, isNormal});
  return true;
}

bool Generator::raggedDot() {
  ElementType element = anyElement();
  if (isExact && isFloat(element)) {
    return false;
  }
  int64_t rows = random.between(1, 20), depth = random.between(1, 6);
  int64_t columns = random.between(1, 9), groups = random.between(1, 3);
  Value left = ofType({element, {rows, depth}}),
        right = ofType({element, {groups, depth, columns}});
  std::vector<int64_t> sizesOfGroups;
  for (int64_t i = 0; i < groups; ++i) {
    sizesOfGroups.push_back(random.between(0, 9));
  }
  Value groupSizes = dense(ElementType::SI64, sizesOfGroups);
  TensorType type = {element, {rows, columns}};
  emit(type,
       "\"chlo.ragged_dot\"(" + left.name + ", " + right.name + ", " + groupSizes.name + ")" +
           attributes("ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions "
                      "= [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], "
                      "rhs_group_dimensions = [0]>") +
           left.type.text() + ", " + right.type.text() + ", " + groupSizes.type.text() + ") -> " +
           type.text(),
       roundedFacts(element));
  return true;
}

bool Generator::upperHalf() {
  ElementType element = integerElement();
  if (isBoolean(element)) {
    return false;
  }
  Value left = ofType({element, anyShape()}), right = ofType(left.type);
  emit(left.type,
       "chlo.mulhi " + left.name + ", " + right.name + " : " + left.type.text() + ", " +
           right.type.text() + " -> " + left.type.text(),
       {-1, false, false});
  return true;
}

bool Generator::tuple() {
  Value first = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  Value second = findOrMake([](const Value &) { return true; }, [&] { return anyType(); });
  std::string type = "tuple<" + first.type.text() + ", " + second.type.text() + ">";
  std::string made = newName();
  line(made + " = stablehlo.tuple " + first.name + ", " + second.name + " : " + type);
  ++program.operations;
  ++program.operationCounts["stablehlo.tuple " + std::string(drumlin::name(first.type.element))];
  const Value &taken = random.chance(50) ? first : second;
  emit(taken.type,
       "stablehlo.get_tuple_element " + made + "[" + (&taken == &first ? "0" : "1") + "] : (" +
           type + ") -> " + taken.type.text(),
       taken.facts());
  return true;
}

bool Generator::dynamicConv() {
  ElementType element = anyElement();
  if (isExact && isFloat(element)) {
    return false;
  }
  int64_t size = random.between(3, 9), features = random.between(1, 4);
  int64_t window = random.between(1, 3), low = random.between(0, 2);
  Value left = ofType({element, {1, size, features}});
  Value right = ofType({element, {window, features, 2}});
  TensorType paddingType = {ElementType::SI64, {1, 2}};
  Value padding =
      emit(paddingType,
           "stablehlo.constant dense<[[" + std::to_string(low) + ", 1]]> : " + paddingType.text(),
           {2, false, false});
  TensorType type = {element, {1, size + low + 1 - window + 1, 2}};
  emit(type,
       "\"stablehlo.dynamic_conv\"(" + left.name + ", " + right.name + ", " + padding.name + ")" +
           attributes("batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, "
                      "f]x[0, i, o]->[b, 0, f]>, feature_group_count = 1 : i64") +
           left.type.text() + ", " + right.type.text() + ", " + padding.type.text() + ") -> " +
           type.text(),
       roundedFacts(element));
  return true;
}

} // namespace drumlin::fuzz
