// The header's `entry_computation_layout={(f32[4]{0})->f32[4]{0}}`, which repeats the shapes of the
// entry's parameters and of its root.
#pragma once

#include "drumlin/hlo/Module.h"

namespace drumlin::hlo {

// Keeps the attribute `entry_computation_layout` equal to the entry's shapes during an edit, if
// they were equal before the edit.
class EntryLayout {
public:
  explicit EntryLayout(Module &module);
  void update() const;

private:
  Module &module;
  bool follows = false;
};

} // namespace drumlin::hlo
