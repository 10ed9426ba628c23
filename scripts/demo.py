"""The main job, shown: a small language model is compiled ahead of time and writes text."""
import collections
import json
import resource
import shutil
import subprocess
import time

from scripts import build, setup, steps

EXAMPLE = steps.ROOT / "examples" / "tiny_llama"
PROMPTS = ("In the beginning", "And the king said")
TOKENS = "150"


def call(command, what):
    """A program's standard output; its standard error goes to the screen."""
    result = subprocess.run(list(map(str, command)), cwd=steps.ROOT, stdout=subprocess.PIPE, text=True)
    if result.returncode != 0:
        raise steps.Failure(f"{what}: exit status {result.returncode}", "read the message above", result.returncode)
    return result.stdout


def indented(text):
    return "".join(f"    {line}\n" for line in text.rstrip().splitlines())


def compile_model(drumlin, image):
    steps.say("compiling the decode step of examples/tiny_llama ahead of time, from nothing cached")
    begin = time.monotonic()
    report = call([drumlin, "compile", EXAMPLE / "decode.mlir", "-o", image, "--weights", EXAMPLE / "model.safetensors",
                   "--no-cache", "--print-timing"], "drumlin compile")
    seconds = time.monotonic() - begin
    if report.strip():
        print(indented(report))
    peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
    weights = image.with_name(image.name + ".weights")
    sizes = f"image {image.stat().st_size / 1e3:.0f} kB"
    sizes += f", weights {weights.stat().st_size / 1e6:.2f} MB beside it" if weights.exists() else ""
    steps.say(f"compiled in {seconds:.2f} s; {sizes}; peak memory of all steps so far {peak:.0f} MiB")


def decisions(entries, count=3):
    """The decisions that touched most: each rule's taken ones together, by how many operations they were about."""
    taken = collections.Counter()
    example = {}
    for entry in entries:
        if entry.get("reason") in ("taken", "Taken") or entry.get("taken") is True:
            taken[entry["rule"]] += 1
            example.setdefault(entry["rule"], entry)
    for rule, times in sorted(taken.items(), key=lambda item: (-item[1], item[0]))[:count]:
        place = example[rule].get("source") or example[rule].get("operation", "")
        yield f"{rule}: taken {times} times, first for {place}"


def build_generator(folder):
    """With the system's own C++ compiler, against the runtime library alone."""
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
    folder = build.build("release")
    drumlin = folder / "bin" / "drumlin"
    image = folder / "demo" / "tiny_llama.so"
    image.parent.mkdir(exist_ok=True)
    compile_model(drumlin, image)
    ledger = json.loads(call([drumlin, "why", EXAMPLE / "decode.mlir", "--json"], "drumlin why"))
    entries = ledger if isinstance(ledger, list) else ledger.get("decisions", [])
    steps.say("the three decisions that mattered most (all of them: `drumlin why examples/tiny_llama/decode.mlir`)")
    print(indented("\n".join(decisions(entries))))
    generate = build_generator(folder)
    for seed, prompt in enumerate(PROMPTS, 1):
        steps.say(f"writing after “{prompt}”")
        print(indented(call([generate, image, "--prompt", prompt, "--tokens", TOKENS, "--seed", seed], "generate")))
    steps.say(f"done. Write your own: {generate.relative_to(steps.ROOT)} {image.relative_to(steps.ROOT)} --prompt \"The wise man\"")
