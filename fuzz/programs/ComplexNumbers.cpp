// Chains of operations on complex numbers, which begin and end with real values.
#include "Generator.h"

namespace drumlin::fuzz {

// Builds a complex number from two real values, applies functions to it, and returns its real and
// imaginary parts or its magnitude. The functions have no branch cuts, since the last bit of a
// number could decide on which side of a cut the number is.
bool Generator::complexNumbers() {
  std::optional<Value> real = find([](const Value &each) {
    return (each.type.element == ElementType::F32 || each.type.element == ElementType::F64) &&
           each.type.elements() > 0 && each.type.shape.size() <= 4;
  });
  if (!real || isExact) {
    return false;
  }
  Value imaginary = ofType(real->type);
  TensorType type = {real->type.element == ElementType::F32 ? ElementType::C64 : ElementType::C128,
                     real->type.shape};
  auto made = [&](const std::string &name, const std::string &text) {
    std::string result = newName();
    line(result + " = " + name + " " + text);
    ++program.operations;
    ++program.operationCounts[name + " " + std::string(drumlin::name(type.element))];
    return result;
  };
  auto ofParts = [&](const Value &re, const Value &im) {
    bool isChlo = random.chance(20);
    std::string name = isChlo ? "chlo.broadcast_complex" : "stablehlo.complex";
    ++program.operationCounts[name + " " + std::string(drumlin::name(re.type.element))];
    return made(name, re.name + ", " + im.name + " : " +
                          (isChlo ? "(" + re.type.text() + ", " + im.type.text() + ") -> " : "") +
                          type.text());
  };
  std::string z = ofParts(*real, imaginary), w = ofParts(imaginary, *real);
  int64_t count = random.between(1, 4);
  for (int64_t i = 0; i < count; ++i) {
    auto rank = static_cast<int64_t>(type.shape.size());
    switch (random.below(rank == 0 ? 3 : 5)) {
    case 0: {
      std::string name =
          random.pick<std::string>({"stablehlo.negate", "stablehlo.exponential", "stablehlo.sine",
                                    "stablehlo.tanh", "chlo.conj", "chlo.square", "chlo.cosh"});
      bool isChlo = name.starts_with("chlo.");
      z = made(name, z + " : " + type.text() + (isChlo ? " -> " + type.text() : ""));
      break;
    }
    case 1:
    case 2: {
      std::string name = random.pick<std::string>(
          {"stablehlo.add", "stablehlo.subtract", "stablehlo.multiply", "stablehlo.multiply"});
      z = made(name, z + ", " + w + " : " + type.text());
      break;
    }
    case 3: {
      std::string dimension = std::to_string(random.between(0, rank - 1));
      z = made("stablehlo.reverse", z + ", dims = [" + dimension + "] : " + type.text());
      break;
    }
    default: {
      // Sums over the last dimension, then continues with the sums.
      TensorType sums = {type.element, Shape(type.shape.begin(), type.shape.end() - 1)};
      std::string scalar = TensorType{type.element, {}}.text();
      std::string zero = made("stablehlo.constant", "dense<(0.0, 0.0)> : " + scalar);
      auto sum = [&](const std::string &of) {
        return made("stablehlo.reduce", "(" + of + " init: " + zero +
                                            ") applies stablehlo.add across dimensions = [" +
                                            std::to_string(rank - 1) + "] : (" + type.text() +
                                            ", " + scalar + ") -> " + sums.text());
      };
      z = sum(z);
      w = sum(w);
      type = sums;
    }
    }
  }
  TensorType part = {real->type.element, type.shape};
  Facts facts = madeOf({&*real, &imaginary});
  facts.mayBeNan = facts.isRounded = true;
  for (const char *name : {"stablehlo.real", "stablehlo.imag", "stablehlo.abs"}) {
    if (random.chance(60)) {
      emit(part, std::string(name) + " " + z + " : (" + type.text() + ") -> " + part.text(), facts);
    }
  }
  return true;
}

// A real number is its own real part, and its imaginary part is zero.
bool Generator::partsOfReal() {
  Value value = findOrMake([](const Value &each) { return isFloat(each.type.element); },
                           [&] { return TensorType{floatElement(), anyShape()}; });
  bool isReal = random.chance(50);
  Facts facts =
      isReal ? value.facts() : Facts{isScale(value.type.element) ? -1.0 : 0.0, false, false};
  facts.mayBeNan |= !isReal && isScale(value.type.element);
  emit(value.type,
       std::string(isReal ? "stablehlo.real" : "stablehlo.imag") + " " + value.name + " : (" +
           value.type.text() + ") -> " + value.type.text(),
       facts);
  return true;
}

// Emits a collective operation in a group of one process: the result is the process's own operand.
bool Generator::collective() {
  Value value = findOrMake(hasElements, [&] { return TensorType{anyElement(), anyShape(1)}; });
  std::string type = value.type.text(), groups = "replica_groups = dense<0> : tensor<1x1xi64>";
  std::string body;
  std::string name =
      random.pick<std::string>({"all_gather", "all_reduce", "all_to_all", "collective_broadcast",
                                "collective_permute", "collective_reduce", "reduce_scatter"});
  if (name == "all_gather") {
    groups += ", all_gather_dim = 0 : i64";
  } else if (name == "all_to_all") {
    groups += ", split_dimension = 0 : i64, concat_dimension = 0 : i64, split_count = 1 : i64";
  } else if (name == "collective_permute") {
    groups = "source_target_pairs = dense<0> : tensor<1x2xi64>";
  } else if (name != "collective_broadcast") {
    groups += name == "reduce_scatter" ? ", scatter_dimension = 0 : i64" : "";
    body = " " + reducerRegion({"stablehlo.add", true}, value.type.element);
  }
  emit(value.type,
       "\"stablehlo." + name + "\"(" + value.name + ") <{" + groups + "}>" + body + " : (" + type +
           ") -> " + type,
       value.facts());
  return true;
}

} // namespace drumlin::fuzz
