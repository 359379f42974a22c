// SPDX-License-Identifier: MIT
// Passes the program the versions that it is built with; the crates do not have them themselves.
use std::{env, fs, path::Path};

fn main() {
    let manifest = env::var("CARGO_MANIFEST_DIR").expect("cargo sets CARGO_MANIFEST_DIR");
    let path = Path::new(&manifest).join("Cargo.lock");
    let lock = fs::read_to_string(&path).expect("cargo writes Cargo.lock before it builds");
    println!("cargo:rerun-if-changed={}", path.display());
    for (name, variable) in [("tokio", "TOKIO_VERSION"), ("tokio-util", "TOKIO_UTIL_VERSION")] {
        println!("cargo:rustc-env={}={}", variable, version_of(name, &lock));
    }
}

fn version_of(name: &str, lock: &str) -> String {
    let heading = format!("name = \"{name}\"\nversion = \"");
    let start = lock.find(&heading).expect("Cargo.lock names every dependency") + heading.len();
    lock[start..].chars().take_while(|&letter| letter != '"').collect()
}
