// Rejects options that would have no effect, according to the table of options, since silently
// ignoring an option would mislead the user.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace CLI {
class App;
}

namespace drumlin::cli {

// Fails with OptionMeaningless if one of the given options has no effect on the command's work.
// `app` has parsed the command line.
Status checkOptions(const CLI::App &app);

} // namespace drumlin::cli
