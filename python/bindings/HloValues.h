// Conversions between attributes of HLO text and Python objects.
#pragma once

#include "drumlin/hlo/Module.h"
#include "drumlin/support/Diagnostics.h"

#include <nanobind/nanobind.h>
#include <string>

namespace drumlin::python {

// Raises a Python exception for the diagnostic.
[[noreturn]] void raise(const Diagnostic &diagnostic);

// Converts a value to a Python Boolean, integer, float or string; a list to a Python list, or to a
// dictionary if all its items are entries. Any other value becomes a `Word`, a string that is
// written without quotes.
nanobind::object toPython(const hlo::Value &value);
// Converts a Python object to an attribute value. Raises TypeError.
hlo::Value fromPython(nanobind::handle object);
// Parses the text of a `Word`, which may be the text of any attribute value.
hlo::Value valueOfText(const std::string &text);

// Converts the value of `backend_config` or of a similar attribute. If the value is JSON, returns
// the Python objects that the JSON describes.
nanobind::object configToPython(const hlo::Value &value);
// Inverts configToPython(). `before`, the old value, may be null; if it is quoted text, the new
// value is quoted, too.
hlo::Value configFromPython(nanobind::handle object, const hlo::Value *before);

} // namespace drumlin::python
