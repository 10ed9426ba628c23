// What every fuzz target holds bytes to: they are a program or the reason why not, and a program
// that is written is read again as the same one.
#pragma once

#include "drumlin/export/Export.h"
#include "fuzz/Finding.h"

#include <string_view>

namespace drumlin::fuzz {

// Reads the bytes; where they are a program, writes it in `format`, reads that, and compares both
// texts. Ends the process with a message where that doesn't hold. `version` is an artifact's.
void checkProgram(std::string_view bytes, ProgramFormat format,
                  vhlo::Version version = vhlo::newestVersion);

} // namespace drumlin::fuzz
