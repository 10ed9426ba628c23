"""Runs a compiled image inside this process, through the C interface (drumlin/runtime/drumlin.h)."""
import ctypes
import statistics

import numpy as np


class LoadOptions(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("check_weights", ctypes.c_uint32),
                ("weights_path", ctypes.c_char_p)]


class Library:
    def __init__(self, path):
        self.functions = ctypes.CDLL(str(path))
        for name in ("code", "message", "remedy"):
            getattr(self.functions, f"drumlin_error_{name}").restype = ctypes.c_char_p
        for name in ("drumlin_load", "drumlin_run", "drumlin_run_sized"):
            getattr(self.functions, name).restype = ctypes.c_void_p
        self.functions.drumlin_free.argtypes = [ctypes.c_void_p]

    def check(self, error):
        if error:
            code, message = (getattr(self.functions, f"drumlin_error_{part}")(ctypes.c_void_p(error)).decode()
                             for part in ("code", "message"))
            self.functions.drumlin_error_free(ctypes.c_void_p(error))
            raise RuntimeError(f"{code}: {message}")

    def load(self, path, threads=0):
        options = LoadOptions(ctypes.sizeof(LoadOptions), threads, 0, None)
        executable = ctypes.c_void_p()
        self.check(self.functions.drumlin_load(str(path).encode(), ctypes.byref(options), ctypes.byref(executable)))
        return executable


def aligned_like(array):
    """Returns an uninitialized array of the shape and type of `array`, aligned to 64 bytes."""
    raw = np.empty(array.nbytes + 64, np.uint8)
    start = -raw.ctypes.data % 64
    return raw[start : start + array.nbytes].view(array.dtype).reshape(array.shape)


def timed_runs(build):
    """Returns libTimedRuns.so, which Image.seconds() takes as `timed`."""
    timed = ctypes.CDLL(str(build / "lib" / "libTimedRuns.so"))
    timed.timed_runs.restype = ctypes.c_double
    return timed


class Image:
    """An image with its arguments set. `run` computes into `results`. If `is_sized`, each run
    passes the sizes of the arguments."""

    def __init__(self, library, path, arguments, results_like, is_sized=False, threads=0):
        self.library, self.executable = library, library.load(path, threads)
        self.arguments = []
        for array in arguments:
            copy = aligned_like(array)
            copy[...] = array
            self.arguments.append(copy)
        self.results = [aligned_like(array) for array in results_like]
        self.in_pointers = (ctypes.c_void_p * len(self.arguments))(*(a.ctypes.data for a in self.arguments))
        self.out_pointers = (ctypes.c_void_p * len(self.results))(*(a.ctypes.data for a in self.results))
        self.is_sized = is_sized
        self.sizes = [(ctypes.c_int64 * max(a.ndim, 1))(*a.shape) for a in self.arguments]
        self.size_pointers = (ctypes.c_void_p * len(self.sizes))(*(ctypes.addressof(sizes) for sizes in self.sizes))

    def run(self):
        if self.is_sized:
            self.library.check(self.library.functions.drumlin_run_sized(
                self.executable, self.in_pointers, self.size_pointers, ctypes.c_size_t(len(self.arguments)), self.out_pointers,
                ctypes.c_size_t(len(self.results))))
            return
        self.library.check(self.library.functions.drumlin_run(
            self.executable, self.in_pointers, ctypes.c_size_t(len(self.arguments)), self.out_pointers,
            ctypes.c_size_t(len(self.results))))

    def seconds(self, timed, least=2e-4, rounds=9):
        """Returns the median time of a run over several rounds, each with enough runs to take
        `least` seconds. `timed` is libTimedRuns.so, which makes the calls without the Python
        interpreter."""
        def of(count):
            taken = timed.timed_runs(
                self.library.functions.drumlin_run, self.executable, self.in_pointers, ctypes.c_size_t(len(self.arguments)), self.out_pointers,
                ctypes.c_size_t(len(self.results)), ctypes.c_int64(count))
            if taken < 0:
                raise RuntimeError("a run failed")
            return taken / count

        count = max(int(least / max(of(3), 1e-9)), 1)
        return statistics.median(of(count) for _ in range(rounds))

    def close(self):
        self.library.functions.drumlin_free(self.executable)
