use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    #[method(nmae = "hello")]
    fn unknown_key(&self) -> Result<(), rpc_core::Error>;
    #[method(name = "say hello")]
    fn no_java_name(&self) -> Result<(), rpc_core::Error>;
    #[method(name = "$invoke")]
    fn of_the_framework(&self) -> Result<(), rpc_core::Error>;
    #[method(name = "one")]
    #[method(name = "two")]
    fn twice(&self) -> Result<(), rpc_core::Error>;
    #[method(one_way)]
    fn waits_for_nothing(&self) -> Result<String, rpc_core::Error>;
    fn with_timeout(&self) -> Result<(), rpc_core::Error>;
    #[cfg(unix)]
    fn sometimes(&self) -> Result<(), rpc_core::Error>;
}

fn main() {}
