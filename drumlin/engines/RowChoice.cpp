#include "drumlin/engines/RowChoice.h"

#include "drumlin/engines/ChoiceProblem.h"
#include "drumlin/ir/costs/Work.h"
#include "drumlin/ir/stablehlo/StablehloTypes.h"
#include "drumlin/support/Cost.h"

using namespace mlir;

namespace drumlin {

// Maximum number of dimensions that are considered for the rows of a value.
static constexpr size_t maxRows = 6;

int64_t operandTurnFlops(Operation *product, unsigned operand, const TensorEngine &engine) {
  ContractionShape shape = contractionShape(product);
  return traverseTransposed(engine, shape.batch, operand == 0 ? shape.m : shape.n, shape.k);
}

namespace {
// A candidate layout of a value: the dimension along which its rows run when it is computed, and
// the transposed copies that are made of it.
struct State {
  RowStride made = 1;
  SmallVector<ChosenRows::Copy, 1> copies;
  int64_t flops = 0; // FLOPs of all copies; each is computed once

  bool has(RowStride row) const {
    return row == made ||
           llvm::any_of(copies, [&](const ChosenRows::Copy &copy) { return copy.row == row; });
  }
  bool hasAnyOf(llvm::function_ref<bool(RowStride)> fits) const {
    return fits(made) ||
           llvm::any_of(copies, [&](const ChosenRows::Copy &copy) { return fits(copy.row); });
  }
};

class Chooser {
public:
  Chooser(const RowGraph &graph, const TensorEngine &engine) : graph(graph), engine(engine) {
    needsOf.resize(graph.values.size());
    for (const RowNeed &need : graph.needs) {
      needsOf[need.value].push_back(&need);
    }
  }

  std::vector<ChosenRows> run() {
    collectRows();
    for (size_t value = 0; value < graph.values.size(); ++value) {
      addVariable(value);
    }
    for (size_t value = 0; value < graph.values.size(); ++value) {
      for (const RowLink &link : graph.values[value].links) {
        if (!isStatic(value) && !isStatic(link.from.value) && link.from.value != value) {
          addConstraint(value, link);
        }
      }
    }
    std::vector<size_t> solved = problem.solve();
    std::vector<ChosenRows> made(graph.values.size());
    for (size_t value = 0; value < made.size(); ++value) {
      if (!isStatic(value)) {
        const State &state = states[value][solved[variableOf[value]]];
        made[value] = {state.made, state.copies};
      }
    }
    return made;
  }

private:
  const RowGraph &graph;
  const TensorEngine &engine;
  std::vector<SmallVector<const RowNeed *>> needsOf;
  std::vector<SmallVector<RowStride>> rows; // candidate rows of each value
  std::vector<std::vector<State>> states;
  std::vector<size_t> variableOf;
  ChoiceProblem problem;

  bool isStatic(size_t value) const { return graph.values[value].kind == RowValue::Static; }

  //===- rows to try ----------------------------------------------------------------===//

  bool addRow(size_t value, RowStride row) {
    if (isStatic(value) || rows[value].size() >= maxRows || llvm::is_contained(rows[value], row)) {
      return false;
    }
    rows[value].push_back(row);
    return true;
  }

  // Collects candidate rows from needs and from given values, and propagates them along links.
  void collectRows() {
    rows.resize(graph.values.size());
    for (size_t value = 0; value < graph.values.size(); ++value) {
      if (graph.values[value].kind == RowValue::Given) {
        addRow(value, 1);
      }
      for (const RowNeed *need : needsOf[value]) {
        if (!need->isProduct) {
          addRow(value, need->row);
        } else if (need->free.empty()) {
          addRow(value, noRow);
        }
        for (const StridedFactor &factor : need->free) {
          for (RowStride start : graph.values[value].starts) {
            if (start >= factor.stride && start < factor.stride * factor.size) {
              addRow(value, start);
            }
          }
        }
      }
    }
    bool changes = true;
    while (changes) {
      changes = false;
      for (size_t value = 0; value < graph.values.size(); ++value) {
        for (const RowLink &link : graph.values[value].links) {
          changes |= carryRows(value, link);
        }
      }
    }
    for (size_t value = 0; value < graph.values.size(); ++value) {
      // All other dimensions are candidates, too. Rows along a dimension that a linked value lacks
      // don't constrain that value's rows (canFollow()).
      for (RowStride start : graph.values[value].starts) {
        addRow(value, start);
      }
      // The rows of a dot's result can't run along its batch dimensions, so the last dimension is a
      // candidate as well.
      bool hasNone = rows[value].empty() || graph.values[value].batch > 1;
      if (hasNone && !isStatic(value) && !llvm::is_contained(rows[value], 1)) {
        rows[value].push_back(1);
      }
    }
  }

  bool carryRows(size_t value, const RowLink &link) {
    bool changes = false;
    ArrayRef<int64_t> shape = graph.values[value].shape;
    for (RowStride row : SmallVector<RowStride>(rows[link.from.value])) {
      if (std::optional<RowStride> ahead = rowAhead(link, shape, row)) {
        changes |= addRow(value, *ahead);
      }
    }
    for (RowStride row : SmallVector<RowStride>(rows[value])) {
      if (std::optional<RowStride> behind = rowBehind(link, shape, row)) {
        changes |= addRow(link.from.value, *behind);
      }
    }
    return changes;
  }

  //===- costs ----------------------------------------------------------------------===//

