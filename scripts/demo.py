"""Demonstrates the main use: compiles a small language model ahead of time, and writes text with
the model."""
import json
import re
import shutil
import subprocess
import time

from scripts import build, setup, steps

EXAMPLE = steps.ROOT / "examples" / "tiny_llama"
TARGETS = ("drumlin", "DrumlinRuntimeShared")  # without tests
PROMPTS = ("In the beginning", "And the king said")
TOKENS = "150"
RULES = steps.ROOT / "drumlin" / "transforms" / "Rules.def"
WEIGHTS = EXAMPLE / "model.safetensors"
TIMING = re.compile(r"^(\w+)\s+\S+.*?([\d.]+) ms", re.MULTILINE)
PEAK = re.compile(r"([\d.]+) MiB$", re.MULTILINE)
ARENA = re.compile(r"plan\.arena_bytes = (\d+)")


def call(command, what):
    """Runs a program and returns its output."""
    result = subprocess.run(list(map(str, command)), cwd=steps.ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        print(result.stdout)
        raise steps.Failure(f"{what}: exit status {result.returncode}", "read the message above", result.returncode)
    return result.stdout


def indented(text):
    return "".join(f"    {line}\n" for line in text.rstrip().splitlines())


def times_by_phase(report):
    """Adds up the times in the lines `phase pass time ms` of --print-timing. Within codegen,
    kernels compile in parallel."""
    times = {}
    for phase, milliseconds in TIMING.findall(report):
        if phase != "kernel":
            times[phase] = times.get(phase, 0.0) + float(milliseconds)
    return times


def compile_model(drumlin, image):
    steps.say("compiling the decode step of examples/tiny_llama ahead of time, from nothing cached")
    begin = time.monotonic()
    command = [drumlin, "compile", EXAMPLE / "decode.mlir", "-o", image, "--no-cache", "--print-timing"]
    report = call([*command, "--weights", WEIGHTS], "drumlin compile")
    seconds = time.monotonic() - begin
    peak = max(map(float, PEAK.findall(report)))
    plan = call([drumlin, "plan", EXAMPLE / "decode.mlir", "--weights", WEIGHTS], "drumlin plan")
    arena = ARENA.search(plan)
    weights = image.with_name(image.name + ".weights")
    lines = [f"compiled in {seconds:.2f} s, peak memory {peak:.0f} MiB",
             "time by phase: " + ", ".join(f"{name} {time:.0f} ms" for name, time in times_by_phase(report).items()),
             f"{plan.count('plan.kernel @')} kernels, launched {plan.count('plan.launch @')} times a step",
             f"image {image.stat().st_size / 1e3:.0f} kB"
             f", {weights.name} {weights.stat().st_size / 1e6:.2f} MB"
             + (f", temporary memory {int(arena[1]) / 1e3:.0f} kB, planned" if arena else "")]
    print(indented("\n".join(lines)))


def decisions(entries, deciding, count=3):
    """Returns the most important decisions. Equal decisions of a rule are grouped, and groups are
    ordered by the bytes that they moved or saved if the ledger has them, or else by the number of
    operations. Rules that only report (`--disable-pass` can't turn them off) are excluded."""
    groups = {}
    for entry in entries:
        if entry["rule"] not in deciding:
            continue
        group = groups.setdefault((entry["rule"], entry["decision"]), {"bytes": 0, "times": 0, "first": entry})
        group["bytes"] += entry.get("bytes_apart", 0)
        group["times"] += entry["count"]
    ranked = sorted(groups.items(), key=lambda item: (-item[1]["bytes"], -item[1]["times"], item[0]))
    for (rule, decision), group in ranked[:count]:
        first = group["first"]
        size = f", {group['bytes'] / 1e6:.2f} MB" if group["bytes"] else ""
        place = f"first for {first['operation']} at {first['source'].removeprefix(f'{steps.ROOT}/')}"
        reason = f": {first['meaning']}" if first.get("meaning") else ""
        yield f"{rule}: {decision}, {group['times']} times{size}, {place}{reason}"


def deciding_rules():
    """Returns the names of the rules that decide (drumlin/transforms/Rules.def)."""
    return set(re.findall(r'^DRUMLIN_RULE\(\w+, "([\w-]+)", Decides,', RULES.read_text(), re.MULTILINE))


def build_generator(folder):
    """Builds the generator with the system's C++ compiler, against the runtime library alone."""
    compiler = next((found for name in ("c++", "g++", "clang++-22") if (found := shutil.which(name))), None)
    if compiler is None:
        raise steps.Failure("there is no C++ compiler", "apt-get install g++")
    library = folder / "lib"
    program = folder / "demo" / "generate"
    steps.run("building the program that writes text", [
        compiler, "-std=c++20", "-O3", f"-I{steps.ROOT}", EXAMPLE / "generate.cpp", "-o", program, f"-L{library}",
        "-ldrumlin_runtime", f"-Wl,-rpath,{library}", "-pthread"], log="demo-generate")
    return program


def main(arguments):
    setup.everything()
    folder = build.build("demo", TARGETS)
    drumlin = folder / "bin" / "drumlin"
    image = folder / "demo" / "tiny_llama.so"
    image.parent.mkdir(exist_ok=True)
    compile_model(drumlin, image)
    entries = json.loads(call([drumlin, "why", EXAMPLE / "decode.mlir", "--weights", WEIGHTS, "--json"], "drumlin why"))
    steps.say("the three decisions that mattered most (all of them: `drumlin why examples/tiny_llama/decode.mlir`)")
    print(indented("\n".join(decisions(entries, deciding_rules()))))
    generate = build_generator(folder)
    for seed, prompt in enumerate(PROMPTS, 1):
        steps.say(f"writing after “{prompt}”")
        print(indented(call([generate, image, "--prompt", prompt, "--tokens", TOKENS, "--seed", seed],
                            "generate")))
    steps.say(f"done. Write your own: {generate.relative_to(steps.ROOT)} {image.relative_to(steps.ROOT)} --prompt \"The wise man\"")
