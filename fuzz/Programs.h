// The check that all program fuzz targets share: bytes are a program or are refused with a reason,
// and a program that is written is read again as the same one.
#pragma once

#include "drumlin/export/Export.h"
#include "fuzz/Finding.h"

#include <string_view>

namespace drumlin::fuzz {

// Reads the bytes; if they are a program, writes it in `format`, reads that, and compares both
// texts. Ends the process with a message if they differ. `version` is an artifact's.
void checkProgram(std::string_view bytes, ProgramFormat format,
                  vhlo::Version version = vhlo::newestVersion);

} // namespace drumlin::fuzz
