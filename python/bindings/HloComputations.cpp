// drumlin.hlo.Computation.
#include "drumlin/hlo/Lexer.h"
#include "drumlin/support/diagnostics/SyntaxErrors.h"
#include "python/bindings/HloParts.h"

#include <algorithm>

namespace nb = nanobind;

namespace drumlin::python {

using Place = std::optional<Instruction>;

template <typename Change> static auto edit(const Computation &self, Change change) {
  hlo::Computation &computation = self.get();
  return self.state->edit(computation,
                          [&](hlo::Editor editor) { return change(editor, computation); });
}

// Returns the instruction before which a new one is inserted; null: at the end.
static const hlo::Instruction *placeOf(const Computation &self, const Place &before,
                                       const Place &after) {
  if (before && after) {
    throw nb::value_error("pass `before` or `after`, not both");
  }
  if (!after) {
    return before ? &before->get() : nullptr;
  }
  const auto &all = self->instructions;
  auto found = std::find_if(all.begin(), all.end(),
                            [&](const auto &each) { return each.get() == &after->get(); });
  if (found == all.end()) {
    return &after->get(); // the editor refuses it, as part of another computation
  }
  return std::next(found) == all.end() ? nullptr : std::next(found)->get();
}

static Instruction insert(const Computation &self, const std::string &text, const Place &before,
                          const Place &after) {
  const hlo::Instruction *place = placeOf(self, before, after);
  return {self.state, orRaise(edit(self, [&](auto &editor, auto &computation) {
            return editor.insert(computation, text, place);
          }))};
}

static Instruction add(const Computation &self, const std::string &opcode, nb::object shape,
                       const std::vector<Instruction> &operands,
                       const std::optional<std::string> &name, nb::dict attributes,
                       const std::optional<std::string> &literal, const Place &before,
                       const Place &after) {
  std::string percent = self->root()->percent ? "%" : "";
  std::string text = percent + (name ? *name : hlo::unusedName(self.get(), opcode)) + " = " +
                     shapeOf(shape).str() + " " + opcode;
  std::string names;
  for (const Instruction &operand : operands) {
    if (operand->isInline) {
      // The operand gets a name, by which the new instruction refers to it.
      nb::cast(operand).attr("name") = hlo::unusedName(self.get(), operand->opcode);
    }
    names += (names.empty() ? "" : ", ") + percent + operand->name;
  }
  text += literal ? *literal : "(" + names + ")";
  // Attributes are part of the inserted text, since shapes may depend on them.
  for (auto [key, value] : attributes) {
    std::string attribute = nb::cast<std::string>(key);
    if (!hlo::isName(attribute)) {
      raise(diagnose(errors::SyntaxInvalid, "`" + attribute + "` is no name", "%" + self->name,
                     "use letters, digits, `_`, `.` and `-`"));
    }
    text += ", " + attribute + "=" + attributeText(attribute, value, nullptr);
  }
  Instruction made = insert(self, text, before, after);
  std::vector<Instruction> own =
      nb::cast<std::vector<Instruction>>(nb::cast(made).attr("operands"));
  // The names in the text refer to this computation's instructions, not to other computations'.
  if (!literal && own != operands) {
    (void)edit(self, [&](auto &editor, auto &computation) {
      return editor.remove(computation, *made.part);
    });
    raise(diagnose(errors::HloNameUnknown, "an operand of another computation", "%" + self->name));
  }
  return made;
}

static void setRoot(const Computation &self, const Instruction &root) {
  hlo::Instruction &instruction = root.get();
  orRaise(edit(self, [&](auto &editor, auto &computation) {
    return editor.setRoot(computation, instruction);
  }));
}

void defineComputation(nb::class_<Computation> &type) {
  definePart(type);
  defineAttributes(type);
  defineAttributeChanges(type);
  type.def_prop_rw(
          "name", [](const Computation &self) { return self->name; },
          [](const Computation &self, const std::string &name) {
            orRaise(edit(self, [&](auto &editor, auto &computation) {
              return editor.rename(computation, name);
            }));
          },
          "Assigning also renames the computation where it is called.")
      .def_prop_ro(
          "is_entry",
          [](const Computation &self) { return self.state->module.entry() == &self.get(); })
      .def_prop_ro("instructions",
                   [](const Computation &self) {
                     std::vector<Instruction> all;
                     for (const auto &instruction : self->instructions) {
                       all.push_back({self.state, instruction.get()});
                     }
                     return all;
                   })
      .def_prop_rw(
          "root", [](const Computation &self) { return Instruction{self.state, self->root()}; },
          setRoot)
      .def(
          "find",
          [](const Computation &self, const std::string &name) {
            return partOf(self.state, self->find(name));
          },
          nb::arg("name"), "Returns the instruction with this name, or None.")
      .def(
          "insert", insert, nb::arg("text"), nb::kw_only(), nb::arg("before") = nb::none(),
          nb::arg("after") = nb::none(),
          "Adds an instruction, given as text, `%y = f32[4]{0} add(%a, %b)`: at the end, or before "
          "or after another one, but after its operands. With `ROOT` it becomes the root.")
      .def("add", add, nb::arg("opcode"), nb::arg("shape"),
           nb::arg("operands") = std::vector<Instruction>(), nb::kw_only(),
           nb::arg("name") = nb::none(), nb::arg("attributes") = nb::dict(),
           nb::arg("literal") = nb::none(), nb::arg("before") = nb::none(),
           nb::arg("after") = nb::none(),
           nb::sig("def add(self, opcode: str, shape: Shape | str, "
                   "operands: collections.abc.Sequence[Instruction] = (), *, "
                   "name: str | None = None, attributes: dict[str, typing.Any] = {}, "
                   "literal: str | None = None, before: Instruction | None = None, "
                   "after: Instruction | None = None) -> Instruction"),
           "Adds an instruction made of these parts. `literal`: the text in parentheses of a "
           "constant or a parameter, including the parentheses.")
      .def(
          "remove",
          [](const Computation &self) {
            orRaise(edit(
                self, [](auto &editor, auto &computation) { return editor.remove(computation); }));
          },
          "Removes the computation; raises an error if it is still called.")
      .def("_repr_html_",
           [](nb::object self) {
             return nb::cast<std::string>(
                 nb::module_::import_("drumlin.html_table").attr("computation_table")(self));
           })
      .def("__repr__", [](const Computation &self) {
        return "<Computation " + self.part->name +
               (self.state->isRemoved(*self.part)
                    ? ", removed>"
                    : ": " + std::to_string(self->instructions.size()) + " instructions>");
      });
}

} // namespace drumlin::python
