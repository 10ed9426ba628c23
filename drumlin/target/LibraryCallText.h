// A library call in the library's own terms: function, enumerators, arguments. Text output, JSON
// and plans use the same names.
#pragma once

#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCall.h"
#include "llvm/Support/JSON.h"

namespace drumlin {

// A call's arguments with the names that the library gives them.
class LibraryNames {
public:
  // Keeps references to `call` and `target`, which must outlive the object.
  LibraryNames(const LibraryCall &call, const GpuTarget &target);

  std::string_view function() const;
  std::string type(ElementType type) const;
  std::string operation(bool transposes) const;
  std::string pointerMode() const;
  std::string order() const { return family + "ORDER_COL"; }
  std::string batchMode() const { return family + "BATCH_MODE_STRIDED"; }
  std::string epilogue() const;
  std::string scaleMode(const LibraryScale &scale) const;

  // Returns the matrices with their names, in the order of the library's arguments.
  std::vector<std::pair<const char *, const LibraryMatrix *>> matrices() const;
  std::vector<std::pair<const char *, const std::optional<LibraryScale> *>> scales() const;

private:
  const LibraryCall &call;
  const GpuTarget &target;
  std::string family, operations; // the prefixes of the library's enumerators
};

// Writes the call's attributes into the current JSON object.
void writeLibraryCall(JsonStream &json, const LibraryCall &call, const GpuTarget &target);
// Reads writeLibraryCall()'s output; returns nullopt if it isn't a call of the target's library.
std::optional<LibraryCall> readLibraryCall(const llvm::json::Object &json, const GpuTarget &target);

} // namespace drumlin
