"""Pages of `drumlin print --html`, opened and clicked through in headless Chromium."""
import pathlib
import random
import re
import time

import pytest

SOURCES = pathlib.Path(__file__).parents[2]
DENSE = SOURCES / "tools" / "test" / "Inputs" / "dense.hlo"
# Key codes of WebDriver.
BACKSPACE, ENTER, CONTROL, HOME, LEFT, DOWN = "\ue003\ue007\ue009\ue011\ue012\ue015"
WIDTHS = ((400, 800), (1000, 700), (1600, 900))

SORTING = "const words = []; for (let i = 0; i < 100000; ++i) words.push('layer_' + i * 7919 % 100000 + ' add'); words.sort()"


class Opened:
    """A page in the browser, with a user's actions."""

    def __init__(self, browser, path, size=(1000, 700)):
        self.browser = browser
        browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False})
        browser.get_log("browser")
        start = time.monotonic()
        browser.get(path.as_uri())
        self.load_seconds = time.monotonic() - start

    def all(self, selector):
        return self.browser.find_elements("css selector", selector)

    def one(self, selector):
        return self.browser.find_element("css selector", selector)

    def script(self, text, *arguments):
        return self.browser.execute_script(text, *arguments)

    def rows(self):
        return [each.text for each in self.all("#tree .row")]

    def row(self, name):
        """Returns the first row with this name or label."""
        return next(each for each in self.all("#tree .row")
                    if name in [part.text for part in each.find_elements("css selector", ".name, .label")])

    def current(self):
        return self.one("#tree .current .name").text

    def search(self, text):
        self.one("#search").send_keys(CONTROL + "a", CONTROL, text or BACKSPACE)

    def milliseconds(self, text):
        """Returns the milliseconds that an action and the layout after it take."""
        return self.script(f"const start = performance.now(); {text}; document.body.offsetHeight; return performance.now() - start")

    def timed(self, text):
        """Returns the milliseconds of the fastest of three runs."""
        return min(self.milliseconds(text) for _ in range(3))

    def instant(self):
        """Returns the milliseconds that users don't notice: 200 or, on slow machines, twice the time to sort 100,000 words."""
        return max(200, 2 * self.timed(SORTING))

    def assert_quiet(self):
        assert self.browser.get_log("browser") == []


@pytest.fixture
def opened(call, browser, tmp_path):
    """Fixture opened(program, *options, size=…): opens the page that `drumlin print --html`, or another command, writes."""
    def make(*arguments, size=(1000, 700), command="print"):
        result = call(command, "--html", *arguments)
        assert result.returncode == 0, result.stderr
        (tmp_path / "page.html").write_text(result.stdout)
        return Opened(browser, tmp_path / "page.html", size)
    return make


def test_unfolds_in_place_and_follows_operands_and_users(opened):
    page = opened(DENSE)
    assert "ENTRY %main.9" in page.rows()[0]
    fusion = page.row("%wrapped_transpose")
    assert "Arg_1ᵀ" in fusion.text
    fusion.find_element("css selector", ".toggle").click()
    assert [each.get_attribute("aria-level") for each in page.all("#tree .row")].count("3") == 2
    page.row("%wrapped_transpose").find_element("css selector", ".toggle").click()
    assert "3" not in [each.get_attribute("aria-level") for each in page.all("#tree .row")]
    page.row("%reduce.4").click()
    assert page.current() == "%reduce.4"
    page.one("#panel-instruction .links a").click()
    assert page.current() == "%get-tuple-element.1"
    users = page.all("#panel-instruction .links")[1].find_elements("css selector", "a")
    assert [each.text for each in users] == ["%reduce.4", "%tuple"]
    users[1].click()
    assert page.current() == "%tuple"
    page.assert_quiet()


