// The `chlo` dialect and its operations.
#pragma once

#include "drumlin/ir/stablehlo/StablehloOps.h"

#include "drumlin/ir/chlo/ChloDialect.h.inc"

#define GET_OP_CLASSES
#include "drumlin/ir/chlo/ChloOps.h.inc"
