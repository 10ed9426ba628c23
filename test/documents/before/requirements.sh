python <<'END'
import jax, jax.numpy as jnp

def step(x, scale, w, b):
    with jax.named_scope("mlp"):
        return jax.nn.gelu((x * scale) @ w + b)

shapes = [jax.ShapeDtypeStruct(shape, jnp.float32) for shape in ((8, 64), (), (64, 32), (32,))]
open("step.mlir", "w").write(jax.jit(step).lower(*shapes).as_text(debug_info=True))
END
