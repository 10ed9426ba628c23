// Tests results that are computed in parts, and results with a short last dimension:
// concatenations, pads, rolls, slices and broadcasts of many sizes.
#include "drumlin/codegen/cpu/test/GuardedOperands.h"

#include <cstring>

using namespace drumlin;

namespace {
// A program with operands x0, x1, … that returns %r.
struct Program {
  std::vector<Shape> operands;
  Shape result;
  std::string body;

  std::string text(ElementType type) const {
    std::string arguments;
    for (size_t i = 0; i < operands.size(); ++i) {
      arguments +=
          (i == 0 ? "%x" : ", %x") + std::to_string(i) + ": " + tensorType(operands[i], type);
    }
    return "func.func @main(" + arguments + ") -> " + tensorType(result, type) + " {\n" + body +
           "  return %r : " + tensorType(result, type) + "\n}\n";
  }
};
} // namespace

static Program concatenated(std::vector<Shape> operands, size_t dimension, ElementType type) {
  Program program{std::move(operands), {}, ""};
  program.result = program.operands.front();
  std::string names, types;
  program.result[dimension] = 0;
  for (size_t i = 0; i < program.operands.size(); ++i) {
    program.result[dimension] += program.operands[i][dimension];
    names += (i == 0 ? "%x" : ", %x") + std::to_string(i);
    types += (i == 0 ? "" : ", ") + tensorType(program.operands[i], type);
  }
  program.body = "  %r = stablehlo.concatenate " + names + ", dim = " + std::to_string(dimension) +
                 " : (" + types + ") -> " + tensorType(program.result, type) + "\n";
  return program;
}

static Program padded(const Shape &shape, const std::vector<int64_t> &low,
                      const std::vector<int64_t> &high, ElementType type) {
  Program program{{shape}, shape, ""};
  for (size_t d = 0; d < shape.size(); ++d) {
    program.result[d] += low[d] + high[d];
  }
  std::string scalar = tensorType({}, type);
  std::string value = isBoolean(type) ? "true" : isFloat(type) ? "1.0" : "1";
  program.body = "  %c = stablehlo.constant dense<" + value + "> : " + scalar +
                 "\n  %r = stablehlo.pad %x0, %c, low = [" + list(low) + "], high = [" +
                 list(high) + "], interior = [" + list(std::vector<int64_t>(shape.size(), 0)) +
                 "] : (" + tensorType(shape, type) + ", " + scalar + ") -> " +
                 tensorType(program.result, type) + "\n";
  return program;
}

// Returns a program that rolls the last dimension: its last `by` elements come first. The operand
// is added to the result (for booleans: or).
static Program rolled(const Shape &shape, int64_t by, ElementType type) {
  Program program{{shape}, shape, ""};
  auto slice = [&](const std::string &name, int64_t from, int64_t to) {
    Shape made = shape;
    std::string limits;
    for (size_t d = 0; d < shape.size(); ++d) {
      bool isLast = d + 1 == shape.size();
      made[d] = isLast ? to - from : shape[d];
      limits += (d == 0 ? "" : ", ") + std::to_string(isLast ? from : 0) + ":" +
                std::to_string(isLast ? to : shape[d]);
    }
    program.body += "  %" + name + " = stablehlo.slice %x0 [" + limits + "] : (" +
                    tensorType(shape, type) + ") -> " + tensorType(made, type) + "\n";
    return tensorType(made, type);
  };
  std::string a = slice("a", shape.back() - by, shape.back());
  std::string b = slice("b", 0, shape.back() - by);
  std::string whole = tensorType(shape, type);
  program.body += "  %s = stablehlo.concatenate %a, %b, dim = " + std::to_string(shape.size() - 1) +
                  " : (" + a + ", " + b + ") -> " + whole + "\n  %r = stablehlo." +
                  (isBoolean(type) ? "or" : "add") + " %s, %x0 : " + whole + "\n";
  return program;
}

// Returns a program that broadcasts a column and a row, and reverses the maximum of the two.
static Program outer(int64_t rows, int64_t columns, ElementType type) {
  Shape shape = {rows, columns};
  std::string whole = tensorType(shape, type), column = tensorType({rows}, type),
              row = tensorType({columns}, type);
  return {{{rows}, {columns}},
          shape,
          "  %a = stablehlo.broadcast_in_dim %x0, dims = [0] : (" + column + ") -> " + whole +
              "\n  %b = stablehlo.broadcast_in_dim %x1, dims = [1] : (" + row + ") -> " + whole +
              "\n  %m = stablehlo.maximum %a, %b : " + whole +
              "\n  %r = stablehlo.reverse %m, dims = [1] : " + whole + "\n"};
}

