// The reader of a module's proto. Private to Reader.cpp, which reads computations, and to
// ReaderInstructions.cpp, which reads instructions.
#pragma once

#include "drumlin/hlo/proto/Order.h"
#include "drumlin/hlo/proto/Places.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/hlo/proto/ProtoAttributes.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"

namespace drumlin::hlo {

// Returns the low half of an id, which identifies an instruction within its computation. The high
// half is zero in older files.
inline uint32_t localId(int64_t id) { return static_cast<uint32_t>(id); }

using FoundInstruction = proto::Found<proto::HloInstructionProto>;

// A computation and its message. The computation's instructions are numbered in the order of their
// ids. The reader's lists contain the instructions of all computations; this computation's
// instructions have the indices [first, first + count).
struct Body {
  int64_t id = 0;
  std::string_view name, thread;
  uint32_t root = 0;
  std::string_view bytes;                                // the serialized message
  proto::HloScheduleProto::InstructionSequence schedule; // empty if the module has no schedule
  std::unique_ptr<Computation> owned; // null once the module owns the computation
  Computation *computation = nullptr;
  size_t first = 0, count = 0;
  size_t firstUnread = 0;
};

class ModuleReader {
public:
  // `file`: the file's bytes, which contain the message; diagnostics give byte offsets in it. If
  // absent, diagnostics give only the file's name.
  ModuleReader(const proto::HloModuleProto &message, std::optional<std::string_view> file,
               std::string_view fileName, Module &module)
      : message(message), file(file), fileName(fileName), module(module), arena(*module.arena),
        current(message.bytes()), attributes(arena) {}

  Status read();

private:
  Diagnostic invalid(std::string what, DiagnosticCode code = errors::HloProtoInvalid) const {
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
  // Returns the error for the first attribute that can't be written as HLO text.
  Diagnostic wrongAttribute(const std::string &of) const {
    return invalid("attribute `" + *attributes.firstWrong() + "` of " + of +
                   " can't be written as HLO text");
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
  std::string_view current;    // the message that is being read
  std::vector<Body> bodies;    // ordered by id
  std::vector<uint32_t> order; // the order of the computations

  std::vector<proto::HloInstructionProto> unread; // instructions in the proto's order
  // The following lists contain all instructions, one computation after the other. Within a
  // computation, they are ordered by id.
  std::vector<proto::HloInstructionProto> messages;
  std::vector<Instruction *> instructions;
  std::vector<uint32_t> instructionOrder; // the order within each computation
  NumberLists operands, predecessors;
  NumberLists called; // indices in `bodies`

  // Scratch memory, reused for each computation.
  std::vector<std::unique_ptr<Instruction>> unsorted;
  std::vector<uint32_t> ids, sortedIds;
  std::vector<uint32_t> byId; // indices of a computation's instructions, ordered by id
  NumberLists operandIds, predecessorIds;
  std::vector<int64_t> calledIds;
  std::vector<size_t> calledEnds; // the end of each instruction's range in calledIds
  Places places;
  std::vector<std::pair<int64_t, Instruction *>>
      parameters;                  // a computation's parameters and their numbers
  std::vector<uint32_t> positions; // positions in the order that is checked for cycles
  NameSet names;
  InstructionOrder orderer;
  AttributeList attributes;
};

} // namespace drumlin::hlo
