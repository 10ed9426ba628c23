"""Programs whose sizes, depth or number of paths no walk could follow: each is compiled, or refused, in seconds."""
import pytest
from test_statuses import message

HUGE = 1_000_000_000_000


def write(tmp_path, text):
    (tmp_path / "p.mlir").write_text(text)
    return "p.mlir"


def nested_whiles(depth):
    """Loops around one another, each of whose counters begins with the outer one's."""
    text, end, outer = "func.func @main(%x: tensor<i32>) -> tensor<i32> {\n", "", "%x"
    for i in range(depth):
        text += f"""%w{i} = stablehlo.while(%i{i} = {outer}) : tensor<i32> cond {{
          %c = stablehlo.constant dense<100> : tensor<i32>
          %t = stablehlo.compare LT, %i{i}, %c : (tensor<i32>, tensor<i32>) -> tensor<i1>
          stablehlo.return %t : tensor<i1>
        }} do {{
        """
        outer = f"%i{i}"
    text += f"%one = stablehlo.constant dense<1> : tensor<i32>\n%n = stablehlo.add {outer}, %one : tensor<i32>\n"
    inner = "%n"
    for i in reversed(range(depth)):
        end += f"stablehlo.return {inner} : tensor<i32>\n}}\n"
        inner = f"%w{i}"
    return text + end + "return %w0 : tensor<i32>\n}\n"


def calls(functions, each):
    """Functions that each call the one before so often, inside of an `if`."""
    text = """func.func private @f0(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.negate %x : tensor<f32>
      return %0 : tensor<f32>
    }
    """
    for i in range(1, functions):
        name = "main" if i + 1 == functions else f"f{i}"
        text += f'func.func @{name}(%p: tensor<i1>, %x: tensor<f32>) -> tensor<f32> {{\n%r = "stablehlo.if"(%p) ({{\n'
        last = "%x"
        for k in range(each):
            text += f"%a{k} = func.call @f{i - 1}(%p, {last}) : (tensor<i1>, tensor<f32>) -> tensor<f32>\n"
            last = f"%a{k}"
        text += f"""stablehlo.return {last} : tensor<f32>
        }}, {{
          stablehlo.return %x : tensor<f32>
        }}) : (tensor<i1>) -> tensor<f32>
        return %r : tensor<f32>
        }}
        """
    return text


def window(size, low, high, operand="%x"):
    return f"""func.func @main(%x: tensor<4xf32>) -> tensor<4xf32> {{
      %c = stablehlo.constant dense<[1.0, 2.0, 3.0, 4.0]> : tensor<4xf32>
      %z = stablehlo.constant dense<0.0> : tensor<f32>
      %r = "stablehlo.reduce_window"({operand}, %z) ({{
      ^bb0(%a: tensor<f32>, %b: tensor<f32>):
        %s = stablehlo.multiply %a, %b : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }}) {{window_dimensions = array<i64: {size}>, padding = dense<[[{low}, {high}]]> : tensor<1x2xi64>}}
        : (tensor<4xf32>, tensor<f32>) -> tensor<4xf32>
      return %r : tensor<4xf32>
    }}"""


DILATED_CONVOLUTION = f"""func.func @main(%x: tensor<1x2x1xf32>, %k: tensor<1x1x1xf32>) -> tensor<1x2x1xf32> {{
  %r = stablehlo.convolution(%x, %k) dim_numbers = [b, 0, f]x[0, i, o]->[b, 0, f],
    window = {{stride = [{HUGE}], lhs_dilate = [{HUGE}]}} {{batch_group_count = 1 : i64, feature_group_count = 1 : i64}}
    : (tensor<1x2x1xf32>, tensor<1x1x1xf32>) -> tensor<1x2x1xf32>
  return %r : tensor<1x2x1xf32>
}}"""

COMPILED = {
    "nested_whiles": nested_whiles(70),
    "large_window": window(HUGE + 1, HUGE // 2, HUGE // 2),
    "folded_window": window(600_000_001, 300_000_000, 300_000_000, "%c"),
    "dilated_convolution": DILATED_CONVOLUTION,
}


@pytest.mark.parametrize("name", COMPILED)
def test_compiled(call, tmp_path, name):
    assert call("compile", write(tmp_path, COMPILED[name]), "-o", "p.so", timeout=30).returncode == 0
    for command in ["plan", "why", "cost"]:
        assert call(command, "p.mlir", timeout=30).returncode == 0, command


@pytest.mark.parametrize("functions, each, seen", [(40, 2, "more than 2000000 operations"), (8, 30, "more than 2000000 operations"),
                                                   (300, 1, "more than 256 deep")])
def test_inlining_budget(call, tmp_path, functions, each, seen):
    found = message(call("compile", write(tmp_path, calls(functions, each)), "-o", "p.so", timeout=30), 3, "D2009")
    assert seen in found["seen"]
