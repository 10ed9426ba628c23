// A library's call in the library's own words: function, enumerators, arguments. Text, JSON and
// plans have the same.
#pragma once

#include "drumlin/support/json/JsonStream.h"
#include "drumlin/target/LibraryCall.h"
#include "llvm/Support/JSON.h"

namespace drumlin {

// The arguments of a call by the names that the library gives them.
class LibraryNames {
public:
  // Both must outlive it.
  LibraryNames(const LibraryCall &call, const GpuTarget &target);

  std::string_view function() const;
  std::string type(ElementType type) const;
  std::string operation(bool transposes) const;
  std::string pointerMode() const;
  std::string order() const { return family + "ORDER_COL"; }
  std::string batchMode() const { return family + "BATCH_MODE_STRIDED"; }
  std::string epilogue() const;
  std::string scaleMode(const LibraryScale &scale) const;

  // A, B, C and D in the library's order.
  std::vector<std::pair<const char *, const LibraryMatrix *>> matrices() const;
  std::vector<std::pair<const char *, const std::optional<LibraryScale> *>> scales() const;

private:
  const LibraryCall &call;
  const GpuTarget &target;
  std::string family, operations; // what enumerators begin with
};

// Writes the attributes of an object that is begun.
void writeLibraryCall(JsonStream &json, const LibraryCall &call, const GpuTarget &target);
// Reads what writeLibraryCall() wrote; nothing if the object is not a call of the target's library.
std::optional<LibraryCall> readLibraryCall(const llvm::json::Object &json, const GpuTarget &target);

} // namespace drumlin
