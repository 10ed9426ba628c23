#include "drumlin/listing/fold/Expression.h"

#include "drumlin/listing/fold/AppliedFunctions.h"
#include "drumlin/listing/fold/Details.h"
#include "drumlin/listing/fold/FunctionFinder.h"

#include <algorithm>
#include <cstdlib>

namespace drumlin::listing {

// Maximum sizes in bytes. `maxTerm`: a part of an expression. `maxRepeated`: a part that is
// repeated at each use instead of getting a name. `maxBindings`: all definitions after `where`.
// `maxConstant`: a constant.
static constexpr size_t maxTerm = 140, maxRepeated = 16, maxBindings = 240, maxConstant = 24;
static constexpr std::string_view leftOut = "…";

enum Precedence : uint8_t { Comparison, Sum, Product, Negation, MatrixProduct, Atom };

namespace {
struct Term {
  std::string text;
  Precedence precedence = Atom;
};

struct Infix {
  std::string_view mnemonic, symbol;
  Precedence precedence;
};

struct Word {
  std::string_view mnemonic, word;
};

struct Binding {
  std::string name, text;
};
} // namespace

static constexpr Infix infixes[] = {
    {"add", " + ", Sum},
    {"subtract", " - ", Sum},
    {"multiply", " * ", Product},
    {"divide", " / ", Product},
};

static constexpr Word functionWords[] = {
    {"exponential", "exp"}, {"cosine", "cos"},       {"sine", "sin"},
    {"maximum", "max"},     {"minimum", "min"},      {"concatenate", "concat"},
    {"power", "pow"},       {"convolution", "conv"}, {"dot_general", "dot"},
};

static constexpr Word reductionWords[] = {
    {"add", "sum"},          {"maximum", "max"}, {"minimum", "min"},
    {"multiply", "product"}, {"or", "any"},      {"and", "all"},
};

static constexpr Word comparisonWords[] = {
    {"EQ", " = "}, {"NE", " ≠ "}, {"GE", " >= "}, {"GT", " > "}, {"LE", " <= "}, {"LT", " < "},
};

template <size_t size>
static std::string_view wordOf(const Word (&words)[size], std::string_view mnemonic) {
  for (const Word &word : words) {
    if (word.mnemonic == mnemonic) {
      return word.word;
    }
  }
  return {};
}

std::string argumentName(const std::string &name) {
  bool isIdentifier = !name.empty() && (name[0] < '0' || name[0] > '9') &&
                      std::all_of(name.begin(), name.end(), [](unsigned char c) {
                        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                               (c >= 'A' && c <= 'Z') || c == '_' || c == '.';
                      });
  return isIdentifier ? name : "%" + name;
}

// Returns the numbers in the first brackets after a word, as in `lhs_contracting_dims={1}`.
static std::vector<int64_t> numbersAfter(std::string_view text, std::string_view word) {
  std::vector<int64_t> numbers;
  size_t at = text.find(word);
  at = at == text.npos ? at : text.find_first_of("{[", at);
  if (at == text.npos) {
    return numbers;
  }
  std::string inside(text.substr(at + 1, text.find_first_of("}]", at) - at - 1));
  for (const char *next = inside.c_str(); *next != 0;) {
    char *end = nullptr;
    int64_t number = std::strtoll(next, &end, 10);
    if (end == next) {
      ++next;
      continue;
    }
    numbers.push_back(number);
    next = end;
  }
  return numbers;
}

// Returns all attributes as `name=text`, for numbersAfter().
static std::string allAttributes(const Instruction &instruction) {
  std::string text;
  for (const Attribute &attribute : instruction.attributes) {
    text += attribute.name + "=" + attribute.text + " ";
  }
  return text;
}

// Returns the operation that a reduction applies to two elements, such as `add`.
static std::string reducerOf(const Instruction &reduce) {
  std::string_view applied = attributeText(reduce, "applies");
  bool isOwn = applied.empty() && reduce.calls.size() == 1;
  return isOwn ? operationOf(*reduce.calls[0]) : std::string(baseName(applied));
}

// Returns the ranges of a slice, such as `[0:16, 32:64]`.
static std::string rangesOf(const Instruction &slice) {
  std::string text(attributeText(slice, "slice"));
  if (!text.empty()) {
    std::erase_if(text, [](char c) { return c == '[' || c == ']'; });
    return "[" + text.substr(1, text.size() - 2) + "]";
  }
  std::string attributes = allAttributes(slice);
  std::vector<int64_t> first = numbersAfter(attributes, "start_indices");
  std::vector<int64_t> last = numbersAfter(attributes, "limit_indices");
  std::vector<int64_t> steps = numbersAfter(attributes, "strides");
  for (size_t i = 0; i < std::min({first.size(), last.size(), steps.size()}); ++i) {
    text += (i == 0 ? "" : ", ") + std::to_string(first[i]) + ":" + std::to_string(last[i]);
    text += steps[i] == 1 ? "" : ":" + std::to_string(steps[i]);
  }
  return "[" + text + "]";
}

// Whether the text contains the name as a whole word.
static bool usesName(std::string_view text, std::string_view name) {
  auto isPartOfName = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
           c == '.' || c == '%';
  };
  for (size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    size_t end = at + name.size();
    bool begins = at == 0 || !isPartOfName(text[at - 1]);
    if (begins && (end == text.size() || !isPartOfName(text[end]))) {
      return true;
    }
  }
  return false;
}

