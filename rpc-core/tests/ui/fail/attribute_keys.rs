use rpc_core::service;

#[service]
trait NoKeys {}

#[service(version = "1.0.0")]
trait NoInterface {}

#[service(interface = "com.example.Greeter", versoin = "1.0.0")]
trait UnknownKey {}

#[service(interface = "com.example.Greeter", interface = "com.example.Greeter")]
trait Twice {}

#[service(interface = "com.example.Greeter:1.0.0")]
trait NoJavaName {}

#[service(interface = 5)]
trait NoText {}

fn main() {}
