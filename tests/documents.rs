//! Documents that are made from the code and the scenarios, and can't go stale: this test fails where one differs from
//! what would be made now. `HETSIM_BLESS=1 cargo test --profile wheel --test documents -- --include-ignored` makes them
//! all again.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

#[path = "documents/gallery.rs"]
mod gallery;
#[path = "documents/guides.rs"]
mod guides;
#[path = "../src/report/chart/tests/labels.rs"]
mod labels;
#[path = "documents/reference.rs"]
mod reference;
#[path = "documents/reproduction.rs"]
mod reproduction;
#[path = "documents/shipped.rs"]
mod shipped;
#[path = "documents/stg.rs"]
mod stg;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread;

use hetsim::batch::identity::RunId;
use hetsim::record::Record;
use hetsim::report::Reported as _;
use hetsim::report::{Results, chart};
use hetsim::scenario::Scenario;
use hetsim_chart::letters::text_width;
use rayon::prelude::*;

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// Compares a document with what it should be, or makes it so.
fn document(path: &str, content: &str) {
    let file = root().join(path);
    if std::env::var_os("HETSIM_BLESS").is_some() {
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, content).unwrap();
        return;
    }
    let old = fs::read_to_string(&file).unwrap_or_default().replace("\r\n", "\n");
    assert!(
        old == content,
        "{path} is out of date; make it again with HETSIM_BLESS=1 cargo test --profile wheel --test documents -- \
         --include-ignored"
    );
}

/// What a scenario's runs leave: the point, the replica, and the record.
type Records = Vec<(usize, u32, Record)>;

/// The results of a shipped scenario, without a store. It is simulated once, however many tests look at it: all
/// replicas where a document shows them, else one of each point.
///
/// Who asks meanwhile waits. A thread of the pool that waited would be missing where the runs are computed.
fn results(scenario: &Scenario) -> Results<'_> {
    static SIMULATED: Mutex<BTreeMap<String, Arc<OnceLock<Records>>>> = Mutex::new(BTreeMap::new());
    assert!(rayon::current_thread_index().is_none(), "{} is asked for on a thread of the pool", scenario.name);
    let simulated = Arc::clone(SIMULATED.lock().unwrap().entry(scenario.name.clone()).or_default());
    let records = simulated.get_or_init(|| {
        let is_picture = PICTURES.iter().any(|(name, _)| *name == scenario.name);
        let is_shown = is_picture || reproduction::is_of_a_paper(&scenario.name);
        simulate(scenario, if is_shown { scenario.file.replicas.most() } else { 1 })
    });
    Results::new(scenario, records.iter().cloned())
}

/// The records of every point of a scenario, with so many replicas of each. A run that mutations of the scenario leave as it
/// is, is computed once.
fn simulate(scenario: &Scenario, replicas: u32) -> Records {
    static COMPUTED: Mutex<BTreeMap<(String, RunId), Record>> = Mutex::new(BTreeMap::new());
    let run = |run: u32| {
        let (point, replica) = ((run / replicas) as usize, run % replicas);
        let id = (scenario.name.clone(), RunId::of(scenario, point, replica));
        let known = COMPUTED.lock().unwrap().get(&id).cloned();
        let record = known.unwrap_or_else(|| {
            let record = scenario.run(point, replica).unwrap();
            COMPUTED.lock().unwrap().insert(id, record.clone());
            record
        });
        (point, replica, record)
    };
    (0..scenario.points.len() as u32 * replicas).into_par_iter().map(run).collect()
}

/// Does something with each item, each on a thread of its own, so that no core waits for the last run of one scenario.
fn at_once<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    thread::scope(|scope| {
        let threads: Vec<_> = items.iter().map(|item| scope.spawn(|| work(item))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    })
}

fn load(name: &str) -> Scenario {
    Scenario::load(&root().join("scenarios").join(format!("{name}.toml")), &[])
        .unwrap_or_else(|problems| panic!("{problems}"))
}