def test_searches_words_fields_and_expressions(opened):
    page = opened(DENSE)

    def found(text):
        page.search(text)
        return [each.text for each in page.all("#tree .row.instruction .name")]
    assert found("cublas") == ["%cublas-gemm"]
    assert found("op:reduce") == ["%reduce.4"]
    assert found("op:/^(reduce|tuple)$/") == ["%reduce.4", "%tuple"]
    assert found("f8e4m3fn parameter name:Arg_0") == ["%Arg_0"]
    assert set(found("source:dense.py")) == {"%cublas-gemm", "%get-tuple-element.1"}
    assert found("nowhere") == [] and page.one("#status").text == "nothing found"
    found("/(/")
    assert "Invalid regular expression" in page.one("#status").text
    assert found("maximum") == ["%max.1"]
    page.row("%max.1").click()
    page.search("")  # shows all rows again, scrolled to the selected row
    assert page.current() == "%max.1" and len(page.rows()) > 10
    page.assert_quiet()


def test_sources_mark_instructions_and_instructions_name_sources(opened):
    page = opened(DENSE)
    page.one("#tab-sources").click()
    next(each for each in page.all("#sources .row") if "dense.py:7" in each.text).click()
    assert "2 instructions from jit(dense)/dot_general" in page.one("#panel-sources .marks").text
    assert [each.find_element("css selector", ".name").text for each in page.all("#tree .marked")] == ["%cublas-gemm", "%get-tuple-element.1"]
    assert page.current() == "%cublas-gemm"
    page.one("#panel-sources .marks button").click()
    assert page.current() == "%get-tuple-element.1"
    page.row("%Arg_1").click()
    page.all("#panel-instruction .links a")[-1].click()
    assert [each.find_element("css selector", ".name").text for each in page.all("#tree .marked")] == ["%Arg_1"]
    page.assert_quiet()


def test_keyboard(opened):
    page = opened(DENSE)
    page.search("reduce.4")
    page.one("#search").send_keys(DOWN)
    assert page.current() == "%reduce.4"
    tree = page.one("#tree")
    tree.send_keys(ENTER)  # selects the current row
    assert page.current() == "%reduce.4" and len(page.rows()) > 10
    tree.send_keys(DOWN)
    assert page.current() == "%tuple"
    tree.send_keys(HOME, LEFT)  # folds the entry
    assert page.one("#tree .row").get_attribute("aria-expanded") == "false"
    assert tree.get_attribute("aria-activedescendant") == "row-0"
    tree.send_keys("/")
    assert page.script("return document.activeElement.id") == "search"


LONG = "fused_" + "_".join(["layer_norm_backward"] * 8)


# Names, also in graphs, are cut only at the window's edge; hovering shows the complete name.
def test_names_are_cut_at_the_edge_alone(opened, tmp_path):
    (tmp_path / "long.hlo").write_text(DENSE.read_text().replace("wrapped_transpose,", LONG + ",").replace("%wrapped_transpose =", f"%{LONG} ="))
    page = opened("long.hlo", size=(1600, 900))
    name = page.row("%" + LONG).find_element("css selector", ".name")
    edge = page.one("#tree").rect["x"] + page.one("#tree").rect["width"]
    assert name.get_attribute("title") == "%" + LONG
    assert name.rect["width"] >= min(edge - name.rect["x"], page.script("return arguments[0].scrollWidth", name)) - 20
    assert page.script("return document.documentElement.scrollWidth") <= 1600
    for row in page.all("#tree .row.instruction"):
        kept = [each.get_attribute("title") for each in row.find_elements("css selector", ".name, .type, .what")]
        assert all(kept), row.text
    page.one("#tab-graph").click()
    assert any(LONG in each.get_attribute("textContent") for each in page.all("#graph .node text.second"))
    page.assert_quiet()


