"""The options of this package's functions, made from the table of options by `./dev options`."""
from __future__ import annotations

import os
import typing
from collections.abc import Sequence

Path = str | os.PathLike[str]


class ProgramOptions(typing.TypedDict, total=False):
    """Of all functions that compile."""

    target: typing.Literal['inf2', 'trn1', 'trn1n', 'trn2', 'sm_89', 'sm_90', 'sm_100', 'gfx942', 'gfx950']  # for `plan`, `cost`, `why` and `diff`: layouts on a tensor engine, or library calls on a GPU; there is no code for any of them
    target_cpu: str  # `native` (the highest level that this processor has), the levels `amx`, `avx512`, `avx2` and `baseline`, or a CPU that LLVM knows (`znver4`; `neoverse-v2` and others of aarch64), which `drumlin targets` lists; behind it features that are added or left out: `avx512,-avx512bf16`. Cache sizes and rates follow from the name
    numerics: str  # what kernels may compute otherwise than the program says: names of relaxations with commas between them; `default` is `flush-products`, `strict` none
    replicas: int | float | str  # the program runs as so many replicas together
    partitions: int | float | str  # the program runs as so many partitions of each replica together
    size: str | Sequence[str]  # choose costs and schedules for this size, or the odd one above it, of those that the run tells; may be repeated
    fill_elided: str  # what stands for the values of HLO's constants that were left out when the program was printed, as `constant({...})`
    auto_cast: typing.Literal['none', 'matmult', 'all']  # f32 values that may be rounded: the operands of products (`matmult`), or those of all elementwise operations as well (`all`)
    auto_cast_type: typing.Literal['bf16', 'fp16', 'tf32', 'fp8_e4m3']  # what `--auto-cast` rounds to; `fp8_e4m3` saturates, and is for products alone
    optimization_level: typing.Literal['0', '1', '2', '3'] | int  # how much a compilation does; 0: each operation by itself, code made quickly; 1: code made quickly where little time is spent; 2: as well as it can; 3: schedules are measured, as with `--tune=on`
    distribution_strategy: str  # how a program is partitioned among devices; not supported yet: any strategy is an error (`D4012`, status 4)
    model_type: typing.Literal['generic', 'transformer', 'unet-inference']  # what the program is, where plans for it differ
    no_cache: bool  # compile every kernel anew: neither read nor write the kernel cache
    cache_size: int | str  # the most bytes that the kernel cache may take, such as `500MB`; 0 is no cache
    memory_budget: int | str  # the most bytes that a call may hold at once, such as `500MB`: arguments, results, constants, weights and temporaries, as `plan` prints them; status 6 where it holds more, with what holds it
    compile_memory: int | str  # the most bytes by which compiling may make the process larger, such as `4GB`; status 6, and nothing is written, where it takes more
    compile_time: int | float | str  # how long compiling may take; status 6, and nothing is written, where it takes longer
    compile_operations: int | float | str  # the most operations that the program may have, those in regions included, once its calls are inlined and after each phase; status 6 where it has more
    num_parallel_jobs: int | float | str  # threads that compile kernels, 0 being one for each processor; the image doesn't depend on it
    weights: Path  # a .safetensors or .npz file, or the .index.json of several .safetensors files, whose arrays bind the arguments of their names (or in0, in1, …); for an image, its side file, or the file that it was compiled with for weights in place
    weights_in_place: typing.Literal['sampled', 'hashed']  # use weights where they lie in the file, as they lie: no copy is written. The image knows them by samples, or by a hash of all elements as well
    dump_phases: Path  # write numbered files after each phase into this folder, which is made: program, ledger, costs
    dump_pass: str  # print the program after passes that match this expression
    dump_llvm: Path  # write the LLVM code of every kernel that is compiled (with `--no-cache`: of all) into this folder, which is made, in files with their names; what isn't a letter, a digit, `_` or `-` is replaced
    stop_after: typing.Literal['simplify', 'rewrite', 'fusion', 'layout', 'select', 'schedule', 'buffers']  # end after this phase; `compile` then writes the program's text, and the ledger beside it
    require: str | Sequence[str]  # fail unless the plan keeps this, as `dot@*mlp*: fused(bias)`; may be repeated
    static_args: str | Sequence[str]  # arguments that are the same at every call, by number (`0,1`), range (`0-290`), name (`params.w`) or pattern (`params.*`, `*`): they are laid out once
    force_kernel: str | Sequence[str]  # the kernel of the dots and convolutions that match, as `dot@*mlp*=packed`; may be repeated
    disable_pass: str | Sequence[str]  # leave out the pass of this name, or turn off the rule of the ledger that decides; may be repeated
    start_from: typing.Literal['simplify', 'rewrite', 'fusion', 'layout', 'select', 'schedule', 'buffers']  # the input is what this phase made


