#include "drumlin/hlo/ShapeInference.h"

#include "drumlin/hlo/Dependences.h"

namespace drumlin::hlo {

// Removes all inferred shapes. Returns whether any instruction has no shape afterwards.
static bool dropInferred(Module &module) {
  bool isMissing = false;
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    for (const std::unique_ptr<Instruction> &instruction : computation->instructions) {
      if (instruction->shapeInferred) {
        instruction->shape = Shape();
        instruction->shape.kind = Shape::Kind::Absent;
        instruction->shapeInferred = false;
      }
      isMissing |= instruction->shape.kind == Shape::Kind::Absent;
    }
  }
  return isMissing;
}

static std::optional<UnknownShape> inferIn(const Computation &computation) {
  InstructionGraph instructions(computation);
  for (uint32_t place : stableOrder(instructions.graph)) {
    Instruction &instruction = *computation.instructions[place];
    if (instruction.shape.kind != Shape::Kind::Absent) {
      continue;
    }
    std::string reason;
    std::optional<Shape> shape = inferShape(instruction, reason);
    if (!shape) {
      return UnknownShape{&instruction, std::move(reason)};
    }
    instruction.shape = std::move(*shape);
    instruction.shapeInferred = true;
  }
  return std::nullopt;
}

std::optional<UnknownShape> inferShapes(Module &module) {
  if (!dropInferred(module)) {
    return std::nullopt;
  }
  // Computations can be in any order, but a call's shape depends on the shapes in its callee.
  CallGraph calls(module);
  for (uint32_t place : stableOrder(calls.graph)) {
    if (std::optional<UnknownShape> unknown = inferIn(*module.computations[place])) {
      return unknown;
    }
  }
  return std::nullopt;
}

} // namespace drumlin::hlo
