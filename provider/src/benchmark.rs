//! The service of Dubbo's official benchmark (apache/dubbo-benchmark): its interface, its beans, a
//! provider of it.
//!
//! The values of the beans are ours, each as long as the official one in characters of the same
//! width, so that frames have the official sizes.

mod bean;
mod clock;

use rpc_core::{Error, service};

pub use bean::{Page, User};

/// `org.apache.dubbo.benchmark.service.UserService`
#[service(interface = "org.apache.dubbo.benchmark.service.UserService")]
pub trait UserService {
    /// Whether there is a user of this address: by the benchmark's rule, if it ends in 5 or higher.
    async fn exist_user(&self, email: Option<String>) -> Result<bool, Error>;

    /// Whether a user was given.
    async fn create_user(&self, user: Option<User>) -> Result<bool, Error>;

    /// The user of this id.
    async fn get_user(&self, id: i64) -> Result<User, Error>;

    /// A page of fifteen users.
    async fn list_user(&self, page_no: i32) -> Result<Page, Error>;
}

/// Answers as the official provider does.
#[derive(Debug, Clone, Copy)]
pub struct Users;

/// The rule of `existUser`.
#[must_use]
pub fn exists(email: &str) -> bool {
    email.chars().last().is_none_or(|last| last >= '5')
}

impl UserService for Users {
    async fn exist_user(&self, email: Option<String>) -> Result<bool, Error> {
        Ok(exists(email.as_deref().unwrap_or_default()))
    }

    async fn create_user(&self, user: Option<User>) -> Result<bool, Error> {
        Ok(user.is_some())
    }

    async fn get_user(&self, id: i64) -> Result<User, Error> {
        Ok(User::of(id))
    }

    async fn list_user(&self, page_no: i32) -> Result<Page, Error> {
        Ok(Page::of(page_no))
    }
}

#[cfg(test)]
mod tests {
    use rpc_core::service::Client;

    use super::*;

    /// As a Java consumer of the official interface asks.
    #[test]
    fn methods_have_their_java_descriptors() {
        let info = UserServiceClient::info();
        assert_eq!(info.key.to_string(), "org.apache.dubbo.benchmark.service.UserService");
        let user = "Lorg/apache/dubbo/benchmark/bean/User;";
        for (name, descriptor) in [
            ("existUser", "Ljava/lang/String;"),
            ("createUser", user),
            ("getUser", "J"),
            ("listUser", "I"),
        ] {
            assert!(info.method(name, descriptor).is_some(), "{name}({descriptor})");
        }
    }

    #[test]
    fn addresses_that_end_low_do_not_exist() {
        let cases = [("", true), ("4", false), ("15", true), ("a@b.c", true)];
        for (email, expected) in cases {
            assert_eq!(exists(email), expected, "{email}");
        }
    }
}
