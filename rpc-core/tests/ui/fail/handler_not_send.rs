use rpc_core::service;

#[service(interface = "com.example.Greeter")]
trait Greeter {
    async fn greet(&self) -> Result<(), rpc_core::Error>;
}

struct Handler;

impl Greeter for Handler {
    async fn greet(&self) -> Result<(), rpc_core::Error> {
        let local = std::rc::Rc::new(5);
        std::future::ready(()).await;
        drop(local);
        Ok(())
    }
}

fn main() {}
