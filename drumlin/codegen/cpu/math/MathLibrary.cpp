#include "drumlin/codegen/cpu/math/MathLibrary.h"

using namespace drumlin;

// Defined by the generated MathBitcode.c, which the build creates from MathBitcode.c.in.
extern "C" {
extern const uint8_t drumlinMathBitcodeFma[];
extern const uint8_t drumlinMathBitcodeFmaEnd[];
extern const uint8_t drumlinMathBitcodePlain[];
extern const uint8_t drumlinMathBitcodePlainEnd[];
}

static constexpr MathFunction Functions[] = {
#define DRUMLIN_MATH_FUNCTION(name, operation, element, arity, lanes, maxUlp, method)              \
  {#name, operation, MathElement::element, arity, lanes, maxUlp, method},
#include "drumlin/codegen/cpu/math/MathFunctions.def"
};

MathLibrary drumlin::mathLibrary(bool fma) {
  if (fma) {
    return {{drumlinMathBitcodeFma, drumlinMathBitcodeFmaEnd}};
  }
  return {{drumlinMathBitcodePlain, drumlinMathBitcodePlainEnd}};
}

std::span<const MathFunction> drumlin::mathFunctions() { return Functions; }

const MathFunction *drumlin::findMathFunction(std::string_view operation, MathElement element) {
  for (const MathFunction &function : Functions) {
    if (function.operation == operation && function.element == element) {
      return &function;
    }
  }
  return nullptr;
}
