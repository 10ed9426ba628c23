// Which option means something where, by the table of options. An option that would be ignored is a
// usage error, so that nobody takes for granted what wasn't done.
#pragma once

#include "drumlin/support/Diagnostics.h"

namespace CLI {
class App;
}

namespace drumlin::cli {

// Fails with OptionMeaningless where an option was given that says nothing to what the command is
// going to do. `app` has parsed the command line.
Status checkOptions(const CLI::App &app);

} // namespace drumlin::cli
