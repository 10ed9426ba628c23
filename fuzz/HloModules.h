// What targets hold modules of HLO to: they are read or refused with a reason and a place, and what
// is printed of a module is read as the same; what is written of a proto's is read again. Each
// check ends the process with a message where that doesn't hold.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

namespace drumlin::fuzz {

// Reads a module of a file with this name.
using HloReader = Result<hlo::Module> (*)(std::string_view bytes, std::string_view fileName);

// The module, where the bytes are one.
std::optional<hlo::Module> checkModule(std::string_view bytes, HloReader read);
// Of text, protos can't have all: its operations may have other fields than XLA's.
void checkWritten(const hlo::Module &module);

} // namespace drumlin::fuzz

// What a target defines; libFuzzer calls it.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
