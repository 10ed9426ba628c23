// Shows the current step in one line of the terminal. Shows nothing if standard error isn't a
// terminal.
#pragma once

#include "drumlin/driver/Options.h"

namespace drumlin::cli {

// Returns a function that shows progress; an empty function if standard error isn't a terminal.
ProgressFunction terminalProgress();

// Clears the line, so that the next output starts on a clean line.
void clearProgress();

} // namespace drumlin::cli
