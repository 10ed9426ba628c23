// Usage: graph_loops FILE.ptx|FILE.cubin. Measures the cost of one loop iteration on a GPU in three
// ways: its kernels are launched in a stream; its kernels are nodes of a graph; its kernels are the
// body of a conditional node, whose condition a kernel sets. Prints one line of JSON.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cuda.h>
#include <dlfcn.h>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

static void *driver;

template <class Function> static Function *find(const char *name, Function *) {
  auto found = reinterpret_cast<Function *>(dlsym(driver, name));
  if (!found) {
    std::printf("{\"missing\": \"%s\"}\n", name);
    std::exit(2);
  }
  return found;
}

#define CALL_AS(function, name, ...)                                                               \
  do {                                                                                             \
    if (CUresult status = find(name, &function)(__VA_ARGS__)) {                                    \
      std::printf("{\"failed\": \"%s\", \"status\": %d}\n", name, int(status));                    \
      std::exit(3);                                                                                \
    }                                                                                              \
  } while (false)
#define CALL(function, ...) CALL_AS(function, #function, __VA_ARGS__)

static CUstream stream;

template <class Run> static double microseconds(Run run) {
  CUevent begin, end;
  CALL(cuEventCreate, &begin, 0);
  CALL(cuEventCreate, &end, 0);
  std::vector<float> times;
  for (int i = 0; i < 9; ++i) {
    CALL(cuEventRecord, begin, stream);
    run();
    CALL(cuEventRecord, end, stream);
    CALL(cuEventSynchronize, end);
    float milliseconds;
    CALL_AS(cuEventElapsedTime, "cuEventElapsedTime", &milliseconds, begin, end);
    times.push_back(milliseconds * 1000);
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

static CUgraphNode addKernel(CUgraph graph, CUfunction function, void **arguments,
                             CUgraphNode after) {
  CUgraphNodeParams node = {};
  node.type = CU_GRAPH_NODE_TYPE_KERNEL;
  node.kernel.func = function;
  node.kernel.gridDimX = node.kernel.gridDimY = node.kernel.gridDimZ = 1;
  node.kernel.blockDimX = 32;
  node.kernel.blockDimY = node.kernel.blockDimZ = 1;
  node.kernel.kernelParams = arguments;
  CUgraphNode made;
  CALL_AS(cuGraphAddNode, "cuGraphAddNode_v2", &made, graph, after ? &after : nullptr, nullptr,
          after ? 1 : 0, &node);
  return made;
}

int main(int argc, char **argv) {
  driver = dlopen("libcuda.so.1", RTLD_NOW);
  if (argc != 2 || !driver) {
    std::printf("{\"missing\": \"libcuda.so.1 or the file's name\"}\n");
    return 1;
  }
  CALL(cuInit, 0);
  CUdevice device;
  CUcontext context;
  CALL(cuDeviceGet, &device, 0);
  CALL(cuDevicePrimaryCtxRetain, &context, device);
  CALL(cuCtxSetCurrent, context);
  CALL(cuStreamCreate, &stream, 0);
  std::ifstream file(argv[1], std::ios::binary);
  std::string code((std::istreambuf_iterator<char>(file)), {});
  CUmodule module;
  CUfunction step, work;
  CALL(cuModuleLoadData, &module, code.c_str());
  CALL(cuModuleGetFunction, &step, module, "step");
  CALL(cuModuleGetFunction, &work, module, "work");
  CUdeviceptr counter;
  CALL_AS(cuMemAlloc, "cuMemAlloc_v2", &counter, 4096);
  constexpr unsigned steps = 1000;
  void *workArguments[] = {&counter};
  double alone = microseconds([&] {
    for (unsigned i = 0; i < steps; ++i) {
      CALL(cuLaunchKernel, work, 1, 1, 1, 32, 1, 1, 0, stream, workArguments, nullptr);
    }
  });
  CUgraph flat;
  CUgraphExec flatExecutable;
  CALL(cuGraphCreate, &flat, 0);
  CUgraphNode last = nullptr;
  for (unsigned i = 0; i < steps; ++i) {
    last = addKernel(flat, work, workArguments, last);
  }
  CALL_AS(cuGraphInstantiate, "cuGraphInstantiateWithFlags", &flatExecutable, flat, 0);
  double inGraph = microseconds([&] { CALL(cuGraphLaunch, flatExecutable, stream); });
  std::printf("{\"steps\": %u, \"stream_us\": %.3f, \"graph_us\": %.3f", steps, alone / steps,
              inGraph / steps);
  for (int bodies : {1, 2, 4}) {
    CUgraph graph;
    CUgraphConditionalHandle handle;
    CALL(cuGraphCreate, &graph, 0);
    CALL(cuGraphConditionalHandleCreate, &handle, graph, context, 1, CU_GRAPH_COND_ASSIGN_DEFAULT);
    CUgraphNodeParams loop = {};
    loop.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    loop.conditional.handle = handle;
    loop.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    loop.conditional.size = 1;
    loop.conditional.ctx = context;
    CUgraphNode node;
    CALL_AS(cuGraphAddNode, "cuGraphAddNode_v2", &node, graph, nullptr, nullptr, 0, &loop);
    void *stepArguments[] = {&counter, &handle};
    CUgraphNode before = nullptr;
    for (int i = 1; i < bodies; ++i) {
      before = addKernel(loop.conditional.phGraph_out[0], work, workArguments, before);
    }
    addKernel(loop.conditional.phGraph_out[0], step, stepArguments, before);
    CUgraphExec executable;
    CALL_AS(cuGraphInstantiate, "cuGraphInstantiateWithFlags", &executable, graph, 0);
    unsigned left = 0, begun = steps;
    double inLoop = microseconds([&] {
      CALL_AS(cuMemcpyHtoDAsync, "cuMemcpyHtoDAsync_v2", counter, &begun, 4, stream);
      CALL(cuGraphLaunch, executable, stream);
    });
    CALL_AS(cuMemcpyDtoH, "cuMemcpyDtoH_v2", &left, counter, 4);
    std::printf(", \"while_%d_kernels_us\": %.3f, \"left_%d\": %u", bodies, inLoop / steps, bodies,
                left);
  }
  std::printf("}\n");
  return 0;
}
