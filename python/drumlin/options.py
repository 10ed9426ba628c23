"""The options of this package's functions, made from the table of options by `./dev options`."""
from __future__ import annotations

import os
import typing
from collections.abc import Sequence

Path = str | os.PathLike[str]


class ProgramOptions(typing.TypedDict, total=False):
    """Of all functions that compile."""

    target: typing.Literal['inf2', 'trn1', 'trn1n', 'trn2', 'sm_89', 'sm_90', 'sm_100', 'gfx942', 'gfx950']  # for `plan`, `cost`, `why` and `diff`: plan layouts for a tensor engine, or library calls for a GPU; no code is generated for these targets
    target_cpu: str  # `native` (the highest level that this processor has), the levels `amx`, `avx512`, `avx2` and `baseline`, or a CPU that LLVM knows (`znver4`; `neoverse-v2` and others of aarch64), which `drumlin targets` lists; then features to add or remove: `avx512,-avx512bf16`. Cache sizes and rates follow from the name
    numerics: str  # how kernels may deviate from the program's arithmetic: comma-separated names of relaxations; `default` stands for `flush-products`, `strict` for none
    replicas: int | float | str  # the number of replicas that run the program together
    partitions: int | float | str  # the number of partitions of each replica that run the program together
    size: str | Sequence[str]  # choose costs and schedules for this value of a size known only at run time (an even value is raised to the next odd one); may be repeated
    fill_elided: str  # how to fill HLO constants whose values were left out when the program was printed, as `constant({...})`
    auto_cast: typing.Literal['none', 'matmult', 'all']  # f32 values that may be rounded: the operands of dots and convolutions (`matmult`), or also those of all elementwise operations (`all`)
    auto_cast_type: typing.Literal['bf16', 'fp16', 'tf32', 'fp8_e4m3']  # the type that `--auto-cast` rounds to; `fp8_e4m3` saturates, and is only for dots and convolutions
    optimization_level: typing.Literal['0', '1', '2', '3'] | int  # optimization level; 0: one kernel per operation, code generated quickly; 1: code is generated quickly for kernels that take little time; 2: full optimization; 3: also measured schedules, as with `--tune=on`
    distribution_strategy: str  # how a program is partitioned among devices; not supported yet: any strategy is an error (`D4012`, status 4)
    model_type: typing.Literal['generic', 'transformer', 'unet-inference']  # the kind of model, which affects some decisions of the plan
    no_cache: bool  # compile every kernel anew: neither read nor write the kernel cache
    cache_size: int | str  # the most bytes that the kernel cache may take, such as `500MB`; 0 is no cache
    memory_budget: int | str  # the most bytes that a call may hold at once, such as `500MB`: arguments, results, constants, weights and temporaries, as `plan` prints them; if it holds more, status 6, and the message names the largest values
    compile_memory: int | str  # the most bytes of memory that compiling may add to the process, such as `4GB`; beyond them, status 6 and no output
    compile_time: int | float | str  # how long compiling may take; beyond that, status 6 and no output
    compile_operations: int | float | str  # the most operations that the program may have, with those in regions, after its calls are inlined and after each phase; status 6 if it has more
    num_parallel_jobs: int | float | str  # the number of threads that compile kernels; 0: one for each processor. The image doesn't depend on it
    weights: Path  # a .safetensors or .npz file, or the .index.json of several .safetensors files, whose arrays bind the arguments of the same names (or in0, in1, …); for an image: its side file or, if its weights are in place, the file that it was compiled with
    weights_in_place: typing.Literal['sampled', 'hashed']  # use weights in place: runs read them from the `--weights` file, in its layout, and no copy is written. The image identifies the weights by samples of their elements (`sampled`), or also by a hash of all elements (`hashed`)
    dump_phases: Path  # write numbered files (program, ledger, costs) after each phase into this folder, which is created
    dump_pass: str  # print the program after each pass whose name matches this expression
    dump_llvm: Path  # write the LLVM code of every kernel that is compiled (with `--no-cache`: of all kernels) into this folder, which is created. Files have the kernels' names, in which characters other than letters, digits, `_` and `-` are replaced
    stop_after: typing.Literal['simplify', 'rewrite', 'fusion', 'layout', 'select', 'schedule', 'buffers']  # end after this phase; `compile` then writes the program's text, and the ledger beside it
    require: str | Sequence[str]  # fail unless the plan meets this requirement, such as `dot@*mlp*: fused(bias)`; may be repeated
    static_args: str | Sequence[str]  # arguments that are the same at every call, by number (`0,1`), range (`0-290`), name (`params.w`) or pattern (`params.*`, `*`): they are transposed or packed only once
    force_kernel: str | Sequence[str]  # the kernel for matching dots and convolutions, as `dot@*mlp*=packed`; may be repeated
    disable_pass: str | Sequence[str]  # skip the pass of this name, or turn off the ledger's rule of this name; may be repeated
    start_from: typing.Literal['simplify', 'rewrite', 'fusion', 'layout', 'select', 'schedule', 'buffers']  # the input is the output of this phase


