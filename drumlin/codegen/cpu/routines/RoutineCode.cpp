#include "drumlin/codegen/cpu/routines/RoutineCode.h"

#include "llvm/ADT/BitVector.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/MC/MCAsmInfo.h"
#include "llvm/MC/MCContext.h"
#include "llvm/MC/MCDisassembler/MCDisassembler.h"
#include "llvm/MC/MCInst.h"
#include "llvm/MC/MCInstPrinter.h"
#include "llvm/MC/MCInstrAnalysis.h"
#include "llvm/MC/MCInstrInfo.h"
#include "llvm/MC/MCRegisterInfo.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Support/raw_ostream.h"

#include <map>
#include <optional>

using namespace llvm;

namespace drumlin {

namespace {
struct Instruction {
  MCInst inst;
  uint64_t address = 0, next = 0;
};

// A basic block of instructions [begin, end).
struct Block {
  size_t begin = 0, end = 0;
  SmallVector<size_t, 2> successors, predecessors;
};
} // namespace

struct CodeReader::Tools {
  Triple triple{"x86_64-unknown-linux-gnu"};
  std::unique_ptr<MCRegisterInfo> registers;
  std::unique_ptr<MCAsmInfo> syntax;
  std::unique_ptr<MCInstrInfo> info;
  std::unique_ptr<MCSubtargetInfo> subtarget;
  std::unique_ptr<MCContext> context;
  std::unique_ptr<MCDisassembler> disassembler;
  std::unique_ptr<MCInstrAnalysis> analysis;
  std::unique_ptr<MCInstPrinter> printer;

