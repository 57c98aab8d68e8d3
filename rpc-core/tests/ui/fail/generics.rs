use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait OfTrait<T> {}

#[service(interface = "com.example.Greeter")]
trait WithWhere
where
    Self: Sized,
{
}

#[service(interface = "com.example.Greeter")]
unsafe trait Unsafe {}

#[service(interface = "com.example.Greeter")]
trait OfMethod {
    fn greet<T>(&self, value: T) -> Result<(), rpc_core::Error>;
    fn implied(&self, value: impl ToString) -> Result<(), rpc_core::Error>;
}

fn main() {}
