"""The options of this package's functions, made from the table of options by scripts/python_options.py."""
from __future__ import annotations

import os
import typing
from collections.abc import Sequence

Path = str | os.PathLike[str]


class ProgramOptions(typing.TypedDict, total=False):
    """Of all functions that compile."""

    target: typing.Literal['gfx942', 'gfx950', 'inf2', 'sm_100', 'sm_89', 'sm_90', 'trn1', 'trn1n', 'trn2']  # inf2, trn1, trn1n or trn2: for plans and costs only; sm_89, sm_90, sm_100, gfx942 or gfx950: for plans only; without it, the CPU
    target_cpu: str  # native (the default), amx, avx512, avx2, baseline or a CPU that LLVM knows, with features behind it: znver4,-avx512bf16 (`drumlin targets` lists them)
    numerics: typing.Literal['default', 'strict']  # default, or strict: products and sums in the accumulation type only
    auto_cast: typing.Literal['all', 'matmult', 'none']  # f32 values that may be rounded: none (the default), the operands of products, or of all elementwise operations
    auto_cast_type: typing.Literal['bf16', 'fp16', 'fp8_e4m3', 'tf32']  # what `--auto-cast` rounds to; fp8_e4m3 saturates, and is for products alone
    optimization_level: typing.Literal['0', '1', '2', '3'] | int  # 0: each operation by itself, code made quickly; 1: code made quickly where little time is spent; 2 (the default); 3: schedules are measured (as with --tune=on)
    distribution_strategy: str  # how a program is partitioned among devices; not supported yet
    model_type: typing.Literal['generic', 'transformer', 'unet-inference']  # what the program is, where plans for it differ: generic (the default), transformer or unet-inference
    no_cache: bool  # compile every kernel anew
    cache_size: int | float | str  # the most bytes that the kernel cache may take, such as 500MB (default 1GB)
    memory_budget: int | float | str  # the most bytes that a call may hold, with arguments, results and weights, such as 500MB; status 6 where it holds more
    num_parallel_jobs: int | float | str  # threads that compile kernels (0: one for each processor)
    weights: Path  # a .safetensors or .npz file whose arrays bind the arguments of their names (or in0, in1, …); for an image, its side file, or the file that it was compiled with for weights in place
    weights_in_place: typing.Literal['hashed', 'sampled']  # use weights where they lie in the file, as they lie: no copy is written. The image knows them by samples, or by a hash of all elements as well
    dump_phases: Path  # write the program after each phase into this folder
    dump_pass: str  # print the program after passes that match this expression
    dump_llvm: Path  # write the LLVM code of every kernel that is compiled into this folder
    stop_after: typing.Literal['buffers', 'fusion', 'layout', 'rewrite', 'schedule', 'select', 'simplify']  # stop after this phase
    require: str | Sequence[str]  # fail unless the plan keeps this, as `dot@*mlp*: fused(bias)`; may be repeated
    static_args: int | float | str | Sequence[int | float | str]  # arguments, by number, that are the same at every call: laid out once
    force_kernel: str | Sequence[str]  # the kernel of dots and convolutions, as `dot@*mlp*=packed`; may be repeated
    disable_pass: str | Sequence[str]  # leave out the pass of this name; may be repeated
    start_from: typing.Literal['buffers', 'fusion', 'layout', 'rewrite', 'schedule', 'select', 'simplify']  # the input is what this phase made


class CompileOptions(ProgramOptions, total=False):
    """Of `drumlin.compile`."""

    tune: typing.Literal['off', 'on', 'require']  # off: kernels take the cost model's schedules; on: measured ones, from the record or, where they aren't there, measured now; require: those of the record only
    time_budget: int | float | str  # seconds after which no more schedules are measured (0: no limit)
    tune_record: Path  # the file that holds what was measured; --tune=on adds to it
    tune_seconds: int | float | str  # of processor time that measuring one kernel may take


class PlanOptions(ProgramOptions, total=False):
    """Of `drumlin.plan`."""

    html: bool  # a page for browsers, with costs and decisions
    layout: typing.Literal['as-written', 'chosen']  # with --target: `chosen` for it, or `as-written`: row-major everywhere
    lock: Path  # write what the plan does to this file, for review and `drumlin diff`


class CostOptions(ProgramOptions, total=False):
    """Of `drumlin.cost`."""

    limits: Path  # estimate times with the rates of this file, which `drumlin limits --json` wrote, instead of assumed ones of one core
    layout: typing.Literal['as-written', 'chosen']  # with --target: `chosen` for it, or `as-written`: row-major everywhere


class WhyOptions(ProgramOptions, total=False):
    """Of `drumlin.why`."""

    remarks: bool  # as LLVM's optimization remarks, in YAML
    kernel: str  # only what is about operations of kernels that match this expression
    operation: str  # only operations whose name or place in the source matches this expression
    rule: str  # only this rule
    declined: bool  # only what was declined


class CheckOptions(ProgramOptions, total=False):
    """Of `drumlin.check`."""

    input: str | Path | Sequence[str | Path]  # as for `drumlin run`
    rtol: int | float | str  # how far elements may lie apart, relative to their size (default: by type)
    ulps: int | float | str  # how many units in the last place elements may lie apart (default: by type)
    threads: int | float | str  # threads that run the native code (0: one for each processor)
    max_memory: int | float | str  # the most bytes that the interpreter's values may take together, such as 4GB (default 16GB)
    check_ranges: bool  # count what `--auto-cast` rounds out of its type's range, or to zero
    tune: typing.Literal['off', 'on', 'require']  # off: kernels take the cost model's schedules; on: measured ones, from the record or, where they aren't there, measured now; require: those of the record only
    time_budget: int | float | str  # seconds after which no more schedules are measured (0: no limit)
    tune_record: Path  # the file that holds what was measured; --tune=on adds to it
    tune_seconds: int | float | str  # of processor time that measuring one kernel may take


class DiffOptions(ProgramOptions, total=False):
    """Of `drumlin.diff`."""

    exact: bool  # fail on any difference, not only on worse ones
    tolerance: int | float | str  # the share by which FLOPs and bytes may change
