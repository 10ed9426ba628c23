// lld can compile bitcode and therefore links LLVM's link-time optimization (LTO), which brings in
// all of LLVM's passes. A program that contains these passes registers their options at startup.
// Drumlin needs none of this: an image's objects are machine code, so lld creates an LTO object for
// each link, but adds no file to it. This file replaces LTO by stubs that do nothing; the stubs
// that would process bitcode end the program.
#include "llvm/DTLTO/DTLTO.h"
#include "llvm/LTO/LTO.h"
#include "llvm/Linker/IRMover.h"
#include "llvm/Support/Caching.h"
#include "llvm/Support/ErrorHandling.h"

[[noreturn]] static void refuse(const char *function = __builtin_FUNCTION()) {
  llvm::report_fatal_error("images are linked without bitcode, but " + llvm::Twine(function) +
                           " is called");
}

namespace llvm {

PipelineTuningOptions::PipelineTuningOptions() {}

namespace lto {

std::string getThinLTOOutputFile(StringRef, StringRef, StringRef) { refuse(); }

ThinBackend createInProcessThinBackend(ThreadPoolStrategy, IndexWriteCallback, bool, bool) {
  return {};
}

ThinBackend createOutOfProcessThinBackend(ThreadPoolStrategy, IndexWriteCallback, bool, bool,
                                          StringRef, StringRef, ArrayRef<StringRef>, StringRef,
                                          ArrayRef<StringRef>, ArrayRef<StringRef>, bool) {
  refuse();
}

ThinBackend createWriteIndexesThinBackend(ThreadPoolStrategy, std::string, std::string, std::string,
                                          bool, raw_fd_ostream *, IndexWriteCallback) {
  refuse();
}

Error Config::addSaveTemps(std::string, bool, const DenseSet<StringRef> &) { refuse(); }

InputFile::~InputFile() = default;
Expected<std::unique_ptr<InputFile>> InputFile::create(MemoryBufferRef) { refuse(); }
StringRef InputFile::getName() const { refuse(); }

LTO::RegularLTOState::RegularLTOState(unsigned level, const Config &conf)
    : ParallelCodeGenParallelismLevel(level), Ctx(conf) {}
LTO::ThinLTOState::ThinLTOState(ThinBackend backend)
    : Backend(std::move(backend)), CombinedIndex(/*HaveGVs=*/false) {}
LTO::LTO(Config conf, ThinBackend backend, unsigned level, LTOKind mode)
    : Conf(std::move(conf)), RegularLTO(level, Conf), ThinLTO(std::move(backend)), LTOMode(mode) {}
LTO::~LTO() = default;
Error LTO::add(std::unique_ptr<InputFile>, ArrayRef<SymbolResolution>) { refuse(); }
unsigned LTO::getMaxTasks() const { return 0; }
Error LTO::run(AddStreamFn, FileCache) { refuse(); }
SmallVector<const char *> LTO::getRuntimeLibcallSymbols(const Triple &) { refuse(); }

Expected<std::shared_ptr<InputFile>> DTLTO::addInput(std::unique_ptr<InputFile>) { refuse(); }
Error DTLTO::serializeInputsForDistribution() { refuse(); }
void DTLTO::cleanup() { refuse(); }

} // namespace lto
} // namespace llvm
