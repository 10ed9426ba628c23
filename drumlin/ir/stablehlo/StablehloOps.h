// All operations of the `stablehlo` dialect, by family. Files that use few operations include the
// headers of these (AddOp.h), so that a change of another operation doesn't rebuild them.
#pragma once

#include "drumlin/ir/stablehlo/BatchNormOps.h"
#include "drumlin/ir/stablehlo/CallOps.h"
#include "drumlin/ir/stablehlo/CollectiveOps.h"
#include "drumlin/ir/stablehlo/CommunicationOps.h"
#include "drumlin/ir/stablehlo/ConstantOps.h"
#include "drumlin/ir/stablehlo/ControlOps.h"
#include "drumlin/ir/stablehlo/ConvolutionOps.h"
#include "drumlin/ir/stablehlo/DotOps.h"
#include "drumlin/ir/stablehlo/DynamicOps.h"
#include "drumlin/ir/stablehlo/ElementwiseOps.h"
#include "drumlin/ir/stablehlo/GatherOps.h"
#include "drumlin/ir/stablehlo/LegacyOps.h"
#include "drumlin/ir/stablehlo/LinearAlgebraOps.h"
#include "drumlin/ir/stablehlo/QuantizeOps.h"
#include "drumlin/ir/stablehlo/RandomOps.h"
#include "drumlin/ir/stablehlo/ReduceOps.h"
#include "drumlin/ir/stablehlo/ShapeOps.h"
#include "drumlin/ir/stablehlo/SortOps.h"
#include "drumlin/ir/stablehlo/WindowOps.h"
