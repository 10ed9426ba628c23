"""Calls cuBLASLt as plans do: through ctypes, with the library of PyTorch or the CUDA toolkit and
PyTorch's memory."""

import ctypes
import ctypes.util
import glob
import importlib.util
import os

import torch

# Enumerators by name, from library_types.h, cublas_api.h and cublasLt.h of CUDA 13.
TYPES = {
    "CUDA_R_32F": 0, "CUDA_R_64F": 1, "CUDA_R_16F": 2, "CUDA_R_8I": 3, "CUDA_R_32I": 10, "CUDA_R_16BF": 14,
    "CUDA_R_8F_E4M3": 28, "CUDA_R_8F_E5M2": 29, "CUDA_R_8F_UE8M0": 30, "CUDA_R_4F_E2M1": 33,
}  # fmt: skip
COMPUTE = {"CUBLAS_COMPUTE_32F": 68, "CUBLAS_COMPUTE_64F": 70, "CUBLAS_COMPUTE_32I": 72, "CUBLAS_COMPUTE_32F_FAST_TF32": 77}
BITS = "bits"  # type of a relu's auxiliary matrix, which has no enumerator
EPILOGUES = {
    "DEFAULT": 1, "RELU": 2, "BIAS": 4, "RELU_BIAS": 6, "RELU_AUX": 130, "RELU_AUX_BIAS": 134, "DRELU": 136,
    "DRELU_BGRAD": 152, "GELU": 32, "GELU_BIAS": 36, "GELU_AUX": 160, "GELU_AUX_BIAS": 164, "DGELU": 192,
    "DGELU_BGRAD": 208, "BGRADA": 256, "BGRADB": 512,
}  # fmt: skip
SCALES = {"SCALAR_32F": 0, "VEC16_UE4M3": 1, "VEC32_UE8M0": 2, "OUTER_VEC_32F": 3, "VEC128_32F": 4, "BLK128x128_32F": 5}
# Attributes of cublasLtMatmulDescAttributes_t, cublasLtMatrixLayoutAttribute_t, cublasLtMatmulPreferenceAttributes_t.
POINTER_MODE, TRANSA, TRANSB, EPILOGUE, BIAS_POINTER, BIAS_STRIDE = 2, 3, 4, 7, 8, 10
AUX_POINTER, AUX_LD, AUX_STRIDE, AUX_TYPE, AMAX_D, FAST_ACCUMULATION, BIAS_TYPE = 11, 12, 13, 22, 21, 25, 26
SCALE_POINTERS, SCALE_MODES = {"A": 17, "B": 18, "C": 19, "D": 20}, {"A": 31, "B": 32, "C": 33, "D": 34}
BATCH_COUNT, BATCH_STRIDE = 5, 6
WORKSPACE_BYTES, ALIGNMENTS = 1, {"A": 5, "B": 6, "C": 7, "D": 8}

def library():
    places = ["libcublasLt.so.13"]
    found = importlib.util.find_spec("nvidia")
    for folder in found.submodule_search_locations if found else []:
        places += glob.glob(os.path.join(folder, "*", "lib", "libcublasLt.so.1*"))
    places += glob.glob("/usr/local/cuda*/lib*/libcublasLt.so.1*")
    for place in places:
        try:
            return ctypes.CDLL(place), place
        except OSError:
            continue
    raise SystemExit("no libcublasLt.so.13")


class Failed(Exception):
    """Raised if a library function doesn't return success."""


class Heuristic(ctypes.Structure):
    _fields_ = [("algorithm", ctypes.c_uint64 * 8), ("workspace", ctypes.c_size_t), ("state", ctypes.c_int),
                ("waves", ctypes.c_float), ("reserved", ctypes.c_int * 4)]  # fmt: skip


class CublasLt:
    def __init__(self):
        self.lib, self.place = library()
        self.lib.cublasLtGetVersion.restype = ctypes.c_size_t
        self.handle = ctypes.c_void_p()
        self.check("cublasLtCreate", ctypes.byref(self.handle))
        self.workspace = torch.empty(64 << 20, dtype=torch.uint8, device="cuda")

    def check(self, function, *arguments):
        status = getattr(self.lib, function)(*arguments)
        if status:
            raise Failed(f"{function} {status}")

    def version(self):
        return self.lib.cublasLtGetVersion()


def set_attribute(lt, function, what, attribute, value, kind=ctypes.c_int32):
    held = kind(value)
    lt.check(function, what, ctypes.c_int(attribute), ctypes.byref(held), ctypes.c_size_t(ctypes.sizeof(held)))


