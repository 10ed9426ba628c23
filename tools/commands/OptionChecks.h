// Rejects options that would be ignored, by the table of options: ignoring one silently would
// mislead the user.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace CLI {
class App;
}

namespace drumlin::cli {

// Fails with OptionMeaningless if a given option has no effect on what the command is going to do.
// `app` has parsed the command line.
Status checkOptions(const CLI::App &app);

} // namespace drumlin::cli
