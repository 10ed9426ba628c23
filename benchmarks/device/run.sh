#!/bin/bash
# Runs the checks of `./dev device` that need a GPU: run.sh RESULTS. They take 4 minutes. The machine needs CUDA 13 and a Python
# with PyTorch, JAX and ml_dtypes. If a check fails or takes too long, the other checks still run.
set -u
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 XLA_PYTHON_CLIENT_PREALLOCATE=false
here=$(cd "$(dirname "$0")" && pwd)
results=${1:?a folder for results}
questions=$(mktemp)
step() {
  local begun=$SECONDS
  echo "== $1"
  timeout "${@:2}" 2>&1 | tail -25
  echo "   status ${PIPESTATUS[0]}, $((SECONDS - begun)) s"
}
mkdir -p "$results"
xz -dc "$here/questions.jsonl.xz" > "$questions"
step card 20 nvidia-smi --query-gpu=name,driver_version,clocks.max.sm,memory.total --format=csv,noheader
step loops 20 "$here/graph_loops" "$here/graph_loops.ptx"
step ask 150 python3 "$here/ask_library.py" "$questions" "$results/answers.txt"
xz -f "$results/answers.txt.json"
step facts 40 python3 "$here/library_facts.py" "$questions" "$results/facts.json"
step times 60 python3 "$here/time_library.py" "$questions" "$results/times.json"
step xla 90 python3 "$here/xla_programs.py" "$here/programs" "$results/xla.json"
XLA_FLAGS=--xla_gpu_enable_triton_gemm=false step xla-calls 60 python3 "$here/xla_programs.py" "$here/programs" "$results/xla_calls.json"
rm -f "$questions"
ls -l "$results"