class CompileOptions(ProgramOptions, total=False):
    """Of `drumlin.compile`."""

    tune: typing.Literal['off', 'on', 'require']  # schedules of kernels; `off`: the cost model's; `on`: measured ones, from the record or, where they aren't there, measured now; `require`: those of the record only, status 5 where it has none
    time_budget: int | float | str  # how long after the compilation began measuring of schedules ends; 0: when all are measured
    tune_record: Path  # the file that holds what was chosen; `--tune=on` adds to it, and what it measured to `FILE.times`. The same record gives the same image
    tune_seconds: int | float | str  # how much processor time measuring one kernel may take


class PlanOptions(ProgramOptions, total=False):
    """Of `drumlin.plan`."""

    html: bool  # a page for browsers, with costs and decisions
    layout: typing.Literal['chosen', 'as-written']  # with `--target`: layouts that are chosen for it, or row-major ones everywhere
    lock: Path  # write what the plan does to this file, for review and `drumlin diff`, instead of printing the plan


class CostOptions(ProgramOptions, total=False):
    """Of `drumlin.cost`."""

    limits: Path  # estimate times with the rates of this file, which `drumlin limits --json` wrote, instead of assumed ones of one core
    layout: typing.Literal['chosen', 'as-written']  # with `--target`: layouts that are chosen for it, or row-major ones everywhere


class WhyOptions(ProgramOptions, total=False):
    """Of `drumlin.why`."""

    remarks: bool  # as LLVM's optimization remarks in YAML, which their viewers show beside the source: `Passed` where a rule was taken, `Missed` where it was declined, `Analysis` where it leaves no choice
    kernel: str  # only what is about operations of kernels that match this expression
    operation: str  # only operations whose name or place in the source matches this expression
    rule: str  # only this rule
    declined: bool  # only what was declined


class CheckOptions(ProgramOptions, total=False):
    """Of `drumlin.check`."""

    input: str | Path | Sequence[str | Path]  # as for `drumlin run`
    custom_call: str | Sequence[str]  # the code of a custom call: a handler of XLA's foreign function interface in a shared library; with `:1`, `:2` or `:3` behind it a function of that `api_version`
    rtol: int | float | str  # how far elements may lie apart, relative to their size
    ulps: int | float | str  # how many units in the last place elements may lie apart
    threads: int | float | str  # threads to run with, 0 being one for each processor; results don't depend on it
    max_memory: int | str  # the most bytes that the interpreter's values may take together, such as `4GB`
    check_ranges: bool  # with `--auto-cast`: interpret the rounded program as well, and count what its roundings move out of the type's range, or to zero
    tune: typing.Literal['off', 'on', 'require']  # schedules of kernels; `off`: the cost model's; `on`: measured ones, from the record or, where they aren't there, measured now; `require`: those of the record only, status 5 where it has none
    time_budget: int | float | str  # how long after the compilation began measuring of schedules ends; 0: when all are measured
    tune_record: Path  # the file that holds what was chosen; `--tune=on` adds to it, and what it measured to `FILE.times`. The same record gives the same image
    tune_seconds: int | float | str  # how much processor time measuring one kernel may take


class DiffOptions(ProgramOptions, total=False):
    """Of `drumlin.diff`."""

    exact: bool  # fail on any difference, not only on worse ones
    tolerance: int | float | str  # the share by which FLOPs and bytes may change
