use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    fn greet(&self, name: String) -> Result<(), rpc_core::Error>;
    fn greet_by_number(&self, #[java("long")] greet: i64) -> Result<(), rpc_core::Error>;
    #[method(name = "greet")]
    async fn greet_again(&self, again: String) -> Result<(), rpc_core::Error>;
}

fn main() {}
