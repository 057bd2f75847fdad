//! The lines of R in `docs/python.md` that need no package. Where there is no R, the test says so and passes.

use std::path::Path;
use std::process::Command;

use tempfile::TempDir;

use crate::support::{hetsim, printed};

#[test]
fn r_reads_results() {
    if Command::new("Rscript").arg("--version").output().is_err() {
        println!("skipped: R is not installed");
        return;
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let page = std::fs::read_to_string(root.join("docs/python.md")).expect("the page");
    let lines = page.split("```r\n").skip(1).filter_map(|rest| rest.split("```").next());
    let lines: Vec<&str> = lines.filter(|lines| !lines.contains("arrow") && !lines.contains("reticulate")).collect();
    assert!(!lines.is_empty(), "the page has lines for R alone");
    let folder = TempDir::new().expect("a temporary folder");
    printed(hetsim(&folder).arg(root.join("scenarios/first.toml")).arg("--quiet"));
    for lines in lines {
        let output = Command::new("Rscript").args(["-e", lines]).current_dir(&folder).output().expect("R");
        let (said, wrong) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
        assert!(output.status.success(), "{lines}{wrong}");
        // Sizes in bytes and the shortest time of 1 KiB, in seconds, are numbers.
        assert!(said.contains("completion_s") && said.contains(" 1024 "), "{said}");
    }
}
