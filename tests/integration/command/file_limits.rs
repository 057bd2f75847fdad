//! What hetsim reads: regular files of a bounded length, opened in one place; and counts that a machine can hold.

use std::fs;
use std::path::Path;

use assert_cmd::Command;
use tempfile::TempDir;

use crate::sources::{all_sources, root};

/// A run of the program that ends soon, whatever it is given.
fn hetsim(folder: &Path, words: &[&str], limit: Option<&str>) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_hetsim"));
    command.current_dir(folder).env("COLUMNS", "400").env_remove("RUST_LOG").env_remove("HETSIM_MAX_FILE_SIZE");
    if let Some(limit) = limit {
        command.env("HETSIM_MAX_FILE_SIZE", limit);
    }
    let output = command.args(words).timeout(std::time::Duration::from_mins(1)).output().unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(!said.contains("panicked"), "{said}");
    // Messages are wrapped between a frame's lines.
    (output.status.code(), said.replace('│', " ").split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A scenario with a place for a file of every kind.
fn scenario(line: &str) -> String {
    let (mut platform, mut load, mut workload) = (
        String::new(),
        String::new(),
        "kind = \"independent\"\ntasks = 4\n\
        task = { distribution = \"constant\", operations = \"1Mop\" }"
            .to_owned(),
    );
    match line.split_once(' ').unwrap() {
        ("include", file) => platform = format!("[platform]\ninclude = \"{file}\"\n"),
        ("load", file) => {
            load = format!("[[platform.cluster.m.load]]\nprofile = {{ kind = \"trace\", file = \"{file}\" }}\n");
        }
        ("graph", file) => workload = format!("kind = \"taskgraph\"\nscheduler = \"heft\"\nfile = \"{file}\""),
        ("times", file) => {
            return format!(
                "version = 1\n[study]\nkind = \"fit\"\nfile = \"{file}\"\ntarget = \"t\"\nby = [\"p\"]\nmethod = \"ols\"\n"
            );
        }
        other => panic!("{other:?}"),
    }
    format!(
        "version = 1\n{platform}[platform.cluster.m]\nnodes = 2\nspeed = \"1Mop/s\"\n\
         network = {{ model = \"ideal\" }}\n{load}\
         [workload]\n{workload}\n"
    )
}

#[test]
#[cfg(unix)]
fn only_regular_files_are_read() {
    let folder = TempDir::new().unwrap();
    let pipe = folder.path().join("pipe.csv");
    assert!(std::process::Command::new("mkfifo").arg(&pipe).status().unwrap().success());
    fs::create_dir(folder.path().join("folder.csv")).unwrap();
    for (name, what) in [
        ("pipe.csv", "a pipe; only regular files are read"),
        ("/dev/zero", "a device; only regular files are read"),
        ("/proc/self/environ", "made up by the kernel"),
        ("folder.csv", "a folder; only regular files are read"),
    ] {
        for words in [
            vec!["check", name],
            vec!["measure", name],
            vec!["partition", name],
            vec!["fit", name, "--target", "t", "--by", "p"],
            vec!["convert", name, "out.stg", "--from", "stg"],
            vec!["advise", name],
        ] {
            let (code, said) = hetsim(folder.path(), &words, None);
            assert!(code == Some(2) && said.contains(what) && said.contains(name), "{words:?}: {code:?} {said}");
        }
        for place in ["include", "load", "graph", "times"] {
            fs::write(folder.path().join("s.toml"), scenario(&format!("{place} {name}"))).unwrap();
            let (code, said) = hetsim(folder.path(), &["check", "s.toml"], None);
            assert!(code == Some(2) && said.contains(what) && said.contains(name), "{place} {name}: {code:?} {said}");
        }
    }
}

#[test]
fn the_greatest_size_of_a_file_can_be_set() {
    let folder = TempDir::new().unwrap();
    let table = "# Size  Latency (us)\n1 1.0\n1000 2.0\n2000 3.0\n";
    fs::write(folder.path().join("l.txt"), table).unwrap();
    assert_eq!(hetsim(folder.path(), &["measure", "l.txt"], Some("1kB")).0, Some(0));
    assert_eq!(hetsim(folder.path(), &["measure", "l.txt"], Some("1000")).0, Some(0));
    for (limit, what) in [
        ("20B", "longer than 20B; the environment variable HETSIM_MAX_FILE_SIZE raises this limit"),
        ("much", "the environment variable HETSIM_MAX_FILE_SIZE is not a size such as 4GiB"),
    ] {
        let (code, said) = hetsim(folder.path(), &["measure", "l.txt"], Some(limit));
        assert!(code == Some(2) && said.contains(what), "{said}");
    }
    // As long as the default, and a byte more; a hole takes no room on the disk.
    let file = fs::File::create(folder.path().join("long.csv")).unwrap();
    file.set_len((1 << 30) + 1).unwrap();
    let (code, said) = hetsim(folder.path(), &["partition", "long.csv"], None);
    assert!(code == Some(2) && said.contains("is longer than 1GiB"), "{said}");
}

/// Files of hetsim's own are read whatever the limit: it hides no results from a run that would overwrite them.
#[test]
fn files_of_our_own_have_no_limit() {
    let folder = TempDir::new().unwrap();
    for name in ["a", "b"] {
        fs::create_dir(folder.path().join(name)).unwrap();
        let text = "version = 1\n[platform.cluster.m]\nnodes = 2\nnetwork = { model = \"ideal\" }\n\
            [workload]\nkind = \"broadcast\"\nsize = \"1B\"\nalgorithm = \"linear\"\n";
        fs::write(folder.path().join(name).join("s.toml"), text).unwrap();
    }
    assert_eq!(hetsim(folder.path(), &["a/s.toml", "-q"], None).0, Some(0));
    let (code, said) = hetsim(folder.path(), &["b/s.toml", "-q"], Some("300"));
    assert!(code == Some(2) && said.contains("holds the results of"), "{said}");
}

/// Counts of 2³² − 1 end with a message, not with the machine's memory.
#[test]
fn counts_are_bounded() {
    let folder = TempDir::new().unwrap();
    let lab = "version = 1\n[platform.cluster.m]\nnodes = 4\nspeed = \"1Mop/s\"\n\
        network = { model = \"hockney\", latency = \"1us\", bandwidth = \"1GB/s\" }\n[workload]\n";
    let task = "task = { distribution = \"constant\", operations = \"1op\" }";
    let search = "search = { objective = \"sphere\", genes = 100000, genome = \"real\" }";
    for (workload, words) in [
        ("kind = \"measure\"\nsizes = [\"1B\", \"2B\"]\nrepetitions = 4294967295", "at most 1000000"),
        (
            "kind = \"measure\"\nsizes = [\"1B\", \"2B\"]\nrepetitions = 1000000\n[platform.cluster.n]\nnodes = 100\n\
          network = { model = \"ideal\" }\n[platform.between]\nnetwork = { model = \"ideal\" }",
            "1000000 repetitions of",
        ),
        (
            "kind = \"measure\"\nsizes = [\"1B\", \"2B\"]\n\
             background = { pairs = 4294967295, size = \"1B\", interval = \"1s\" }",
            "at most 1000000",
        ),
        (
            "kind = \"adaptive\"\nsize = \"1KiB\"\nsizes = [\"1B\", \"1KiB\"]\nrepetitions = 4294967295",
            "at most 1000000",
        ),
        (
            &format!("kind = \"genetic\"\npopulation = 4294967295\ngenerations = 1\n{task}"),
            "4294967295 individuals would",
        ),
        (
            &format!("kind = \"island\"\npopulation = 4294967295\ngenerations = 1\n{task}"),
            "4294967295 individuals would",
        ),
        (
            &format!("kind = \"genetic\"\npopulation = 1000000\ngenerations = 1\n{task}\n{search}"),
            "1000000 individuals of 100000",
        ),
        (
            &format!(
                "kind = \"evolution\"\npopulation = 8\nrounds = 2\ndistribution = \"equal\"\n{task}\n\
                search = {{ strategy = \"cma_es\", objective = \"sphere\", dimension = 4294967295 }}"
            ),
            "8 individuals of dimension 4294967295",
        ),
        (
            &format!(
                "kind = \"evolution\"\npopulation = 1000\nrounds = 1\ndistribution = \"equal\"\n{task}\n\
                search = {{ strategy = \"plus\", objective = \"sphere\", offspring = 4000000 }}"
            ),
            "1000 individuals of dimension 10, with their children,",
        ),
        (
            "kind = \"taskgraph\"\nscheduler = \"genetic\"\ngenetic = { population = 4294967295 }\n\
             generate = { shape = { family = \"chain\", tasks = 3 }, operations = { distribution = \"constant\", value = \"1op\" }, \
             bytes = { distribution = \"constant\", value = \"1B\" } }",
            "must be at most 1000000",
        ),
    ] {
        fs::write(folder.path().join("s.toml"), format!("{lab}{workload}\n")).unwrap();
        let (code, said) = hetsim(folder.path(), &["check", "s.toml"], None);
        assert!(code == Some(2) && said.contains(words), "{workload}: {said}");
    }
}

/// Files that a user names are opened by `input` alone. What the other places open, hetsim or the kernel wrote.
#[test]
fn files_are_opened_in_one_place() {
    const OWN: &[&str] = &["crates/base/src/input.rs", "src/batch/", "src/report/manifest.rs"];
    const OPENING: &[&str] =
        &["fs::read(", "fs::read_to_string", "File::open", "OpenOptions", "from_path(", "from_file("];
    let files = all_sources();
    let mut found = Vec::new();
    for file in &files {
        let name = file.strip_prefix(root()).unwrap().to_string_lossy().replace('\\', "/");
        if OWN.iter().any(|own| name.starts_with(own)) || name.ends_with("tests.rs") || name.contains("/tests/") {
            continue;
        }
        let text = fs::read_to_string(file).unwrap();
        let code = text.split("#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        let opens = |line: &&str| OPENING.iter().any(|opening| line.contains(opening));
        found.extend(code.lines().filter(opens).map(|line| format!("{name}: {}", line.trim())));
    }
    assert!(files.len() > 100, "the test has lost its eyes");
    assert!(found.is_empty(), "read them by `crate::input`:\n{}", found.join("\n"));
}