  // Returns the FLOPs of transposing a value from rows along `from` to rows along `to`. The
  // transposed matrix has one column for each index of the dimension along which the old rows run.
  // If a dot or convolution needs the new rows, the columns may also be the indices of all its
  // contracted dimensions. The cheapest of these alternatives counts.
  int64_t turnFlops(size_t value, RowStride from, RowStride to) const {
    const RowValue &about = graph.values[value];
    int64_t elements = about.elements();
    if (elements <= 1) {
      return 0;
    }
    auto flops = [&](int64_t columns) {
      return traverseTransposed(engine, 1, elements / columns, columns);
    };
    int64_t least = flops(about.extentAlong(from));
    for (const RowNeed *need : needsOf[value]) {
      if (need->isProduct && !need->isMetBy(from) && need->isMetBy(to)) {
        least = std::min({least, flops(need->contracted),
                          operandTurnFlops(need->reader, need->operand, engine)});
      }
    }
    return least;
  }

  void addVariable(size_t value) {
    variableOf.push_back(0);
    states.emplace_back();
    if (isStatic(value)) {
      return;
    }
    const RowValue &about = graph.values[value];
    std::vector<ChoiceCost> costs;
    for (RowStride made : rows[value]) {
      int64_t inner = about.elements() / std::max<int64_t>(about.batch, 1); // per batch element
      bool isOffered = about.kind == RowValue::Follows || made <= 1 || made < inner || inner == 1;
      if (isOffered && (about.kind != RowValue::Given || made == 1)) {
        addStates(value, made, costs);
      }
    }
    variableOf.back() = problem.addVariable(std::move(costs));
  }

  // Adds all states of a value that is computed with rows along `made`: one state for each set of
  // copies that meets the needs of all readers. Each copy is made from the value or from another
  // copy, whichever is cheapest. Each set is built from the best smaller set plus one copy.
  void addStates(size_t value, RowStride made, std::vector<ChoiceCost> &costs) {
    SmallVector<RowStride> others;
    llvm::copy_if(rows[value], std::back_inserter(others),
                  [&](RowStride row) { return row != made; });
    std::vector<State> sets(size_t(1) << others.size());
    sets.front().made = made;
    for (size_t set = 0; set < sets.size(); ++set) {
      for (size_t last = 0; last < others.size(); ++last) {
        if ((set >> last & 1) != 0) {
          extend(value, sets[set ^ size_t(1) << last], others[last], sets[set]);
        }
      }
      addState(value, sets[set], costs);
    }
  }

  // Replaces `into` by the set `smaller` plus a copy with rows along `row`, if this costs less.
  void extend(size_t value, const State &smaller, RowStride row, State &into) const {
    int64_t flops = turnFlops(value, smaller.made, row);
    for (const ChosenRows::Copy &copy : smaller.copies) {
      flops = std::min(flops, turnFlops(value, copy.row, row));
    }
    int64_t all = addSaturating(smaller.flops, flops);
    if (into.copies.empty() || all < into.flops) {
      into = smaller;
      into.copies.push_back({row, flops});
      into.flops = all;
    }
  }

  void addState(size_t value, const State &state, std::vector<ChoiceCost> &costs) {
    const RowValue &about = graph.values[value];
    bool isEnough = about.elements() <= 1 || llvm::all_of(needsOf[value], [&](auto *need) {
                      return state.hasAnyOf([&](RowStride row) { return need->isMetBy(row); });
                    });
    if (!isEnough || !followsItself(value, state)) {
      return;
    }
    int64_t flops = multiplySaturating(about.calls, state.flops);
    double factor = typeFactor(engine, elementTypeOf(getElementTypeOrSelf(about.value.getType())));
    // Twice the adjusted FLOPs is an integer, because the smallest factor is 0.5.
    auto adjusted = static_cast<int64_t>(std::min(2 * factor * static_cast<double>(flops), 0x1p62));
    costs.push_back({flops, adjusted});
    states[value].push_back(state);
  }

  // Returns whether a follower can be in the state `follower` if the followed value is in the state
  // `from`. That requires that the followed value, or a copy of it, has the same rows as the
  // follower, or that one of the two values lacks the dimension along which the other value's rows
  // run.
  static bool canFollow(const RowLink &link, ArrayRef<int64_t> shape, const State &follower,
                        const State &from) {
    std::optional<RowStride> behind = rowBehind(link, shape, follower.made);
    return !behind || from.has(*behind) ||
           from.hasAnyOf([&](RowStride row) { return !rowAhead(link, shape, row); });
  }

  bool followsItself(size_t value, const State &state) const {
    return llvm::all_of(graph.values[value].links, [&](const RowLink &link) {
      return link.from.value != value || canFollow(link, graph.values[value].shape, state, state);
    });
  }

  void addConstraint(size_t value, const RowLink &link) {
    const std::vector<State> &followers = states[value], &from = states[link.from.value];
    std::vector<ChoiceCost> costs;
    for (const State &follower : followers) {
      for (const State &followed : from) {
        bool fits = canFollow(link, graph.values[value].shape, follower, followed);
        costs.push_back(fits ? ChoiceCost() : ChoiceCost::impossible());
      }
    }
    problem.addConstraint(variableOf[value], variableOf[link.from.value], costs);
  }
};
} // namespace

std::vector<ChosenRows> chooseRows(const RowGraph &graph, const TensorEngine &engine) {
  return Chooser(graph, engine).run();
}

} // namespace drumlin
