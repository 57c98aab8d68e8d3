use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    fn reference(&self, text: &str) -> Result<(), rpc_core::Error>;
    fn pattern(&self, (a, b): (i32, i32)) -> Result<(), rpc_core::Error>;
    fn unnamed(&self, _: i32) -> Result<(), rpc_core::Error>;
    fn java_type(&self, #[java("List<String>")] texts: Vec<String>) -> Result<(), rpc_core::Error>;
    fn no_java_type(&self, #[java = "int"] number: i32) -> Result<(), rpc_core::Error>;
}

fn main() {}