class CompileOptions(ProgramOptions, total=False):
    """Of `drumlin.compile`."""

    tune: typing.Literal['off', 'on', 'require']  # the schedules of kernels; `off`: chosen by the cost model; `on`: chosen by measurements, from the record or else made now; `require`: only those in the record, status 5 if it lacks one
    time_budget: int | float | str  # how long schedules may be measured, counted from the start of compilation; 0: no limit
    tune_record: Path  # the file of chosen schedules; `--tune=on` adds its choices, and its measurements to `FILE.times`. The same record gives the same image
    tune_seconds: int | float | str  # how much processor time measuring one kernel may take


class PlanOptions(ProgramOptions, total=False):
    """Of `drumlin.plan`."""

    html: bool  # a page for browsers, with costs and decisions
    layout: typing.Literal['chosen', 'as-written']  # with `--target`: layouts chosen for the target, or row-major layouts everywhere
    lock: Path  # write the plan's lock to this file, for review and `drumlin diff`, instead of printing the plan


class CostOptions(ProgramOptions, total=False):
    """Of `drumlin.cost`."""

    limits: Path  # estimate times with the rates in this file, which `drumlin limits --json` wrote, instead of the rates assumed for one core
    layout: typing.Literal['chosen', 'as-written']  # with `--target`: layouts chosen for the target, or row-major layouts everywhere


class WhyOptions(ProgramOptions, total=False):
    """Of `drumlin.why`."""

    remarks: bool  # print decisions as LLVM optimization remarks in YAML, which viewers of remarks show beside the source: `Passed` if a rule was taken, `Missed` if it was declined, `Analysis` if it leaves no choice
    kernel: str  # only decisions about operations in kernels that match this expression
    operation: str  # only operations whose name or source location matches this expression
    rule: str  # only this rule
    declined: bool  # only declined decisions


class CheckOptions(ProgramOptions, total=False):
    """Of `drumlin.check`."""

    input: str | Path | Sequence[str | Path]  # the arguments, in the forms that `drumlin run` takes
    custom_call: str | Sequence[str]  # the code of a custom call: a handler of XLA's foreign function interface in a shared library; with `:1`, `:2` or `:3` appended, a function of that `api_version`
    rtol: int | float | str  # how far elements may differ, relative to their size
    ulps: int | float | str  # by how many units in the last place elements may differ
    threads: int | float | str  # the number of threads to run with; 0: one for each processor. A kernel uses no more threads than there are processors. Results don't depend on the number
    max_memory: int | str  # the most bytes that the interpreter's values may take together, such as `4GB`
    check_ranges: bool  # with `--auto-cast`: interpret the rounded program as well, and count the numbers that its roundings move out of the type's range, or to zero
    tune: typing.Literal['off', 'on', 'require']  # the schedules of kernels; `off`: chosen by the cost model; `on`: chosen by measurements, from the record or else made now; `require`: only those in the record, status 5 if it lacks one
    time_budget: int | float | str  # how long schedules may be measured, counted from the start of compilation; 0: no limit
    tune_record: Path  # the file of chosen schedules; `--tune=on` adds its choices, and its measurements to `FILE.times`. The same record gives the same image
    tune_seconds: int | float | str  # how much processor time measuring one kernel may take


class DiffOptions(ProgramOptions, total=False):
    """Of `drumlin.diff`."""

    exact: bool  # fail on any difference, not only on worse ones
    tolerance: int | float | str  # the share by which FLOPs and bytes may change
