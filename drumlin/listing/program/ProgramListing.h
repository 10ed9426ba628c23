// StableHLO programs and plans as listings.
#pragma once

#include "drumlin/listing/Listing.h"

#include "mlir/IR/BuiltinOps.h"

#include <functional>
#include <string>

namespace drumlin::listing {

// What else is said about an operation.
using NotesOf = std::function<std::vector<Attribute>(mlir::Operation *)>;

// Values have the names that MLIR prints. Arguments are instructions `parameter`; the regions of an
// operation stand under it, but a region that is one operation of its two arguments is said as
// `applies`. `fileName`: of the program; places in it are no sources.
Module listProgram(mlir::ModuleOp module, std::string_view fileName,
                   const NotesOf &notesOf = nullptr);

} // namespace drumlin::listing
