//! A store whose processes are killed, run side by side, or run out of disk.
//!
//! The processes are this test binary again: it runs the test `child`, which does nothing but when the environment
//! says so. A child prints each key once its record is stored, and the test takes only whole lines for said.
#![cfg(unix)]
#![expect(clippy::unwrap_used, reason = "the helpers of these tests are tests too")]

use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead as _, BufReader, Read, Write as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use std::{env, fs, thread};

use hetsim::batch::store::{Loaded, Store, StoreError};
use hetsim::record::{Record, Table, Value};

const FOLDER: &str = "HETSIM_TEST_STORE";
const FIRST: &str = "HETSIM_TEST_FIRST";
const COUNT: &str = "HETSIM_TEST_COUNT";
const FILLER: &str = "HETSIM_TEST_FILLER";

/// Of different lengths, up to several pages.
fn record(key: u64) -> Record {
    let mut record = Record::default();
    record.metric("completion_s", key as f64 / 3.0);
    let rows = (0..key * 7 % 300).map(|row| vec![Value::from(row), Value::from(key)]).collect();
    record.tables.push(Table { name: "nodes".into(), columns: vec!["node".into(), "key".into()], rows });
    record
}

fn open(folder: &Path) -> (Store<u64>, Loaded) {
    Store::open(folder).unwrap()
}

fn say(word: &str, key: u64) {
    // The harness may have begun a line of its own.
    std::io::stdout().write_all(format!("\n{word} {key}\n").as_bytes()).unwrap();
}

#[test]
fn child() {
    let Some(folder) = env::var_os(FOLDER) else { return };
    let number = |name| env::var(name).unwrap().parse::<u64>().unwrap();
    let (first, count) = (number(FIRST), number(COUNT));
    let (store, _) = Store::open(folder).unwrap();
    for key in first..first + count {
        match store.append(key, &record(key)) {
            Ok(()) => say("stored", key),
            Err(error) => {
                let (StoreError::Write { cause, .. } | StoreError::Folder { cause, .. }) = &error else {
                    panic!("{error}")
                };
                assert!(error.to_string().contains("free some space"), "{error}: {:?}", cause.kind());
                say("failed", key);
                // Somebody makes room.
                let _ = env::var_os(FILLER).map(fs::remove_file);
            }
        }
    }
    drop(store);
    say("done", 0);
}

/// The arguments of this binary that run the child.
fn command(program: &mut Command, folder: &Path, first: u64, count: u64) -> Child {
    program
        .args(["--exact", "child", "--nocapture"])
        .env(FOLDER, folder)
        .env(FIRST, first.to_string())
        .env(COUNT, count.to_string())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap()
}

fn run(folder: &Path, first: u64, count: u64) -> Child {
    command(&mut Command::new(env::current_exe().unwrap()), folder, first, count)
}

/// The same below a shell that sets the stage with `before`.
fn run_after(before: &str, folder: &Path, first: u64, count: u64) -> Child {
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("{before}; exec \"$0\" \"$@\"")).arg(env::current_exe().unwrap());
    command(&mut shell, folder, first, count)
}

/// What a child says until it ends: its words, and after each the keys.
fn said(stdout: impl Read) -> BTreeMap<String, BTreeSet<u64>> {
    let mut said = BTreeMap::<String, BTreeSet<u64>>::new();
    let mut reader = BufReader::new(stdout);
    let mut line = String::new();
    while reader.read_line(&mut line).unwrap() > 0 {
        if let Some((word, key)) = line.strip_suffix('\n').and_then(|line| line.split_once(' '))
            && let Ok(key) = key.parse()
        {
            said.entry(word.to_owned()).or_default().insert(key);
        }
        line.clear();
    }
    said
}

/// The keys in a store, after each record from a key on was read and found to be right.
fn keys_from(first: u64, store: &Store<u64>) -> BTreeSet<u64> {
    let keys: BTreeSet<u64> = store.keys().into_iter().collect();
    for &key in keys.range(first..) {
        assert_eq!(store.get(key).unwrap().unwrap(), record(key));
    }
    keys
}

fn keys(store: &Store<u64>) -> BTreeSet<u64> {
    keys_from(0, store)
}

