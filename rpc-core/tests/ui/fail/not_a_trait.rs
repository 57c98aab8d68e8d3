use rpc_core::service;

#[service(interface = "com.example.Greeter")]
struct Greeter;

fn main() {}
