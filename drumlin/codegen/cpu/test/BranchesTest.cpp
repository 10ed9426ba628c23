// Tests nested `if`, `case` and `while`: the selected branch must run, and the memory of values in
// use must not be overwritten.
#include "KernelCheck.h"

using namespace drumlin;

static Tensor scalar(int32_t value) { return tensorOf<int32_t>(ElementType::SI32, {}, {value}); }

static Tensor numbers(int64_t elements, uint64_t seed) {
  return drawTensor(ElementType::F32, {elements}, Values::Many, seed);
}

TEST(Branches, IfTakesTheFirstRegionForTrue) {
  const char *text = R"(
func.func @main(%p: tensor<i1>, %x: tensor<40xf32>) -> (tensor<40xf32>, tensor<40xf32>) {
  %r:2 = "stablehlo.if"(%p) ({
    %a = stablehlo.negate %x : tensor<40xf32>
    stablehlo.return %a, %x : tensor<40xf32>, tensor<40xf32>
  }, {
    %b = stablehlo.reverse %x, dims = [0] : tensor<40xf32>
    stablehlo.return %x, %b : tensor<40xf32>, tensor<40xf32>
  }) : (tensor<i1>) -> (tensor<40xf32>, tensor<40xf32>)
  return %r#0, %r#1 : tensor<40xf32>, tensor<40xf32>
})";
  for (bool condition : {false, true}) {
    Tensor predicate(ElementType::I1, {});
    setElement(predicate, 0, condition);
    check(text, {predicate, numbers(40, 1)}, everyTarget);
  }
}

// An out-of-range index selects the last branch.
TEST(Branches, CaseTakesTheLastBranchForOtherNumbers) {
  const char *text = R"(
func.func @main(%i: tensor<i32>, %x: tensor<40xf32>) -> tensor<40xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<40xf32>
    stablehlo.return %a : tensor<40xf32>
  }, {
    %b = stablehlo.add %x, %x : tensor<40xf32>
    stablehlo.return %b : tensor<40xf32>
  }, {
    %c = stablehlo.constant dense<3.0> : tensor<40xf32>
    stablehlo.return %c : tensor<40xf32>
  }) : (tensor<i32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
})";
  for (int32_t index : {0, 1, 2, 3, -1, INT32_MAX, INT32_MIN}) {
    check(text, {scalar(index), numbers(40, 2)}, everyTarget);
  }
}

TEST(Branches, OneBranchWithoutResults) {
  check(R"(
func.func @main(%i: tensor<i32>, %x: tensor<0xf32>) -> tensor<0xf32> {
  "stablehlo.case"(%i) ({
    stablehlo.return
  }) : (tensor<i32>) -> ()
  %r = "stablehlo.case"(%i) ({
    %b = stablehlo.negate %x : tensor<0xf32>
    stablehlo.return %b : tensor<0xf32>
  }) : (tensor<i32>) -> tensor<0xf32>
  return %r : tensor<0xf32>
})",
        {scalar(5), Tensor(ElementType::F32, {0})});
}

// A branch reads a donated argument, and the result of the operation reuses the argument's memory.
TEST(Branches, ReadDonatedArguments) {
  for (int32_t index : {0, 1}) {
    check(R"(
func.func @main(%i: tensor<i32>, %x: tensor<40xf32> {tf.aliasing_output = 0 : i32}) -> tensor<40xf32> {
  %r = "stablehlo.case"(%i) ({
    %a = stablehlo.negate %x : tensor<40xf32>
    %b = stablehlo.reverse %x, dims = [0] : tensor<40xf32>
    %c = stablehlo.add %a, %b : tensor<40xf32>
    stablehlo.return %c : tensor<40xf32>
  }, {
    stablehlo.return %x : tensor<40xf32>
  }) : (tensor<i32>) -> tensor<40xf32>
  return %r : tensor<40xf32>
})",
          {scalar(index), numbers(40, 3)});
  }
}

namespace {
// A random program of pointwise operations, reversals, and nested branches and loops.
class RandomProgram {
public:
  explicit RandomProgram(uint64_t seed) : generator(seed) {}

