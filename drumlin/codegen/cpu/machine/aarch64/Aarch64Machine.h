// Code for aarch64: registers of 128 bits (NEON).
#pragma once

#include "drumlin/codegen/cpu/machine/Machine.h"

namespace drumlin::codegen {

const Machine &aarch64Machine();

} // namespace drumlin::codegen
