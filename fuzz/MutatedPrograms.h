// The check that all program fuzz targets share: bytes must be a program or be refused with a
// reason, and a program that is written must be read back as the same program.
#pragma once

#include "drumlin/export/Export.h"
#include "fuzz/Finding.h"

#include <string_view>

namespace drumlin::fuzz {

// Reads the bytes. If they are a program, writes it in `format`, reads the result, and compares the
// texts of both programs. Ends the process with a message if they differ. `version` is the version
// of a written artifact.
void checkProgram(std::string_view bytes, ProgramFormat format,
                  vhlo::Version version = vhlo::newestVersion);

} // namespace drumlin::fuzz
