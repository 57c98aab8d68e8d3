use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    const WORD: &'static str;
    type Name;
    fn greet(&self) -> Result<(), rpc_core::Error> {
        Ok(())
    }
}

fn main() {}