# The address names the selected instruction; a page opened with an address shows that instruction.
def test_every_instruction_has_an_address(opened):
    page = opened(DENSE)
    page.row("%reduce.4").click()
    address = page.browser.current_url
    assert address.endswith("#reduce.4")
    page.browser.get("about:blank")
    page.browser.get(address)
    assert page.current() == "%reduce.4"
    page.script("location.hash = '#transpose.2.0'")  # inside of a fusion, by its full name
    time.sleep(0.2)
    assert page.current() == "%transpose"
    anchors = page.script("return page.programs[0].instructions.map(each => each.anchor)")
    assert len(set(anchors)) == len(anchors) and "" not in anchors
    links = [each.get_attribute("href") for each in page.all("#tree .row .name, #panel-instruction a.go[data-go]")]
    assert len(links) > 10 and all("#" in each and not each.endswith("#") for each in links)
    page.assert_quiet()


def boxes_of(page):
    """Returns (left, top, right, bottom) of each node in the graph, by instruction name."""
    return page.script("""return Object.fromEntries([...document.querySelectorAll("#graph .node")].map(node => {
      const box = node.querySelector("rect").getBBox(), made = page.programs[node.dataset.side].instructions[node.dataset.node];
      return [made.name || made.opcode, [box.x, box.y, box.x + box.width, box.y + box.height]];
    }))""")


def test_graph_of_what_is_unfolded(opened):
    page = opened(DENSE)
    page.one("#tab-graph").click()
    boxes = boxes_of(page)
    assert len(boxes) == 11 and len(page.all("#graph .edge")) == 10
    assert boxes["cublas-gemm"][3] < boxes["get-tuple-element.1"][1] < boxes["reduce.4"][1] < boxes["tuple"][1]
    apart = [(a, b) for a in boxes for b in boxes if a < b]
    assert all(boxes[a][2] <= boxes[b][0] or boxes[b][2] <= boxes[a][0] or boxes[a][3] <= boxes[b][1] or boxes[b][3] <= boxes[a][1] for a, b in apart)
    page.row("%wrapped_transpose").find_element("css selector", ".toggle").click()
    boxes = boxes_of(page)  # the node of the transpose inside replaces the fusion's node; the fusion's operand stands for the parameter
    assert "transpose" in boxes and "wrapped_transpose" not in boxes and "param_0.3" not in boxes and len(boxes) == 11
    page.script("document.querySelector('#graph .node').dispatchEvent(new MouseEvent('click', { bubbles: true }))")
    assert page.current() == "%Arg_1"
    page.assert_quiet()


def test_side_by_side(opened, tmp_path):
    text = DENSE.read_text()
    text = text.replace("maximum(", "minimum(").replace('"selected_algorithm":"4"', '"selected_algorithm":"5"')
    text = text.replace("  %reduce.4 = ", "  %neg = f32[16,32]{1,0} negate(%get-tuple-element.1)\n  %reduce.4 = ").replace("reduce(%get-tuple-element.1", "reduce(%neg")
    (tmp_path / "after.hlo").write_text(text)
    page = opened(DENSE, "--against", "after.hlo", size=(1600, 900))
    assert page.one("#differences").text == "1 added, 3 changed"
    shown = {}
    for _ in range(4):
        next(each for each in page.all(".bar button") if each.text == "next difference").click()
        shown[page.script("return page.selected.name")] = (page.script("return page.list.rows.find(each => page.isCurrent(each)).pair.length"),
                                                           [each.text for each in page.all(".differences del, .differences ins")])
    assert shown["neg"] == (2, []) and shown["reduce.4"][1][:2] == ["%get-tuple-element.1, %low", "%neg, %low"]
    assert shown["reduce.4"][1][2:] == []
    assert shown["max.1"][1] == ["maximum", "minimum"] and '"5"' in shown["cublas-gemm"][1][1]
    page.one("#only-differences").click()
    rows = [(each.get_attribute("class").split()[-1], each.find_element("css selector", ".sign").text) for each in page.all("#tree .row.instruction")]
    assert [row for row in rows if row[1] == "+"] == [("added", "+")] and len(rows) == 4
    page.search("op:reduce")
    assert len(page.all("#tree .row.instruction")) == 1
    assert opened(DENSE, "--against", DENSE).one("#differences").text == "no differences"
    assert opened("after.hlo", "--against", DENSE).one("#differences").text == "1 removed, 3 changed"
    page.assert_quiet()


