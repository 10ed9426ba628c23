// Converts StableHLO programs and plans to listings.
#pragma once

#include "drumlin/listing/Listing.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace drumlin::listing {

// Returns additional notes about an operation.
using NotesOf = std::function<std::vector<Attribute>(mlir::Operation *)>;

// Lists a program. Values have the names that MLIR prints. Arguments become `parameter`
// instructions. Regions are listed under their operation, but a region that only applies one
// operation to its two arguments becomes an attribute `applies`. `fileName`: the program's file,
// whose locations aren't listed as sources.
Module listProgram(mlir::ModuleOp module, std::string_view fileName,
                   const NotesOf &notesOf = nullptr);

} // namespace drumlin::listing
