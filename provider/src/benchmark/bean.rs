//! The beans of the official benchmark.

use rpc_core::codec::java::types::{LocalDate, LocalDateHandle, LocalDateTime};
use serde::{Deserialize, Serialize};

use super::clock;

/// Users on a page.
const USERS: i64 = 15;
/// Users that a page speaks of.
const TOTAL: i32 = 1000;
/// The official numbers: small ints are written shorter.
const PERMISSIONS: [i32; 15] = [1, 2, 3, 4, 5, 6, 7, 8, 19, 88, 86, 89, 90, 91, 92];

/// `org.apache.dubbo.benchmark.bean.User`
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "org.apache.dubbo.benchmark.bean.User", rename_all = "camelCase", default)]
pub struct User {
    /// `long id`
    pub id: i64,
    /// `String name`
    pub name: Option<String>,
    /// `int sex`
    pub sex: i32,
    /// `LocalDate birthday`
    pub birthday: Option<LocalDate>,
    /// `String email`
    pub email: Option<String>,
    /// `String mobile`
    pub mobile: Option<String>,
    /// `String address`
    pub address: Option<String>,
    /// `String icon`
    pub icon: Option<String>,
    /// `List<Integer> permissions`
    pub permissions: Option<Vec<i32>>,
    /// `int status`
    pub status: i32,
    /// `LocalDateTime createTime`
    pub create_time: Option<LocalDateTime>,
    /// `LocalDateTime updateTime`
    pub update_time: Option<LocalDateTime>,
}

/// `org.apache.dubbo.benchmark.bean.Page` of users.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(rename = "org.apache.dubbo.benchmark.bean.Page", rename_all = "camelCase", default)]
pub struct Page {
    /// `int pageNo`
    pub page_no: i32,
    /// `int total`
    pub total: i32,
    /// `List<T> result`
    pub result: Option<Vec<User>>,
}

impl User {
    /// The user that `getUser` answers, made now.
    #[must_use]
    pub fn of(id: i64) -> User {
        User::named(id, "")
    }

    /// `suffix` stands behind every text, as on a page.
    fn named(id: i64, suffix: &str) -> User {
        let text = |text: &str| Some(format!("{text}{suffix}"));
        let now = clock::now();
        User {
            id,
            name: text("Ann User"),
            sex: 1,
            birthday: Some(LocalDate(LocalDateHandle { day: 8, month: 12, year: 1968 })),
            email: text("ann.u@mailbox.test"),
            mobile: text("12345678901"),
            address: text("某某市 某某区 某某某大街1号 某某大厦 1605"),
            icon: text("https://www.example.test/img/logo1.png"),
            permissions: Some(PERMISSIONS.to_vec()),
            status: 1,
            create_time: Some(now),
            update_time: Some(now),
        }
    }

    /// Whether this is the user that `getUser` answers, whenever it was made.
    #[must_use]
    pub fn is_of(&self, id: i64) -> bool {
        self.is(User::of(id))
    }

    fn is(&self, expected: User) -> bool {
        let time = self.create_time;
        let created = User { create_time: time, update_time: time, ..expected };
        time.is_some() && *self == created
    }
}

impl Page {
    /// The page that `listUser` answers, made now.
    #[must_use]
    pub fn of(page_no: i32) -> Page {
        let users = (0..USERS).map(|id| User::named(id, &id.to_string()));
        Page { page_no, total: TOTAL, result: Some(users.collect()) }
    }

    /// Whether this is the page that `listUser` answers, whenever it was made.
    #[must_use]
    pub fn is_of(&self, page_no: i32) -> bool {
        let users = self.result.as_deref().unwrap_or_default();
        let expected = || (0..USERS).map(|id| User::named(id, &id.to_string()));
        self.page_no == page_no
            && self.total == TOTAL
            && users.len() == expected().count()
            && users.iter().zip(expected()).all(|(user, expected)| user.is(expected))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lengths of the official texts, in characters and in bytes of UTF-8.
    #[test]
    fn texts_have_the_official_lengths() {
        let user = User::of(1);
        let texts = [&user.name, &user.email, &user.mobile, &user.address, &user.icon];
        let lengths = texts.map(|text| {
            let text = text.as_deref().unwrap_or_default();
            (text.chars().count(), text.len())
        });
        assert_eq!(lengths, [(8, 8), (18, 18), (11, 11), (25, 57), (38, 38)]);
    }

    #[test]
    fn a_reply_is_known_by_its_content_and_not_by_its_time() {
        let mut user = User::of(7);
        user.create_time = Some(LocalDateTime::default());
        user.update_time = user.create_time;
        assert!(user.is_of(7));
        assert!(!user.is_of(8));
        user.update_time = None;
        assert!(!user.is_of(7));
        let mut page = Page::of(3);
        assert!(page.is_of(3) && !page.is_of(4));
        page.result.as_mut().unwrap()[14].status = 0;
        assert!(!page.is_of(3));
        page.result.as_mut().unwrap().pop();
        assert!(!page.is_of(3));
    }
}
