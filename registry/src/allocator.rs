//! Which allocator a program was built with.
//!
//! A program says [`allocator!`](crate::allocator!) once, beside its `main`, and has the cargo
//! features `mimalloc` (the default here: it frees on one thread what another allocated, the
//! pattern of every call, at half of glibc's cost, and keeps large buffers instead of giving them
//! back to the kernel) and `jemalloc`, which wins if both are on. Without either it is the system's.

use std::sync::OnceLock;

static NAME: OnceLock<&str> = OnceLock::new();

/// Says it, once, at the start of a program.
pub fn announce(name: &'static str) {
    // A second name would be that of the same program.
    let _ = NAME.set(name);
}

/// `mimalloc`, `jemalloc` or `system`.
#[must_use]
pub fn name() -> &'static str {
    NAME.get().copied().unwrap_or("system")
}

/// Defines the allocator of a program and `ALLOCATOR_NAME`, by the features of its crate.
#[macro_export]
macro_rules! allocator {
    () => {
        #[cfg(feature = "jemalloc")]
        #[global_allocator]
        static ALLOCATOR: ::tikv_jemallocator::Jemalloc = ::tikv_jemallocator::Jemalloc;

        #[cfg(all(feature = "mimalloc", not(feature = "jemalloc")))]
        #[global_allocator]
        static ALLOCATOR: ::mimalloc::MiMalloc = ::mimalloc::MiMalloc;

        const ALLOCATOR_NAME: &str = if ::core::cfg!(feature = "jemalloc") {
            "jemalloc"
        } else if ::core::cfg!(feature = "mimalloc") {
            "mimalloc"
        } else {
            "system"
        };
    };
}
