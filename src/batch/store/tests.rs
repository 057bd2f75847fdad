use std::collections::BTreeSet;
use std::fs::OpenOptions;
use std::io::Write as _;

use proptest::prelude::*;
use tempfile::{TempDir, tempdir};

use super::*;
use crate::record::{Table, Value};

/// A record with every kind of cell.
fn record(number: u64) -> Record {
    let mut record = Record::default();
    record.metric("completion_s", number as f64 / 7.0);
    record.metric("whole_s", number as f64);
    record.metric("messages", number);
    record.metric("algorithm", "binomial, \"quoted\"\n\\ é\0");
    record.metric("n_eff", Value::Blank);
    record.tables.push(Table {
        name: "nodes".into(),
        columns: vec!["node".into(), "idle_s".into()],
        rows: vec![vec![number.into(), Value::Blank], vec![0_u64.into(), 0.0.into()]],
    });
    record
}

fn filled(keys: impl IntoIterator<Item = u64>) -> TempDir {
    let folder = tempdir().unwrap();
    append(folder.path(), keys);
    folder
}

fn append(folder: &Path, keys: impl IntoIterator<Item = u64>) {
    let (store, _) = Store::open(folder).unwrap();
    keys.into_iter().for_each(|key| store.append(key, &record(key)).unwrap());
    store.close().unwrap();
}

fn open(folder: &Path) -> (Store<u64>, Loaded) {
    Store::open(folder).unwrap()
}

fn segment(folder: &Path) -> PathBuf {
    let mut segments = segment::list(folder).unwrap();
    assert_eq!(segments.len(), 1);
    segments.remove(0)
}

/// Checks that exactly these keys are stored, each with its record.
fn check(store: &Store<u64>, keys: impl IntoIterator<Item = u64>) {
    let expected: BTreeSet<u64> = keys.into_iter().collect();
    assert_eq!(store.keys().into_iter().collect::<BTreeSet<_>>(), expected);
    assert_eq!(store.len(), expected.len());
    for key in expected {
        assert!(store.contains(key));
        assert_eq!(store.get(key).unwrap().unwrap(), record(key));
    }
}

#[test]
fn nothing_is_created_before_the_first_record() {
    let folder = tempdir().unwrap();
    let path = folder.path().join("deep/store");
    let (store, loaded) = open(&path);
    assert_eq!(loaded, Loaded::default());
    assert!(store.is_empty() && !path.exists());
    assert_eq!(store.get(1).unwrap(), None);
    store.append(1, &record(1)).unwrap();
    assert!(path.exists());
    check(&store, [1]);
}

#[test]
fn records_come_back_now_and_later() {
    let folder = tempdir().unwrap();
    let (store, _) = open(folder.path());
    for key in (0..50).rev() {
        store.append(key, &record(key)).unwrap();
    }
    check(&store, 0..50);
    assert!(store.keys().into_iter().eq((0..50).rev()), "in the order in which they were stored");
    drop(store);
    append(folder.path(), 50..60);
    let (store, loaded) = open(folder.path());
    assert_eq!(loaded, Loaded { records: 60, segments: 2, ..Loaded::default() });
    check(&store, 0..60);
}

#[test]
fn one_place_costs_little() {
    assert_eq!(size_of::<(u128, LinePosition)>(), 32);
}

#[test]
fn a_run_is_kept_once() {
    let folder = tempdir().unwrap();
    let (first, _) = open(folder.path());
    let (second, _) = open(folder.path());
    first.append(1, &record(1)).unwrap();
    first.append(1, &record(2)).unwrap();
    assert_eq!(first.get(1).unwrap(), Some(record(1)));
    first.append(2, &record(2)).unwrap();
    // Names begin with the time, so the second segment comes after the first.
    std::thread::sleep(std::time::Duration::from_millis(3));
    second.append(1, &record(3)).unwrap();
    second.append(4, &record(4)).unwrap();
    let (store, loaded) = open(folder.path());
    assert_eq!(loaded, Loaded { records: 3, duplicates: 1, segments: 2, ..Loaded::default() });
    check(&store, [1, 2, 4]);
}

