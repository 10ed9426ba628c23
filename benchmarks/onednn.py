"""Runs GEMMs with oneDNN through its C interface, as a peer in benchmarks. The library comes from
the Python package onednn-cpu-gomp."""
import ctypes
import os
import pathlib
import sys

# Makes oneDNN's threads sleep after a call, so that they don't slow down the other peers.
os.environ["OMP_WAIT_POLICY"] = "passive"

TYPES = {"float16": 1, "bfloat16": 2, "float32": 3, "int32": 4, "int8": 5, "uint8": 6}  # dnnl_data_type_t
CPU, IN_ORDER, ANY, WEIGHTS_MD = 1, 1, 1, 131  # of dnnl_engine_kind_t, dnnl_stream_flags_t, dnnl_format_tag_t, dnnl_query_t
SOURCE, WEIGHTS, RESULT = 1, 33, 17  # DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST


class Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Library:
    def __init__(self):
        self.functions = ctypes.CDLL(str(pathlib.Path(sys.prefix) / "lib" / "libdnnl.so.3"))
        self.functions.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
        self.functions.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
        self.engine = self.make("engine_create", ctypes.c_int(CPU), ctypes.c_size_t(0))
        self.stream = self.make("stream_create", self.engine, ctypes.c_uint(IN_ORDER))

    def call(self, name, *arguments):
        status = getattr(self.functions, f"dnnl_{name}")(*arguments)
        if status != 0:
            raise RuntimeError(f"dnnl_{name}: status {status}")

    def make(self, name, *arguments):
        made = ctypes.c_void_p()
        self.call(name, ctypes.byref(made), *arguments)
        return made

    def description(self, shape, element, strides=None):
        """Describes a matrix with these strides, in elements. Without strides, the matrix has the
        format that the primitive prefers."""
        sizes = (ctypes.c_int64 * 12)(*shape)
        if strides is None:
            return self.make("memory_desc_create_with_tag", len(shape), sizes, TYPES[element], ANY)
        return self.make("memory_desc_create_with_strides", len(shape), sizes, TYPES[element], (ctypes.c_int64 * 12)(*strides))

    def memory(self, description, array):
        return self.make("memory_create", description, self.engine, ctypes.c_void_p(array.ctypes.data))

    def execute(self, primitive, memories):
        arguments = (Argument * len(memories))(*(Argument(number, memory.value) for number, memory in memories.items()))
        self.call("primitive_execute", primitive, self.stream, len(memories), arguments)
        self.call("stream_wait", self.stream)


class Product:
    """Computes x · y. Uses y in the layout that it has, such as that of a transposed view, or
    packs y once in advance."""

    def __init__(self, library, x, y, transposed, result, packed, allocate):
        self.library, self.kept = library, [x, y, result]
        rows, terms, columns = x.shape[0], x.shape[1], result.shape[1]
        lies = library.description((terms, columns), y.dtype.name, (1, terms) if transposed else (columns, 1))
        likes = library.description((terms, columns), y.dtype.name) if packed else lies
        from_x = library.description((rows, terms), x.dtype.name, (terms, 1))
        to = library.description((rows, columns), result.dtype.name, (columns, 1))
        made = library.make("matmul_primitive_desc_create", library.engine, from_x, likes, None, to, None)
        self.primitive = library.make("primitive_create", made)
        weights = library.memory(lies, y)
        if packed:
            likes = ctypes.c_void_p(library.functions.dnnl_primitive_desc_query_md(made, WEIGHTS_MD, 0))
            storage = allocate(library.functions.dnnl_memory_desc_get_size(likes))
            self.kept.append(storage)
            brought = library.memory(likes, storage)
            reorder = library.make("reorder_primitive_desc_create", lies, library.engine, likes, library.engine, None)
            library.execute(library.make("primitive_create", reorder), {SOURCE: weights, RESULT: brought})
            weights = brought
        self.memories = {SOURCE: library.memory(from_x, x), WEIGHTS: weights, RESULT: library.memory(to, result)}

    def run(self):
        self.library.execute(self.primitive, self.memories)
