#include "Computation.h"

#include <algorithm>
#include <limits>
#include <map>
#include <numeric>
#include <optional>

namespace drumlin::testing {

static bool contains(const Axes &axes, size_t axis) {
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

static Axes without(const Axes &axes, const Axes &others) {
  Axes made;
  std::copy_if(axes.begin(), axes.end(), std::back_inserter(made),
               [&](size_t axis) { return !contains(others, axis); });
  return made;
}

static Axes shared(const Axes &a, const Axes &b) { return without(a, without(a, b)); }

static size_t below(std::mt19937_64 &random, size_t bound) { return random() % bound; }

static Axes shuffled(Axes axes, std::mt19937_64 &random) {
  for (size_t i = axes.size(); i > 1; --i) {
    std::swap(axes[i - 1], axes[below(random, i)]);
  }
  return axes;
}

//===- computations -----------------------------------------------------------------===//

static Step input(const Computation &computation, Axes axes, std::mt19937_64 &random) {
  Step step;
  step.axes = shuffled(std::move(axes), random);
  step.isStatic = below(random, 4) == 0;
  return step;
}

// Returns a random step that reads two randomly chosen earlier steps; nullopt if their axes don't
// fit the kind of step.
static std::optional<Step> nextStep(Computation &computation, std::mt19937_64 &random) {
  Step step;
  size_t count = computation.steps.size();
  step.lhs = below(random, count);
  step.rhs = below(random, count);
  Axes lhs = computation.steps[step.lhs].axes;
  switch (below(random, 6)) {
  case 0:
    step.kind = Step::Unary;
    step.axes = lhs;
    return step;
  case 1: {
    Axes rhs = computation.steps[step.rhs].axes;
    bool isSame = rhs.size() == lhs.size() && without(lhs, rhs).empty();
    step.kind = Step::Binary;
    step.axes = lhs;
    return isSame ? std::optional(step) : std::nullopt;
  }
  case 2: {
    Axes rhs = computation.steps[step.rhs].axes;
    bool isPart = rhs.size() < lhs.size() && without(rhs, lhs).empty();
    step.kind = Step::Scaled;
    step.axes = lhs;
    return isPart ? std::optional(step) : std::nullopt;
  }
  default:
    break;
  }
  // Makes a product of step `lhs` with another step, or with a new input that has a new axis.
  if (lhs.empty()) {
    return std::nullopt;
  }
  step.kind = Step::Product;
  Axes both = shared(lhs, computation.steps[step.rhs].axes);
  if (both.empty() || below(random, 2) == 0) {
    Axes axes = {lhs[below(random, lhs.size())]};
    if (below(random, 2) == 0) {
      axes = shuffled(lhs, random);
      axes.resize(1 + below(random, axes.size()));
    }
    if (below(random, 6) != 0) {
      axes.push_back(below(random, computation.extents.size()));
      axes = contains(Axes(axes.begin(), axes.end() - 1), axes.back())
                 ? Axes(axes.begin(), axes.end() - 1)
                 : axes;
    }
    both = shared(lhs, axes);
    computation.steps.push_back(input(computation, axes, random));
    step.rhs = count;
  }
  Axes rhs = computation.steps[step.rhs].axes;
  step.contracted = {both[below(random, both.size())]};
  if (both.size() > 1 && below(random, 3) == 0) {
    step.contracted = both;
  }
  Axes batch = without(both, step.contracted);
  step.axes = batch;
  for (const Axes &axes : {without(lhs, both), without(rhs, both)}) {
    step.axes.insert(step.axes.end(), axes.begin(), axes.end());
  }
  return step.axes.size() <= 3 ? std::optional(step) : std::nullopt;
}

// Returns whether an equal step exists. Equal steps must not occur, since a plan would merge them.
static bool isThere(const Computation &computation, const Step &step) {
  return std::any_of(computation.steps.begin(), computation.steps.end(), [&](const Step &other) {
    bool isSame = other.lhs == step.lhs && (other.rhs == step.rhs || step.kind == Step::Unary);
    bool isTransposed = other.lhs == step.rhs && other.rhs == step.lhs && step.kind != Step::Unary;
    return other.kind == step.kind && (isSame || isTransposed);
  });
}

Computation randomComputation(std::mt19937_64 &random) {
  static constexpr int64_t sizes[] = {1, 2, 3, 8, 48, 96, 128, 130, 160, 256, 300};
  Computation made;
  for (size_t axis = 0; axis < 5; ++axis) {
    made.extents.push_back(sizes[below(random, std::size(sizes))]);
  }
  Axes all = {0, 1, 2, 3, 4};
  Axes first = shuffled(all, random);
  first.resize(1 + below(random, 3));
  made.steps.push_back(input(made, first, random));
  made.steps.front().isStatic = false;
  size_t wanted = 3 + below(random, 5);
  for (int tries = 0; made.steps.size() < wanted && tries < 60; ++tries) {
    Computation before = made;
    std::optional<Step> step = nextStep(made, random);
    if (step && !isThere(made, *step)) {
      made.steps.push_back(*step);
    } else {
      made = before;
    }
  }
  std::vector<bool> isRead(made.steps.size(), false);
  for (const Step &step : made.steps) {
    if (step.kind != Step::Input) {
      isRead[step.lhs] = true;
      isRead[step.rhs] = isRead[step.rhs] || step.kind != Step::Unary;
    }
  }
  for (size_t i = 0; i < made.steps.size(); ++i) {
    Step &step = made.steps[i];
    bool isExtra = !step.isStatic && below(random, 6) == 0;
    if ((!isRead[i] && step.kind != Step::Input) || isExtra) {
      step.isReturned = true;
      step.returned = shuffled(step.axes, random);
    }
  }
  return made;
}

//===- formulas ---------------------------------------------------------------------===//

static constexpr int64_t unit = 2 * 128 * 128;

static int64_t tiles(int64_t extent) { return (extent + 127) / 128; }

static int64_t product(const Computation &computation, const Axes &axes) {
  int64_t count = 1;
  for (size_t axis : axes) {
    count *= computation.extents[axis];
  }
  return count;
}

// Returns the FLOPs of transposing `elements` elements that are stored in rows of `columns`
// elements.
static int64_t turn(int64_t elements, int64_t columns) {
  return unit * (elements / columns) * tiles(columns);
}

static int64_t matmul(const Computation &computation, const Step &step) {
  const Axes &lhs = computation.steps[step.lhs].axes, &rhs = computation.steps[step.rhs].axes;
  Axes both = shared(lhs, rhs);
  int64_t m = product(computation, without(lhs, both)),
          n = product(computation, without(rhs, both));
  int64_t k = product(computation, step.contracted);
  int64_t batch = product(computation, without(both, step.contracted));
  return unit * batch * tiles(k) * std::min(tiles(m) * n, tiles(n) * m);
}

//===- spellings --------------------------------------------------------------------===//

namespace {
class Speller {
public:
  Speller(const Computation &computation, std::mt19937_64 &random)
      : computation(computation), random(random), spelled(computation.steps.size()) {}

  Spelling run() {
    std::string arguments, results, values;
    for (size_t i = 0; i < computation.steps.size(); ++i) {
      const Step &step = computation.steps[i];
      if (step.kind == Step::Input) {
        std::string name = "%x" + std::to_string(i);
        arguments += (arguments.empty() ? "" : ", ") + name + ": " + type(step.axes) +
                     (step.isStatic ? " {drumlin.static}" : "");
        spelled[i].push_back({name, step.axes});
      } else {
        addStep(i);
      }
    }
    for (size_t i = 0; i < computation.steps.size(); ++i) {
      const Step &step = computation.steps[i];
      if (step.isReturned) {
        values += (values.empty() ? "" : ", ") + inOrder(i, step.returned);
        results += (results.empty() ? "" : ", ") + type(step.returned);
      }
    }
    made.text = "func.func @main(" + arguments + ") -> (" + results + ") {\n" + body + "  return " +
                values + " : " + results + "\n}\n" + functions;
    made.asWritten.hardware += made.asWritten.transposes;
    return made;
  }

private:
  struct Value {
    std::string name;
    Axes axes;
  };

  const Computation &computation;
  std::mt19937_64 &random;
  std::vector<std::vector<Value>> spelled; // for each step: its value in each order so far
  std::string body, functions;
  size_t count = 0;
  Spelling made;

  std::string shape(const std::vector<int64_t> &extents) const {
    std::string text = "tensor<";
    for (int64_t extent : extents) {
      text += std::to_string(extent) + "x";
    }
    return text + "bf16>";
  }
  std::vector<int64_t> extentsOf(const Axes &axes) const {
    std::vector<int64_t> made;
    for (size_t axis : axes) {
      made.push_back(computation.extents[axis]);
    }
    return made;
  }
  std::string type(const Axes &axes) const { return shape(extentsOf(axes)); }

  static std::string list(const std::vector<size_t> &numbers) {
    std::string text = "[";
    for (size_t number : numbers) {
      text += (text.size() > 1 ? ", " : "") + std::to_string(number);
    }
    return text + "]";
  }
  static std::vector<size_t> places(const Axes &of, const Axes &in) {
    std::vector<size_t> made;
    for (size_t axis : of) {
      made.push_back(static_cast<size_t>(std::find(in.begin(), in.end(), axis) - in.begin()));
    }
    return made;
  }

  std::string add(const std::string &operation) {
    std::string name = "%v" + std::to_string(count++);
    body += "  " + name + " = " + operation + "\n";
    return name;
  }

  // Returns the last axis with more than one element; nullopt if there is none.
  std::optional<size_t> last(const Axes &axes) const {
    for (size_t i = axes.size(); i-- > 0;) {
      if (computation.extents[axes[i]] != 1) {
        return axes[i];
      }
    }
    return std::nullopt;
  }

  void countTranspose(const Axes &from, const Axes &to) {
    std::optional<size_t> before = last(from), after = last(to);
    if (!before || !after || *before == *after) {
      return;
    }
    made.asWritten.transposes += turn(product(computation, from), computation.extents[*before]);
  }

  std::string inOrder(size_t step, const Axes &axes) {
    for (const Value &value : spelled[step]) {
      if (value.axes == axes) {
        return value.name;
      }
    }
    const Value from = spelled[step][below(random, spelled[step].size())];
    std::string name =
        add("stablehlo.transpose " + from.name + ", dims = " + list(places(axes, from.axes)) +
            " : (" + type(from.axes) + ") -> " + type(axes));
    countTranspose(from.axes, axes);
    spelled[step].push_back({name, axes});
    return name;
  }

  // Returns the step's value in an order that already exists, or makes the value in a new order.
  Value any(size_t step) {
    if (below(random, 2) == 0) {
      return spelled[step][below(random, spelled[step].size())];
    }
    Axes axes = shuffled(spelled[step].front().axes, random);
    return {inOrder(step, axes), axes};
  }

  void addStep(size_t number) {
    const Step &step = computation.steps[number];
    Value lhs = any(step.lhs);
    switch (step.kind) {
    case Step::Input:
      break;
    case Step::Unary:
      spelled[number].push_back({addUnary(lhs), lhs.axes});
      break;
    case Step::Binary: {
      std::string rhs = inOrder(step.rhs, lhs.axes), at = type(lhs.axes);
      spelled[number].push_back(
          {add("stablehlo.add " + lhs.name + ", " + rhs + " : " + at), lhs.axes});
      break;
    }
    case Step::Scaled: {
      Value rhs = any(step.rhs);
      std::string wide = add("stablehlo.broadcast_in_dim " + rhs.name +
                             ", dims = " + list(places(rhs.axes, lhs.axes)) + " : (" +
                             type(rhs.axes) + ") -> " + type(lhs.axes));
      countBroadcast(rhs.axes, lhs.axes);
      spelled[number].push_back(
          {add("stablehlo.multiply " + lhs.name + ", " + wide + " : " + type(lhs.axes)), lhs.axes});
      break;
    }
    case Step::Product:
      addProduct(number);
      break;
    }
  }

  // Counts the transpose that a broadcast needs. If the last axis of the result is an axis of the
  // operand, it must also be the last axis of the operand.
  void countBroadcast(const Axes &from, const Axes &to) {
    std::optional<size_t> before = last(from), after = last(to);
    if (before && after && contains(from, *after)) {
      countTranspose(from, {*after});
    }
  }

  std::string addUnary(const Value &operand) {
    std::string at = type(operand.axes);
    size_t way = below(random, 4);
    if (way == 0) {
      std::string f32 = at.substr(0, at.size() - 5) + "f32>";
      std::string wide = add("stablehlo.convert " + operand.name + " : (" + at + ") -> " + f32);
      std::string value = add("stablehlo.tanh " + wide + " : " + f32);
      return add("stablehlo.convert " + value + " : (" + f32 + ") -> " + at);
    }
    if (way != 1) {
      return add("stablehlo.tanh " + operand.name + " : " + at);
    }
    std::string name = "@f" + std::to_string(count);
    functions += "func.func private " + name + "(%x: " + at + ") -> " + at +
                 " {\n  %y = stablehlo.tanh %x : " + at + "\n  return %y : " + at + "\n}\n";
    return add("func.call " + name + "(" + operand.name + ") : (" + at + ") -> " + at);
  }

  void countOperand(const Step &step, const Axes &axes, const Axes &free) {
    std::optional<size_t> along = last(axes);
    if (along && !contains(free, *along)) {
      made.asWritten.transposes +=
          turn(product(computation, axes), product(computation, step.contracted));
    }
  }

  void addProduct(size_t number) {
    const Step &step = computation.steps[number];
    bool isSwapped = below(random, 2) == 0;
    Value lhs = any(isSwapped ? step.rhs : step.lhs), rhs = any(isSwapped ? step.lhs : step.rhs);
    Axes both = shuffled(shared(lhs.axes, rhs.axes), random);
    Axes contracted = shared(both, step.contracted), batch = without(both, contracted);
    Axes lhsFree = without(lhs.axes, both), rhsFree = without(rhs.axes, both);
    countOperand(step, lhs.axes, lhsFree);
    countOperand(step, rhs.axes, rhsFree);
    made.asWritten.hardware += matmul(computation, step);
    Axes result = batch;
    result.insert(result.end(), lhsFree.begin(), lhsFree.end());
    result.insert(result.end(), rhsFree.begin(), rhsFree.end());
    std::string batching = batch.empty() ? ""
                                         : "batching_dims = " + list(places(batch, lhs.axes)) +
                                               " x " + list(places(batch, rhs.axes)) + ", ";
    bool joins = lhsFree.size() == 2 && below(random, 2) == 0 && areNeighbours(lhs.axes, lhsFree);
    if (!joins) {
      std::string name = add("stablehlo.dot_general " + lhs.name + ", " + rhs.name + ", " +
                             batching + "contracting_dims = " + list(places(contracted, lhs.axes)) +
                             " x " + list(places(contracted, rhs.axes)) + " : (" + type(lhs.axes) +
                             ", " + type(rhs.axes) + ") -> " + type(result));
      spelled[number].push_back({name, result});
      return;
    }
    // Merges both free axes into one dimension. In `joined`, the first axis stands for both.
    Computation joined = computation;
    joined.extents[lhsFree[0]] *= joined.extents[lhsFree[1]];
    Axes narrow = without(lhs.axes, {lhsFree[1]}), narrowResult = without(result, {lhsFree[1]});
    auto typeJoined = [&](const Axes &axes) {
      std::vector<int64_t> extents;
      for (size_t axis : axes) {
        extents.push_back(joined.extents[axis]);
      }
      return shape(extents);
    };
    std::string reshaped = add("stablehlo.reshape " + lhs.name + " : (" + type(lhs.axes) + ") -> " +
                               typeJoined(narrow));
    batching = batch.empty() ? ""
                             : "batching_dims = " + list(places(batch, narrow)) + " x " +
                                   list(places(batch, rhs.axes)) + ", ";
    std::string name = add("stablehlo.dot_general " + reshaped + ", " + rhs.name + ", " + batching +
                           "contracting_dims = " + list(places(contracted, narrow)) + " x " +
                           list(places(contracted, rhs.axes)) + " : (" + typeJoined(narrow) + ", " +
                           type(rhs.axes) + ") -> " + typeJoined(narrowResult));
    spelled[number].push_back({add("stablehlo.reshape " + name + " : (" + typeJoined(narrowResult) +
                                   ") -> " + type(result)),
                               result});
  }

  static bool areNeighbours(const Axes &axes, const Axes &pair) {
    auto first = std::find(axes.begin(), axes.end(), pair[0]);
    return first + 1 != axes.end() && *(first + 1) == pair[1];
  }
};
} // namespace

Spelling spell(const Computation &computation, std::mt19937_64 &random) {
  return Speller(computation, random).run();
}

//===- the least cost ---------------------------------------------------------------===//

namespace {
constexpr size_t none = std::numeric_limits<size_t>::max(); // rows run along no axis

class Search {
public:
  explicit Search(const Computation &computation)
      : computation(computation), lies(computation.steps.size()) {
    for (size_t i = 0; i < computation.steps.size(); ++i) {
      const Step &step = computation.steps[i];
      bool readsStatic = step.kind != Step::Input && isStatic[step.lhs] &&
                         (step.kind == Step::Unary || isStatic[step.rhs]);
      isStatic.push_back(step.kind == Step::Input ? step.isStatic : readsStatic);
    }
  }

  int64_t run() {
    place(0, 0);
    return least;
  }

private:
  struct Place {
    size_t made = none;
    std::vector<size_t> all; // axes along which rows run, for the value and its transposed copies
  };
  const Computation &computation;
  std::vector<Place> lies;
  std::vector<bool> isStatic;
  int64_t least = std::numeric_limits<int64_t>::max();

  Axes wide(const Axes &axes) const {
    Axes made;
    std::copy_if(axes.begin(), axes.end(), std::back_inserter(made),
                 [&](size_t axis) { return computation.extents[axis] != 1; });
    return made;
  }

  // Returns the Product steps that read a step, each with those axes of the step that the product
  // keeps.
  std::vector<std::pair<const Step *, Axes>> readersOf(size_t number) const {
    std::vector<std::pair<const Step *, Axes>> made;
    for (const Step &step : computation.steps) {
      if (step.kind != Step::Product) {
        continue;
      }
      Axes both = shared(computation.steps[step.lhs].axes, computation.steps[step.rhs].axes);
      for (size_t operand : {step.lhs, step.rhs}) {
        if (operand == number) {
          made.push_back({&step, wide(without(computation.steps[number].axes, both))});
        }
      }
    }
    return made;
  }

  static bool meets(const Axes &kept, size_t row) {
    return kept.empty() ? row == none : contains(kept, row);
  }

  int64_t turnTo(size_t number, size_t from, size_t to) const {
    const Step &step = computation.steps[number];
    int64_t elements = product(computation, step.axes);
    int64_t cost = turn(elements, from == none ? 1 : computation.extents[from]);
    for (const auto &[reader, kept] : readersOf(number)) {
      if (!meets(kept, from) && meets(kept, to)) {
        cost = std::min(cost, turn(elements, product(computation, reader->contracted)));
      }
    }
    return cost;
  }

  // Returns the FLOPs of transposes that make all missing copies of a value, one after another, in
  // the cheapest order.
  int64_t turnToAll(size_t number, std::vector<size_t> there, const Axes &missing) const {
    if (missing.empty()) {
      return 0;
    }
    int64_t cost = std::numeric_limits<int64_t>::max();
    for (size_t next : missing) {
      int64_t first = std::numeric_limits<int64_t>::max();
      for (size_t from : there) {
        first = std::min(first, turnTo(number, from, next));
      }
      std::vector<size_t> more = there;
      more.push_back(next);
      cost = std::min(cost, first + turnToAll(number, more, without(missing, {next})));
    }
    return cost;
  }

  bool follows(size_t follower, size_t followed) const {
    if (isStatic[followed]) {
      return true;
    }
    Axes theirs = wide(computation.steps[followed].axes);
    size_t row = lies[follower].made;
    bool lacks = row != none && !contains(theirs, row);
    const std::vector<size_t> &all = lies[followed].all;
    return theirs.empty() || lacks || std::find(all.begin(), all.end(), row) != all.end();
  }

  bool isAllowed(size_t number) const {
    const Step &step = computation.steps[number];
    Axes axes = wide(step.axes);
    size_t made = lies[number].made;
    switch (step.kind) {
    case Step::Input:
      return axes.empty() ? made == none : made == axes.back();
    case Step::Unary:
      return follows(number, step.lhs);
    case Step::Binary:
    case Step::Scaled:
      return follows(number, step.lhs) && follows(number, step.rhs);
    case Step::Product: {
      Axes both = shared(computation.steps[step.lhs].axes, computation.steps[step.rhs].axes);
      Axes free = without(axes, both);
      return made == none || free.empty() || contains(free, made);
    }
    }
    return false;
  }

  bool isEnough(size_t number) const {
    const Step &step = computation.steps[number];
    Axes axes = wide(step.axes);
    const std::vector<size_t> &all = lies[number].all;
    if (axes.empty()) {
      return true;
    }
    Axes returned = wide(step.returned);
    if (step.isReturned && std::find(all.begin(), all.end(), returned.back()) == all.end()) {
      return false;
    }
    auto readers = readersOf(number);
    return std::all_of(readers.begin(), readers.end(), [&](const auto &reader) {
      return std::any_of(all.begin(), all.end(),
                         [&](size_t row) { return meets(reader.second, row); });
    });
  }

  void place(size_t number, int64_t soFar) {
    if (soFar >= least) {
      return;
    }
    if (number == computation.steps.size()) {
      least = soFar;
      return;
    }
    if (isStatic[number]) {
      place(number + 1, soFar);
      return;
    }
    Axes rows = wide(computation.steps[number].axes);
    rows.push_back(none);
    for (size_t made : rows) {
      lies[number] = {made, {made}};
      if (isAllowed(number)) {
        placeCopies(number, without(rows, {made}), soFar);
      }
    }
  }

  void placeCopies(size_t number, const Axes &others, int64_t soFar) {
    size_t made = lies[number].made;
    for (unsigned set = 0; set < 1U << others.size(); ++set) {
      Axes copies;
      for (size_t i = 0; i < others.size(); ++i) {
        if ((set >> i & 1) != 0) {
          copies.push_back(others[i]);
        }
      }
      lies[number] = {made, copies};
      lies[number].all.push_back(made);
      if (isEnough(number)) {
        place(number + 1, soFar + turnToAll(number, {made}, copies));
      }
    }
  }
};
} // namespace

Flops leastFlops(const Computation &computation) {
  Flops made;
  made.transposes = Search(computation).run();
  made.hardware = made.transposes;
  for (const Step &step : computation.steps) {
    made.hardware += step.kind == Step::Product ? matmul(computation, step) : 0;
  }
  return made;
}

} // namespace drumlin::testing
