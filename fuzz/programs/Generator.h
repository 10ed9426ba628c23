// Makes random programs of StableHLO and CHLO. They are typed and valid, and all correct
// implementations agree on their results up to rounding. A seed always gives the same program as
// long as the dialects have the same functions.
//
// A generator keeps the values that the next operation may use. Each has a type, and two facts that
// decide which operations may use it:
//   isRounded  the value's bits depend on how an implementation rounds inside sums and functions.
//              Such a value is never an operand of an operation that can turn a rounding
//              difference into an arbitrarily large one (a comparison, a conversion to integers, a
//              sort, an indexed access). So a difference larger than rounding explains is a fault.
//   bound      the elements are integers (or NaN) of at most this magnitude. Their sums are exact
//              in any order while they fit into the accumulator type.
// In an exact program no value is rounded, so all bits of all results are determined.
#pragma once

#include "GenerateFunctions.h"
#include "GenerateRandom.h"
#include "RandomProgram.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace drumlin::fuzz {

struct Facts {
  double bound = -1;     // maximum magnitude of integers; negative: not known to be integers
  bool mayBeNan = false; // an element may be NaN or infinite; for floating point only
  bool isRounded = false;

  bool isIntegral() const { return bound >= 0; }
};

struct Value : Facts {
  std::string name; // `%v12`
  TensorType type;
  int uses = 0;

  const Facts &facts() const { return *this; }
};

// Returns whether the value has rank 1 or more and isn't empty.
inline bool hasElements(const Value &value) {
  return !value.type.shape.empty() && value.type.elements() > 0;
}

// Returns the facts of a value that is computed from `values`. The caller gives the bound.
Facts madeOf(std::initializer_list<const Value *> values, double bound = -1);

class Generator {
public:
  explicit Generator(uint64_t seed, const Functions &available = allFunctions());
  Program make();

private:
  using Family = bool (Generator::*)();

  // Generator.cpp: the program, its values, and how they are chosen.
  void generate(int64_t count); // adds `count` operations to the current scope
  bool step();
  std::string finish();
  void makeFunction();
  std::vector<Value> chooseResults();

  // Writes an operation, and makes its results available to later operations.
  Value emit(const TensorType &type, const std::string &text, const Facts &facts);
  std::vector<Value> emitSeveral(const std::vector<TensorType> &types, const std::string &text,
                                 const std::vector<Facts> &facts);
  void line(const std::string &text);
  std::string newName() { return "%v" + std::to_string(nextName++); }

  using Wanted = std::function<bool(const Value &)>;
  std::optional<Value> find(const Wanted &wanted);
  Value findOrMake(const Wanted &wanted, const std::function<TensorType()> &otherwise);
  Value ofType(const TensorType &type);
  Value ofType(const TensorType &type, const Wanted &wanted);
  Value fresh(const TensorType &type);
  Value argument(const TensorType &type, std::optional<Filling> filling = {});
  Value constant(const TensorType &type);
  Value scalar(ElementType type, double number); // a rank-0 constant
  Value splat(const TensorType &type, double number);
  Value dense(ElementType type, const std::vector<int64_t> &numbers); // a rank-1 constant
  Value iota(const TensorType &type);
  void markUsed(const Value &value);

  ElementType anyElement();
  ElementType floatElement();
  ElementType integerElement();
  int64_t anySize();
  Shape anyShape(int64_t rank);
  Shape anyShape();
  TensorType anyType() { return {anyElement(), anyShape()}; }
  bool fits(const Shape &shape) const;
  std::vector<int64_t> permutation(size_t rank);

  // Conversions.cpp: converts a value to another type or shape.
  Value coerce(Value value, const TensorType &type);
  Value convert(Value value, ElementType element);
  Value reshape(Value value, const Shape &shape);
  Value transpose(Value value, const std::vector<int64_t> &permutation);
  Value broadcast(Value value, const std::vector<int64_t> &dims, const Shape &shape);
  Value slice(Value value, const Shape &starts, const Shape &limits, const Shape &strides);
  Value integers(Value value, double limit); // rounds and clamps to this magnitude
  Value elementOf(Value value);              // an element of the value, as a rank-0 value

  // GenerateElementwise.cpp
  bool unary();
  bool binary();
  bool ternary();
  bool comparison();
  bool conversion();
  bool reducedPrecision();
  Value unaryOf(const std::string &name, Value operand);
  Value binaryOf(const std::string &name, Value left, Value right);
  Value compare(const std::string &direction, Value left, Value right);
  Value select(Value predicate, Value onTrue, Value onFalse);
  std::vector<std::string> binaryNames(ElementType type) const;
  std::vector<std::string> unaryNames(ElementType type) const;