// Returns a program that transposes the operand. To the transpose, it adds either the transpose
// itself or another operand, whose memory the result may reuse.
static Program transposed(const Shape &shape, const std::vector<int64_t> &order, bool withOther,
                          ElementType type) {
  Program program{{shape}, {}, ""};
  for (int64_t dimension : order) {
    program.result.push_back(shape[static_cast<size_t>(dimension)]);
  }
  std::string from = tensorType(shape, type), to = tensorType(program.result, type);
  if (withOther) {
    program.operands.push_back(program.result);
  }
  program.body = "  %t = stablehlo.transpose %x0, dims = [" + list(order) + "] : (" + from +
                 ") -> " + to + "\n  %r = stablehlo." + (isBoolean(type) ? "or" : "add") + " %t, " +
                 (withOther ? "%x1" : "%t") + " : " + to + "\n";
  return program;
}

// Returns a program that gathers the operand's rows in another order, possibly repeating rows.
static Program gathered(int64_t rows, int64_t columns, ElementType type) {
  Shape shape = {rows, columns};
  std::string whole = tensorType(shape, type);
  std::string indices = "tensor<" + std::to_string(rows) + "x1xi32>";
  std::string dimensions = "#stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], "
                           "start_index_map = [0], index_vector_dim = 1>";
  return {{shape},
          shape,
          "  %i = stablehlo.iota dim = 0 : " + indices + "\n  %c = stablehlo.constant dense<7> : " +
              indices + "\n  %j = stablehlo.multiply %i, %c : " + indices +
              "\n  %n = stablehlo.constant dense<" + std::to_string(rows) + "> : " + indices +
              "\n  %k = stablehlo.remainder %j, %n : " + indices +
              "\n  %r = \"stablehlo.gather\"(%x0, %k) <{dimension_numbers = " + dimensions +
              ", slice_sizes = array<i64: 1, " + std::to_string(columns) + ">}> : (" + whole +
              ", " + indices + ") -> " + whole + "\n"};
}

// Returns a program that reverses the difference of a broadcast column and a broadcast row of
// complex numbers. Each number's real and imaginary part are adjacent.
static Program complexRows(int64_t rows, int64_t columns, bool withMatrix, ElementType type) {
  Program program = outer(rows, columns, type);
  Shape shape = {rows, columns};
  std::string whole = tensorType(shape, type);
  program.body.replace(program.body.find("maximum"), 7, "subtract");
  if (withMatrix) { // the result may reuse the memory of %x2
    program.operands.push_back(shape);
    program.body.replace(program.body.find("%r = "), 5, "%s = ");
    program.body += "  %r = stablehlo.add %s, %x2 : " + whole + "\n";
  }
  return program;
}

static Tensor drawOperand(ElementType type, const Shape &shape, uint64_t seed) {
  if (!isComplex(type)) {
    return drawTensor(type, shape, Values::Special, seed);
  }
  Shape ofParts = shape;
  ofParts.push_back(2);
  ElementType part = type == ElementType::C64 ? ElementType::F32 : ElementType::F64;
  Tensor parts = drawTensor(part, ofParts, Values::Few, seed), made(type, shape);
  std::memcpy(made.data(), parts.data(), static_cast<size_t>(made.bytes()));
  return made;
}

static void checkProgram(const Program &program, ElementType type) {
  std::vector<Tensor> operands;
  for (const Shape &shape : program.operands) {
    operands.push_back(drawOperand(type, shape, operands.size()));
  }
  check(program.text(type), operands, everyTarget);
}

// Widths below, at and above vector sizes. Except for 1, no width divides the next one.
static const std::vector<int64_t> widths = {1, 2, 3, 7, 15, 16, 17, 50, 101, 197};

TEST(Parts, OfConcatenations) {
  size_t turn = 0;
  for (int64_t width : widths) {
    auto type = [&] { return nativeTypes[turn++ % nativeTypes.size()]; };
    ElementType lines = type(), rows = type(), columns = type(), middle = type();
    checkProgram(concatenated({{width}, {3}, {2 * width}}, 0, lines), lines);
    checkProgram(concatenated({{5, width}, {2, width}, {1, width}}, 0, rows), rows);
    checkProgram(concatenated({{4, width}, {4, 1}, {4, 20}}, 1, columns), columns);
    checkProgram(concatenated({{2, 3, width}, {2, 1, width}}, 1, middle), middle);
  }
  // More operands than the maximum number of parts.
  checkProgram(concatenated(std::vector<Shape>(40, {1, 33}), 0, ElementType::F32),
               ElementType::F32);
  checkProgram(concatenated(std::vector<Shape>(40, {3, 2}), 1, ElementType::SI8), ElementType::SI8);
}