/// The pictures of the README: scenario, chart, file.
const PICTURES: [(&str, &[&str]); 8] = [
    ("grid5000", &["speedup", "who_sends_to_whom"]),
    ("first", &["completion"]),
    ("bazterra-fig3", &["speedup"]),
    ("diversity", &["speedup"]),
    ("self-scheduling", &["losses"]),
    ("heft2002", &["heft", "graph"]),
    ("schedulers", &["ratio", "communication"]),
    ("energy", &["energy_and_time"]),
];

#[test]
fn readme_pictures() {
    for (name, wanted) in PICTURES {
        let scenario = load(name);
        let drawn = chart::draw(&results(&scenario), &scenario.report().chart, &[]).unwrap();
        for chart in wanted {
            let picture = drawn.iter().find(|picture| picture.name == *chart).unwrap();
            document(&format!("docs/pictures/{name}-{chart}.svg"), &picture.svg);
        }
    }
}

/// Every relative link of the README and of the pages leads to a file, and to a heading of it if it names one.
#[test]
fn links_lead_somewhere() {
    let own = ["README.md", "ARTIFACT.md", "CONTRIBUTING.md", "output/README.md", "packaging/README.md"];
    let own = own.map(|name| root().join(name));
    let (mut seen, mut broken) = (0, Vec::new());
    for page in pages().into_iter().chain(own) {
        let text = fs::read_to_string(&page).unwrap();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.contains(char::is_whitespace)) {
            seen += 1;
            let (file, heading) = target.split_once('#').map_or((target, None), |(file, at)| (file, Some(at)));
            let file = if file.is_empty() { page.clone() } else { page.with_file_name(file) };
            let is_there = heading.is_none_or(|heading| {
                fs::read_to_string(&file).is_ok_and(|text| headings(&text).iter().any(|own| own == heading))
            });
            if !file.exists() || !is_there {
                broken.push(format!("{}: {target}", page.display()));
            }
        }
    }
    assert!(seen > 50 && broken.is_empty(), "{seen} links, of which lead nowhere:\n{}", broken.join("\n"));
}

/// The sources of all crates, one after the other.
fn sources() -> String {
    let mut folders = vec![root().join("src"), root().join("crates")];
    let mut text = String::new();
    while let Some(folder) = folders.pop() {
        for path in fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()) {
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                text += &fs::read_to_string(path).unwrap();
            }
        }
    }
    text
}

/// The pages of the site.
fn pages() -> Vec<PathBuf> {
    let folders = ["docs", "docs/performance", "docs/reference", "docs/reproduction", "docs/validation"];
    let files = folders.into_iter().flat_map(|folder| fs::read_dir(root().join(folder)).unwrap());
    let paths = files.map(|entry| entry.unwrap().path());
    paths.filter(|path| path.extension().is_some_and(|extension| extension == "md")).collect()
}

/// The site has every page once.
#[test]
fn the_site_has_every_page() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).unwrap();
    let named = summary.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let mut named: Vec<PathBuf> = named.map(|page| root().join("docs").join(page)).collect();
    let mut pages = pages();
    pages.retain(|page| !page.ends_with("SUMMARY.md"));
    pages.sort();
    named.sort();
    assert_eq!(named, pages);
}

/// The names by which links reach the headings of a page: lower case, without punctuation, with hyphens for spaces.
fn headings(text: &str) -> Vec<String> {
    let of_heading = |line: &str| {
        let title = line.trim_start_matches('#').trim().to_lowercase();
        let kept = title.chars().filter(|letter| letter.is_alphanumeric() || " -_".contains(*letter));
        kept.map(|letter| if letter == ' ' { '-' } else { letter }).collect()
    };
    text.lines().filter(|line| line.starts_with('#')).map(of_heading).collect()
}

/// The README's words about itself stay true: every scenario that it names exists.
#[test]
fn readme_commands_exist() {
    let readme = fs::read_to_string(root().join("README.md")).unwrap();
    let scenarios = readme.split("scenarios/").skip(1).filter_map(|rest| rest.split(".toml").next());
    let mut seen = 0;
    for name in scenarios.filter(|name| name.chars().all(|c| c.is_alphanumeric() || "-_/".contains(c))) {
        assert!(Path::new(&root().join("scenarios").join(format!("{name}.toml"))).exists(), "scenarios/{name}.toml");
        seen += 1;
    }
    assert!(seen > 1);
}
