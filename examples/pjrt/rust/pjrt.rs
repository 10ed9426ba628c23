//! The part of the PJRT C API that this program uses, with the memory layout of
//! xla/pjrt/c/pjrt_c_api.h. Callers pass each function one struct, whose first member is its size.
use std::ffi::c_void;
use std::mem::{size_of, zeroed};
use std::os::raw::{c_char, c_int};

pub type Pointer = *mut c_void; // to an object of the plugin
type Function = unsafe extern "C" fn(args: Pointer) -> Pointer;

/// Indices of functions in the table.
pub mod function {
    pub const ERROR_DESTROY: usize = 0;
    pub const ERROR_MESSAGE: usize = 1;
    pub const PLUGIN_INITIALIZE: usize = 3;
    pub const EVENT_DESTROY: usize = 5;
    pub const EVENT_AWAIT: usize = 8;
    pub const CLIENT_CREATE: usize = 10;
    pub const CLIENT_DESTROY: usize = 11;
    pub const CLIENT_PLATFORM_NAME: usize = 12;
    pub const CLIENT_ADDRESSABLE_DEVICES: usize = 16;
    pub const CLIENT_COMPILE: usize = 20;
    pub const CLIENT_BUFFER_FROM_HOST_BUFFER: usize = 22;
    pub const EXECUTABLE_DESTROY: usize = 50;
    pub const EXECUTABLE_EXECUTE: usize = 55;
    pub const BUFFER_DESTROY: usize = 58;
    pub const BUFFER_DIMENSIONS: usize = 60;
    pub const BUFFER_TO_HOST_BUFFER: usize = 70;
}
const FUNCTION_COUNT: usize = 71;

#[repr(C)]
pub struct Api {
    size: usize,
    extensions: Pointer,
    version_size: usize,
    version_extensions: Pointer,
    pub major: c_int,
    pub minor: c_int,
    functions: [Function; FUNCTION_COUNT],
}

pub const F32: c_int = 11;
pub const IMMUTABLE_ONLY_DURING_CALL: c_int = 0;

/// Declares the struct of each function's arguments. The listed members follow its size and extensions.
macro_rules! arguments {
    ($($name:ident { $($member:ident: $type:ty),* $(,)? })*) => {
        $(#[repr(C)]
        pub struct $name {
            size: usize,
            extensions: Pointer,
            $(pub $member: $type),*
        }
        impl $name {
            /// Creates arguments with their size set, and zeros and null pointers in all other
            /// members.
            pub fn new() -> Self {
                // SAFETY: zero is a value of each member.
                let mut made: Self = unsafe { zeroed() };
                made.size = size_of::<Self>();
                made
            }
        })*
    };
}
arguments! {
    None {}
    Object { object: Pointer } // for functions with one object and no result
    Error { error: Pointer, message: *const c_char, message_size: usize }
    ClientCreate {
        options: Pointer, option_count: usize, get: Pointer, get_data: Pointer, put: Pointer, put_data: Pointer,
        client: Pointer, try_get: Pointer, try_get_data: Pointer,
    }
    PlatformName { client: Pointer, name: *const c_char, name_size: usize }
    Devices { client: Pointer, devices: *const Pointer, device_count: usize }
    Program { code: *const c_char, code_size: usize, format: *const c_char, format_size: usize }
    // `options`: a CompileOptionsProto; an empty string is a message without members.
    Compile { client: Pointer, program: *const Program, options: *const c_char, options_size: usize, executable: Pointer }
    FromHost {
        client: Pointer, data: *const c_void, element: c_int, dims: *const i64, rank: usize, byte_strides: *const i64,
        byte_stride_count: usize, semantics: c_int, device: Pointer, memory: Pointer, layout: Pointer,
        done: Pointer, buffer: Pointer,
    }
    Dimensions { buffer: Pointer, dims: *const i64, rank: usize }
    // If `data` is null, the call returns the required size.
    ToHost { buffer: Pointer, layout: Pointer, data: *mut c_void, byte_count: usize, done: Pointer }
    ExecuteOptions {
        send_callbacks: Pointer, recv_callbacks: Pointer, send_count: usize, recv_count: usize, launch: c_int,
        kept: *const i64, kept_count: usize, context: Pointer, location: *const c_char, task_count: usize,
        tasks: *const c_int, incarnations: *const i64,
    }
    // One list of arguments and one list of results for each device.
    Execute {
        executable: Pointer, options: *const ExecuteOptions, argument_lists: *const *const Pointer, device_count: usize,
        argument_count: usize, result_lists: *const *mut Pointer, done: *mut Pointer, device: Pointer,
    }
}

#[link(name = "dl")]
extern "C" {
    fn dlopen(path: *const c_char, flags: c_int) -> Pointer;
    fn dlsym(library: Pointer, name: *const c_char) -> Pointer;
    fn dlerror() -> *const c_char;
}
const RTLD_NOW: c_int = 2;

fn text(from: *const c_char, size: usize) -> String {
    // SAFETY: the plugin's strings have the stated length.
    let bytes = unsafe { std::slice::from_raw_parts(from as *const u8, size) };
    String::from_utf8_lossy(bytes).into_owned()
}

impl Api {
    /// Returns the function table of the plugin in this file, which stays loaded until the process
    /// ends.
    pub fn load(path: &str) -> Result<&'static Api, String> {
        let path = std::ffi::CString::new(path).map_err(|error| error.to_string())?;
        // SAFETY: a plugin exports a function of this name and type.
        unsafe {
            let library = dlopen(path.as_ptr(), RTLD_NOW);
            let get = if library.is_null() { library } else { dlsym(library, "GetPjrtApi\0".as_ptr() as *const c_char) };
            if get.is_null() {
                return Err(std::ffi::CStr::from_ptr(dlerror()).to_string_lossy().into_owned());
            }
            let get: extern "C" fn() -> *const Api = std::mem::transmute(get);
            Ok(&*get())
        }
    }

    /// Calls a function with its struct; returns an error's message.
    pub fn call<Args>(&self, function: usize, args: &mut Args) -> Result<(), String> {
        // SAFETY: each function of the table is called with its struct.
        let error = unsafe { self.functions[function](args as *mut Args as Pointer) };
        if error.is_null() {
            return Ok(());
        }
        let mut described = Error::new();
        described.error = error;
        unsafe { self.functions[function::ERROR_MESSAGE](&mut described as *mut Error as Pointer) };
        let message = text(described.message, described.message_size);
        unsafe { self.functions[function::ERROR_DESTROY](&mut described as *mut Error as Pointer) };
        Err(message)
    }

    pub fn call_with(&self, function: usize, object: Pointer) -> Result<(), String> {
        let mut args = Object::new();
        args.object = object;
        self.call(function, &mut args)
    }

    /// Waits until a transfer or run has ended. Both continue after the call that starts them.
    pub fn wait(&self, event: Pointer) -> Result<(), String> {
        if event.is_null() {
            return Ok(());
        }
        let waited = self.call_with(function::EVENT_AWAIT, event);
        self.call_with(function::EVENT_DESTROY, event)?;
        waited
    }

    pub fn platform(&self, client: Pointer) -> Result<String, String> {
        let mut args = PlatformName::new();
        args.client = client;
        self.call(function::CLIENT_PLATFORM_NAME, &mut args)?;
        Ok(text(args.name, args.name_size))
    }
}
