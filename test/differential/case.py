"""Test cases, each of which uses an operation once, and modules that hold many cases."""
import dataclasses
import re

from values import Operand

PLACE = re.compile(r"\{(\d+)\}")


@dataclasses.dataclass(frozen=True)
class Case:
    """One use of an operation. `body` is program text that computes `%r` (or `%r#0`, …) from the operands `{0}`, `{1}`, …; `results` are
    Operands, of which only types and shapes are used.

    `ulps`: tolerance in units in the last place; 0 requires equal bits. `relative`: tolerance for sums, whose addends may be in another order,
    as a share of the result plus the largest operand; with `elementwise`, of the result alone. `absolute`: tolerance in units of the type's
    epsilon, for functions that jaxlib approximates poorly near their roots. `reference`: an equivalent body for jaxlib if jaxlib doesn't accept
    `body`. `functions`: program text of the functions that the body calls."""
    name: str
    type: str
    operands: tuple
    body: str
    results: tuple
    ulps: float = 0
    relative: float = 0
    absolute: float = 0
    elementwise: bool = False
    reference: str = ""
    functions: str = ""

    def label(self):
        return f"{self.name} {self.type} " + ",".join("x".join(map(str, each.shape)) or "scalar" for each in self.operands)


def simple(name, type, operands, results, form=None, **options):
    """Returns a case whose body is one operation in MLIR's generic form. `form` is its attributes, or a pair of its attributes and its region;
    `results` are Operands."""
    operands, results = tuple(operands), tuple(results)
    names = ", ".join("{%d}" % i for i in range(len(operands)))
    types = ", ".join(each.text() for each in operands)
    made = ", ".join(each.text() for each in results)
    count = f":{len(results)}" if len(results) > 1 else ""
    attributes, region = form if isinstance(form, tuple) else (form or "", "")
    operation = name.split(" ")[0]
    operation = operation if "." in operation else f"stablehlo.{operation}"
    attributes = f" <{{{attributes}}}>" if attributes else ""
    region = f" ({{\n{region}\n}})" if region else ""
    body = f'%r{count} = "{operation}"({names}){attributes}{region} : ({types}) -> ' + (f"({made})" if count else made)
    return Case(name, type, operands, body, results, **options)


def module(cases, reference=False):
    """Returns a module whose @main calls each case's function, with all operands and all results concatenated."""
    functions, calls, arguments, results, values = [], [], [], [], []
    for number, case in enumerate(cases):
        types = [each.text() for each in case.operands]
        made = [each.text() for each in case.results]
        names = [f"%a{i}" for i in range(len(types))]
        parameters = ", ".join(f"{name}: {type}" for name, type in zip(names, types))
        returned = ["%r"] if len(made) == 1 else [f"%r#{i}" for i in range(len(made))]
        functions.append(f"  func.func private @case{number}({parameters}) -> ({', '.join(made)}) {{\n    "
                         + PLACE.sub(lambda match: names[int(match[1])], reference and case.reference or case.body) + f"\n    return {', '.join(returned)} : {', '.join(made)}\n  }}")
        passed = [f"%in{len(arguments) + i}" for i in range(len(types))]
        arguments += types
        count = f":{len(made)}" if len(made) > 1 else ""
        calls.append(f"    %c{number}{count} = call @case{number}({', '.join(passed)}) : ({', '.join(types)}) -> ({', '.join(made)})")
        values += [f"%c{number}"] if len(made) == 1 else [f"%c{number}#{i}" for i in range(len(made))]
        results += made
    functions += dict.fromkeys(case.functions for case in cases if case.functions)
    parameters = ", ".join(f"%in{i}: {type}" for i, type in enumerate(arguments))
    return ("module @cases {\n  func.func public @main(" + parameters + f") -> ({', '.join(results)}) {{\n" + "\n".join(calls)
            + f"\n    return {', '.join(values)} : {', '.join(results)}\n  }}\n" + "\n".join(functions) + "\n}\n")


def inputs(cases):
    """Returns all operands' values, in the order in which `module` takes them."""
    return [operand.values((case.name, i)) for case in cases for i, operand in enumerate(case.operands)]


def result(type, shape):
    return Operand(type, tuple(shape))