  Tools();
  std::vector<Instruction> disassemble(ArrayRef<uint8_t> code) const;
  std::vector<Block> cut(const std::vector<Instruction> &code) const;
  void add(CodeLoop &loop, const Instruction &instruction) const;
  std::string text(const Instruction &instruction) const;
};

CodeReader::Tools::Tools() {
  InitializeNativeTarget();
  InitializeNativeTargetDisassembler();
  std::string error;
  const llvm::Target *target = TargetRegistry::lookupTarget(triple, error);
  if (!target) {
    reportFatalInternalError(Twine(error));
  }
  registers.reset(target->createMCRegInfo(triple));
  syntax.reset(target->createMCAsmInfo(*registers, triple, MCTargetOptions()));
  info.reset(target->createMCInstrInfo());
  subtarget.reset(target->createMCSubtargetInfo(triple, "sapphirerapids", ""));
  context = std::make_unique<MCContext>(triple, syntax.get(), registers.get(), subtarget.get());
  disassembler.reset(target->createMCDisassembler(*subtarget, *context));
  analysis.reset(target->createMCInstrAnalysis(info.get()));
  printer.reset(target->createMCInstPrinter(triple, syntax->getAssemblerDialect(), *syntax, *info,
                                            *registers));
}

std::vector<Instruction> CodeReader::Tools::disassemble(ArrayRef<uint8_t> code) const {
  std::vector<Instruction> made;
  for (uint64_t address = 0; address < code.size();) {
    Instruction &instruction = made.emplace_back();
    uint64_t size = 0;
    auto status = disassembler->getInstruction(instruction.inst, size, code.drop_front(address),
                                               address, nulls());
    if (status != MCDisassembler::Success || size == 0) {
      reportFatalInternalError("a routine's code can't be disassembled");
    }
    instruction.address = address;
    address += size;
    instruction.next = address;
  }
  return made;
}

// Divides the routine into basic blocks with their control-flow edges.
std::vector<Block> CodeReader::Tools::cut(const std::vector<Instruction> &code) const {
  DenseMap<uint64_t, size_t> numbers; // an instruction's number by its address
  for (auto [number, instruction] : enumerate(code)) {
    numbers[instruction.address] = number;
  }
  auto targetOf = [&](const Instruction &instruction) -> std::optional<size_t> {
    uint64_t target = 0;
    bool jumps = analysis->isBranch(instruction.inst) &&
                 analysis->evaluateBranch(instruction.inst, instruction.address,
                                          instruction.next - instruction.address, target);
    auto at = numbers.find(target);
    return jumps && at != numbers.end() ? std::optional(at->second) : std::nullopt;
  };
  std::map<size_t, size_t> begins = {{0, 0}}; // a block's number by its first instruction
  for (auto [number, instruction] : enumerate(code)) {
    if (analysis->isBranch(instruction.inst) || analysis->isReturn(instruction.inst)) {
      begins[number + 1];
    }
    if (std::optional<size_t> target = targetOf(instruction)) {
      begins[*target];
    }
  }
  begins.erase(code.size());
  std::vector<Block> blocks;
  for (auto &[begin, number] : begins) {
    number = blocks.size();
    blocks.push_back({begin, code.size(), {}, {}});
    if (number > 0) {
      blocks[number - 1].end = begin;
    }
  }
  for (auto [number, block] : enumerate(blocks)) {
    const Instruction &last = code[block.end - 1];
    if (std::optional<size_t> target = targetOf(last)) {
      block.successors.push_back(begins[*target]);
    }
    bool continues = !analysis->isUnconditionalBranch(last.inst) && !analysis->isReturn(last.inst);
    if (continues && block.end < code.size()) {
      block.successors.push_back(number + 1);
    }
  }
  // Only reachable blocks get edges: padding before an aligned loop is unreachable.
  SmallVector<size_t> left = {0};
  BitVector isReached(static_cast<unsigned>(blocks.size()));
  while (!left.empty()) {
    size_t number = left.pop_back_val();
    if (isReached.test(static_cast<unsigned>(number))) {
      continue;
    }
    isReached.set(static_cast<unsigned>(number));
    for (size_t successor : blocks[number].successors) {
      blocks[successor].predecessors.push_back(number);
      left.push_back(successor);
    }
  }
  for (auto [number, block] : enumerate(blocks)) {
    if (!isReached.test(static_cast<unsigned>(number))) {
      block.successors.clear();
    }
  }
  return blocks;
}

// Returns the dominators of each block.
static std::vector<BitVector> dominators(const std::vector<Block> &blocks) {
  std::vector<BitVector> made(blocks.size(), BitVector(static_cast<unsigned>(blocks.size()), true));
  made.front().reset();
  made.front().set(0);
  for (bool changes = true; changes;) {
    changes = false;
    for (size_t number = 1; number < blocks.size(); ++number) {
      BitVector through(static_cast<unsigned>(blocks.size()), true);
      for (size_t predecessor : blocks[number].predecessors) {
        through &= made[predecessor];
      }
      through.set(static_cast<unsigned>(number));
      changes |= through != made[number];
      made[number] = std::move(through);
    }
  }
  return made;
}

// Returns the blocks of each natural loop, keyed by its header.
static std::map<size_t, BitVector> naturalLoops(const std::vector<Block> &blocks) {
  std::map<size_t, BitVector> loops;
  std::vector<BitVector> through = dominators(blocks);
  for (auto [number, block] : enumerate(blocks)) {
    for (size_t header : block.successors) {
      if (!through[number].test(static_cast<unsigned>(header))) {
        continue;
      }
      BitVector &loop = loops[header];
      loop.resize(static_cast<unsigned>(blocks.size()));
      loop.set(static_cast<unsigned>(header));
      SmallVector<size_t> left = {number};
      while (!left.empty()) {
        size_t member = left.pop_back_val();
        if (!loop.test(static_cast<unsigned>(member))) {
          loop.set(static_cast<unsigned>(member));
          left.append(blocks[member].predecessors);
        }
      }
    }
  }
  return loops;
}

std::string CodeReader::Tools::text(const Instruction &instruction) const {
  std::string made;
  raw_string_ostream stream(made);
  printer->printInst(&instruction.inst, instruction.address, "", *subtarget, stream);
  return StringRef(made).trim().str();
}

void CodeReader::Tools::add(CodeLoop &loop, const Instruction &instruction) const {
  StringRef name = info->getName(instruction.inst.getOpcode());
  ++loop.instructions;
  bool multiplies = name.starts_with("VFMADD") || name.starts_with("VFNMADD") ||
                    name.starts_with("VDPBF16PS") || name.starts_with("VPDPWSSD") ||
                    name.starts_with("VPDPBUSD");
  loop.multiplyAdds += multiplies ? 1 : 0;
  bool isMove =
      name.starts_with("MOV64rr") || name.starts_with("MOV32rr") ||
      ((name.starts_with("VMOVA") || name.starts_with("VMOVU") || name.starts_with("VMOVDQ")) &&
       name.contains("rr"));
  loop.moves += isMove ? 1 : 0;
  bool usesStack = any_of(instruction.inst, [&](const MCOperand &operand) {
    return operand.isReg() && operand.getReg() != 0 &&
           StringRef(registers->getName(operand.getReg())) == "RSP";
  });
  loop.stackAccesses += usesStack ? 1 : 0;
  if (!analysis->isBranch(instruction.inst)) {
    loop.assembly.push_back(text(instruction));
  }
}

CodeReader::CodeReader() : tools(std::make_unique<Tools>()) {}
CodeReader::~CodeReader() = default;

std::vector<CodeLoop> CodeReader::innermostLoops(const EmbeddedRoutine &routine) const {
  StringRef bytes(reinterpret_cast<const char *>(routine.object.data()), routine.object.size());
  auto object =
      cantFail(object::ObjectFile::createELFObjectFile(MemoryBufferRef(bytes, routine.name)));
  std::vector<Instruction> code;
  for (const object::SectionRef &section : object->sections()) {
    if (section.isText() && section.getSize() != 0) {
      code = tools->disassemble(arrayRefFromStringRef(cantFail(section.getContents())));
    }
  }
  std::vector<Block> blocks = tools->cut(code);
  std::map<size_t, BitVector> loops = naturalLoops(blocks);
  std::vector<CodeLoop> made;
  for (const auto &[header, loop] : loops) {
    bool isInnermost = none_of(loops, [&](const auto &other) {
      return other.first != header && loop.test(static_cast<unsigned>(other.first));
    });
    if (!isInnermost) {
      continue;
    }
    CodeLoop &read = made.emplace_back();
    for (unsigned block : loop.set_bits()) {
      for (size_t i = blocks[block].begin; i < blocks[block].end; ++i) {
        tools->add(read, code[i]);
      }
    }
  }
  return made;
}

} // namespace drumlin
