// drumlin._hlo: HLO text as objects. Objects of a module keep the whole of it alive.
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/Printer.h"
#include "python/bindings/Errors.h"
#include "python/bindings/HloValues.h"

#include <fnmatch.h>
#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>
#include <unordered_map>

namespace nb = nanobind;

namespace drumlin::python {

namespace {
struct State {
  hlo::Module module;
  // Of all instructions, as nothing that is offered here adds or removes one.
  std::unordered_map<const hlo::Instruction *, hlo::Computation *> parents;
  std::unordered_map<const hlo::Instruction *, std::vector<hlo::Instruction *>> users;

  explicit State(hlo::Module parsed) : module(std::move(parsed)) {
    for (const auto &computation : module.computations) {
      for (const auto &instruction : computation->instructions) {
        parents[instruction.get()] = computation.get();
        for (const hlo::Operand &operand : instruction->operands) {
          std::vector<hlo::Instruction *> &all = users[operand.instruction];
          if (all.empty() || all.back() != instruction.get()) {
            all.push_back(instruction.get());
          }
        }
      }
    }
  }
};
using StatePtr = std::shared_ptr<State>;

struct Module {
  StatePtr state;
  hlo::Module *operator->() const { return &state->module; }
};

template <typename T> struct Part {
  StatePtr state;
  T *part;
  T *operator->() const { return part; }
  bool operator==(const Part &other) const { return part == other.part; }
};
using Computation = Part<hlo::Computation>;
using Instruction = Part<hlo::Instruction>;
} // namespace

template <typename T> static std::optional<Part<T>> partOf(const StatePtr &state, T *part) {
  return part ? std::optional<Part<T>>({state, part}) : std::nullopt;
}

static Module parse(const std::string &text, const std::string &name) {
  std::optional<Result<hlo::Module>> module;
  {
    nb::gil_scoped_release free;
    module = hlo::parse(text, name);
  }
  if (!*module) {
    raise(module->error());
  }
  return {std::make_shared<State>(std::move(**module))};
}

static std::vector<Instruction> instructionsOf(const StatePtr &state,
                                               const hlo::Computation &computation) {
  std::vector<Instruction> all;
  for (const auto &instruction : computation.instructions) {
    all.push_back({state, instruction.get()});
  }
  return all;
}

static std::string textOf(const hlo::Value *value) { return value ? value->contents() : ""; }

static std::vector<Instruction> findAll(const Module &module,
                                        const std::optional<std::string> &opcode,
                                        const std::optional<std::string> &name,
                                        const std::optional<std::string> &target) {
  std::vector<Instruction> found;
  for (const auto &computation : module->computations) {
    for (const auto &each : computation->instructions) {
      auto fits = [](const std::optional<std::string> &pattern, const std::string &text) {
        return !pattern || fnmatch(pattern->c_str(), text.c_str(), 0) == 0;
      };
      if (fits(opcode, each->opcode) && fits(name, each->name) &&
          fits(target, textOf(each->find("custom_call_target")))) {
        found.push_back({module.state, each.get()});
      }
    }
  }
  return found;
}

static void checkName(const std::string &name, bool isTaken) {
  if (isTaken) {
    raise(
        diagnose(DiagnosticCode::HloNameTaken, "`" + name + "` is the name of another one", name));
  }
  if (name.empty() || name.find_first_of(" \t\r\n,(){}[]=%\"'/") != std::string::npos) {
    raise(diagnose(DiagnosticCode::SyntaxInvalid, "`" + name + "` is no name", name,
                   "use letters, digits, `_`, `.` and `-`"));
  }
}

static void renameInstruction(Instruction &instruction, const std::string &name) {
  const hlo::Instruction *other = instruction.state->parents[instruction.part]->find(name);
  checkName(name, other && other != instruction.part);
  instruction->name = name;
}

static void renameComputation(Computation &computation, const std::string &name) {
  const hlo::Computation *other = computation.state->module.find(name);
  checkName(name, other && other != computation.part);
  computation->name = name;
}

static nb::dict attributesOf(const std::vector<hlo::Attribute> &attributes) {
  nb::dict all;
  for (const hlo::Attribute &attribute : attributes) {
    all[nb::cast(attribute.name)] = toPython(attribute.value);
  }
  return all;
}

static bool isConfig(std::string_view name) {
  return name == "backend_config" || name == "raw_backend_config_attr";
}

static void setAttribute(std::vector<hlo::Attribute> &attributes, const std::string &name,
                         nb::handle object) {
  checkName(name, false);
  hlo::Value *before = hlo::findAttribute(attributes, name);
  hlo::Value value = isConfig(name) && nb::isinstance<nb::dict>(object)
                         ? configFromPython(object, before)
                         : fromPython(object);
  if (before) {
    *before = std::move(value);
  } else {
    attributes.push_back({name, std::move(value)});
  }
}

// What a module, a computation and an instruction have alike; `T` leads to one by `->`.
template <typename T> static void defineAttributes(nb::class_<T> &type) {
  type.def_prop_ro(
          "attributes", [](const T &self) { return attributesOf(self->attributes); },
          nb::for_getter(nb::sig("def attributes(self) -> dict[str, typing.Any]")),
          "A copy of the attributes by their names.")
      .def(
          "attribute_text",
          [](const T &self, const std::string &name) -> std::optional<std::string> {
            const hlo::Value *value = hlo::findAttribute(self->attributes, name);
            return value ? std::optional<std::string>(value->str()) : std::nullopt;
          },
          nb::arg("name"), "An attribute as it is written; None where there is none.")
      .def(
          "set_attribute",
          [](T &self, const std::string &name, nb::object value) {
            setAttribute(self->attributes, name, value);
          },
          nb::arg("name"), nb::arg("value"),
          "Changes or adds an attribute. A str is written with quotes, a Word without.")
      .def(
          "remove_attribute",
          [](T &self, const std::string &name) {
            return hlo::removeAttribute(self->attributes, name);
          },
          nb::arg("name"), "Whether there was one.");
}

template <typename T> static void definePart(nb::class_<Part<T>> &type) {
  type.def(nb::self == nb::self, nb::sig("def __eq__(self, other: object, /) -> bool"))
      .def("__hash__", [](const Part<T> &self) { return std::hash<const T *>()(self.part); })
      .def_prop_ro("module", [](const Part<T> &self) { return Module{self.state}; })
      .def("__str__", [](const Part<T> &self) {
        std::string text;
        hlo::print(*self.part, text);
        return text;
      });
}

static void defineShape(nb::module_ &m) {
  using hlo::Shape;
  nb::class_<Shape>(m, "Shape", "An element type, dimensions and a layout; or a tuple of shapes.")
      .def_prop_ro("is_tuple", [](const Shape &self) { return self.kind == Shape::Kind::Tuple; })
      .def_ro("element_type", &Shape::element, "HLO's name, such as `f8e4m3fn`; empty for a tuple.")
      .def_prop_ro(
          "dtype",
          [](const Shape &self) -> nb::object {
            std::optional<ElementType> type = self.elementType();
            if (!type || self.kind != Shape::Kind::Array) {
              return nb::none();
            }
            return nb::module_::import_("drumlin.dtypes")
                .attr("dtype_of")(std::string(name(*type)));
          },
          nb::for_getter(nb::sig("def dtype(self) -> numpy.dtype | None")),
          "NumPy's, with those of ml_dtypes.")
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
          "Sizes; the bound of a dynamic one, -1 where it has none.")
      .def_prop_ro(
          "layout",
          [](const Shape &self) -> nb::object {
            return self.layout ? nb::object(nb::tuple(nb::cast(self.layout->minorToMajor)))
                               : nb::object(nb::none());
          },
          nb::for_getter(nb::sig("def layout(self) -> tuple[int, ...] | None")),
          "Dimensions, the fastest first; None where none is written.")
      .def_prop_ro("tiles",
                   [](const Shape &self) {
                     return self.layout ? self.layout->tiles()
                                        : std::vector<std::vector<int64_t>>();
                   })
      .def_prop_ro("memory_space",
                   [](const Shape &self) { return self.layout ? self.layout->memorySpace() : 0; })
      .def_prop_ro(
          "elements", [](const Shape &self) { return self.elements; }, "Of a tuple.")
      .def("__str__", [](const Shape &self) { return self.str(); })
      .def("__repr__", [](const Shape &self) { return "<Shape " + self.str() + ">"; });
}

