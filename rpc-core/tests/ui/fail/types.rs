use rpc_core::service;

struct Plain;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    fn argument(&self, #[java("com.example.Plain")] value: Plain) -> Result<(), rpc_core::Error>;
}

#[service(interface = "com.example.Greeter")]
trait Returns {
    fn returned(&self) -> Result<Plain, rpc_core::Error>;
}

fn main() {}