  std::string text() {
    std::vector<std::string> values = {"%x", "%y"};
    std::string body = block(values, 8, 0);
    std::string results = pick(values) + ", " + pick(values) + ", " + values.back();
    return "func.func @main(%i: tensor<i32>, %j: tensor<i32>, %x: tensor<24xf32>, %y: "
           "tensor<24xf32>) -> (tensor<24xf32>, tensor<24xf32>, tensor<24xf32>) {\n" +
           body + "  return " + results + " : tensor<24xf32>, tensor<24xf32>, tensor<24xf32>\n}\n";
  }

private:
  uint64_t draw(uint64_t count) { return generator() % count; }
  std::string pick(const std::vector<std::string> &values) { return values[draw(values.size())]; }
  std::string fresh() { return "%v" + std::to_string(next++); }

  // Returns a random block of operations. Adds the values that the block defines to `values`.
  std::string block(std::vector<std::string> &values, int length, int depth) {
    std::string text;
    for (int i = 0; i < length; ++i) {
      std::string name = fresh();
      switch (draw(depth < 3 ? 6 : 4)) {
      case 0:
        text += name + " = stablehlo.maximum " + pick(values) + ", " + pick(values);
        text += " : tensor<24xf32>\n";
        break;
      case 1:
        text += name + " = stablehlo.negate " + pick(values) + " : tensor<24xf32>\n";
        break;
      case 2:
        text += name + " = stablehlo.reverse " + pick(values) + ", dims = [0] : tensor<24xf32>\n";
        break;
      case 3:
        text += name + " = stablehlo.constant dense<" + std::to_string(draw(9)) +
                ".0> : tensor<24xf32>\n";
        break;
      case 4:
        text += branches(name, values, depth);
        values.push_back(name + "#1");
        name += "#0";
        break;
      case 5:
        text += loop(name, values, depth);
        values.push_back(name + "#1");
        name += "#2";
        break;
      }
      values.push_back(name);
    }
    return text;
  }

  std::string branches(const std::string &name, const std::vector<std::string> &values, int depth) {
    std::string text = name + ":2 = \"stablehlo.case\"(" + (draw(2) ? "%i" : "%j") + ") (";
    uint64_t count = 1 + draw(3);
    for (uint64_t i = 0; i < count; ++i) {
      std::vector<std::string> inner = values;
      std::string body = block(inner, static_cast<int>(draw(4)), depth + 1);
      text += std::string(i == 0 ? "" : ", ") + "{\n" + body + "stablehlo.return " + pick(inner) +
              ", " + inner.back() + " : tensor<24xf32>, tensor<24xf32>\n}";
    }
    return text + ") : (tensor<i32>) -> (tensor<24xf32>, tensor<24xf32>)\n";
  }

  std::string loop(const std::string &name, const std::vector<std::string> &values, int depth) {
    std::string n = std::to_string(next++), types = "tensor<i32>, tensor<24xf32>, tensor<24xf32>";
    std::vector<std::string> inner = values;
    inner.push_back("%a" + n);
    inner.push_back("%b" + n);
    std::string body = block(inner, static_cast<int>(draw(4)), depth + 1);
    return "%z" + n + " = stablehlo.constant dense<0> : tensor<i32>\n%t" + n +
           " = stablehlo.constant dense<" + std::to_string(1 + draw(3)) + "> : tensor<i32>\n" +
           name + ":3 = stablehlo.while(%k" + n + " = %z" + n + ", %a" + n + " = " + pick(values) +
           ", %b" + n + " = " + pick(values) + ") : " + types + "\ncond {\n%p" + n +
           " = stablehlo.compare LT, %k" + n + ", %t" + n +
           " : (tensor<i32>, tensor<i32>) -> tensor<i1>\nstablehlo.return %p" + n +
           " : tensor<i1>\n} do {\n" + body + "%o" + n +
           " = stablehlo.constant dense<1> : tensor<i32>\n%l" + n + " = stablehlo.add %k" + n +
           ", %o" + n + " : tensor<i32>\nstablehlo.return %l" + n + ", " + pick(inner) + ", " +
           pick(inner) + " : " + types + "\n}\n";
  }

  std::mt19937_64 generator;
  int next = 0;
};
} // namespace

TEST(Branches, RandomNesting) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    std::string text = RandomProgram(seed).text();
    for (int32_t i : {0, 1}) {
      check(text, {scalar(i), scalar(static_cast<int32_t>(seed % 3)), numbers(24, seed),
                   numbers(24, seed + 100)});
    }
  }
}