#[test]
fn kill_loses_nothing_that_was_stored() {
    const KILLS: u32 = 25;
    let folder = tempfile::tempdir().unwrap();
    let mut stored = BTreeSet::new();
    let mut next = 0;
    let mut random = 0x2545_F491_4F6C_DD1D_u64;
    for _ in 0..KILLS {
        let mut child = run(folder.path(), next, 1_000_000);
        // From before the first record to well within many.
        random ^= random << 13;
        random ^= random >> 7;
        random ^= random << 17;
        let stdout = child.stdout.take().unwrap();
        let reader = thread::spawn(move || said(stdout));
        thread::sleep(Duration::from_micros(random % 60_000));
        child.kill().unwrap();
        child.wait().unwrap();
        stored.extend(reader.join().unwrap().remove("stored").unwrap_or_default());

        let (store, loaded) = open(folder.path());
        let found = keys_from(next, &store);
        assert!(stored.is_subset(&found), "lost {:?}", stored.difference(&found));
        // One record may have been stored without that having been said, at each kill.
        assert!(loaded.duplicates == 0 && loaded.records == found.len());
        assert!(loaded.notes.iter().all(|note| note.torn && note.corrupt == 0), "{:?}", loaded.notes);
        assert!(found.len() <= stored.len() + KILLS as usize);
        next = found.last().map_or(0, |last| last + 1);
        assert_eq!(found.len() as u64, next, "nothing is missing in between");
    }
    assert!(stored.len() > 100, "only {} records were stored", stored.len());
    keys(&open(folder.path()).0);
}

#[test]
fn two_processes_share_a_folder() {
    let folder = tempfile::tempdir().unwrap();
    // The ranges overlap, so that both compute some runs.
    let mut children = [run(folder.path(), 0, 300), run(folder.path(), 200, 300)];
    // And somebody looks on.
    let started = Instant::now();
    while started.elapsed() < Duration::from_millis(100) {
        keys(&open(folder.path()).0);
    }
    let said: Vec<_> = children.iter_mut().map(|child| said(child.stdout.take().unwrap())).collect();
    assert!(children.iter_mut().all(|child| child.wait().unwrap().success()));
    assert!(said.iter().all(|said| said["stored"].len() == 300 && said.contains_key("done")));
    let (store, loaded) = open(folder.path());
    assert_eq!(keys(&store), (0..500).collect());
    assert_eq!((loaded.records, loaded.segments, loaded.notes.len()), (500, 2, 0));
    assert!(loaded.duplicates <= 100);
}

/// What a child that could not store everything left behind: exactly what it said, and room for the rest.
fn check_after_failures(folder: &Path, said: &mut BTreeMap<String, BTreeSet<u64>>, count: u64) {
    let (stored, failed) = (said.remove("stored").unwrap(), said.remove("failed").unwrap_or_default());
    assert!(said.contains_key("done"));
    assert!(!stored.is_empty() && !failed.is_empty(), "{} stored, {} failed", stored.len(), failed.len());
    assert_eq!(stored.len() + failed.len(), count as usize);
    assert!(stored.last() > failed.first(), "it went on after the first failure");
    let (store, loaded) = open(folder);
    assert_eq!(keys(&store), stored);
    assert_eq!((loaded.duplicates, loaded.notes), (0, Vec::new()));
}

/// A limit on the length of a file stops a write in the middle, as a full disk does, and needs no rights.
#[test]
fn a_write_that_stops_short_harms_nothing() {
    let folder = tempfile::tempdir().unwrap();
    // Without its handler the signal would end the process before the error is seen.
    let mut child = run_after("trap '' XFSZ; ulimit -f 16", folder.path(), 0, 200);
    let mut said = said(child.stdout.take().unwrap());
    assert!(child.wait().unwrap().success());
    check_after_failures(folder.path(), &mut said, 200);
    assert!(open(folder.path()).1.segments > 1);
}

/// A file system of 64 KiB, where the system lets anybody mount one in a name space of their own.
#[test]
fn a_full_disk_harms_nothing() {
    let mount = "mount -t tmpfs -o size=64k tmpfs";
    let may = Command::new("unshare").args(["-rm", "sh", "-c", &format!("{mount} /mnt")]).output();
    if !may.is_ok_and(|output| output.status.success()) {
        println!("skipped: mounting a small file system is not allowed here");
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let (disk, kept) = (folder.path().join("disk"), folder.path().join("kept"));
    fs::create_dir(&disk).unwrap();
    fs::create_dir(&kept).unwrap();
    let script = format!(
        "{mount} \"$DISK\" && head -c 40000 /dev/zero > \"$DISK/filler\" && \"$0\" \"$@\" && cp \"$DISK\"/* \"$KEPT\"",
    );
    let mut shell = Command::new("unshare");
    shell.args(["-rm", "sh", "-c", &script]).arg(env::current_exe().unwrap());
    shell.env("DISK", &disk).env("KEPT", &kept).env(FILLER, disk.join("filler"));
    let mut child = command(&mut shell, &disk, 0, 60);
    let mut said = said(child.stdout.take().unwrap());
    assert!(child.wait().unwrap().success());
    check_after_failures(&kept, &mut said, 60);
}
