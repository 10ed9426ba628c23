// Definitions shared by the Python classes of modules, computations and instructions.
#pragma once

#include "drumlin/hlo/Printer.h"
#include "python/bindings/HloObjects.h"
#include "python/bindings/HloValues.h"

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace drumlin::python {

template <typename T> T orRaise(Result<T> result) {
  if (!result) {
    raise(result.error());
  }
  return std::move(*result);
}

nanobind::dict attributesOf(const hlo::List<hlo::Attribute> &attributes);

// Defines the Python properties and methods that read attributes. The operator `->` of `T` returns
// the HLO object that has the attributes.
template <typename T> void defineAttributes(nanobind::class_<T> &type) {
  namespace nb = nanobind;
  type.def_prop_ro(
          "attributes", [](const T &self) { return attributesOf(self->attributes); },
          nb::for_getter(nb::sig("def attributes(self) -> dict[str, typing.Any]")),
          "A copy of the attributes, by name.")
      .def(
          "attribute_text",
          [](const T &self, const std::string &name) -> std::optional<std::string> {
            const hlo::Value *value = hlo::findAttribute(self->attributes, name);
            return value ? std::optional<std::string>(value->str()) : std::nullopt;
          },
          nb::arg("name"), "Returns an attribute's text, or None if there is none.");
}

// Sets an attribute of a module or computation. Such attributes don't refer to other parts of the
// module.
void setPlainAttribute(hlo::List<hlo::Attribute> &attributes, const std::string &name,
                       nanobind::handle object);

template <typename T> void defineAttributeChanges(nanobind::class_<T> &type) {
  namespace nb = nanobind;
  type.def(
          "set_attribute",
          [](T &self, const std::string &name, nb::object value) {
            setPlainAttribute(self->attributes, name, value);
          },
          nb::arg("name"), nb::arg("value"),
          "Changes or adds an attribute. A str is written with quotes, a Word without.")
      .def(
          "remove_attribute",
          [](T &self, const std::string &name) {
            return hlo::removeAttribute(self->attributes, name);
          },
          nb::arg("name"), "Removes an attribute; returns whether there was one.");
}

template <typename T> void definePart(nanobind::class_<Part<T>> &type) {
  namespace nb = nanobind;
  type.def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Part<T> &self) { return std::hash<const T *>()(self.part); })
      .def_prop_ro("module", [](const Part<T> &self) { return Module{self.state}; })
      .def_prop_ro(
          "is_removed", [](const Part<T> &self) { return self.state->isRemoved(*self.part); },
          "Whether it was removed from its module; any other use of it is then an error.")
      .def("__str__", [](const Part<T> &self) {
        std::string text;
        hlo::print(self.get(), text);
        return text;
      });
}

} // namespace drumlin::python