#[test]
fn a_torn_tail_is_dropped_wherever_it_was_cut() {
    let folder = filled([1, 2]);
    let path = segment(folder.path());
    let whole = fs::read(&path).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|&byte| byte == b'\n').unwrap() + 1;
    for length in last..whole.len() {
        fs::write(&path, &whole[..length]).unwrap();
        let (store, loaded) = open(folder.path());
        check(&store, [1]);
        if length == last {
            assert!(loaded.notes.is_empty());
        } else {
            assert_eq!(loaded.notes, [Note { segment: path.clone(), torn: true, corrupt: 0 }]);
        }
    }
    // Later records go to a segment of their own and leave this one unchanged.
    append(folder.path(), 2..4);
    assert_eq!(fs::read(&path).unwrap(), &whole[..whole.len() - 1]);
    let (store, loaded) = open(folder.path());
    check(&store, 1..4);
    let note = loaded.notes[0].to_string();
    assert!(note.contains(&path.display().to_string()) && note.contains("unfinished line"), "{note}");
}

#[test]
fn a_changed_byte_costs_its_own_line() {
    let folder = filled([1, 2, 3]);
    let path = segment(folder.path());
    let whole = fs::read(&path).unwrap();
    let ends: Vec<usize> = (0..whole.len()).filter(|&at| whole[at] == b'\n').collect();
    for at in ends[0] + 1..ends[1] {
        for flip in [1, 0x80] {
            let mut damaged = whole.clone();
            damaged[at] ^= flip;
            fs::write(&path, damaged).unwrap();
            let (store, loaded) = open(folder.path());
            check(&store, [1, 3]);
            assert!(loaded.notes.len() == 1 && !loaded.notes[0].torn && loaded.notes[0].corrupt >= 1);
        }
    }
    // Without the newline between them, two lines become one.
    let mut damaged = whole.clone();
    damaged[ends[1]] = b' ';
    fs::write(&path, damaged).unwrap();
    let (store, loaded) = open(folder.path());
    check(&store, [1]);
    assert_eq!(loaded.notes, [Note { segment: path, torn: false, corrupt: 1 }]);
    assert!(loaded.notes[0].to_string().contains("a damaged line; "));
}

#[test]
fn other_files_are_left_alone() {
    let folder = filled([1]);
    fs::write(folder.path().join("results.csv"), "run\n").unwrap();
    fs::write(folder.path().join("empty.seg"), "").unwrap();
    fs::write(folder.path().join("noise.seg"), "\n\nnothing of ours\n0123456789abcdef {}\n").unwrap();
    fs::create_dir(folder.path().join("folder.seg")).unwrap();
    let (store, loaded) = open(folder.path());
    check(&store, [1]);
    assert_eq!(loaded.segments, 3);
    assert_eq!(loaded.notes, [Note { segment: folder.path().join("noise.seg"), torn: false, corrupt: 4 }]);
    assert!(loaded.notes[0].to_string().contains("4 damaged lines"));
    Store::<u64>::discard(folder.path()).unwrap();
    let (store, loaded) = open(folder.path());
    assert!(store.is_empty() && loaded == Loaded::default());
    assert!(folder.path().join("results.csv").exists());
    Store::<u64>::discard(&folder.path().join("missing")).unwrap();
}

#[test]
fn a_segment_that_vanished_is_an_error() {
    let folder = filled(0..3);
    let (store, _) = open(folder.path());
    store.append(3, &record(3)).unwrap();
    Store::<u64>::discard(folder.path()).unwrap();
    let error = store.get(0).unwrap_err();
    assert!(matches!(error, StoreError::Vanished { .. }), "{error}");
    // Writing to a removed file succeeds, so the record would be lost silently.
    let error = store.append(4, &record(4)).unwrap_err();
    assert!(matches!(error, StoreError::Vanished { .. }), "{error}");
    assert!(!store.contains(4));
    store.append(4, &record(4)).unwrap();
    check(&open(folder.path()).0, [4]);
}

#[test]
fn a_segment_that_changed_is_an_error() {
    let folder = filled(0..3);
    let (store, _) = open(folder.path());
    let path = segment(folder.path());
    let whole = fs::read(&path).unwrap();
    let mut damaged = whole.clone();
    damaged[40] ^= 1;
    fs::write(&path, damaged).unwrap();
    assert!(matches!(store.get(0).unwrap_err(), StoreError::Changed { offset: 0, .. }));
    OpenOptions::new().write(true).open(&path).unwrap().set_len(whole.len() as u64 - 1).unwrap();
    assert!(matches!(store.get(2).unwrap_err(), StoreError::Changed { .. }));
    assert!(store.get(1).unwrap().is_some());
}

