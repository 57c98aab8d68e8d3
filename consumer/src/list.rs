//! `consumer ls`: who offers what, as a registry knows it.

use anyhow::{Result, ensure};
use registry::{RegistryOptions, connect};
use rpc_core::registry::{Providers, Registry};
use rpc_core::url::Url;

/// The services of a registry, each with its providers, as text: a line for the interface, an
/// indented one for each provider.
///
/// # Errors
/// When the address is none, or the registry does not answer.
pub async fn list(address: &str) -> Result<String> {
    let registry = connect(address, RegistryOptions::default())?;
    let mut text = String::new();
    for interface in registry.interfaces().await? {
        text.push_str(&interface);
        text.push('\n');
        for provider in providers(&*registry, &interface).await? {
            text.push_str(&line(&provider));
        }
    }
    ensure!(!text.is_empty(), "nobody offers anything at {}", registry.address());
    Ok(text)
}

async fn providers(registry: &dyn Registry, interface: &str) -> Result<Vec<Url>> {
    let asked: Url =
        format!("consumer://0.0.0.0/{interface}?interface={interface}&version=*&group=*")
            .parse()?;
    let subscription = registry.subscribe(asked).await?;
    let known = match &*subscription.providers.borrow() {
        Providers::Known(urls) => urls.to_vec(),
        Providers::Unknown => Vec::new(),
    };
    Ok(known)
}

/// Address and what tells one provider from another.
fn line(provider: &Url) -> String {
    let mut line = format!("  {}", provider.address());
    for key in ["group", "version", "application", "release", "prefer.serialization", "methods"] {
        if let Some(value) = provider.parameter(key) {
            line.push_str(&format!("  {key}={value}"));
        }
    }
    line.push('\n');
    line
}

#[cfg(test)]
mod tests {
    use registry::{RegistryServerConfig, serve};

    use super::*;

    #[tokio::test]
    async fn services_and_their_providers_are_lines() {
        let config = RegistryServerConfig {
            address: [127, 0, 0, 1].into(),
            port: 0,
            ..RegistryServerConfig::default()
        };
        let server = serve(config).await.unwrap();
        let address = format!("embedded://{}", server.local_addr());
        let nobody = list(&address).await.unwrap_err().to_string();
        assert!(nobody.starts_with("nobody offers anything at embedded://"), "{nobody}");
        let registry = connect(&address, RegistryOptions::default()).unwrap();
        let mut entries = Vec::new();
        for url in [
            "dubbo://10.0.0.5:1/com.x.B?interface=com.x.B&version=1&group=g&methods=a,b",
            "dubbo://10.0.0.6:2/com.x.A?interface=com.x.A",
            "consumer://10.0.0.6/com.x.C?interface=com.x.C&category=consumers",
        ] {
            entries.push(registry.register(url.parse().unwrap()).await.unwrap());
        }
        let expected =
            "com.x.A\n  10.0.0.6:2\ncom.x.B\n  10.0.0.5:1  group=g  version=1  methods=a,b\n";
        assert_eq!(list(&address).await.unwrap(), expected);
        server.stop().await;
    }
}
