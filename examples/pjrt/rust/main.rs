//! Compiles and runs two programs through the PJRT C API, as a framework does: it loads the plugin
//! by its path.
mod pjrt;

use pjrt::{function, Api, Pointer};
use std::os::raw::{c_char, c_void};

const PRODUCT: &str = "
func.func @main(%a: tensor<2x3xf32>, %b: tensor<3x2xf32>) -> tensor<2x2xf32> {
  %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<2x3xf32>, tensor<3x2xf32>) -> tensor<2x2xf32>
  return %0 : tensor<2x2xf32>
}";

const SQUARES: &str = "
func.func @main() -> tensor<5xf32> {
  %0 = stablehlo.iota dim = 0 : tensor<5xf32>
  %1 = stablehlo.multiply %0, %0 : tensor<5xf32>
  return %1 : tensor<5xf32>
}";

struct Array {
    dims: Vec<i64>,
    elements: Vec<f32>,
}

impl std::fmt::Display for Array {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> std::fmt::Result {
        let sizes: Vec<String> = self.dims.iter().map(i64::to_string).collect();
        write!(out, "f32[{}]", sizes.join(","))?;
        self.elements.iter().try_for_each(|element| write!(out, " {}", element))
    }
}

struct Session {
    api: &'static Api,
    client: Pointer,
    device: Pointer,
}

impl Session {
    fn new(api: &'static Api) -> Result<Session, String> {
        api.call(function::PLUGIN_INITIALIZE, &mut pjrt::None::new())?;
        let mut created = pjrt::ClientCreate::new();
        api.call(function::CLIENT_CREATE, &mut created)?;
        let mut devices = pjrt::Devices::new();
        devices.client = created.client;
        api.call(function::CLIENT_ADDRESSABLE_DEVICES, &mut devices)?;
        // SAFETY: a client has at least one device.
        let device = unsafe { *devices.devices };
        Ok(Session { api, client: created.client, device })
    }

    fn to_device(&self, array: &Array) -> Result<Pointer, String> {
        let mut args = pjrt::FromHost::new();
        args.client = self.client;
        args.device = self.device;
        args.data = array.elements.as_ptr() as *const c_void;
        args.element = pjrt::F32;
        args.dims = array.dims.as_ptr();
        args.rank = array.dims.len();
        args.semantics = pjrt::IMMUTABLE_ONLY_DURING_CALL;
        self.api.call(function::CLIENT_BUFFER_FROM_HOST_BUFFER, &mut args)?;
        self.api.wait(args.done)?;
        Ok(args.buffer)
    }

    fn to_host(&self, buffer: Pointer) -> Result<Array, String> {
        let mut sizes = pjrt::Dimensions::new();
        sizes.buffer = buffer;
        self.api.call(function::BUFFER_DIMENSIONS, &mut sizes)?;
        // SAFETY: the sizes live as long as the buffer.
        let dims = unsafe { std::slice::from_raw_parts(sizes.dims, sizes.rank) }.to_vec();
        let mut elements = vec![0f32; dims.iter().product::<i64>() as usize];
        let mut args = pjrt::ToHost::new();
        args.buffer = buffer;
        args.data = elements.as_mut_ptr() as *mut c_void;
        args.byte_count = elements.len() * std::mem::size_of::<f32>();
        self.api.call(function::BUFFER_TO_HOST_BUFFER, &mut args)?;
        self.api.wait(args.done)?;
        Ok(Array { dims, elements })
    }

    /// Runs a program with one result.
    fn run(&self, text: &str, arguments: &[Array]) -> Result<Array, String> {
        let mut program = pjrt::Program::new();
        program.code = text.as_ptr() as *const c_char;
        program.code_size = text.len();
        program.format = "mlir".as_ptr() as *const c_char;
        program.format_size = 4;
        let mut compiled = pjrt::Compile::new();
        compiled.client = self.client;
        compiled.program = &program;
        self.api.call(function::CLIENT_COMPILE, &mut compiled)?;

        let buffers = arguments.iter().map(|each| self.to_device(each)).collect::<Result<Vec<Pointer>, String>>()?;
        let options = pjrt::ExecuteOptions::new();
        let argument_list = buffers.as_ptr();
        let mut result: Pointer = std::ptr::null_mut();
        let result_list: *mut Pointer = &mut result;
        let mut done: Pointer = std::ptr::null_mut();
        let mut args = pjrt::Execute::new();
        args.executable = compiled.executable;
        args.options = &options;
        args.argument_lists = &argument_list;
        args.device_count = 1;
        args.argument_count = buffers.len();
        args.result_lists = &result_list;
        args.done = &mut done;
        self.api.call(function::EXECUTABLE_EXECUTE, &mut args)?;
        self.api.wait(done)?;

        let made = self.to_host(result)?;
        for buffer in buffers.into_iter().chain([result]) {
            self.api.call_with(function::BUFFER_DESTROY, buffer)?;
        }
        self.api.call_with(function::EXECUTABLE_DESTROY, compiled.executable)?;
        Ok(made)
    }
}

fn main() -> Result<(), String> {
    let path = std::env::args().nth(1).ok_or("usage: run LIBRARY")?;
    let api = Api::load(&path)?;
    let session = Session::new(api)?;
    println!("platform: {}, PJRT {}.{}", api.platform(session.client)?, api.major, api.minor);
    let a = Array { dims: vec![2, 3], elements: vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0] };
    let b = Array { dims: vec![3, 2], elements: vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0] };
    println!("product: {}", session.run(PRODUCT, &[a, b])?);
    println!("squares: {}", session.run(SQUARES, &[])?);
    api.call_with(function::CLIENT_DESTROY, session.client)
}