  // Movement.cpp
  bool reshaping();
  bool transposing();
  bool broadcasting();
  bool slicing();
  bool padding();
  bool concatenating();
  bool reversing();
  bool movingOn();
  bool makingIota();
  bool dynamicForm(); // emits an operation whose size operands are constants
  bool dynamicPad(const Value &value, ElementType sizeType);
  void dynamicSlice(const Value &value, ElementType sizeType);
  bool chloForm();    // emits an elementwise operation or a constant of CHLO
  bool recombining(); // combines a value with the same value in another element order
  Value rearranged(Value value);

  // GenerateReductions.cpp
  bool reducing();
  bool reducingPairs(); // emits an argmax, or a reduction with two results
  bool windowing();
  bool scanning(); // emits a prefix sum as a reduce_window
  bool selectingAndScattering();
  struct Reducer {
    std::string name; // `stablehlo.add`
    bool isSum = false;
  };
  Value windowStart(const Reducer &reducer, ElementType element);
  Reducer anyReducer(const Value &input, double terms);
  Value reduce(const Reducer &reducer, Value input, const std::vector<int64_t> &dims);
  double identity(const std::string &reducer, ElementType type) const;
  Value prepareTerms(Value input, double terms, const Reducer &reducer);
  std::string reducerRegion(const Reducer &reducer, ElementType type);

  // Contractions.cpp
  bool dot();
  bool convolving();
  std::optional<Value> matrixProduct(Value left, int64_t columns);
  Value exactFactor(Value value, double terms);

  // Indexing.cpp
  bool gathering();
  bool scattering();
  bool dynamicSlicing();
  bool dynamicUpdating();
  Value indices(const Shape &shape);
  std::vector<Value> startIndices(size_t rank);

  // Sorting.cpp
  bool sorting();
  bool takingTop();

  // GenerateControl.cpp
  bool looping();
  bool branching();
  bool switching();
  bool calling();
  bool barrier();
  Value predicate();
  std::vector<Value> region(const std::vector<TensorType> &results, int64_t operations,
                            std::string &text);

  // Definitions.cpp: operations that the compiler decomposes.
  bool definition();
  bool summation();
  bool olderForm();
  bool mapping();
  bool scan();
  bool normalizing();
  bool randomBits();
  bool drawing();
  bool raggedDot();
  bool upperHalf();
  bool tuple();
  bool dynamicConv();

  // Idioms.cpp: groups of operations that models are built from.
  bool idiom();
  Value alongLast(const std::string &reducer, Value value);
  bool softmax();
  bool normalization();
  bool denseLayer();
  bool quantization();
  bool minusTranspose();
  bool variance();
  bool oneHot();
  bool rotation();
  bool limitByProduct();
  bool reductionAmongOthers();

  // ComplexNumbers.cpp
  bool complexNumbers();
  bool partsOfReal();
  bool collective();

  // QuantizedElements.cpp
  bool quantizedElements();

  const Functions &available;
  Random random;
  Program program;
  std::vector<int64_t> sizes;        // sizes of this program's dimensions
  std::vector<ElementType> elements; // types of most of this program's values
  int64_t maxElements = 512;         // maximum elements of one value
  int64_t budget = 0;                // operations still to be made
  bool isExact = false;
  bool hasSpecials = false;
  int depth = 0; // nesting depth of regions
  // Index of the first value that operations may use. Earlier values belong to another function or
  // are set aside.
  size_t visibleFrom = 0;
  int nextName = 0;

  struct Function {
    std::string name;
    std::vector<Value> arguments;
    std::vector<Value> results;
  };
  std::vector<Value> values;
  std::vector<Value> functionArguments; // arguments of the function in progress
  std::vector<Function> functions;      // complete private functions
  std::string functionTexts;
  std::string body; // text of the function or region in progress
  std::string indentation = "  ";
  bool inFunction = false; // whether a private function is in progress
};

inline Program generate(uint64_t seed) { return Generator(seed).make(); }

// Returns a number in the syntax of a constant of the type.
std::string numberText(ElementType type, double number);
// Returns the largest n such that the type represents all integers up to n.
double exactLimit(ElementType type);
// Returns whether a type has only powers of two, and neither zero nor negative numbers.
inline bool isScale(ElementType type) { return exactLimit(type) == 0; }
// Returns whether a floating-point type has NaN. Types without NaN use +0 instead.
bool hasNan(ElementType type);
// Returns the largest n such that the accumulator of the type represents all integers up to n. The
// accumulator is f32 for floats of up to 32 bits.
double accumulationLimit(ElementType type);

} // namespace drumlin::fuzz
