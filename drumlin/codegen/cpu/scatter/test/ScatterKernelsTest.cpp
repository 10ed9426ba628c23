// Compares native code of scatters with the interpreter.
#include "drumlin/codegen/cpu/test/KernelCheck.h"

using namespace drumlin;

struct ScatterCase {
  Shape input, indices, updates;
  std::string numbers; // contents of #stablehlo.scatter<…>
  int64_t indexRange;  // indices are drawn from [-2, indexRange)
};

static std::string scatterProgram(const ScatterCase &c, ElementType type, ElementType indexType,
                                  std::string body) {
  replaceAll(body, "<T>", "<" + std::string(name(type)) + ">");
  std::string input = tensorType(c.input, type), indices = tensorType(c.indices, indexType);
  std::string updates = tensorType(c.updates, type), element = tensorType({}, type);
  return "func.func @main(%x: " + input + ", %i: " + indices + ", %u: " + updates + ") -> " +
         input +
         " {\n  %r = \"stablehlo.scatter\"(%x, %i, %u) <{scatter_dimension_numbers = "
         "#stablehlo.scatter<" +
         c.numbers + ">}> ({\n  ^bb0(%a: " + element + ", %b: " + element + "):\n" + body +
         "  }) : (" + input + ", " + indices + ", " + updates + ") -> " + input +
         "\n  return %r : " + input + "\n}\n";
}

static void checkScatter(const ScatterCase &c, ElementType type, const std::string &body,
                         ElementType indexType = ElementType::SI32,
                         const std::vector<std::string> &targets = nativeOnly) {
  Tensor indices(indexType, c.indices);
  std::mt19937_64 generator(11);
  for (int64_t i = 0; i < indices.elements(); ++i) {
    int64_t index = static_cast<int64_t>(generator() % static_cast<uint64_t>(c.indexRange + 2)) - 2;
    setElement(indices, i, static_cast<double>(index));
  }
  // For sums, values are drawn whose sums are exact in every type.
  Values values = body == addBody ? Values::Few : Values::Many;
  check(
      scatterProgram(c, type, indexType, body),
      {drawTensor(type, c.input, Values::Few, 1), indices, drawTensor(type, c.updates, values, 2)},
      targets);
}

// Rows of a table, with indices out of bounds and rows that are updated several times.
static const ScatterCase rowsOfTable = {{9, 37},
                                        {20, 1},
                                        {20, 37},
                                        "update_window_dims = [1], inserted_window_dims = [0], "
                                        "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
                                        11};

