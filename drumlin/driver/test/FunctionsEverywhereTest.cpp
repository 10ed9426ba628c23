// Checks, for every f32 number, the equivalent forms from which functions are recognized.
#include "CompileAndRun.h"

#include "drumlin/runtime/executable/TensorCall.h"
#include "drumlin/support/test/functions/SpelledFunctions.h"

#include <algorithm>
#include <cstring>

namespace drumlin {

constexpr int64_t numbers = int64_t(1) << 26; // per call

static std::string reduction(const std::string &value, const std::string &type) {
  return "stablehlo.reduce(" + value +
         " init: %least) applies stablehlo.maximum across "
         "dimensions = [0] : (" +
         type + ", tensor<f64>) -> tensor<f64>";
}

// Returns a program whose argument is the bit pattern of an f32 number. For this number and the
// following ones, the program computes the largest difference between each equivalent form and the
// definition. The unit of the difference is one ULP of f32 plus half an ULP of 1, since constants
// are rounded. Numbers and differences that aren't finite are skipped.
static std::string programOf(const Spelled &definition, const std::vector<Spelled> &others) {
  std::string count = std::to_string(numbers), type = "tensor<" + count + "xf64>";
  auto of = [&](const char *element) { return "tensor<" + count + "x" + element + ">"; };
  SpelledText text(type, "%x");
  std::string exact = text.write(definition.written);
  std::vector<std::string> spelled;
  for (const Spelled &each : others) {
    spelled.push_back(text.write(each.written));
  }
  std::string body =
      "  %number = stablehlo.iota dim = 0 : " + of("ui32") +
      "\n  %firsts = stablehlo.broadcast_in_dim %first, dims = [] : (tensor<ui32>) -> " +
      of("ui32") + "\n  %bits = stablehlo.add %firsts, %number : " + of("ui32") +
      "\n  %single = stablehlo.bitcast_convert %bits : (" + of("ui32") + ") -> " + of("f32") +
      "\n  %x = stablehlo.convert %single : (" + of("f32") + ") -> " + type + "\n" + text.text() +
      "  %finite = stablehlo.is_finite %x : (" + type + ") -> " + of("i1") + "\n" +
      "  %least = stablehlo.constant dense<0.0> : tensor<f64>\n"
      "  %zeros = stablehlo.constant dense<0.0> : " +
      type + "\n  %exponents = stablehlo.constant dense<0x7FF0000000000000> : " + of("ui64") +
      "\n  %smallest = stablehlo.constant dense<0x3810000000000000> : " + type + // 2^-126
      "\n  %last = stablehlo.constant dense<0x3E80000000000000> : " + type +     // 2^-23
      "\n  %half = stablehlo.constant dense<0x3E60000000000000> : " + type +     // 2^-25
      "\n  %b0 = stablehlo.bitcast_convert " + exact + " : (" + type + ") -> " + of("ui64") +
      "\n  %b1 = stablehlo.and %b0, %exponents : " + of("ui64") +
      "\n  %b2 = stablehlo.bitcast_convert %b1 : (" + of("ui64") + ") -> " + type +
      "\n  %b3 = stablehlo.maximum %b2, %smallest : " + type +
      "\n  %b4 = stablehlo.multiply %b3, %last : " + type +
      "\n  %unit = stablehlo.add %b4, %half : " + type + "\n";
  std::string results, types;
  for (size_t i = 0; i < spelled.size(); ++i) {
    std::string n = std::to_string(i);
    body += "  %d" + n + " = stablehlo.subtract " + spelled[i] + ", " + exact + " : " + type +
            "\n  %g" + n + " = stablehlo.is_finite %d" + n + " : (" + type + ") -> " + of("i1") +
            "\n  %f" + n + " = stablehlo.and %g" + n + ", %finite : " + of("i1") + "\n  %a" + n +
            " = stablehlo.abs %d" + n + " : " + type + "\n  %q" + n + " = stablehlo.divide %a" + n +
            ", %unit : " + type + "\n  %s" + n + " = stablehlo.select %f" + n + ", %q" + n +
            ", %zeros : " + of("i1") + ", " + type + "\n  %r" + n + " = " +
            reduction("%s" + n, type) + "\n";
    results += (i == 0 ? "%r" : ", %r") + n;
    types += i == 0 ? "tensor<f64>" : ", tensor<f64>";
  }
  return "func.func @main(%first: tensor<ui32>) -> (" + types + ") {\n" + body + "  return " +
         results + " : " + types + "\n}\n";
}

class Functions : public testing::TestWithParam<size_t> {};

// Each recognized form of a function differs from the function's definition by at most half of the
// unit that programOf() defines.
TEST_P(Functions, SpellingsAreTheirDefinitionAtEveryF32) {
  const Definition definition = definitions()[GetParam()];
  std::vector<Spelled> others;
  for (const Spelling &each : spellings()) {
    if (each.name == std::string_view(definition.name)) {
      others.push_back(each.function);
    }
  }
  ASSERT_FALSE(others.empty());
  TestProgram program(programOf(definition.make(definition.constants), others));
  std::unique_ptr<Executable> executable = compileAndLoad(*program.module, CompileOptions());
  ASSERT_TRUE(executable);
  std::vector<double> worst(others.size());
  for (int64_t first = 0; first < int64_t(1) << 32; first += numbers) {
    Tensor bits(ElementType::UI32, Shape{});
    auto number = static_cast<uint32_t>(first);
    std::memcpy(bits.data(), &number, sizeof number);
    Result<std::vector<Tensor>> apart = call(*executable, std::span<const Tensor>(&bits, 1));
    ASSERT_TRUE(apart) << apart.error().str();
    for (size_t i = 0; i < worst.size(); ++i) {
      double most = 0;
      std::memcpy(&most, (*apart)[i].data(), sizeof most);
      worst[i] = std::max(worst[i], most);
    }
  }
  for (size_t i = 0; i < worst.size(); ++i) {
    EXPECT_LE(worst[i], 0.5) << definition.name << ", spelling " << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Slow, Functions, testing::Range<size_t>(0, definitions().size()),
                         [](const auto &info) {
                           return std::string(definitions()[info.param].name);
                         });

} // namespace drumlin
