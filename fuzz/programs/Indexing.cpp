// Operations whose indices are values: gathers, scatters, and slices whose starts are known only at
// run time.
#include "Generator.h"
#include "PrintedProgram.h"

#include <algorithm>

namespace drumlin::fuzz {

// Draws integer indices, some of them out of range.
Value Generator::indices(const Shape &shape) {
  ElementType element = random.weighted<ElementType>({{50, ElementType::SI32},
                                                      {15, ElementType::SI64},
                                                      {5, ElementType::UI32},
                                                      {5, ElementType::UI8},
                                                      {5, ElementType::SI8},
                                                      {15, ElementType::UI64},
                                                      {5, ElementType::SI16}});
  TensorType type = {element, shape};
  if (random.chance(25)) {
    if (std::optional<Value> found = find([&](const Value &each) { return each.type == type; })) {
      return *found;
    }
  }
  return random.chance(75) ? argument(type, Filling::Indices) : constant(type);
}

std::vector<Value> Generator::startIndices(size_t rank) {
  std::vector<Value> starts;
  if (rank == 0) {
    return starts;
  }
  starts.push_back(indices({}));
  TensorType type = starts[0].type;
  while (starts.size() < rank) {
    starts.push_back(random.chance(40)
                         ? scalar(type.element, static_cast<double>(random.between(0, 3)))
                         : ofType(type));
  }
  return starts;
}

static std::string operandText(const std::vector<Value> &values) {
  std::string text;
  for (const Value &value : values) {
    text += ", " + value.name;
  }
  return text;
}

static std::string typeText(const std::vector<Value> &values) {
  std::string text;
  for (const Value &value : values) {
    text += ", " + value.type.text();
  }
  return text;
}

bool Generator::dynamicSlicing() {
  Value value = findOrMake(hasElements, [&] { return TensorType{anyElement(), anyShape(2)}; });
  TensorType type = {value.type.element, {}};
  for (int64_t size : value.type.shape) {
    type.shape.push_back(random.chance(40) ? size
                                           : random.between(std::min<int64_t>(size, 1), size));
  }
  std::vector<Value> starts = startIndices(type.shape.size());
  if (starts.empty()) {
    return false;
  }
  emit(type,
       "stablehlo.dynamic_slice " + value.name + operandText(starts) +
           ", sizes = " + listText(type.shape) + " : (" + value.type.text() + typeText(starts) +
           ") -> " + type.text(),
       value.facts());
  return true;
}

bool Generator::dynamicUpdating() {
  Value value = findOrMake(hasElements, [&] { return TensorType{anyElement(), anyShape(2)}; });
  TensorType part = {value.type.element, {}};
  for (int64_t size : value.type.shape) {
    part.shape.push_back(random.chance(40) ? size
                                           : random.between(std::min<int64_t>(size, 1), size));
  }
  std::vector<Value> starts = startIndices(part.shape.size());
  if (starts.empty()) {
    return false;
  }
  Value update = ofType(part);
  Facts facts = madeOf({&value, &update});
  facts.bound =
      value.isIntegral() && update.isIntegral() ? std::max(value.bound, update.bound) : -1;
  emit(value.type,
       "stablehlo.dynamic_update_slice " + value.name + ", " + update.name + operandText(starts) +
           " : (" + value.type.text() + ", " + update.type.text() + typeText(starts) + ") -> " +
           value.type.text(),
       facts);
  return true;
}

namespace {
// The dimension numbers of a gather, or of a scatter. For a scatter, `slices` are its windows, and
// the `result` is its updates.
struct Windows {
  std::vector<int64_t> offsets;   // result dimensions that index into a slice
  std::vector<int64_t> collapsed; // operand dimensions that are dropped from slices
  std::vector<int64_t> startMap;  // the operand dimension of each component of an index vector
  std::vector<int64_t> sliceSizes;
  std::vector<int64_t> operandBatch, indexBatch;
  int64_t vectorDimension = 0;
  Shape indexShape, resultShape;
};
} // namespace

static Windows drawWindows(Random &random, const Shape &operand) {
  Windows windows;
  auto rank = static_cast<int64_t>(operand.size());
  Shape batch; // batch dimensions of the indices
  for (int64_t dims = random.weighted<int64_t>({{15, 0}, {60, 1}, {25, 2}}); dims > 0; --dims) {
    batch.push_back(random.between(1, 6));
  }
  Shape kept;
  for (int64_t i = 0; i < rank; ++i) {
    int64_t size = operand[static_cast<size_t>(i)];
    if (size > 0 && random.chance(8) && windows.indexBatch.empty()) {
      windows.operandBatch.push_back(i);
      windows.indexBatch.push_back(0);
      batch.insert(batch.begin(), size);
      windows.sliceSizes.push_back(1);
      continue;
    }
    int64_t length = random.chance(55) ? size : random.between(std::min<int64_t>(size, 1), size);
    bool isIndexed = random.chance(55) || (i + 1 == rank && windows.startMap.empty());
    if (isIndexed && random.chance(50) && size > 0) {
      windows.collapsed.push_back(i);
      length = 1;
    } else {
      length = isIndexed ? std::min(length, random.between(1, std::max<int64_t>(size, 1))) : length;
      kept.push_back(length);
    }
    if (isIndexed) {
      windows.startMap.push_back(i);
    }
    windows.sliceSizes.push_back(length);
  }
  random.shuffle(windows.startMap);
  auto components = static_cast<int64_t>(windows.startMap.size());
  windows.indexShape = batch;
  if (components == 1 && random.chance(20)) {
    windows.vectorDimension = static_cast<int64_t>(batch.size()); // each index is a scalar
  } else {
    windows.vectorDimension = random.chance(75)
                                  ? static_cast<int64_t>(batch.size())
                                  : random.between(windows.indexBatch.empty() ? 0 : 1,
                                                   static_cast<int64_t>(batch.size()));
    windows.indexShape.insert(windows.indexShape.begin() + windows.vectorDimension, components);
  }
  // The result's dimensions are the batch dimensions of the indices and the dimensions of the
  // slices, interleaved. Each of these two lists stays in order.
  size_t nextBatch = 0, nextKept = 0;
  bool isBatchFirst = random.chance(60);
  while (nextBatch < batch.size() || nextKept < kept.size()) {
    bool takesBatch = nextKept == kept.size() ||
                      (nextBatch < batch.size() && (isBatchFirst || random.chance(50)));
    if (takesBatch) {
      windows.resultShape.push_back(batch[nextBatch++]);
    } else {
      windows.offsets.push_back(static_cast<int64_t>(windows.resultShape.size()));
      windows.resultShape.push_back(kept[nextKept++]);
    }
  }
  return windows;
}

bool Generator::gathering() {
  Value operand = findOrMake(hasElements, [&] { return TensorType{anyElement(), anyShape(2)}; });
  if (!hasElements(operand)) {
    return false;
  }
  Windows windows = drawWindows(random, operand.type.shape);
  TensorType type = {operand.type.element, windows.resultShape};
  if (!fits(type.shape) || !fits(windows.indexShape) || type.shape.size() > 6) {
    return false;
  }
  Value places = indices(windows.indexShape);
  bool isDynamic = random.chance(8); // slice sizes are an operand
  std::string sizes = "slice_sizes = " + arrayText(windows.sliceSizes);
  std::string operands = operand.name + ", " + places.name;
  std::string types = operand.type.text() + ", " + places.type.text();
  if (isDynamic) {
    Value constant = dense(ElementType::SI32, windows.sliceSizes);
    operands += ", " + constant.name;
    types += ", " + constant.type.text();
    sizes = "indices_are_sorted = false";
  }
  emit(type,
       std::string(isDynamic ? "\"stablehlo.dynamic_gather\"(" : "\"stablehlo.gather\"(") +
           operands + ") <{dimension_numbers = #stablehlo.gather<offset_dims = " +
           listText(windows.offsets) + ", collapsed_slice_dims = " + listText(windows.collapsed) +
           ", operand_batching_dims = " + listText(windows.operandBatch) +
           ", start_indices_batching_dims = " + listText(windows.indexBatch) +
           ", start_index_map = " + listText(windows.startMap) +
           ", index_vector_dim = " + std::to_string(windows.vectorDimension) + ">, " + sizes +
           "}> : (" + types + ") -> " + type.text(),
       operand.facts());
  return true;
}

bool Generator::scattering() {
  Value operand = findOrMake(hasElements, [&] { return TensorType{anyElement(), anyShape(2)}; });
  ElementType element = operand.type.element;
  if (!hasElements(operand)) {
    return false;
  }
  Windows windows = drawWindows(random, operand.type.shape);
  TensorType updateType = {element, windows.resultShape};
  if (!fits(updateType.shape) || !fits(windows.indexShape) || updateType.shape.size() > 6) {
    return false;
  }
  double terms = static_cast<double>(updateType.elements());
  Reducer reducer = anyReducer(operand, terms);
  bool replaces = random.chance(30);
  if (replaces) {
    reducer = {"", false};
  }
  Value places = indices(windows.indexShape);
  Value updates = ofType(updateType);
  if (reducer.isSum) {
    updates = prepareTerms(updates, terms, reducer);
    operand = prepareTerms(operand, terms, reducer);
  }
  Facts facts = madeOf({&operand, &updates});
  bool both = operand.isIntegral() && updates.isIntegral();
  if (isFloat(element) && reducer.isSum) {
    // The updates are added in order, and each sum is rounded to the type.
    double sum = operand.bound + updates.bound * terms;
    bool isFine = both && reducer.name == "stablehlo.add" && sum <= exactLimit(element);
    if (!isFine && isExact) {
      return false;
    }
    facts.bound = isFine ? sum : -1;
    facts.isRounded |= !isFine;
    facts.mayBeNan |= !isFine;
  } else if (both) {
    facts.bound = std::max(operand.bound, updates.bound);
  }
  std::string scalarType = TensorType{element, {}}.text();
  std::string region;
  if (replaces) {
    std::string a = newName(), b = newName();
    region = "({\n" + indentation + "^bb0(" + a + ": " + scalarType + ", " + b + ": " + scalarType +
             "):\n" + indentation + "  stablehlo.return " + b + " : " + scalarType + "\n" +
             indentation + "})";
  } else {
    region = reducerRegion(reducer, element);
  }
  emit(operand.type,
       "\"stablehlo.scatter\"(" + operand.name + ", " + places.name + ", " + updates.name +
           ") <{scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = " +
           listText(windows.offsets) + ", inserted_window_dims = " + listText(windows.collapsed) +
           ", input_batching_dims = " + listText(windows.operandBatch) +
           ", scatter_indices_batching_dims = " + listText(windows.indexBatch) +
           ", scatter_dims_to_operand_dims = " + listText(windows.startMap) +
           ", index_vector_dim = " + std::to_string(windows.vectorDimension) + ">}> " + region +
           " : (" + operand.type.text() + ", " + places.type.text() + ", " + updates.type.text() +
           ") -> " + operand.type.text(),
       facts);
  return true;
}

} // namespace drumlin::fuzz
