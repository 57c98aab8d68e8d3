use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    fn none() -> Result<(), rpc_core::Error>;
    fn mutable(&mut self) -> Result<(), rpc_core::Error>;
    fn by_value(self) -> Result<(), rpc_core::Error>;
    fn shared(self: std::sync::Arc<Self>) -> Result<(), rpc_core::Error>;
}

fn main() {}