#[test]
fn the_record_of_another_version_is_an_error() {
    let folder = tempdir().unwrap();
    let mut body = br#"{"key":"7","record":{"figures":{"completion_s":3.0}}}"#.to_vec();
    let mut line = format!("{:016x} ", xxhash_rust::xxh3::xxh3_64(&body)).into_bytes();
    line.append(&mut body);
    line.push(b'\n');
    fs::File::create(folder.path().join("old.seg")).unwrap().write_all(&line).unwrap();
    let error = open(folder.path()).0.get(7).unwrap_err();
    assert!(matches!(error, StoreError::Foreign { .. }) && error.to_string().contains("--fresh"), "{error}");
}

#[test]
fn a_folder_that_cannot_be_used_is_an_error() {
    let folder = tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "").unwrap();
    let error = Store::<u64>::open(&file).unwrap_err();
    assert!(matches!(error, StoreError::Folder { .. }), "{error}");
    assert!(error.to_string().contains("file") && error.to_string().contains("--out"), "{error}");

    let inside = folder.path().join("later");
    let (store, _) = open(&inside);
    fs::write(&inside, "in the way").unwrap();
    assert!(matches!(store.check_writable().unwrap_err(), StoreError::Folder { .. }));
    assert!(matches!(store.append(1, &record(1)).unwrap_err(), StoreError::Folder { .. }));
    fs::remove_file(&inside).unwrap();
    store.check_writable().unwrap();
    assert_eq!(fs::read_dir(&inside).unwrap().count(), 0);
    store.append(1, &record(1)).unwrap();
    check(&store, [1]);
}

#[test]
fn threads_share_a_store() {
    let folder = tempdir().unwrap();
    let (store, _) = open(folder.path());
    std::thread::scope(|scope| {
        for thread in 0..4 {
            let store = &store;
            scope.spawn(move || {
                for key in 0..200 {
                    // Half of the runs are computed by two threads.
                    let key = (thread / 2) * 200 + key;
                    store.append(key, &record(key)).unwrap();
                    assert_eq!(store.get(key).unwrap(), Some(record(key)));
                }
            });
        }
    });
    check(&store, 0..400);
    let (store, loaded) = open(folder.path());
    check(&store, 0..400);
    assert_eq!((loaded.segments, loaded.notes.len()), (1, 0));
}

/// Appends and reads from several threads: those of rayon, which have a segment each, and others.
fn fill(store: &Store<u64>) {
    std::thread::scope(|scope| {
        for thread in 0..3 {
            scope.spawn(move || {
                for key in 0..100 {
                    let key = thread * 50 + key;
                    store.append(key, &record(key)).unwrap();
                    assert_eq!(store.get(key).unwrap(), Some(record(key)));
                }
            });
        }
    });
    let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
    pool.broadcast(|context| {
        for key in (context.index()..100).step_by(3) {
            let keys = [200, 300].map(|first| first + key as u64);
            store.append_all(&keys.map(|key| (key, record(key)))).unwrap();
            assert!(keys.iter().all(|&key| store.get(key).unwrap() == Some(record(key))));
        }
    });
}

#[test]
fn a_store_in_memory_reads_as_one_on_disk() {
    let folder = tempdir().unwrap();
    let (on_disk, in_memory) = (open(folder.path()).0, Store::in_memory());
    assert!(in_memory.is_empty() && in_memory.folder().is_none());
    in_memory.check_writable().unwrap();
    let wanted: Vec<u64> = (0..450).rev().collect();
    let bodies = |store: &Store<u64>| {
        fill(store);
        check(store, 0..400);
        let lines = store.lines(&wanted).unwrap();
        (0..wanted.len())
            .map(|number| lines.line(number).unwrap().map(|line| line.record().unwrap()))
            .collect::<Vec<_>>()
    };
    assert_eq!(bodies(&on_disk), bodies(&in_memory));
    // A run is kept once.
    in_memory.append(1, &record(2)).unwrap();
    assert_eq!(in_memory.get(1).unwrap(), Some(record(1)));
    in_memory.close().unwrap();
}