// Results that tasks divide along their rows, columns, or a dimension of batches, with windows that
// lie in the parts of several tasks.
TEST(ScatterKernel, DividedResults) {
  const std::string rows = rowsOfTable.numbers;
  const ScatterCase cases[] = {
      {{50, 300}, {120, 1}, {120, 300}, rows, 52},
      {{30, 130}, {400, 1}, {400, 130}, rows, 32},
      {{1, 300}, {120, 1}, {120, 300}, rows, 3},
      {{0, 300}, {120, 1}, {120, 300}, rows, 3},
      {{120, 110},
       {2},
       {100, 101},
       "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0",
       15},
      {{40, 200},
       {60, 1},
       {60, 5, 200},
       "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       41},
      {{40, 7, 30},
       {60, 1},
       {60, 7, 30},
       "update_window_dims = [1, 2], inserted_window_dims = [0], scatter_dims_to_operand_dims = "
       "[0], index_vector_dim = 1",
       41},
      {{6, 50, 300},
       {6, 40, 1},
       {6, 40, 300},
       "update_window_dims = [2], inserted_window_dims = [1], input_batching_dims = [0], "
       "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], index_vector_dim "
       "= 2",
       51}};
  for (const ScatterCase &each : cases) {
    checkScatter(each, ElementType::F32, addBody, ElementType::SI32, everyTarget);
    checkScatter(each, ElementType::BF16, setBody);
    checkScatter(each, ElementType::UI8, generalBody);
  }
}

TEST(ScatterKernel, RowsOfEveryType) {
  for (ElementType type : nativeTypes) {
    checkScatter(rowsOfTable, type, setBody);
    if (!isBoolean(type)) {
      checkScatter(rowsOfTable, type, addBody);
      checkScatter(rowsOfTable, type, generalBody);
    }
  }
  checkScatter(rowsOfTable, ElementType::F32, addBody, ElementType::SI32, everyTarget);
}

TEST(ScatterKernel, IndexTypes) {
  for (ElementType type : {ElementType::SI8, ElementType::SI64, ElementType::UI8, ElementType::UI32,
                           ElementType::UI64}) {
    checkScatter(rowsOfTable, ElementType::F32, addBody, type);
  }
  std::string program = scatterProgram(rowsOfTable, ElementType::F32, ElementType::SI64, addBody);
  Tensor indices(ElementType::SI64, {20, 1});
  indices.as<int64_t>()[0] = std::numeric_limits<int64_t>::min();
  indices.as<int64_t>()[1] = std::numeric_limits<int64_t>::max();
  indices.as<int64_t>()[2] = 5;
  check(program, {drawTensor(ElementType::F32, {9, 37}, Values::Few, 1), indices,
                  drawTensor(ElementType::F32, {20, 37}, Values::Few, 2)});
}

TEST(ScatterKernel, Shapes) {
  const ScatterCase cases[] = {
      // Updates of single elements, at positions given by one index and by two indices.
      {{30},
       {50, 1},
       {50},
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       32},
      {{6, 7},
       {50, 2},
       {50},
       "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [1, 0], index_vector_dim = 1",
       8},
      // Index tensors without an index vector dimension, and with this dimension first.
      {{30},
       {50},
       {50},
       "inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       32},
      {{6, 7},
       {2, 5, 3},
       {5, 3},
       "inserted_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 0",
       8},
      // Windows that are partly out of bounds: only elements in bounds are updated.
      {{40},
       {5, 1},
       {5, 20},
       "update_window_dims = [1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       44},
      {{12, 40},
       {5, 2},
       {5, 4, 20},
       "update_window_dims = [1, 2], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 1",
       42},
      // Full inner dimensions form one row; the outer dimension is clipped.
      {{12, 3, 5},
       {5, 1},
       {5, 4, 3, 5},
       "update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      {{12, 3, 50},
       {5, 1},
       {5, 4, 2, 50},
       "update_window_dims = [1, 2, 3], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      // Window dimensions before the scatter dimensions, and between them.
      {{12, 20},
       {7, 1},
       {4, 20, 7},
       "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       14},
      {{12, 20},
       {7, 3, 2},
       {7, 4, 3, 10},
       "update_window_dims = [1, 3], scatter_dims_to_operand_dims = [0, 1], index_vector_dim = 2",
       16},
      // A single index vector for the whole window.
      {{12, 20},
       {2},
       {4, 20},
       "update_window_dims = [0, 1], scatter_dims_to_operand_dims = [0, 1], "
       "index_vector_dim = 0",
       4},
      // Batching dimensions, in another order than the input's.
      {{4, 10},
       {4, 3, 1},
       {4, 3},
       "inserted_window_dims = [1], input_batching_dims = [0], "
       "scatter_indices_batching_dims = [0], scatter_dims_to_operand_dims = [1], "
       "index_vector_dim = 2",
       12},
      {{4, 3, 10, 16},
       {3, 1, 4, 5},
       {3, 4, 5, 16},
       "update_window_dims = [3], inserted_window_dims = [2], input_batching_dims = [0, 1], "
       "scatter_indices_batching_dims = [2, 0], scatter_dims_to_operand_dims = [2], "
       "index_vector_dim = 1",
       12},
      // No updates; empty inputs.
      {{6, 20},
       {0, 1},
       {0, 20},
       "update_window_dims = [1], inserted_window_dims = [0], "
       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       4},
      {{0, 20},
       {3, 1},
       {3, 20},
       "update_window_dims = [1], inserted_window_dims = [0], "
       "scatter_dims_to_operand_dims = [0], index_vector_dim = 1",
       4},
  };
  for (const ScatterCase &c : cases) {
    for (const std::string &body : {addBody, setBody}) {
      checkScatter(c, ElementType::F32, body);
      checkScatter(c, ElementType::SI8, body);
    }
  }
}

// Two inputs are updated together; in some cases only one result is used. The update computation
// captures a value from outside.
TEST(ScatterKernel, SeveralInputs) {
  const char *both = R"(
func.func @main(%x: tensor<9x20xf32>, %y: tensor<9x20xi32>, %i: tensor<12x1xi32>, %u: tensor<12x20xf32>,
                %v: tensor<12x20xi32>, %s: tensor<f32>) -> RESULT {
  %r:2 = "stablehlo.scatter"(%x, %y, %i, %u, %v) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<i32>, %c: tensor<f32>, %d: tensor<i32>):
    %p = stablehlo.compare LT, %b, %d : (tensor<i32>, tensor<i32>) -> tensor<i1>
    %m = stablehlo.multiply %c, %s : tensor<f32>
    %e = stablehlo.select %p, %m, %a : tensor<i1>, tensor<f32>
    %f = stablehlo.maximum %b, %d : tensor<i32>
    stablehlo.return %e, %f : tensor<f32>, tensor<i32>
  }) : (tensor<9x20xf32>, tensor<9x20xi32>, tensor<12x1xi32>, tensor<12x20xf32>, tensor<12x20xi32>)
      -> (tensor<9x20xf32>, tensor<9x20xi32>)
  RETURN
}
)";
  Tensor indices(ElementType::SI32, {12, 1});
  for (int i = 0; i < 12; ++i) {
    indices.as<int32_t>()[i] = i % 5 * 2;
  }
  std::vector<Tensor> arguments = {drawTensor(ElementType::F32, {9, 20}, Values::Many, 1),
                                   drawTensor(ElementType::SI32, {9, 20}, Values::Few, 2),
                                   indices,
                                   drawTensor(ElementType::F32, {12, 20}, Values::Many, 3),
                                   drawTensor(ElementType::SI32, {12, 20}, Values::Few, 4),
                                   tensorOf<float>(ElementType::F32, {}, {1.5f})};
  for (auto [result, returned] : std::vector<std::pair<std::string, std::string>>{
           {"(tensor<9x20xf32>, tensor<9x20xi32>)",
            "return %r#0, %r#1 : tensor<9x20xf32>, tensor<9x20xi32>"},
           {"tensor<9x20xf32>", "return %r#0 : tensor<9x20xf32>"},
           {"(tensor<9x20xi32>, tensor<9x20xf32>)",
            "return %r#1, %r#0 : tensor<9x20xi32>, tensor<9x20xf32>"}}) {
    std::string program = both;
    replaceAll(program, "RESULT", result);
    replaceAll(program, "RETURN", returned);
    check(program, arguments);
  }
}

// The inputs have no other users, so results reuse their memory and nothing is copied.
TEST(ScatterKernel, InPlace) {
  const std::string text = R"(
func.func @main(%x: tensor<9x20xf32>, %y: tensor<9x20xf32>, %i: tensor<12x1xi32>,
                %u: tensor<12x20xf32>) -> (tensor<9x20xf32>, tensor<9x20xf32>) {
  %x2 = stablehlo.dot_general %x, %u, contracting_dims = [1] x [1] : (tensor<9x20xf32>, tensor<12x20xf32>) -> tensor<9x12xf32>
  %x3 = stablehlo.slice %x2 [0:9, 0:12] : (tensor<9x12xf32>) -> tensor<9x12xf32>
  %z = stablehlo.constant dense<0.0> : tensor<f32>
  %x4 = stablehlo.pad %x3, %z, low = [0, 0], high = [0, 8], interior = [0, 0] : (tensor<9x12xf32>, tensor<f32>) -> tensor<9x20xf32>
  %y2 = stablehlo.negate %y : tensor<9x20xf32>
  %r:2 = "stablehlo.scatter"(%x4, %y2, %i, %u, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0],
      index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>, %c: tensor<f32>, %d: tensor<f32>):
    %e = stablehlo.add %a, %d : tensor<f32>
    %f = stablehlo.maximum %b, %c : tensor<f32>
    stablehlo.return %e, %f : tensor<f32>, tensor<f32>
  }) : (tensor<9x20xf32>, tensor<9x20xf32>, tensor<12x1xi32>, tensor<12x20xf32>, tensor<12x20xf32>)
      -> (tensor<9x20xf32>, tensor<9x20xf32>)
  %s = stablehlo.negate %r#0 : tensor<9x20xf32>
  %t = stablehlo.add %r#1, %r#1 : tensor<9x20xf32>
  return %s, %t : tensor<9x20xf32>, tensor<9x20xf32>
}
)";
  Tensor indices(ElementType::SI32, {12, 1});
  for (int i = 0; i < 12; ++i) {
    indices.as<int32_t>()[i] = i % 5 * 2;
  }
  // Small integers, so that the order of the dot's additions doesn't matter.
  check(text, {drawTensor(ElementType::F32, {9, 20}, Values::Few, 1),
               drawTensor(ElementType::F32, {9, 20}, Values::Few, 2), indices,
               drawTensor(ElementType::F32, {12, 20}, Values::Few, 3)});
}

// Tests inputs and updates that are splat constants.
TEST(ScatterKernel, Constants) {
  check(R"(
func.func @main(%i: tensor<12x1xi32>) -> tensor<30xf32> {
  %x = stablehlo.constant dense<1.0> : tensor<30xf32>
  %u = stablehlo.constant dense<0.5> : tensor<12xf32>
  %r = "stablehlo.scatter"(%x, %i, %u) <{scatter_dimension_numbers = #stablehlo.scatter<
      inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>}> ({
  ^bb0(%a: tensor<f32>, %b: tensor<f32>):
    %n = stablehlo.add %b, %a : tensor<f32>
    stablehlo.return %n : tensor<f32>
  }) : (tensor<30xf32>, tensor<12x1xi32>, tensor<12xf32>) -> tensor<30xf32>
  return %r : tensor<30xf32>
}
)",
        {drawTensor(ElementType::SI32, {12, 1}, Values::Few, 1)});
}
