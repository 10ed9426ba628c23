// The parts of an HLO module as Python objects. Each object keeps the whole module alive, including
// removed parts, so that no Python object dangles: using a removed part raises an error.
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

  // parentOf() returns the computation that contains an instruction. parentOf() and check() raise
  // an error if their argument was removed.
  hlo::Computation &parentOf(const hlo::Instruction &instruction) const;
  void check(const hlo::Instruction &instruction) const { parentOf(instruction); }
  void check(const hlo::Computation &computation) const;
  bool isRemoved(const hlo::Instruction &instruction) const {
    return !parents.contains(&instruction);
  }
  bool isRemoved(const hlo::Computation &computation) const {
    return !computations.contains(&computation);
  }
  // Returns the users of an instruction, each once, in program order.
  const std::vector<hlo::Instruction *> &usersOf(const hlo::Instruction &instruction);

  // Edits the computation's instructions; raises the error of the edit.
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
  size_t knownInstructions = 0, knownComputations = 0; // entries of `removed` already handled
  std::unordered_map<const hlo::Instruction *, hlo::Computation *> parents;
  std::unordered_set<const hlo::Computation *> computations;
  std::unordered_map<const hlo::Computation *, Users> users; // entries are made when needed
};
using StatePtr = std::shared_ptr<State>;

struct Module {
  StatePtr state;
  hlo::Module *operator->() const { return &state->module; }
};

template <typename T> struct Part {
  StatePtr state;
  T *part; // the state owns the part, even after its removal
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
// Converts a Python shape, or its text.
hlo::Shape shapeOf(nanobind::handle object);
// Returns an attribute's text as written after its `=`.
std::string attributeText(const std::string &name, nanobind::handle object,
                          const hlo::Value *before);

} // namespace drumlin::python