static void defineInstruction(nb::class_<Instruction> &type) {
  definePart(type);
  defineAttributes(type);
  type.def_prop_rw(
          "name", [](const Instruction &self) { return self->name; }, renameInstruction,
          "Assigning renames it for its users and in attributes.")
      .def_prop_ro("opcode", [](const Instruction &self) { return self->opcode; })
      .def_prop_ro("shape", [](const Instruction &self) { return self->shape; })
      .def_prop_ro("is_root",
                   [](const Instruction &self) {
                     return self.state->parents[self.part]->root() == self.part;
                   })
      .def_prop_ro("parameter_number",
                   [](const Instruction &self) { return self->parameterNumber(); })
      .def_prop_ro(
          "literal",
          [](const Instruction &self) {
            return self->literal ? std::optional<std::string>(self->literal->str()) : std::nullopt;
          },
          "What a constant is, as it is written.")
      .def_prop_ro("computation",
                   [](const Instruction &self) {
                     return Computation{self.state, self.state->parents[self.part]};
                   })
      .def_prop_ro("operands",
                   [](const Instruction &self) {
                     std::vector<Instruction> all;
                     for (const hlo::Operand &operand : self->operands) {
                       all.push_back({self.state, operand.instruction});
                     }
                     return all;
                   })
      .def_prop_ro(
          "users",
          [](const Instruction &self) {
            std::vector<Instruction> all;
            if (auto users = self.state->users.find(self.part); users != self.state->users.end()) {
              for (hlo::Instruction *user : users->second) {
                all.push_back({self.state, user});
              }
            }
            return all;
          },
          "Each once, in their order.")
      .def_prop_ro(
          "called_computations",
          [](const Instruction &self) {
            std::vector<Computation> all;
            for (hlo::Computation *computation : self->calledComputations()) {
              all.push_back({self.state, computation});
            }
            return all;
          },
          "Those that attributes name.")
      .def_prop_ro(
          "metadata",
          [](const Instruction &self) {
            const hlo::Value *value = self->metadata();
            nb::object object = value ? toPython(*value) : nb::object(nb::dict());
            return nb::isinstance<nb::dict>(object) ? object : nb::object(nb::dict());
          },
          nb::for_getter(nb::sig("def metadata(self) -> dict[str, typing.Any]")),
          "`op_name`, `source_file` and the like; empty where there are none.")
      .def_prop_rw(
          "backend_config",
          [](const Instruction &self) -> nb::object {
            const hlo::Value *value = self->find("backend_config");
            return value ? configToPython(*value) : nb::none();
          },
          [](Instruction &self, nb::object value) {
            setAttribute(self->attributes, "backend_config", value);
          },
          nb::for_getter(nb::sig("def backend_config(self) -> typing.Any")),
          nb::for_setter(nb::sig("def backend_config(self, value: typing.Any, /) -> None")),
          "JSON as Python objects, else the text; None where there is none. A copy: assign it to "
          "change it.")
      .def("__repr__", [](const Instruction &self) {
        return "<Instruction %" + self->name + " = " + self->shape.str() + " " + self->opcode + ">";
      });
}