class Call:
    """The descriptors of one call. `addresses` has an address for each pointer name of the plan.
    Raises Failed if the library rejects the call."""

    def __init__(self, lt, call, addresses, most=1):
        self.most = most  # number of choices requested from the library
        self.lt, self.call, self.addresses = lt, call, {"null": 0, **addresses}
        self.desc, self.layouts, self.preference = ctypes.c_void_p(), {}, ctypes.c_void_p()
        try:
            self.describe()
            self.heuristic = self.ask()
        except Failed:
            self.free()
            raise

    def describe(self):
        lt, call = self.lt, self.call
        lt.check("cublasLtMatmulDescCreate", ctypes.byref(self.desc), COMPUTE[call["compute_type"]], TYPES[call["scale_type"]])
        for name in "ABCD":
            matrix, layout = call[name], ctypes.c_void_p()
            lt.check("cublasLtMatrixLayoutCreate", ctypes.byref(layout), TYPES[matrix["type"]], ctypes.c_uint64(matrix["rows"]),
                     ctypes.c_uint64(matrix["cols"]), ctypes.c_int64(matrix["ld"]))  # fmt: skip
            self.layouts[name] = layout
            if matrix["batch_count"] > 1:
                set_attribute(lt, "cublasLtMatrixLayoutSetAttribute", layout, BATCH_COUNT, matrix["batch_count"])
                set_attribute(lt, "cublasLtMatrixLayoutSetAttribute", layout, BATCH_STRIDE, matrix["batch_stride"], ctypes.c_int64)
        self.put(TRANSA, int(call["transa"].endswith("T")))
        self.put(TRANSB, int(call["transb"].endswith("T")))
        self.put(POINTER_MODE, int(call["pointer_mode"].endswith("DEVICE")))
        self.put(EPILOGUE, EPILOGUES[call["epilogue"].removeprefix("CUBLASLT_EPILOGUE_")])
        for name in "ABCD":
            if scale := call.get(f"scale_{name}"):
                self.put(SCALE_MODES[name], SCALES[scale["mode"].removeprefix("CUBLASLT_MATMUL_MATRIX_SCALE_")])
                self.put(SCALE_POINTERS[name], self.addresses[scale["pointer"]], ctypes.c_void_p)
        if bias := call.get("bias") or call.get("bias_gradient"):
            self.put(BIAS_POINTER, self.addresses[bias["pointer"]], ctypes.c_void_p)
            self.put(BIAS_TYPE, TYPES[bias["type"]])
            if bias["batch_stride"]:
                self.put(BIAS_STRIDE, bias["batch_stride"], ctypes.c_int64)
        if aux := call.get("aux"):
            self.put(AUX_POINTER, self.addresses[aux["pointer"]], ctypes.c_void_p)
            self.put(AUX_LD, aux["ld"], ctypes.c_int64)
            if aux["batch_count"] > 1:
                self.put(AUX_STRIDE, aux["batch_stride"], ctypes.c_int64)
            if aux["type"] != BITS:
                self.put(AUX_TYPE, TYPES[aux["type"]])
        if call.get("amax_D"):
            self.put(AMAX_D, self.addresses[call["amax_D"]], ctypes.c_void_p)
        if call["fast_accumulation"]:
            self.put(FAST_ACCUMULATION, 1, ctypes.c_int8)

    def put(self, attribute, value, kind=ctypes.c_int32):
        set_attribute(self.lt, "cublasLtMatmulDescSetAttribute", self.desc, attribute, value, kind)

    def address(self, name):
        matrix = self.call[name]
        return self.addresses[matrix["pointer"]] + matrix["offset_bytes"]  # 0: a null pointer

    def ask(self):
        """Returns the library's first choice. `choices` has all choices, of which it is the first."""
        lt = self.lt
        lt.check("cublasLtMatmulPreferenceCreate", ctypes.byref(self.preference))
        set_attribute(lt, "cublasLtMatmulPreferenceSetAttribute", self.preference, WORKSPACE_BYTES,
                      self.call["workspace_bytes"], ctypes.c_size_t)  # fmt: skip
        for name in "ABCD":
            address = self.address(name)
            set_attribute(lt, "cublasLtMatmulPreferenceSetAttribute", self.preference, ALIGNMENTS[name],
                          min(256, address & -address) or 256, ctypes.c_uint32)  # fmt: skip
        results, count = (Heuristic * self.most)(), ctypes.c_int()
        lt.check("cublasLtMatmulAlgoGetHeuristic", lt.handle, self.desc, *(self.layouts[name] for name in "ABCD"),
                 self.preference, self.most, results, ctypes.byref(count))  # fmt: skip
        if count.value == 0 or results[0].state:
            raise Failed(f"heuristic {results[0].state}")
        self.choices = [each for each in results[: count.value] if not each.state]
        return self.choices[0]

    def run(self):
        call, lt = self.call, self.lt
        if call["pointer_mode"].endswith("DEVICE"):
            numbers = [ctypes.c_void_p(self.addresses[call[each]]) for each in ("alpha", "beta")]
        else:
            kind = {"CUDA_R_64F": ctypes.c_double, "CUDA_R_32I": ctypes.c_int32}.get(call["scale_type"], ctypes.c_float)
            convert = int if kind is ctypes.c_int32 else float
            self.numbers = [kind(convert(float(call[each]))) for each in ("alpha", "beta")]
            numbers = [ctypes.byref(each) for each in self.numbers]
        lt.check("cublasLtMatmul", lt.handle, self.desc, numbers[0], ctypes.c_void_p(self.address("A")), self.layouts["A"],
                 ctypes.c_void_p(self.address("B")), self.layouts["B"], numbers[1], ctypes.c_void_p(self.address("C")),
                 self.layouts["C"], ctypes.c_void_p(self.address("D")), self.layouts["D"], ctypes.byref(self.heuristic.algorithm),
                 ctypes.c_void_p(lt.workspace.data_ptr()), ctypes.c_size_t(call["workspace_bytes"]),
                 ctypes.c_void_p(torch.cuda.current_stream().cuda_stream))  # fmt: skip

    def free(self):
        lib = self.lt.lib
        if self.preference:
            lib.cublasLtMatmulPreferenceDestroy(self.preference)
        for layout in self.layouts.values():
            lib.cublasLtMatrixLayoutDestroy(layout)
        if self.desc:
            lib.cublasLtMatmulDescDestroy(self.desc)