TEST(Parts, OfPads) {
  size_t turn = 0;
  for (int64_t width : widths) {
    auto type = [&] { return nativeTypes[turn++ % nativeTypes.size()]; };
    ElementType both = type(), line = type(), deep = type();
    checkProgram(padded({6, width + 1}, {1, 1}, {1, 2}, both), both);
    checkProgram(padded({6, width + 1}, {-1, 0}, {2, -1}, both), both);
    checkProgram(padded({9 * width}, {5}, {11}, line), line);
    checkProgram(padded({2, 3, width, 5}, {0, 1, 2, 0}, {1, 0, 1, 1}, deep), deep);
  }
}

// Tests results of several work items, some of which have no elements of some parts.
TEST(Parts, OfSeveralTiles) {
  for (ElementType type : {ElementType::F32, ElementType::BF16, ElementType::SI8}) {
    checkProgram(padded({30, 501, 7}, {1, 1, 1}, {1, 1, 1}, type), type);
    checkProgram(padded({70001}, {20000}, {1}, type), type);
    checkProgram(concatenated({{301, 7}, {9000, 7}, {13, 7}}, 0, type), type);
    checkProgram(concatenated({{40001}, {3}, {17000}}, 0, type), type);
    checkProgram(concatenated({{1501, 37}, {2, 37}, {99, 37}}, 0, type), type);
    checkProgram(rolled({9001, 5}, 2, type), type);
    checkProgram(outer(9001, 7, type), type);
  }
}

// Tests transposed operands whose last blocks are partial in either dimension.
TEST(Parts, OfTransposes) {
  size_t turn = 0;
  for (int64_t width : widths) {
    for (int64_t rows : {12, 16, 17, 40, 1030}) {
      ElementType type = nativeTypes[turn++ % nativeTypes.size()];
      bool withOther = turn % 2 == 0;
      checkProgram(transposed({rows, width}, {1, 0}, withOther, type), type);
      checkProgram(transposed({width, rows}, {1, 0}, !withOther, type), type);
    }
    for (const std::vector<int64_t> &order :
         {std::vector<int64_t>{0, 2, 1}, {1, 2, 0}, {2, 1, 0}}) {
      ElementType type = nativeTypes[turn++ % nativeTypes.size()];
      checkProgram(transposed({18, width, 33}, order, false, type), type);
      checkProgram(transposed({18, width, 33}, order, true, type), type);
    }
  }
}

TEST(Parts, OfRolls) {
  size_t turn = 0;
  for (int64_t width : widths) {
    for (int64_t by : {int64_t(1), width / 2}) {
      if (by > 0 && by < width) {
        ElementType type = nativeTypes[turn++ % nativeTypes.size()];
        checkProgram(rolled({width}, by, type), type);
        checkProgram(rolled({5, width}, by, type), type);
        checkProgram(rolled({2, 30, width}, by, type), type);
      }
    }
  }
}

TEST(Parts, OfShortRows) {
  size_t turn = 0;
  for (int64_t columns : {1, 2, 3, 5, 6, 7, 9, 10, 11, 12, 13}) {
    for (int64_t rows : {1, 16, 97, 1000}) {
      ElementType type = nativeTypes[turn++ % nativeTypes.size()];
      checkProgram(outer(rows, columns, type), type);
      checkProgram(gathered(rows, columns, type), type);
    }
  }
}

TEST(Parts, OfComplexNumbers) {
  size_t turn = 0;
  for (int64_t columns : widths) {
    for (int64_t rows : {1, 5, 1030}) {
      ElementType type = turn++ % 2 == 0 ? ElementType::C64 : ElementType::C128;
      checkProgram(complexRows(rows, columns, turn % 3 == 0, type), type);
    }
  }
}

TEST(Parts, ReadNothingOutside) {
  for (const std::string &target : everyTarget) {
    for (ElementType type : {ElementType::F32, ElementType::SI64, ElementType::SI8}) {
      for (int64_t width : {7, 50, 197}) {
        for (const Program &program :
             {concatenated({{64 * width}, {128}, {64}}, 0, type),
              concatenated({{64, width}, {64, 2}, {64, 21}}, 1, type),
              concatenated({{64, width}, {128, width}}, 0, type),
              padded({64, width}, {1, 1}, {1, 2}, type), padded({64 * width}, {5}, {11}, type),
              rolled({64, width}, 3, type), rolled({64 * width}, 3, type),
              outer(64, 64 * width, type), outer(64 * width, 64, type), gathered(64, width, type),
              transposed({64, width}, {1, 0}, false, type),
              transposed({width, 64}, {1, 0}, true, type)}) {
          expectNothingTouchedOutside(program.text(type), target);
        }
      }
    }
  }
}