static void defineComputation(nb::class_<Computation> &type) {
  definePart(type);
  defineAttributes(type);
  type.def_prop_rw(
          "name", [](const Computation &self) { return self->name; }, renameComputation,
          "Assigning renames it where it is called.")
      .def_prop_ro("is_entry",
                   [](const Computation &self) { return self.state->module.entry() == self.part; })
      .def_prop_ro("instructions",
                   [](const Computation &self) { return instructionsOf(self.state, *self.part); })
      .def_prop_ro("root", [](const Computation &self) { return partOf(self.state, self->root()); })
      .def(
          "find",
          [](const Computation &self, const std::string &name) {
            return partOf(self.state, self->find(name));
          },
          nb::arg("name"), "The instruction of this name, or None.")
      .def("__repr__", [](const Computation &self) {
        return "<Computation " + self->name + ": " + std::to_string(self->instructions.size()) +
               " instructions>";
      });
}

static void defineModule(nb::class_<Module> &type) {
  defineAttributes(type);
  type.def_prop_rw(
          "name", [](const Module &self) { return self->name; },
          [](Module &self, const std::string &name) {
            checkName(name, false);
            self->name = name;
          })
      .def_prop_ro("computations",
                   [](const Module &self) {
                     std::vector<Computation> all;
                     for (const auto &computation : self->computations) {
                       all.push_back({self.state, computation.get()});
                     }
                     return all;
                   })
      .def_prop_ro("entry", [](const Module &self) { return partOf(self.state, self->entry()); })
      .def(
          "find",
          [](const Module &self, const std::string &name) {
            return partOf(self.state, self->find(name));
          },
          nb::arg("name"), "The computation of this name, or None.")
      .def("instructions", findAll, nb::arg("opcode") = nb::none(), nb::arg("name") = nb::none(),
           nb::arg("custom_call_target") = nb::none(),
           "The instructions of all computations that fit all of these patterns (`*` is any text).")
      .def("__str__", [](const Module &self) { return hlo::print(self.state->module); })
      .def("__repr__",
           [](const Module &self) {
             return "<Module " + self->name + ": " + std::to_string(self->computations.size()) +
                    " computations>";
           })
      .def("_repr_html_", [](nb::object self) {
        return nb::cast<std::string>(
            nb::module_::import_("drumlin.html_table").attr("module_table")(self));
      });
}

} // namespace drumlin::python

NB_MODULE(_hlo, m) {
  using namespace drumlin::python;
  m.doc() = "HLO text as objects: drumlin.hlo offers them.";
  defineShape(m);
  nb::class_<Module> module(m, "Module", "A module of HLO; str() prints its text.");
  nb::class_<Computation> computation(m, "Computation", "A computation of a module.");
  nb::class_<Instruction> instruction(m, "Instruction", "An instruction of a computation.");
  defineInstruction(instruction);
  defineComputation(computation);
  defineModule(module);
  m.def("parse", parse, nb::arg("text"), nb::arg("name") = "<text>",
        "Reads HLO text, as XLA prints it. `name` stands for it in messages.");
}
