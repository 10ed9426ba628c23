#include "RandomProgram.h"

#include "GenerateRandom.h"
#include "drumlin/interpreter/kernels/Elements.h"
#include "drumlin/support/FloatFormats.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

namespace drumlin::fuzz {

std::string TensorType::text() const {
  std::string made = "tensor<";
  for (int64_t size : shape) {
    made += std::to_string(size) + "x";
  }
  return made + std::string(name(element)) + ">";
}

bool Program::isExact() const {
  return std::find(resultIsRounded.begin(), resultIsRounded.end(), true) == resultIsRounded.end();
}

static double specialNumber(ElementType type, Random &random) {
  const ElementTypeInfo &entry = info(type);
  int least = 1 - entry.exponentBias; // smallest exponent of normal numbers
  switch (random.below(8)) {
  case 0:
    return std::numeric_limits<double>::infinity();
  case 1:
    return -std::numeric_limits<double>::infinity();
  case 2:
    return std::numeric_limits<double>::quiet_NaN();
  case 3:
    return -0.0;
  case 4:
    return 0.0;
  case 5:
    return std::ldexp(random.chance(50) ? 1.0 : -1.0, least - 1);
  case 6:
    return std::ldexp(random.chance(50) ? 1.0 : -1.0, least - static_cast<int>(entry.mantissaBits));
  default:
    return random.chance(50) ? largestFinite(type) : -largestFinite(type);
  }
}

static double floatElement(const Argument &argument, Random &random) {
  ElementType type = argument.type.element;
  bool isScale = info(type).specials == FloatSpecials::ScaleOnly;
  switch (argument.filling) {
  case Filling::SmallIntegers:
    return isScale ? std::ldexp(1.0, static_cast<int>(random.between(-2, 2)))
                   : static_cast<double>(random.between(-3, 3));
  case Filling::Specials:
    if (random.chance(30)) {
      return specialNumber(type, random);
    }
    [[fallthrough]];
  default:
    return isScale ? std::ldexp(1.0, static_cast<int>(random.between(-2, 2)))
                   : 4 * random.unit() - 2;
  }
}

static int64_t integerElement(const Argument &argument, Random &random) {
  switch (argument.filling) {
  case Filling::Indices:
    return random.chance(80) ? random.between(0, 8)
                             : random.pick<int64_t>({-1, -1, -1, -2, -3, 9, 17, 40, 127, -128});
  case Filling::AnyInteger:
    return random.chance(20) ? random.pick<int64_t>({0, 1, -1, std::numeric_limits<int64_t>::min(),
                                                     std::numeric_limits<int64_t>::max()})
                             : static_cast<int64_t>(random.next());
  default:
    return random.between(-3, 3);
  }
}

std::vector<Tensor> Program::makeArguments() const {
  std::vector<Tensor> made;
  for (size_t i = 0; i < arguments.size(); ++i) {
    const Argument &argument = arguments[i];
    // Each argument has its own random stream, so that dropping one argument leaves the others
    // unchanged.
    Random random(Random(seed).next() + i);
    ElementType type = argument.type.element;
    Tensor tensor(type, argument.type.shape);
    size_t width = storageBytes(type);
    for (int64_t at = 0; at < tensor.elements(); ++at) {
      std::byte *element = tensor.data() + static_cast<size_t>(at) * width;
      if (isFloat(type)) {
        double value = floatElement(argument, random);
        encodeRun(type, &value, element, 1);
      } else {
        int64_t value = integerElement(argument, random);
        if (unsigned bits = info(type).bits; bits < 8) {
          value =
              isSigned(type) ? interpreter::wrap(value, bits) : value & ((int64_t(1) << bits) - 1);
        }
        std::memcpy(element, &value, width); // copies the low bytes (little endian)
      }
    }
    made.push_back(std::move(tensor));
  }
  return made;
}

} // namespace drumlin::fuzz