def test_plans_have_costs_schedules_and_decisions(opened):
    page = opened(DENSE.parent / "step.mlir", command="plan")
    launch = page.row("%0")
    assert launch.find_element("css selector", ".cost").text.endswith("FLOP")
    launch.click()
    text = page.one("#panel-instruction").text
    assert "plan.schedule of gemm_0" in text and "asked for" in text
    assert "gemm-kernel" in text and "stablehlo.dot_general step.py:3:7: taken" in text
    page.one("#tab-program").click()
    assert "peak memory" in page.one("#panel-program").text
    page.assert_quiet()


@pytest.mark.parametrize("command", ["plan", "print"])
def test_images_have_the_decisions_that_they_keep(opened, call, command):
    assert call("compile", DENSE.parent / "step.mlir", "-o", "step.so").returncode == 0
    page = opened("step.so", command=command)
    page.row("%0").click()
    text = page.one("#panel-instruction").text
    assert "plan.schedule of gemm_0" in text and "asked for" in text
    assert "gemm-kernel" in text and "stablehlo.dot_general step.py:3:7: taken" in text
    page.assert_quiet()


# Nested loops, branches and calls: following any link unfolds, selects and draws its target.
@pytest.mark.parametrize("name", ["newton_while/program.mlir", "newton_while/optimized.hlo", "lstm_scan/program.mlir", "sample_tokens/program.mlir"])
def test_every_instruction_is_reached(opened, name):
    page = opened(SOURCES / "test" / "models" / name)
    lost = page.script("""page.showTab("graph");
      const all = page.programs[0].instructions, step = Math.ceil(all.length / 100);
      return all.filter((each, index) => index % step === 0).filter(each => {
        page.setAll(false);
        page.show(each);
        return !page.list.rows.some(row => page.isCurrent(row)) || !document.querySelector("#graph .node.selected");
      }).map(each => each.name + " " + each.opcode);""")
    assert lost == []
    keys = page.script("page.setAll(true); return page.list.rows.map(each => each.key)")
    assert len(set(keys)) == len(keys)
    page.assert_quiet()


# A module without instructions has a page, too.
def test_empty_module(opened, tmp_path):
    (tmp_path / "empty.mlir").write_text("module @nothing {\n}\n")
    page = opened("empty.mlir")
    assert page.rows() == [] and "nothing" in page.one("h1").text
    page.one("#tab-graph").click()
    page.search("add")
    page.assert_quiet()


# Compares programs that have little in common: one is HLO, the other StableHLO.
def test_different_programs_side_by_side(opened, add):
    page = opened(DENSE, "--against", add)
    assert re.search(r"\d removed", page.one("#differences").text)
    assert any("func @main" in row for row in page.rows())
    page.assert_quiet()


def large_program(count):
    """Returns a chain of many operations with source locations; every fiftieth is a fusion."""
    draw = random.Random(1)
    shape, lines = "f32[64,64]{1,0}", ["HloModule large\n"]
    for k in range(200):
        lines.append(f"%fused.{k} (p0.{k}: f32[64,64]) -> f32[64,64] {{\n  %p0.{k} = {shape} parameter(0)\n"
                     f"  ROOT %n.{k} = {shape} negate(%p0.{k})\n}}\n")
    lines.append(f"ENTRY %main (x: f32[64,64]) -> f32[64,64] {{\n  %x = {shape} parameter(0)")
    names = ["x"]
    for i in range(count - 401):
        first, name = names[-1], f"v.{i}"
        what = f"fusion(%{first}), kind=kLoop, calls=%fused.{i // 50}" if i % 50 == 0 and i < 10000 else f"add(%{first}, %{draw.choice(names[-50:])})"
        root = "ROOT " if i == count - 402 else ""
        lines.append(f'  {root}%{name} = {shape} {what}, metadata={{op_name="jit(f)/layer_{i // 100}/op" source_file="model.py" source_line={i // 10 + 1}}}')
        names.append(name)
    return "\n".join([*lines, "}\n"])


