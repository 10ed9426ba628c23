// Tests epilogues that read a GEMM's result transposed, reshaped, or several times in different
// orders.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

struct EpilogueProgram {
  const char *name;
  Shape lhs, rhs, result; // shapes; the dot is batched if they have rank 3
  const char *body;       // `D` is the type of the dot's result, `E` the type of its transpose
  std::vector<std::string> values, types;
};

static void PrintTo(const EpilogueProgram &program, std::ostream *stream) {
  *stream << program.name;
}

// Operands are small integers, so that every sum is exact in any order.
static void checkProgram(const EpilogueProgram &program, ElementType type) {
  bool isBatched = program.result.size() == 3;
  std::string lhs = tensorType(program.lhs, type), rhs = tensorType(program.rhs, type);
  std::string values, types;
  for (size_t i = 0; i < program.values.size(); ++i) {
    values += (i == 0 ? "" : ", ") + program.values[i];
    types += (i == 0 ? "" : ", ") + program.types[i];
  }
  std::string text = "func.func @main(%x: " + lhs + ", %y: " + rhs + ", %b: D) -> (" + types +
                     ") {\n  %d = stablehlo.dot_general %x, %y, " +
                     (isBatched ? "batching_dims = [0] x [0], contracting_dims = [2] x [1]"
                                : "contracting_dims = [1] x [0]") +
                     " : (" + lhs + ", " + rhs + ") -> D\n" + program.body + "  return " + values +
                     " : " + types + "\n}\n";
  Shape transposed = program.result;
  std::swap(transposed[transposed.size() - 1], transposed[transposed.size() - 2]);
  replaceAll(text, "TRANSPOSE", isBatched ? "dims = [0, 2, 1]" : "dims = [1, 0]");
  replaceAll(text, "ZERO", isFloat(type) ? "0.0" : "0");
  replaceAll(text, "D", tensorType(program.result, type));
  replaceAll(text, "E", tensorType(transposed, type));
  replaceAll(text, "SCALAR", "tensor<" + std::string(name(type)) + ">");
  check(text, {drawTensor(type, program.lhs, Values::Few, 1),
               drawTensor(type, program.rhs, Values::Few, 2),
               drawTensor(type, program.result, Values::Few, 3)});
}

static const std::vector<EpilogueProgram> &programs() {
  static const std::vector<EpilogueProgram> all = {
      {"Sum",
       {4, 4},
       {4, 4},
       {4, 4},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %r = stablehlo.add %d, %t : D
)",
       {"%r"},
       {"D"}},
      {"DifferenceOfSeveralTiles",
       {70, 6},
       {6, 70},
       {70, 70},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %r = stablehlo.subtract %t, %d : D
)",
       {"%r"},
       {"D"}},
      {"Batch",
       {3, 20, 5},
       {3, 5, 20},
       {3, 20, 20},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %r = stablehlo.subtract %d, %t : D
)",
       {"%r"},
       {"D"}},
      {"ReshapedTranspose",
       {6, 5},
       {5, 4},
       {6, 4},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %s = stablehlo.reshape %t : (E) -> D
  %r = stablehlo.multiply %d, %s : D
)",
       {"%r"},
       {"D"}},
      {"FartherDownTheChain",
       {18, 5},
       {5, 18},
       {18, 18},
       R"(
  %n = stablehlo.negate %d : D
  %t = stablehlo.transpose %n, TRANSPOSE : (D) -> E
  %a = stablehlo.abs %t : E
  %m = stablehlo.add %a, %b : D
  %r = stablehlo.multiply %m, %n : D
)",
       {"%r"},
       {"D"}},
      {"SeveralResults",
       {18, 5},
       {5, 18},
       {18, 18},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %n = stablehlo.negate %t : E
  %r = stablehlo.add %d, %n : D
)",
       {"%r", "%t", "%d", "%n"},
       {"D", "E", "D", "E"}},
      {"OneOrderInBothOperands",
       {18, 5},
       {5, 7},
       {18, 7},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %a = stablehlo.abs %t : E
  %r = stablehlo.subtract %t, %a : E
  %s = stablehlo.add %d, %b : D
)",
       {"%r", "%s"},
       {"E", "D"}},
      {"TransposedBack",
       {18, 5},
       {5, 7},
       {18, 7},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %a = stablehlo.abs %t : E
  %u = stablehlo.transpose %a, TRANSPOSE : (E) -> D
  %r = stablehlo.subtract %u, %d : D
)",
       {"%r", "%a"},
       {"D", "E"}},
      {"ReducedInEitherOrder",
       {18, 5},
       {5, 18},
       {18, 18},
       R"(
  %zero = stablehlo.constant dense<ZERO> : SCALAR
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %p = stablehlo.add %t, %b : E
  %m = stablehlo.reduce(%p init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (E, SCALAR) -> SCALAR
  %q = stablehlo.subtract %d, %b : D
  %k = stablehlo.reduce(%q init: %zero) applies stablehlo.minimum across dimensions = [0, 1] : (D, SCALAR) -> SCALAR
  %s = stablehlo.subtract %p, %q : D
  %l = stablehlo.reduce(%s init: %zero) applies stablehlo.maximum across dimensions = [0, 1] : (D, SCALAR) -> SCALAR
)",
       {"%m", "%k", "%l", "%q"},
       {"SCALAR", "SCALAR", "SCALAR", "D"}},
      {"Selected",
       {17, 5},
       {5, 17},
       {17, 17},
       R"(
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %r = stablehlo.clamp %t, %b, %d : D
)",
       {"%r"},
       {"D"}},
      // %k may overwrite %a only if each element is stored at the position that was just read. Here
      // the two positions differ.
      {"OtherOrderOverAnOperand",
       {20, 5},
       {5, 20},
       {20, 20},
       R"(
  %n = stablehlo.negate %b : D
  %a = stablehlo.optimization_barrier %n : D
  %c = stablehlo.abs %d : D
  %t = stablehlo.transpose %d, TRANSPOSE : (D) -> E
  %r = stablehlo.add %t, %a : E
  %k, %l = stablehlo.optimization_barrier %c, %r : D, D
  %q = stablehlo.negate %k : D
  %p = stablehlo.negate %l : D
)",
       {"%q", "%p"},
       {"D", "D"}},
  };
  return all;
}

class Epilogue : public testing::TestWithParam<EpilogueProgram> {};

TEST_P(Epilogue, ReadsOneOrder) {
  for (ElementType type : {ElementType::F32, ElementType::BF16, ElementType::SI32}) {
    SCOPED_TRACE(name(type));
    checkProgram(GetParam(), type);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Epilogue, testing::ValuesIn(programs()),
                         [](const testing::TestParamInfo<EpilogueProgram> &info) {
                           return info.param.name;
                         });
