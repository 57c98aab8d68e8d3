//! What `#[service]` takes, and what it says about what it does not take.
//!
//! `TRYBUILD=overwrite cargo test -p rpc-core --test compile` writes the expected messages anew: read
//! the difference, it is what a user of the attribute sees.

#[test]
fn traits_under_the_attribute() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