#[test]
fn more_segments_than_open_files() {
    let folder = tempdir().unwrap();
    let stores: Vec<Store<u64>> = (0..OPEN_FILES + 10).map(|_| open(folder.path()).0).collect();
    for (key, store) in (0..).zip(&stores) {
        store.append(key, &record(key)).unwrap();
        store.append(key + 100, &record(key + 100)).unwrap();
    }
    let (store, loaded) = open(folder.path());
    assert_eq!(loaded.segments, stores.len());
    check(&store, (0..stores.len() as u64).flat_map(|key| [key, key + 100]));
    assert_eq!(lock(&store.readers).len(), OPEN_FILES);
}

fn value() -> impl Strategy<Value = Value> {
    prop_oneof![
        any::<u64>().prop_map(Value::Count),
        any::<f64>().prop_map(Value::from),
        (-1e6..1e6).prop_map(|number: f64| Value::Number(number.trunc())),
        ".*".prop_map(Value::Text),
        Just(Value::Blank),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn any_record_comes_back(
        key: u128,
        metrics in prop::collection::vec((".*", value()), 0..5),
        rows in prop::collection::vec(prop::collection::vec(value(), 2), 0..4),
    ) {
        let columns = vec!["a".into(), "b".into()];
        let record = Record {
            metrics: metrics.into_iter().map(|(name, value)| (name.into(), value)).collect(),
            timings: vec![("scheduling_s".into(), 0.1 + 0.2)],
            tables: vec![Table { name: "t".into(), columns, rows }],
        };
        let folder = tempdir().unwrap();
        let (store, _) = Store::open(folder.path()).unwrap();
        store.append(key, &record).unwrap();
        prop_assert_eq!(store.get(key).unwrap().unwrap(), record.clone());
        let (store, _) = Store::<u128>::open(folder.path()).unwrap();
        prop_assert_eq!(store.get(key).unwrap().unwrap(), record);
    }
}

#[test]
fn readers_that_come_together_miss_nothing() {
    // Sorting the index takes a while, in which another reader must not see the old index.
    for _ in 0..20 {
        let folder = tempdir().unwrap();
        let (store, _) = Store::<u64>::open(folder.path()).unwrap();
        let empty = Record::default();
        (0..3000).rev().for_each(|key| store.append(key, &empty).unwrap());
        let start = std::sync::Barrier::new(4);
        let found = std::thread::scope(|scope| {
            let reader = || {
                start.wait();
                (0..3000).filter(|key| store.contains(*key)).count()
            };
            let readers: Vec<_> = (0..4).map(|_| scope.spawn(reader)).collect();
            readers.into_iter().map(|reader| reader.join().unwrap()).collect::<Vec<_>>()
        });
        assert_eq!(found, [3000; 4]);
    }
}

/// Run with `cargo test --release -- --ignored --nocapture a_million`.
#[test]
#[ignore = "takes a few seconds and 530 MB of disk"]
fn a_million_records_open_in_four_seconds() {
    let resident = || {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let line = status.lines().find(|line| line.starts_with("VmRSS")).unwrap_or("VmRSS: 0 kB").to_owned();
        line.split_whitespace().nth(1).unwrap().parse::<u64>().unwrap() / 1024
    };
    // As scattered as the hashes that name runs.
    let key = |number: u64| xxhash_rust::xxh3::xxh3_128(&number.to_le_bytes());
    let mut record = Record::default();
    for metric in 0..12 {
        record.metric(format!("some_figure_{metric}_s"), f64::from(metric) / 7.0);
    }
    let folder = tempdir().unwrap();
    let before = resident();
    let started = std::time::Instant::now();
    let (store, _) = Store::open(folder.path()).unwrap();
    for number in 0..1_000_000 {
        store.append(key(number), &record).unwrap();
    }
    store.close().unwrap();
    let bytes = fs::metadata(segment(folder.path())).unwrap().len();
    println!("appended in {:.2?}, {bytes} bytes", started.elapsed());

    let started = std::time::Instant::now();
    let (store, loaded) = Store::<u128>::open(folder.path()).unwrap();
    let took = started.elapsed();
    println!("opened in {took:.2?}, with {} MiB more than before anything was stored", resident() - before);
    assert_eq!((loaded.records, loaded.notes.len()), (1_000_000, 0));

    let started = std::time::Instant::now();
    let keys = store.keys();
    println!("listed in {:.2?}", started.elapsed());
    let started = std::time::Instant::now();
    for &key in keys.iter().step_by(10) {
        assert!(store.get(key).unwrap().is_some());
    }
    println!("read a tenth in {:.2?}", started.elapsed());
    assert!(took.as_secs() < 4);
}