class ExpressionWriter {
public:
  ExpressionWriter(const Computation &computation, const std::vector<std::string> &arguments)
      : computation(computation), arguments(arguments), finder(computation),
        forms(computation.instructions.size()), terms(computation.instructions.size()) {}

  Expression write() {
    if (computation.instructions.empty()) {
      return {"()"};
    }
    std::vector<Operand> roots = rootsOf();
    for (const Operand &root : roots) {
      use(root);
    }
    for (size_t i = forms.size(); i-- > 0;) {
      if (forms[i].uses > 0) {
        decide(*computation.instructions[i], forms[i]);
      }
    }
    for (size_t i = 0; i < forms.size(); ++i) {
      if (forms[i].uses > 0) {
        terms[i] = bound(termOf(*computation.instructions[i], forms[i]), forms[i]);
      }
    }
    std::string text;
    for (const Operand &root : roots) {
      text += (text.empty() ? "" : ", ") + term(root).text;
    }
    text = roots.size() == 1 ? text : "(" + text + ")";
    std::string where = bindingsOf(text);
    text += where.empty() ? "" : " where " + where;
    return {text, isWhole(text)};
  }

private:
  // How an instruction is printed.
  struct Form {
    size_t uses = 0;
    std::string_view function; // a known function of `from`; empty if none
    const Instruction *from = nullptr;
  };

  std::vector<Operand> rootsOf() const {
    Instruction *root = computation.instructions.back().get();
    for (const std::unique_ptr<Instruction> &instruction : computation.instructions) {
      root = instruction->isRoot ? instruction.get() : root;
    }
    bool listsResults = root->type.empty() || root->opcode == "tuple";
    return listsResults ? root->operands : std::vector<Operand>{{root}};
  }

  void use(const Operand &operand) { ++forms[finder.positionOf(*operand.instruction)].uses; }

  static const Instruction &behindMovement(const Instruction &instruction) {
    const Instruction *from = &instruction;
    while (movesElements(*from)) {
      from = from->operands[0].instruction;
    }
    return *from;
  }

  // Returns x if an instruction computes exp(x - max(x)) / sum(exp(x - max(x))), else null.
  static const Instruction *softmaxOperand(const Instruction &divide) {
    if (!isOperation(divide, "divide", 2)) {
      return nullptr;
    }
    const Instruction &exponential = behindMovement(*divide.operands[0].instruction);
    const Instruction &sum = behindMovement(*divide.operands[1].instruction);
    bool isSum = isOperation(sum, "reduce", 2) && reducerOf(sum) == "add" &&
                 &behindMovement(*sum.operands[0].instruction) == &exponential;
    if (!isSum || !isOperation(exponential, "exponential", 1)) {
      return nullptr;
    }
    const Instruction &difference = behindMovement(*exponential.operands[0].instruction);
    if (!isOperation(difference, "subtract", 2)) {
      return nullptr;
    }
    const Instruction *x = difference.operands[0].instruction;
    const Instruction &largest = behindMovement(*difference.operands[1].instruction);
    bool isLargest = isOperation(largest, "reduce", 2) && reducerOf(largest) == "maximum" &&
                     &behindMovement(*largest.operands[0].instruction) == &behindMovement(*x);
    return isLargest ? x : nullptr;
  }