# Each action is fast enough not to be noticed. The test runs alone on the machine.
@pytest.mark.alone
def test_twenty_thousand_instructions(opened, tmp_path):
    (tmp_path / "large.hlo").write_text(large_program(20000))
    firsts = []
    for _ in range(3):  # the first search of a page is the slowest
        page = opened("large.hlo")
        firsts.append(page.milliseconds("page.search.value = 'layer_17 add'; page.update(true)"))
    assert page.script("return page.programs[0].instructions.length") == 20000
    times = {
        "load": page.load_seconds * 1000,
        "first search": min(firsts),
        "search": page.timed("page.search.value = '/layer_1[0-9]\\\\/.*v\\\\.1/'; page.update(true)"),
    }
    page.search("op:fusion")
    assert page.one("#status").text == "200 found" and len(page.all("#tree .row")) < 100
    page.script("page.search.value = ''; page.update(true)")
    times["unfold"] = page.timed("page.toggle(page.list.rows.find(each => each.depth === 1 && each.canOpen))")
    times["unfold all"] = page.timed("page.setAll(true)")
    times["scroll"] = page.timed("page.treeRoot.scrollTop = 200000; page.list.draw()")
    page.script("page.setAll(false); page.showTab('graph'); page.show(page.programs[0].instructions[15000])")
    assert len(boxes_of(page)) == 60 and page.one("#graph .selected")
    times["graph"] = page.timed("page.drawGraph()")
    print(", ".join(f"{name} {value:.0f} ms" for name, value in times.items()))
    assert times["load"] < 3000, times
    assert max(value for name, value in times.items() if name != "load") < page.instant(), times
    page.assert_quiet()


@pytest.mark.alone
def test_twenty_thousand_instructions_side_by_side(opened, tmp_path):
    text = large_program(20000)
    (tmp_path / "large.hlo").write_text(text)
    # A hundred changed operations, and one instruction fewer.
    lines = text.splitlines()
    changed = [each.replace("add(", "multiply(") if number % 150 == 0 else each for number, each in enumerate(lines) if "%v.500 " not in each]
    (tmp_path / "after.hlo").write_text("\n".join(changed).replace("%v.500,", "%v.499,").replace("%v.500)", "%v.499)") + "\n")
    page = opened("large.hlo", "--against", "after.hlo")
    assert re.fullmatch(r"1 removed, 1\d\d changed", page.one("#differences").text)
    stepping = page.timed("page.stepDifference(1)")
    print(f"load {page.load_seconds * 1000:.0f} ms, step {stepping:.0f} ms")
    assert page.load_seconds < 3 and stepping < page.instant()
    page.assert_quiet()


# Nothing is wider than the window, and text contrasts with its background in both schemes.
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_width_and_scheme(opened, browser, scheme):
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [{"name": "prefers-color-scheme", "value": scheme}]})
    for size in WIDTHS:
        page = opened(DENSE, size=size)
        assert page.script("return document.documentElement.scrollWidth") <= size[0]
        for selector in ("#tree", "#search", ".panel"):
            box = page.script("const box = document.querySelector(arguments[0]).getBoundingClientRect(); return [box.left, box.right, box.height]", selector)
            assert box[0] >= 0 and box[1] <= size[0] and box[2] > 20, (selector, size, box)
        colors = page.script("const style = getComputedStyle(document.body); return [style.color, style.backgroundColor]")
        text, back = (sum(int(part) for part in color.strip("rgba()").split(",")[:3]) for color in colors)
        assert (text < back) == (scheme == "light") and abs(text - back) > 450
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": []})
