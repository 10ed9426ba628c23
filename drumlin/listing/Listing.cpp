#include "drumlin/listing/Listing.h"

namespace drumlin::listing {

// The largest number of elements to which elementsOf() counts.
static constexpr int64_t maxElements = int64_t{1} << 40;

int64_t elementsOf(const Shape &shape) {
  int64_t count = shape.isTuple ? 0 : 1;
  for (int64_t size : shape.dimensions) {
    if (size < 0 || (size > 0 && count > maxElements / size)) {
      return 0;
    }
    count *= size;
  }
  return count;
}

Computation *Module::entry() const {
  for (const std::unique_ptr<Computation> &computation : computations) {
    if (computation->isEntry) {
      return computation.get();
    }
  }
  return computations.empty() ? nullptr : computations.back().get();
}

std::string_view baseName(std::string_view opcode) {
  return opcode.substr(opcode.find_last_of('.') + 1); // npos + 1 is 0
}

void linkUsers(Module &module) {
  for (const std::unique_ptr<Computation> &computation : module.computations) {
    forEach(*computation, [](Instruction &user) {
      for (const Operand &operand : user.operands) {
        std::vector<Instruction *> &users = operand.instruction->users;
        // Adds a user only once, even if several of its operands are the same value. A comparison
        // with the last user suffices, since all operands of an instruction are linked
        // consecutively.
        if (users.empty() || users.back() != &user) {
          users.push_back(&user);
        }
      }
    });
  }
}

} // namespace drumlin::listing
