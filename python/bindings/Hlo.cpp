// drumlin._hlo: HLO text as objects.
#include "drumlin/hlo/Lexer.h"
#include "drumlin/hlo/Parser.h"
#include "drumlin/hlo/proto/Proto.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "python/bindings/HloParts.h"

#include <fnmatch.h>

namespace nb = nanobind;

namespace drumlin::python {

template <typename Read> static Module moduleOf(Read read) {
  std::optional<Result<hlo::Module>> module;
  {
    nb::gil_scoped_release free;
    module = read();
  }
  return {std::make_shared<State>(orRaise(std::move(*module)))};
}

static Module parse(const std::string &text, const std::string &name) {
  return moduleOf([&] { return hlo::parse(text, name); });
}

static Module parseProto(const nb::bytes &proto, const std::string &name) {
  std::string_view bytes(proto.c_str(), proto.size());
  return moduleOf([&] { return hlo::readProto(bytes, name); });
}

static nb::bytes toProto(const Module &module) {
  std::string bytes = orRaise(hlo::writeProto(module.state->module));
  return nb::bytes(bytes.data(), bytes.size());
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

static void checkName(const std::string &name) {
  if (!hlo::isName(name)) {
    raise(diagnose(errors::SyntaxInvalid, "`" + name + "` is no name", name,
                   "use letters, digits, `_`, `.` and `-`"));
  }
}

nb::dict attributesOf(const hlo::List<hlo::Attribute> &attributes) {
  nb::dict all;
  for (const hlo::Attribute &attribute : attributes) {
    all[nb::cast(attribute.name.str())] = toPython(attribute.value);
  }
  return all;
}

static hlo::Value attributeOf(const std::string &name, nb::handle object,
                              const hlo::Value *before) {
  bool isConfig = name == "backend_config" || name == "raw_backend_config_attr";
  return isConfig && nb::isinstance<nb::dict>(object) ? configFromPython(object, before)
                                                      : fromPython(object);
}

static std::string nameOf(const Computation &computation) {
  if (computation->isInline) {
    raise(diagnose(errors::HloNameUnknown, "unnamed computation", "%" + computation->name,
                   "give it a name first"));
  }
  return "%" + computation->name;
}

std::string attributeText(const std::string &name, nb::handle object, const hlo::Value *before) {
  if (nb::isinstance<Computation>(object)) {
    return nameOf(nb::cast<Computation>(object));
  }
  // A list of computations is written as a list of their names.
  if (nb::isinstance<nb::list>(object) && nb::len(object) != 0 &&
      nb::isinstance<Computation>(object[0])) {
    std::string names;
    for (const Computation &each : nb::cast<std::vector<Computation>>(object)) {
      names += (names.empty() ? "" : ", ") + nameOf(each);
    }
    return "{" + names + "}";
  }
  if (nb::isinstance(object, nb::module_::import_("drumlin.hlo").attr("Word"))) {
    return nb::cast<std::string>(nb::str(object));
  }
  return attributeOf(name, object, before).str();
}

void setPlainAttribute(hlo::List<hlo::Attribute> &attributes, const std::string &name,
                       nb::handle object) {
  checkName(name);
  hlo::Value *before = hlo::findAttribute(attributes, name);
  hlo::Value value = attributeOf(name, object, before);
  if (before) {
    *before = std::move(value);
  } else {
    attributes.push_back({name, std::move(value)});
  }
}

static Computation addComputation(const Module &self, const std::string &text,
                                  const std::optional<Computation> &before) {
  const hlo::Computation *place = before ? &before->get() : nullptr;
  return {self.state, orRaise(self.state->edit(*self->entry(), [&](hlo::Editor editor) {
            return editor.add(text, place);
          }))};
}

static void defineModule(nb::class_<Module> &type) {
  defineAttributes(type);
  defineAttributeChanges(type);
  type.def_prop_rw(
          "name", [](const Module &self) { return self->name; },
          [](Module &self, const std::string &name) {
            checkName(name);
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
          nb::arg("name"), "Returns the computation with this name, or None.")
      .def("to_proto", toProto, "Returns the module as a protocol buffer, `HloModuleProto`.")
      .def("instructions", findAll, nb::arg("opcode") = nb::none(), nb::arg("name") = nb::none(),
           nb::arg("custom_call_target") = nb::none(),
           "Returns the instructions that match all of these patterns (`*` matches any text).")
      .def("add_computation", addComputation, nb::arg("text"), nb::kw_only(),
           nb::arg("before") = nb::none(),
           "Adds a computation, given as text, before another one, or before the entry.")
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
  m.doc() = "HLO text as objects, for drumlin.hlo.";
  defineShape(m);
  nb::class_<Module> module(m, "Module", "A module of HLO; str() prints its text.");
  nb::class_<Computation> computation(m, "Computation", "A computation of a module.");
  nb::class_<Instruction> instruction(m, "Instruction", "An instruction of a computation.");
  defineInstruction(instruction);
  defineComputation(computation);
  defineModule(module);
  m.def("parse", parse, nb::arg("text"), nb::arg("name") = "<text>",
        "Reads HLO text, as XLA prints it. `name` names the text in messages.");
  m.def("parse", parseProto, nb::arg("proto"), nb::arg("name") = "<bytes>",
        "Reads a module's protocol buffer: `HloModuleProto`, or `HloProto`, which wraps one.");
}
