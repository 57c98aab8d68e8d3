use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    fn nothing(&self);
    async fn value(&self) -> String;
    fn bare(&self) -> std::fmt::Result;
}

fn main() {}
