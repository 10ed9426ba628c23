// Code for x86-64.
#pragma once

#include "drumlin/codegen/cpu/machine/Machine.h"

namespace drumlin::codegen {

const Machine &x86Machine();

} // namespace drumlin::codegen
