// The parts of a module of HLO text as Python holds them. Each keeps the whole module alive, and
// what was removed from it, so that no object of Python points at nothing: one that was removed
// raises an error when it is used.
#pragma once

#include "drumlin/hlo/Editor.h"

#include <memory>
#include <nanobind/nanobind.h>
#include <optional>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace drumlin::python {

class State {
public:
  explicit State(hlo::Module parsed);

  // What is in the module. These raise an error where it was removed.
  hlo::Computation &parentOf(const hlo::Instruction &instruction) const;
  void check(const hlo::Instruction &instruction) const { parentOf(instruction); }
  void check(const hlo::Computation &computation) const;
  bool isRemoved(const hlo::Instruction &instruction) const {
    return !parents.contains(&instruction);
  }
  bool isRemoved(const hlo::Computation &computation) const {
    return !computations.contains(&computation);
  }
  // Each once, in their order.
  const std::vector<hlo::Instruction *> &usersOf(const hlo::Instruction &instruction);

  // Makes a change of the computation's instructions; raises its error.
  template <typename Change> auto edit(hlo::Computation &computation, Change change) {
    auto result = change(hlo::Editor(module, removed));
    update(computation);
    return result;
  }

  hlo::Module module;

private:
  using Users = std::unordered_map<const hlo::Instruction *, std::vector<hlo::Instruction *>>;

  void add(hlo::Computation &computation);
  void update(hlo::Computation &computation);

  hlo::Removed removed;
  size_t knownInstructions = 0, knownComputations = 0; // of those that were removed
  std::unordered_map<const hlo::Instruction *, hlo::Computation *> parents;
  std::unordered_set<const hlo::Computation *> computations;
  std::unordered_map<const hlo::Computation *, Users> users; // of those that were asked for
};
using StatePtr = std::shared_ptr<State>;

struct Module {
  StatePtr state;
  hlo::Module *operator->() const { return &state->module; }
};

template <typename T> struct Part {
  StatePtr state;
  T *part; // kept by the state, also after it was removed
  T *operator->() const { return &get(); }
  T &get() const {
    state->check(*part);
    return *part;
  }
  bool operator==(const Part &other) const { return part == other.part; }
};
using Computation = Part<hlo::Computation>;
using Instruction = Part<hlo::Instruction>;

template <typename T> std::optional<Part<T>> partOf(const StatePtr &state, T *part) {
  return part ? std::optional<Part<T>>({state, part}) : std::nullopt;
}

void defineShape(nanobind::module_ &m);
void defineInstruction(nanobind::class_<Instruction> &type);
void defineComputation(nanobind::class_<Computation> &type);
// A shape, or its text.
hlo::Shape shapeOf(nanobind::handle object);
// As an instruction's attribute is written behind its `=`.
std::string attributeText(const std::string &name, nanobind::handle object,
                          const hlo::Value *before);

} // namespace drumlin::python
