"""Draws random programs of symbolic sizes from the families of operations."""
from operations import FAMILIES
from tape import ELEMENTS, Declined


def draw_arguments(tape):
    rng = tape.random
    # Draws an argument for each symbol with a dimension of this size, so that the arguments determine all symbols. Then draws int32 indices
    # of ranks 0 and 1, and then arguments of any kind.
    for symbol in tape.symbols.values():
        rest = [rng.choice((tape.static_size(), tape.static_size(), tape.symbolic_size())) for _ in range(rng.choice((0, 1, 1, 1, 2, 2, 3)))]
        shape = [symbol, *rest]
        rng.shuffle(shape)
        if tape.elements(shape) > ELEMENTS:
            shape = [symbol]
        tape.argument(shape, "float32" if rng.random() < 0.8 else rng.choice(("bfloat16", "float16")), tape.is_exact or rng.random() < 0.4)
    tape.argument((), "int32", True)
    tape.argument((rng.choice(list(tape.symbols.values())),), "int32", True)
    for _ in range(rng.randint(0, 4)):
        like = rng.choice([value.shape for value in tape.values])
        shape = list(like) if rng.random() < 0.5 else [rng.choice((tape.static_size(), tape.symbolic_size(), *(like or (1,)))) for _ in range(rng.choice((1, 1, 2, 2, 2, 3, 3, 4, 5)))]
        kind = rng.choice(("float32", "float32", "float32", "float32", "bfloat16", "float16", "int32", "uint8", "int8", "bool", "complex64"))
        if tape.elements(shape) > ELEMENTS or (kind == "complex64" and tape.is_exact):
            continue
        exact = kind in ("int32", "uint8", "int8", "bool") or (kind != "complex64" and (tape.is_exact or rng.random() < 0.4))
        tape.argument(shape, kind, exact)


def draw(tape):
    """Draws arguments, then operations. Half of the programs have 12 or more operations."""
    draw_arguments(tape)
    names, weights = list(FAMILIES), [weight for weight, _ in FAMILIES.values()]
    wanted = len(tape.values) + tape.random.choice((3, 5, 8, 12, 12, 20, 30, 40))
    for _ in range(6 * wanted):
        if len(tape.values) >= wanted:
            break
        name = tape.random.choices(names, weights)[0]
        try:
            FAMILIES[name][1](tape)
            tape.drawn.add(name)
        except Declined as why:
            tape.declined[str(why)] = tape.declined.get(str(why), 0) + 1
    return tape