  void decide(const Instruction &instruction, Form &form) {
    if (const Instruction *x = softmaxOperand(instruction)) {
      form.function = "softmax";
      form.from = x;
    } else if (std::optional<FoundFunction> found = finder.find(instruction)) {
      form.function = found->name;
      form.from = found->from;
    }
    if (form.from) {
      ++forms[finder.positionOf(*form.from)].uses;
      return;
    }
    for (const Operand &operand : instruction.operands) {
      use(operand);
    }
  }

  Term term(const Operand &operand) const {
    Term term = terms[finder.positionOf(*operand.instruction)];
    if (operand.result >= 0) {
      term = {enclosed(term, Atom) + "#" + std::to_string(operand.result)};
    }
    return term;
  }

  static std::string enclosed(const Term &term, Precedence least) {
    return term.precedence < least ? "(" + term.text + ")" : term.text;
  }

  // Returns the definitions that the text needs. If they don't all fit, keeps the definitions
  // nearest to the result.
  std::string bindingsOf(const std::string &text) const {
    std::string where, seen = text;
    for (auto binding = bindings.rbegin(); binding != bindings.rend(); ++binding) {
      if (!usesName(seen, binding->name)) {
        continue;
      }
      std::string next = binding->name + " = " + binding->text;
      if (where.size() + next.size() > maxBindings) {
        return std::string(leftOut) + (where.empty() ? "" : ", " + where);
      }
      where = next + (where.empty() ? "" : ", " + where);
      seen += " " + binding->text;
    }
    return where;
  }

  // Replaces a term with a new name if it would be repeated, or with `…` if it is too long.
  Term bound(Term term, const Form &form) {
    if (term.text.size() > maxTerm) {
      return {std::string(leftOut)};
    }
    if (form.uses < 2 || term.text.size() <= maxRepeated) {
      return term;
    }
    std::string name;
    do {
      name = "t" + std::to_string(++boundNames);
    } while (std::find(arguments.begin(), arguments.end(), name) != arguments.end());
    bindings.push_back({name, term.text});
    return {name};
  }

  Term termOf(const Instruction &instruction, const Form &form) const {
    if (form.from) {
      std::string argument = term({const_cast<Instruction *>(form.from)}).text;
      return {std::string(form.function) + "(" + argument + ")"};
    }
    std::string name = mnemonicOf(instruction);
    if (name == "parameter") {
      size_t number = std::strtoull(instruction.argument.c_str(), nullptr, 10);
      return {number < arguments.size() ? arguments[number] : argumentName(instruction.name)};
    }
    if (name == "constant") {
      return {constantText(instruction.argument)};
    }
    if (name == "iota") {
      return {"iota[" + std::string(attributeText(instruction, "iota_dimension")) + "]"};
    }
    if (instruction.operands.empty()) {
      return {name};
    }
    Term first = term(instruction.operands[0]);
    bool isMatrix = instruction.shape.dimensions.size() == 2;
    if (name == "transpose" && isMatrix) {
      return {enclosed(first, Atom) + "ᵀ"};
    }
    if (name == "broadcast" || name == "broadcast_in_dim") {
      std::string index = broadcastIndex(instruction);
      return index.empty() ? first : Term{enclosed(first, Atom) + index};
    }
    if (movesElements(instruction) && name != "transpose") {
      return first;
    }
    if (name == "convert") {
      bool isNumber = isConstant(behindMovement(*instruction.operands[0].instruction));
      return isNumber ? first : Term{instruction.shape.element + "(" + first.text + ")"};
    }
    if (name == "slice") {
      return {enclosed(first, Atom) + rangesOf(instruction)};
    }
    if (name == "negate") {
      return {"-" + enclosed(first, Negation), Negation};
    }
    if (name == "get_tuple_element") {
      return {enclosed(first, Atom) + "#" + std::string(attributeText(instruction, "index"))};
    }
    return instruction.operands.size() == 2 ? termOfTwo(instruction, name)
                                            : termOfCall(instruction, name);
  }

