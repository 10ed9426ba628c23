// Attributes of HLO text as Python objects, and back.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <nanobind/nanobind.h>
#include <string>

namespace drumlin::python {

// Raises a Diagnostic.
[[noreturn]] void raise(const Diagnostic &diagnostic);

// Booleans, integers, floats and strings; lists, and dictionaries where all items are entries.
// Anything else is a `Word`, a string that is written without quotes.
nanobind::object toPython(const hlo::Value &value);
// The same the other way round. Raises TypeError.
hlo::Value fromPython(nanobind::handle object);
// A `Word` may be any text that is a value: it is read as one.
hlo::Value valueOfText(const std::string &text);

// `backend_config` and the like, as JSON where they are.
nanobind::object configToPython(const hlo::Value &value);
// `before` (may be null): a quoted text stays one.
hlo::Value configFromPython(nanobind::handle object, const hlo::Value *before);

} // namespace drumlin::python
