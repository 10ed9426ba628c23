// One line on a terminal that says what is being done; nothing where standard error is no terminal.
#pragma once

#include "drumlin/driver/Options.h"

namespace drumlin::cli {

// Empty where standard error is no terminal.
ProgressFunction terminalProgress();

// Takes the line away. What is printed next starts on a clean line.
void clearProgress();

} // namespace drumlin::cli
