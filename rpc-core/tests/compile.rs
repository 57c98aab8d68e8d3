//! What `#[service]` takes, and what it says about what it does not take.

#[test]
fn traits_under_the_attribute() {
    let cases = trybuild::TestCases::new();
    cases.pass("tests/ui/pass/*.rs");
    cases.compile_fail("tests/ui/fail/*.rs");
}
