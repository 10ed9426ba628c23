// The reader of a module's message. For the Reader*.cpp alone: those of computations and of
// instructions.
#pragma once

#include "drumlin/hlo/proto/Attributes.h"
#include "drumlin/hlo/proto/Order.h"
#include "drumlin/hlo/proto/Places.h"
#include "drumlin/hlo/proto/Proto.h"

namespace drumlin::hlo {

// Ids count within a computation in their low half; older files have none in their high half.
inline uint32_t localId(int64_t id) { return static_cast<uint32_t>(id); }

using FoundInstruction = proto::Found<proto::HloInstructionProto>;

// A computation and its message. Its instructions are numbered in the order of their ids; what the
// reader knows of them stands in lists of the whole module, `count` places from `first` on.
struct Body {
  int64_t id = 0;
  std::string_view name, thread;
  uint32_t root = 0;
  std::string_view bytes;                                // of the message
  proto::HloScheduleProto::InstructionSequence schedule; // empty where there is none
  std::unique_ptr<Computation> owned;                    // until the module has it
  Computation *computation = nullptr;
  size_t first = 0, count = 0;
  size_t firstUnread = 0;
};

class ModuleReader {
public:
  // `file`: the bytes that the message lies in, from which places are counted; nothing: places are
  // the file's name.
  ModuleReader(const proto::HloModuleProto &message, std::optional<std::string_view> file,
               std::string_view fileName, Module &module)
      : message(message), file(file), fileName(fileName), module(module), arena(*module.arena),
        current(message.bytes()), attributes(arena) {}

  Status read();

private:
  Diagnostic invalid(std::string what,
                     DiagnosticCode code = DiagnosticCode::HloProtoInvalid) const {
    std::string place(fileName);
    if (file) {
      place += ":" + std::to_string(current.data() - file->data());
    }
    return diagnose(code, std::move(what), std::move(place));
  }

  Body readBody(const proto::HloComputationProto &message);
  Status collectComputations();
  Body *findBody(int64_t id);
  Status readInstruction(const Body &body, const proto::HloInstructionProto &message,
                         Instruction &to);
  Status readInstructions(const Body &body);
  Status collectInstructions(Body &body);
  Status link(const Body &body, uint32_t number, std::span<const uint32_t> ids,
              std::string_view what, NumberLists &to) const;
  Status linkCalled(uint32_t instruction);
  void sortById(const Body &body);
  void findOrder(const Body &body);
  std::vector<uint32_t> orderComputations() const;
  Status declareComputations();
  Status checkNames(const Body &body);
  Status readComputation(Body &body);
  Status readSignature(const Body &body);
  Status readOperands(const Body &body, uint32_t number, const FoundInstruction &from);
  void readAttributes(const Body &body, uint32_t number, const FoundInstruction &from);
  void addCalled(std::span<const uint32_t> numbers, const Instruction &instruction);
  // Says which of the attributes that have been read isn't one that text has.
  Diagnostic wrongAttribute(const std::string &of) const {
    return invalid("attribute `" + *attributes.firstWrong() + "` of " + of +
                   " isn't one that text has");
  }
  Status checkCycles(const Body &body);
  std::span<const uint32_t> orderOf(const Body &body) const {
    return std::span(instructionOrder).subspan(body.first, body.count);
  }
  Status checkCalls();

  proto::HloModuleProto message;
  std::optional<std::string_view> file;
  std::string_view fileName;
  Module &module;
  Arena &arena;
  std::string_view current;    // the message that is read
  std::vector<Body> bodies;    // in the order of their ids
  std::vector<uint32_t> order; // of the computations

  std::vector<proto::HloInstructionProto> unread; // instructions in the module's order
  // Of the instructions, those of one computation behind those of another.
  std::vector<proto::HloInstructionProto> messages;
  std::vector<Instruction *> instructions;
  std::vector<uint32_t> instructionOrder; // in which a computation has them
  NumberLists operands, predecessors;
  NumberLists called; // computations in the order of their ids

  // Their memory is used again.
  std::vector<std::unique_ptr<Instruction>> unsorted;
  std::vector<uint32_t> ids, sortedIds;
  std::vector<uint32_t> byId; // numbers of a computation's instructions in the order of their ids
  NumberLists operandIds, predecessorIds;
  std::vector<int64_t> calledIds;
  std::vector<size_t> calledEnds; // the end of each instruction's ids
  Places places;
  std::vector<std::pair<int64_t, Instruction *>> parameters; // of a computation, and their numbers
  std::vector<uint32_t> positions; // of what is checked for cycles in its order
  NameSet names;
  InstructionOrder orderer;
  AttributeList attributes;
};

} // namespace drumlin::hlo
