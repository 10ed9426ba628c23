// lld initializes every target that LLVM was built with, for link-time optimization, which Drumlin
// doesn't use. Linking all targets would triple the compiler's size, so this file defines empty
// initializers for the targets for which Drumlin generates no code.
#define DRUMLIN_EMPTY(name)                                                                        \
  void name();                                                                                     \
  void name() {}

#define DRUMLIN_EMPTY_TARGET(Arch)                                                                 \
  DRUMLIN_EMPTY(LLVMInitialize##Arch##Target)                                                      \
  DRUMLIN_EMPTY(LLVMInitialize##Arch##TargetInfo)                                                  \
  DRUMLIN_EMPTY(LLVMInitialize##Arch##TargetMC)                                                    \
  DRUMLIN_EMPTY(LLVMInitialize##Arch##AsmPrinter)                                                  \
  DRUMLIN_EMPTY(LLVMInitialize##Arch##AsmParser)

extern "C" {
DRUMLIN_EMPTY(LLVMInitializeAArch64AsmParser)
DRUMLIN_EMPTY_TARGET(AMDGPU)
DRUMLIN_EMPTY_TARGET(ARM)
DRUMLIN_EMPTY_TARGET(AVR)
DRUMLIN_EMPTY_TARGET(BPF)
DRUMLIN_EMPTY_TARGET(Hexagon)
DRUMLIN_EMPTY_TARGET(Lanai)
DRUMLIN_EMPTY_TARGET(LoongArch)
DRUMLIN_EMPTY_TARGET(M68k)
DRUMLIN_EMPTY_TARGET(MSP430)
DRUMLIN_EMPTY_TARGET(Mips)
DRUMLIN_EMPTY_TARGET(NVPTX)
DRUMLIN_EMPTY_TARGET(PowerPC)
DRUMLIN_EMPTY_TARGET(RISCV)
DRUMLIN_EMPTY_TARGET(SPIRV)
DRUMLIN_EMPTY_TARGET(Sparc)
DRUMLIN_EMPTY_TARGET(SystemZ)
DRUMLIN_EMPTY_TARGET(VE)
DRUMLIN_EMPTY_TARGET(WebAssembly)
DRUMLIN_EMPTY_TARGET(XCore)
DRUMLIN_EMPTY_TARGET(Xtensa)
}
