// Compiles and runs two programs through the PJRT C API, as a framework does: it loads the plugin
// by its path.
package main

/*
#cgo LDFLAGS: -ldl
#include "pjrt.h"
#include <dlfcn.h>
#include <stdlib.h>

static const Api *load(const char *path) {
	void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	const Api *(*get)(void) = library ? (const Api *(*)(void))dlsym(library, "GetPjrtApi") : NULL;
	return get ? get() : NULL;
}

// Calls a function of the table. This is C code, since Go can't call a function pointer.
static Error *call(const Api *api, int function, void *args) { return api->functions[function](args); }

// These functions fill the structs in C: Go's memory may be passed to a C function, but not inside
// a struct.
static Error *compile(const Api *api, CompileArgs *args, const char *code, size_t size) {
	Program program = {sizeof(program), NULL, code, size, "mlir", 4};
	args->program = &program;
	return call(api, CLIENT_COMPILE, args);
}

static Error *from_host(const Api *api, FromHostArgs *args, const float *data, const int64_t *dims, size_t rank) {
	args->data = data;
	args->dims = dims;
	args->rank = rank;
	return call(api, CLIENT_BUFFER_FROM_HOST_BUFFER, args);
}

static Error *await(const Api *api, Event *event) {
	ObjectArgs args = {sizeof(args), NULL, event};
	Error *error = event ? call(api, EVENT_AWAIT, &args) : NULL;
	if (event)
		call(api, EVENT_DESTROY, &args);
	return error;
}

// Waits until the elements are copied, since Go's memory may only be used during the call.
static Error *to_host(const Api *api, Buffer *buffer, float *data, size_t byte_count) {
	ToHostArgs args = {sizeof(args), NULL, buffer, NULL, data, byte_count, NULL};
	Error *error = call(api, BUFFER_TO_HOST_BUFFER, &args);
	return error ? error : await(api, args.done);
}

// Runs a program on its only device.
static Error *execute(const Api *api, Executable *executable, Buffer **arguments, size_t count, Buffer **result) {
	ExecuteOptions options = {sizeof(options)};
	Buffer *const *lists[] = {arguments};
	Event *done = NULL;
	// A program without arguments needs no list.
	ExecuteArgs args = {sizeof(args), NULL, executable, &options, count ? lists : NULL, 1, count, &result, &done, NULL};
	Error *error = call(api, EXECUTABLE_EXECUTE, &args);
	return error ? error : await(api, done);
}
*/
import "C"

import (
	"fmt"
	"os"
	"strings"
	"unsafe"
)

const product = `
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}`

const squares = `
func.func @main() -> tensor<5xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<5xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}`

var api *C.Api

func stop(message string) {
	fmt.Fprintln(os.Stderr, message)
	os.Exit(1)
}

func check(err *C.Error) {
	if err == nil {
		return
	}
	args := C.ErrorArgs{size: C.sizeof_ErrorArgs, error: err}
	C.call(api, C.ERROR_MESSAGE, unsafe.Pointer(&args))
	message := C.GoStringN(args.message, C.int(args.message_size))
	C.call(api, C.ERROR_DESTROY, unsafe.Pointer(&args))
	stop(message)
}

func destroy(function C.int, object unsafe.Pointer) {
	args := C.ObjectArgs{size: C.sizeof_ObjectArgs, object: object}
	check(C.call(api, function, unsafe.Pointer(&args)))
}

type array struct {
	dims     []int64
	elements []float32
}

func (a array) String() string {
	sizes := strings.Trim(strings.ReplaceAll(fmt.Sprint(a.dims), " ", ","), "[]")
	return fmt.Sprintf("f32[%s] %s", sizes, strings.Trim(fmt.Sprint(a.elements), "[]"))
}

func toDevice(client *C.Client, device *C.Device, a array) *C.Buffer {
	args := C.FromHostArgs{size: C.sizeof_FromHostArgs, client: client, device: device}
	args._type = C.F32
	args.semantics = C.IMMUTABLE_ONLY_DURING_CALL
	check(C.from_host(api, &args, (*C.float)(&a.elements[0]), (*C.int64_t)(&a.dims[0]), C.size_t(len(a.dims))))
	check(C.await(api, args.done))
	return args.buffer
}

func toHost(buffer *C.Buffer) array {
	sizes := C.DimensionsArgs{size: C.sizeof_DimensionsArgs, buffer: buffer}
	check(C.call(api, C.BUFFER_DIMENSIONS, unsafe.Pointer(&sizes)))
	var a array
	count := int64(1)
	for _, size := range unsafe.Slice(sizes.dims, int(sizes.rank)) {
		a.dims = append(a.dims, int64(size))
		count *= int64(size)
	}
	a.elements = make([]float32, count)
	check(C.to_host(api, buffer, (*C.float)(&a.elements[0]), C.size_t(4*count)))
	return a
}

// Runs a program with one result.
func run(client *C.Client, device *C.Device, text string, arguments ...array) array {
	code := C.CString(text)
	defer C.free(unsafe.Pointer(code))
	compiled := C.CompileArgs{size: C.sizeof_CompileArgs, client: client}
	check(C.compile(api, &compiled, code, C.size_t(len(text))))
	defer destroy(C.EXECUTABLE_DESTROY, unsafe.Pointer(compiled.executable))

	var buffers []*C.Buffer
	for _, argument := range arguments {
		buffer := toDevice(client, device, argument)
		defer destroy(C.BUFFER_DESTROY, unsafe.Pointer(buffer))
		buffers = append(buffers, buffer)
	}
	var list **C.Buffer
	if len(buffers) > 0 {
		list = &buffers[0]
	}
	var result *C.Buffer
	check(C.execute(api, compiled.executable, list, C.size_t(len(buffers)), &result))
	defer destroy(C.BUFFER_DESTROY, unsafe.Pointer(result))
	return toHost(result)
}

func main() {
	if len(os.Args) != 2 {
		stop("usage: run LIBRARY")
	}
	path := C.CString(os.Args[1])
	defer C.free(unsafe.Pointer(path))
	if api = C.load(path); api == nil {
		stop(C.GoString(C.dlerror()))
	}
	initialize := C.ObjectArgs{size: 16}
	check(C.call(api, C.PLUGIN_INITIALIZE, unsafe.Pointer(&initialize)))
	created := C.ClientCreateArgs{size: C.sizeof_ClientCreateArgs}
	check(C.call(api, C.CLIENT_CREATE, unsafe.Pointer(&created)))
	client := created.client
	defer destroy(C.CLIENT_DESTROY, unsafe.Pointer(client))
	devices := C.DevicesArgs{size: C.sizeof_DevicesArgs, client: client}
	check(C.call(api, C.CLIENT_ADDRESSABLE_DEVICES, unsafe.Pointer(&devices)))
	device := *devices.devices
	name := C.PlatformNameArgs{size: C.sizeof_PlatformNameArgs, client: client}
	check(C.call(api, C.CLIENT_PLATFORM_NAME, unsafe.Pointer(&name)))
	fmt.Printf("platform: %s, PJRT %d.%d\n", C.GoStringN(name.name, C.int(name.name_size)), api.major, api.minor)

	fmt.Println("product:", run(client, device, product,
		array{[]int64{2, 3}, []float32{1, 2, 3, 4, 5, 6}}, array{[]int64{3, 2}, []float32{1, 0, 0, 1, 1, 1}}))
	fmt.Println("squares:", run(client, device, squares))
}
