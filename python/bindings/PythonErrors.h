// Errors of the bindings: they raise the `Error` of python/drumlin/errors.py.
#pragma once

#include <nanobind/nanobind.h>

namespace drumlin::python {

inline nanobind::object makeError(const char *code, const char *message, const char *location,
                                  const char *remedy) {
  return nanobind::module_::import_("drumlin.errors")
      .attr("Error")(code, message, location, remedy);
}

[[noreturn]] inline void raise(const nanobind::object &error) {
  PyErr_SetObject(reinterpret_cast<PyObject *>(Py_TYPE(error.ptr())), error.ptr());
  throw nanobind::python_error();
}

} // namespace drumlin::python
