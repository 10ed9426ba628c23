// drumlin.hlo.Shape: an immutable value, from which other shapes are derived.
#include "drumlin/hlo/Parser.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "python/bindings/HloParts.h"

#include <algorithm>

namespace nb = nanobind;

namespace drumlin::python {

using hlo::Shape;

static Shape shapeOfText(const std::string &text) {
  Shape shape = orRaise(hlo::parseShape(text, "<shape>"));
  if (!shape.isWellFormed()) {
    raise(diagnose(errors::SyntaxInvalid,
                   "in `" + text + "`, a layout doesn't list each dimension once", "<shape>:1:1",
                   "list each dimension once, the fastest first, as in `f32[8,4]{1,0}`"));
  }
  return shape;
}

Shape shapeOf(nb::handle object) {
  return nb::isinstance<Shape>(object) ? nb::cast<Shape>(object)
                                       : shapeOfText(nb::cast<std::string>(object));
}

template <typename T> static std::vector<T> asVector(const hlo::List<T> &list) {
  return {list.begin(), list.end()};
}

using Order = std::optional<std::vector<int64_t>>;
using Tiles = std::optional<std::vector<std::vector<int64_t>>>;

// Returns the shape with another layout, keeping parts that aren't given; without an order, the
// last dimension is the fastest.
static Shape withLayout(const Shape &self, const Order &order, const Tiles &tiles,
                        std::optional<int64_t> memorySpace) {
  Shape shape = self;
  if (shape.kind != Shape::Kind::Array) {
    raise(diagnose(errors::SyntaxInvalid, "a tuple has no layout of its own", self.str(),
                   "set the layout of one of its elements"));
  }
  if (!shape.layout) {
    shape.layout.emplace();
    for (size_t i = shape.dimensions.size(); i > 0; --i) {
      shape.layout->minorToMajor.push_back(static_cast<int64_t>(i) - 1);
    }
  }
  if (order) {
    shape.layout->minorToMajor = hlo::List<int64_t>(order->begin(), order->end());
  }
  if (tiles) {
    shape.layout->setTiles(*tiles);
  }
  if (memorySpace) {
    shape.layout->setMemorySpace(*memorySpace);
  }
  return shapeOfText(shape.str());
}

static Shape withoutLayout(const Shape &self) { return shapeOfText(self.str(false)); }

static Shape withElement(const Shape &self, size_t index, nb::handle element) {
  Shape shape = self;
  if (index >= shape.elements.size()) {
    throw nb::index_error("the tuple has fewer elements");
  }
  shape.elements[index] = shapeOf(element);
  return shape;
}

static nb::object dtypeOf(const Shape &self) {
  std::optional<ElementType> type = self.elementType();
  if (!type || self.kind != Shape::Kind::Array) {
    return nb::none();
  }
  return nb::module_::import_("drumlin.dtypes").attr("dtype_of")(std::string(name(*type)));
}

void defineShape(nb::module_ &m) {
  nb::class_<Shape>(m, "Shape",
                    "An element type, dimensions and a layout; or a tuple of shapes. Immutable: "
                    "assign another shape to an instruction.")
      .def(
          "__init__",
          [](Shape *self, const std::string &text) { new (self) Shape(shapeOfText(text)); },
          nb::arg("text"))
      .def_prop_ro("is_tuple", [](const Shape &self) { return self.kind == Shape::Kind::Tuple; })
      .def_prop_ro(
          "element_type", [](const Shape &self) { return self.element.str(); },
          "The type's HLO name, such as `f8e4m3fn`; empty for a tuple.")
      .def_prop_ro("dtype", dtypeOf,
                   nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype | None")),
                   "NumPy's dtype, or that of ml_dtypes.")
      .def_prop_ro(
          "dimensions",
          [](const Shape &self) {
            nb::list sizes;
            for (const hlo::Dimension &dimension : self.dimensions) {
              sizes.append(dimension.size);
            }
            return nb::tuple(sizes);
          },
          nb::for_getter(nb::sig("def dimensions(self) -> tuple[int, ...]")),
          "Sizes; for a dynamic dimension its bound, or -1 if it has none.")
      .def_prop_ro(
          "layout",
          [](const Shape &self) -> nb::object {
            return self.layout
                       ? nb::object(nb::tuple(nb::cast(asVector(self.layout->minorToMajor))))
                       : nb::object(nb::none());
          },
          nb::for_getter(nb::sig("def layout(self) -> tuple[int, ...] | None")),
          "Dimensions, the fastest first; None if there is no layout.")
      .def_prop_ro(
          "tiles",
          [](const Shape &self) {
            return self.layout ? self.layout->tiles() : std::vector<std::vector<int64_t>>();
          },
          "Each tile's sizes; -1 for a dimension that is combined with the next one.")
      .def_prop_ro("memory_space",
                   [](const Shape &self) { return self.layout ? self.layout->memorySpace() : 0; })
      .def_prop_ro(
          "elements", [](const Shape &self) { return asVector(self.elements); },
          "A tuple's shapes.")
      .def("with_layout", withLayout, nb::arg("order") = nb::none(), nb::kw_only(),
           nb::arg("tiles") = nb::none(), nb::arg("memory_space") = nb::none(),
           "Returns the shape with another layout; parts that aren't given stay unchanged.")
      .def("without_layout", withoutLayout)
      .def("with_element", withElement, nb::arg("index"), nb::arg("shape"),
           nb::sig("def with_element(self, index: int, shape: Shape | str) -> Shape"),
           "Returns the tuple with another element.")
      .def(
          "__eq__",
          [](const Shape &self, nb::handle other) {
            return nb::isinstance<Shape>(other) && self.str() == nb::cast<Shape &>(other).str();
          },
          nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Shape &self) { return std::hash<std::string>()(self.str()); })
      .def("__str__", [](const Shape &self) { return self.str(); })
      .def("__repr__", [](const Shape &self) { return "<Shape " + self.str() + ">"; });
}

} // namespace drumlin::python