  static std::string constantText(const std::string &elements) {
    if (elements.size() > maxConstant || elements.find(leftOut) != elements.npos) {
      return "constant" + std::string(longDetails);
    }
    bool isList = elements.find(',') != elements.npos, isEnclosed = elements.starts_with('{');
    if (isEnclosed && !isList && elements.find('{', 1) == elements.npos) {
      return elements.substr(1, elements.size() - 2); // a list of one element
    }
    return isList && !isEnclosed ? "{" + elements + "}" : elements;
  }

  // Whether no part of an expression was left out. Details replaced with `[…]` don't count.
  static bool isWhole(std::string_view text) {
    for (size_t at = text.find(leftOut); at != text.npos; at = text.find(leftOut, at + 1)) {
      if (at == 0 || text.substr(at - 1, longDetails.size()) != longDetails) {
        return false;
      }
    }
    return true;
  }

  // Returns the index of a broadcast, such as `[:, None]` for a vector that becomes the columns of
  // a matrix; empty if the new dimensions precede the operand's.
  static std::string broadcastIndex(const Instruction &broadcast) {
    std::vector<int64_t> kept = numbersAfter(allAttributes(broadcast), "dimensions=");
    int64_t rank = static_cast<int64_t>(broadcast.shape.dimensions.size());
    if (kept.empty() || !std::is_sorted(kept.begin(), kept.end())) {
      return kept.empty() ? std::string() : detailsOf(broadcast);
    }
    std::string index;
    bool isNeeded = false;
    for (int64_t dimension = kept.front(); dimension < rank; ++dimension) {
      bool isKept = std::find(kept.begin(), kept.end(), dimension) != kept.end();
      index += (index.empty() ? "[" : ", ") + std::string(isKept ? ":" : "None");
      isNeeded = isNeeded || !isKept;
    }
    return isNeeded ? index + "]" : std::string();
  }

  // Whether a gather selects complete rows of its operand, with one index per row.
  static bool takesRows(const Instruction &gather) {
    std::string attributes = allAttributes(gather);
    std::vector<int64_t> rows = gather.operands[0].instruction->shape.dimensions, first = {0};
    if (rows.empty()) {
      return false;
    }
    rows[0] = 1;
    return numbersAfter(attributes, "collapsed_slice_dims") == first &&
           numbersAfter(attributes, "start_index_map") == first &&
           numbersAfter(attributes, "operand_batching_dims").empty() &&
           numbersAfter(attributes, "slice_sizes") == rows;
  }

  Term termOfTwo(const Instruction &instruction, const std::string &name) const {
    Term lhs = term(instruction.operands[0]), rhs = term(instruction.operands[1]);
    for (const Infix &infix : infixes) {
      if (infix.mnemonic == name) {
        // The right operand needs parentheses: subtraction and division aren't associative, nor are
        // sums and products that are rounded.
        auto above = static_cast<Precedence>(infix.precedence + 1);
        return {enclosed(lhs, infix.precedence) + std::string(infix.symbol) + enclosed(rhs, above),
                infix.precedence};
      }
    }
    if (name == "compare") {
      std::string_view direction = attributeText(instruction, "direction");
      direction =
          direction.empty() ? attributeText(instruction, "comparison_direction") : direction;
      std::string symbol(wordOf(comparisonWords, direction));
      return symbol.empty() ? termOfCall(instruction, name)
                            : Term{enclosed(lhs, Sum) + symbol + enclosed(rhs, Sum), Comparison};
    }
    if (name == "dot" || name == "dot_general") {
      return termOfDot(instruction, lhs, rhs);
    }
    if (name == "gather" && takesRows(instruction)) {
      return {enclosed(lhs, Atom) + "[" + rhs.text + "]"};
    }
    return name == "reduce" ? termOfReduce(instruction, lhs, rhs) : termOfCall(instruction, name);
  }

