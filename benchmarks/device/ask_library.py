"""Tests which calls cuBLASLt supports on this GPU, and runs the supported ones. Usage:
ask_library.py QUESTIONS ANSWERS

QUESTIONS has one JSON object per line (from PrintLibraryQuestions). ANSWERS gets a line for each
subject of each group, with one character per question, in order:

    = it computes what drumlin/target/LibraryCall.h defines, within one unit in the last place
    ~ it computes a gelu with an error of at most 0.001, and its bias gradient with an error of at
      most 0.01 (relative to the result or to 1, whichever is larger)
    x it computes something else, or writes outside its results
    ? it is supported, but its scales are unknown
    - it is unsupported
    ! it corrupts the GPU context

ANSWERS.json gets the reasons and distances of all questions. A call that corrupts the context ends
its process; a new process continues after it.
"""

import concurrent.futures
import json
import os
import subprocess
import sys
import time

import numpy as np

SHARES = 11  # number of parallel processes; prime, so that calls that corrupt the context are spread over all of them
MOST_CRASHES = 100  # per process


def answer(lt, question, random):
    import torch

    import call_values
    import cublaslt

    call = question["call"]
    largest = {}
    for pointer, dtype, count, _ in call_values.needs(call):
        largest[pointer] = max(largest.get(pointer, 0), count * np.dtype(dtype).itemsize)
    places, total = {}, 0
    for pointer, size in largest.items():
        places[pointer] = total + call_values.GUARD
        total += call_values.GUARD * 2 + -(-size // 256) * 256
    base = answer.arena.data_ptr()
    addresses = {pointer: base + place for pointer, place in places.items()}
    try:
        made = cublaslt.Call(lt, call, addresses)
    except cublaslt.Failed as failure:
        return {"refused": str(failure)}
    given = call_values.buffers_of(call, random)
    host = np.full(total, call_values.FILL, np.uint8)
    for pointer, values in given.items():
        host[places[pointer] :][: values.nbytes] = np.frombuffer(values.tobytes(), np.uint8)
    try:
        answer.arena[:total].copy_(torch.from_numpy(host))
        try:
            made.run()
        except cublaslt.Failed as failure:
            return {"failed": str(failure)}
        torch.cuda.synchronize()
        back = answer.arena[:total].cpu().numpy()
        taken = {pointer: np.frombuffer(back[places[pointer] :][: values.nbytes].tobytes(), values.dtype) for pointer, values in given.items()}
        told = call_values.compare(call, given, taken)
        inside = np.zeros(total, bool)
        for pointer, values in given.items():
            inside[places[pointer] :][: values.nbytes] = True
        if np.any(back[~inside] != call_values.FILL):
            told["outside"] = (float("inf"), float("inf"))
        return {"apart": told}
    finally:
        made.free()


def work(questions, answers, share):
    """Answers the questions of one of SHARES parts, beginning after the last answer in the file.
    `share` is the number of the part."""
    import torch

    import cublaslt

    lt = cublaslt.CublasLt()
    answer.arena = torch.empty(8 << 20, dtype=torch.uint8, device="cuda")
    done = lines_in(answers)
    with open(questions) as lines, open(answers, "a") as out:
        for number, line in enumerate(lines):
            if number % SHARES != share or number < done * SHARES + share:
                continue
            out.flush()  # if this question ends the process, all earlier answers are in the file
            try:
                told = answer(lt, json.loads(line), np.random.default_rng(number))
            except KeyError as unknown:
                told = {"unknown": str(unknown)}
            out.write(json.dumps(told) + "\n")


def lines_in(path):
    with open(path) as lines:
        return sum(1 for _ in lines)


def answer_all(questions, answers, share, count):
    """Runs one process after another. Each runs until it has no more questions or corrupts the
    context."""
    open(answers, "w").close()
    crashes = 0
    while lines_in(answers) < count and crashes < MOST_CRASHES:
        ended = subprocess.run([sys.executable, __file__, questions, answers, str(share)], capture_output=True, text=True)
        if lines_in(answers) < count:
            crashes += 1
            with open(answers, "a") as out:
                out.write(json.dumps({"crashed": ended.stderr.strip().splitlines()[-1:] or ended.returncode}) + "\n")


def character(question, told):
    if "crashed" in told or not told:
        return "!"
    if "unknown" in told:
        return "?"
    if "apart" not in told:
        return "-"
    if all(places <= 1 for places, _ in told["apart"].values()):
        return "="
    isGelu = "GELU" in question["call"]["epilogue"]
    near = all(relative <= (1e-2 if what == "bias" else 1e-3) for what, (_, relative) in told["apart"].items())
    return "~" if isGelu and near else "x"


def main(questions, answers):
    total, begun = lines_in(questions), time.time()
    parts = [f"{answers}.{share}" for share in range(SHARES)]
    counts = [len(range(share, total, SHARES)) for share in range(SHARES)]
    with concurrent.futures.ThreadPoolExecutor(SHARES) as pool:
        list(pool.map(answer_all, [questions] * SHARES, parts, range(SHARES), counts))
    lists = [[json.loads(line) for line in open(part)] for part in parts]
    all_told, lines = [], {}
    for number, line in enumerate(open(questions)):
        question, share = json.loads(line), lists[number % SHARES]
        told = share[number // SHARES] if number // SHARES < len(share) else {}
        all_told.append(told)
        key = f"{question['group']}: {question['subject']}: "
        lines[key] = lines.get(key, "") + character(question, told)
    for part in parts:
        os.remove(part)
    ask = "import torch, cublaslt; print(torch.cuda.get_device_name(), cublaslt.CublasLt().version(), sep=', cublasLtGetVersion() ')"
    card = subprocess.run([sys.executable, "-c", ask], capture_output=True, text=True, cwd=os.path.dirname(os.path.abspath(__file__)))
    with open(answers, "w") as out:
        out.write(f"# {card.stdout.strip()}, {time.strftime('%Y-%m-%d')}\n")
        out.writelines(f"{key}{characters}\n" for key, characters in lines.items())
    with open(f"{answers}.json", "w") as out:
        out.writelines(json.dumps(told) + "\n" for told in all_told)
    print(f"{total} questions in {time.time() - begun:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) == 4:
        work(sys.argv[1], sys.argv[2], int(sys.argv[3]))
    else:
        main(sys.argv[1], sys.argv[2])