  // Returns a dot as a product `x·y` if the right operand is a matrix or a vector, else `dot(x,
  // y)`.
  Term termOfDot(const Instruction &dot, const Term &lhs, const Term &rhs) const {
    std::string attributes = allAttributes(dot);
    std::vector<int64_t> left = numbersAfter(attributes, "lhs_contracting");
    std::vector<int64_t> right = numbersAfter(attributes, "rhs_contracting");
    size_t leftRank = dot.operands[0].instruction->shape.dimensions.size();
    size_t rightRank = dot.operands[1].instruction->shape.dimensions.size();
    bool isProduct = left.size() == 1 && right.size() == 1 && rightRank <= 2 &&
                     numbersAfter(attributes, "lhs_batch").empty();
    bool saysMore = std::any_of(dot.attributes.begin(), dot.attributes.end(), [](const auto &each) {
      return each.name == "operand_precision" || each.name == "algorithm";
    });
    if (!isProduct || saysMore || (leftRank > 2 && left[0] + 1 != static_cast<int64_t>(leftRank))) {
      return termOfCall(dot, "dot");
    }
    bool leftTransposed = leftRank == 2 && left[0] == 0;
    bool rightTransposed = rightRank == 2 && right[0] == 1;
    return {(leftTransposed ? enclosed(lhs, Atom) + "ᵀ" : enclosed(lhs, MatrixProduct)) + "·" +
                (rightTransposed ? enclosed(rhs, Atom) + "ᵀ" : enclosed(rhs, Atom)),
            MatrixProduct};
  }

  // Returns a reduction such as `sum[1](x)`, with the initial value unless it is neutral.
  Term termOfReduce(const Instruction &reduce, const Term &operand, const Term &initial) const {
    std::string reducer = reducerOf(reduce);
    std::string word(wordOf(reductionWords, reducer));
    if (word.empty()) {
      return termOfCall(reduce, "reduce");
    }
    std::vector<int64_t> dimensions = numbersAfter(allAttributes(reduce), "dimensions=");
    std::string where;
    if (dimensions.size() < reduce.operands[0].instruction->shape.dimensions.size()) {
      for (int64_t dimension : dimensions) {
        where += (where.empty() ? "[" : ",") + std::to_string(dimension);
      }
      where += where.empty() ? "" : "]";
    }
    Term sum = {word + where + "(" + operand.text + ")"};
    bool isNeutral = (reducer == "add" && (initial.text == "0" || initial.text == "-0")) ||
                     (reducer == "maximum" && initial.text == "-inf") ||
                     (reducer == "minimum" && initial.text == "inf") ||
                     (reducer == "multiply" && initial.text == "1") ||
                     (reducer == "or" && initial.text == "false") ||
                     (reducer == "and" && initial.text == "true");
    return isNeutral ? sum : Term{word + "(" + initial.text + ", " + sum.text + ")"};
  }

  Term termOfCall(const Instruction &instruction, const std::string &name) const {
    bool isCall = name == "call" && instruction.calls.size() == 1;
    std::string_view word = wordOf(functionWords, name);
    std::string text = isCall         ? instruction.calls[0]->name
                       : word.empty() ? name
                                      : std::string(word);
    text += (isCall ? "" : detailsOf(instruction)) + "(";
    for (size_t i = 0; i < instruction.operands.size(); ++i) {
      text += (i == 0 ? "" : ", ") + term(instruction.operands[i]).text;
    }
    return {text + ")"};
  }

  const Computation &computation;
  const std::vector<std::string> &arguments;
  FunctionFinder finder;
  std::vector<Form> forms; // indexed by the instruction's position
  std::vector<Term> terms;
  std::vector<Binding> bindings; // later definitions can use earlier ones
  size_t boundNames = 0;
};

Expression expressionOf(const Computation &computation, const std::vector<std::string> &arguments) {
  return ExpressionWriter(computation, arguments).write();
}

} // namespace drumlin::listing
