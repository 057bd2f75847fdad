use super::*;
use hetsim_base::record::{Record, Value};
use hetsim_base::units::Tick;
use hetsim_cluster::network::{Model, Parameters as NetworkParameters};
use hetsim_cluster::{Cluster, Connection};

/// 10 µs and 100 MB/s, and a port held for all of a message's time.
const HOCKNEY: &str = "model = 'hockney'\nlatency = '10us'\nbandwidth = '100MB/s'";
/// Short messages are copied, longer ones ask first.
const PROTOCOL: &str = "model = 'protocol'\nlatency = '20us'\nbandwidth = '125MB/s'\nsend_overhead = '4us'\n\
    receive_overhead = '13us'\neager_limit = '2KiB'\nhandshake = '200us'\ncopy_bandwidth = '2GB/s'";

fn platform(network: &str, jitter: f64) -> Platform {
    let parameters: NetworkParameters = toml::from_str(network).unwrap();
    let model = Model::new(&parameters, Tick::PICOSECOND).unwrap();
    let group = Cluster { name: "nodes".to_owned(), nodes: 16, cores: 1 };
    let link = Connection { jitter, ..Connection::from(model) };
    Platform::new(Tick::PICOSECOND, vec![group], vec![link]).unwrap().with_cluster_speeds(&[1e9]).unwrap()
}

fn prepared(keys: &str, platform: &Platform) -> Result<PreparedFit, KeyError> {
    toml::from_str::<FitParameters>(keys).unwrap().prepare(platform)
}

fn run(keys: &str, platform: &Platform, seed: u64) -> Record {
    let tables = FitParameters::TABLES.iter().map(|table| table.name.to_owned()).collect::<Vec<_>>();
    let mut record = prepared(keys, platform).unwrap().record(platform, Streams::new(seed, 0), &tables).unwrap();
    record.timings.clear();
    record
}

fn metric(record: &Record, name: &str) -> Option<f64> {
    record.get(name).and_then(Value::number)
}

const SIZES: &str = "sizes = ['8B', { from = '64B', to = '1KiB', step = '192B' }, '4KiB']";

/// A linear scatter under Hockney's model takes (p − 1)(α + βm), so that its curve fit is not exact, and a single
/// transfer α + βm, which is.
#[test]
fn a_single_transfer_under_hockney_is_his_formula() {
    let platform = platform(HOCKNEY, 0.0);
    let keys = format!("method = 'ols'\noperation = 'single'\n{SIZES}");
    let record = run(&keys, &platform, 1);
    for name in ["error_percent", "unseen_error_percent", "floor_percent", "unseen_floor_percent"] {
        assert!(metric(&record, name).unwrap() < 1e-6, "{name} {record:?}");
    }
    // Without noise the floor is zero, whatever the mean of equal times was rounded to, and nothing is over it.
    assert_eq!((metric(&record, "floor_percent"), metric(&record, "unseen_floor_percent")), (Some(0.0), Some(0.0)));
    assert_eq!((metric(&record, "error_over_floor"), metric(&record, "unseen_error_over_floor")), (None, None));
    assert_eq!(record.get("formula"), Some(&Value::Text("1e-5 + 1e-8*bytes".to_owned())));
    // 8, 64, 256, 448, 640, 832, 1024 and 4096 B, three times each, and seven sizes between them.
    assert_eq!((metric(&record, "fitted_points"), metric(&record, "unseen_points")), (Some(24.0), Some(21.0)));
    assert_eq!(metric(&record, "below_0.01_percent"), Some(100.0));
    // Fitted and unseen points, each three times, and thirty times for the floor: one message each.
    assert_eq!(metric(&record, "messages"), Some(15.0 * 33.0));
}

/// The line α + βm has five nodes. Linear fits that the search starts with are no larger than it allows either.
#[test]
fn the_search_obeys_its_most_nodes() {
    let platform = platform(HOCKNEY, 0.0);
    for most in [1, 3, 5] {
        let genetic = format!("genetic = {{ most_nodes = {most}, generations = 10, population = 20 }}");
        let keys = format!("method = 'smooth'\noperation = 'single'\nranks = [2]\n{genetic}\n{SIZES}");
        let record = run(&keys, &platform, 1);
        let front = record.tables.iter().find(|table| table.name == "front").unwrap();
        assert!(front.rows.iter().all(|row| row[0].number().unwrap() <= f64::from(most)), "{front:?}");
        let is_line = record.get("formula") == Some(&Value::Text("1e-5 + 1e-8*bytes".to_owned()));
        assert_eq!(is_line, most == 5, "{record:?}");
    }
}

#[test]
fn a_scatter_is_simulated_on_its_grid_and_off_it() {
    let platform = platform(HOCKNEY, 0.0);
    let keys = format!("method = 'rich'\noperation = 'scatter'\nalgorithm = 'linear'\nranks = [2, 4, 8]\n{SIZES}");
    let record = run(&keys, &platform, 1);
    let points = record.tables.iter().find(|table| table.name == "points").unwrap();
    let mut unseen = 0;
    for row in &points.rows {
        let number = |column: usize| row[column].number().unwrap();
        let (ranks, bytes, measured) = (number(1), number(2), number(3));
        let exact = (ranks - 1.0) * (10e-6 + bytes / 100e6);
        assert!((measured / exact - 1.0).abs() < 1e-6, "{ranks} {bytes}: {measured} {exact}");
        if row[0] == Value::Text("unseen".to_owned()) {
            unseen += 1;
            assert!([3.0, 6.0].contains(&ranks), "{ranks}");
        }
    }
    assert_eq!(unseen, 2 * 7 * 3);
    // (p − 1)(α + βm) is a sum of 1, p, m and p·m, which this method has.
    assert!(metric(&record, "unseen_error_percent").unwrap() < 1e-6, "{record:?}");
    let rows = |name: &str| record.tables.iter().find(|table| table.name == name).unwrap().rows.len();
    assert_eq!((rows("by_bytes"), rows("by_ranks"), rows("front")), (15, 5, 1));
    // Up to 500 B: 8, 36, 64, 160, 256, 352 and 448.
    assert_eq!(rows("short"), 7);
}

/// The factor on a flight is log-normal of mean 1 and deviation σ; where the flight is nearly all of the time, the mean
/// deviation of its inverse from 1 is near √(2/π)·σ.
#[test]
fn the_floor_is_that_of_the_noise() {
    let sigma = 0.05;
    let platform = platform("model = 'delay'\nlatency = '1ms'\nbandwidth = '1TB/s'", sigma);
    let keys = format!("method = 'ols'\noperation = 'single'\nrepetitions = 60\nfloor_repetitions = 200\n{SIZES}");
    let record = run(&keys, &platform, 3);
    let exact = 100.0 * (2.0 / std::f64::consts::PI).sqrt() * sigma;
    let floor = metric(&record, "floor_percent").unwrap();
    assert!((floor / exact - 1.0).abs() < 0.1, "{floor} {exact}");
    // Two numbers fitted to 480 points can't be far from it.
    let error = metric(&record, "error_over_floor").unwrap();
    assert!((error - 1.0).abs() < 0.03, "{error}");
}

#[test]
fn a_run_depends_on_parameters_and_seed_alone() {
    let platform = platform(PROTOCOL, 0.05);
    let of = |method: &str| {
        format!(
            "method = '{method}'\noperation = 'scatter'\nranks = [4, 8]\n{SIZES}\n\
             genetic = {{ generations = 5, population = 20, folds = 2 }}\npaper = {{ generations = 50, runs = 1 }}"
        )
    };
    for &method in Method::ALL.iter().filter(|method| ![Method::Poly, Method::Given].contains(*method)) {
        let keys = of(method.name());
        let on = |threads: usize, seed: u64| {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| run(&keys, &platform, seed))
        };
        let one = on(1, 7);
        assert_eq!(one, on(3, 7), "{method}");
        assert_ne!(one, on(2, 8), "{method}");
        assert!(one.tables.iter().any(|table| table.name == "front" && !table.rows.is_empty()));
    }
}

/// A formula is judged as it is: the curve that curve fitting finds has the error that curve fitting has.
#[test]
fn a_given_formula_is_judged_and_not_fitted() {
    let platform = platform(PROTOCOL, 0.05);
    let keys = |method: &str| format!("{method}\noperation = 'scatter'\nranks = [4, 8]\n{SIZES}");
    let fitted = run(&keys("method = 'ols'"), &platform, 7);
    let Some(Value::Text(formula)) = fitted.get("formula") else { panic!("{fitted:?}") };
    let judged = run(&keys(&format!("method = 'given'\nformula = '{formula}'")), &platform, 7);
    let error = |record: &Record| record.get("error_percent").and_then(Value::number).unwrap();
    // The record prints the formula with some digits only.
    assert!((error(&judged) / error(&fitted) - 1.0).abs() < 1e-2, "{} {}", error(&judged), error(&fitted));
    let refused = [
        ("method = 'given'", "method"),
        ("method = 'ols'\nformula = '1'", "formula"),
        ("method = 'given'\nformula = 'x'", "formula"),
    ];
    for (method, key) in refused {
        assert_eq!(prepared(&keys(method), &platform).unwrap_err().key, key, "{method}");
    }
}

/// Methods and algorithms in one sweep meet the same points, and a point is the same on every grid.
#[test]
fn draws_belong_to_points() {
    let platform = platform(PROTOCOL, 0.05);
    let times = |sizes: &str| {
        let keys = format!("method = 'relative'\noperation = 'single'\nunseen_sizes = []\nsizes = {sizes}");
        let record = run(&keys, &platform, 1);
        let points = &record.tables[0].rows;
        let of_1_kib = points.iter().filter(|row| row[2].number() == Some(1024.0)).map(|row| row[3].clone());
        of_1_kib.collect::<Vec<_>>()
    };
    let alone = times("['1KiB', '2KiB']");
    assert_eq!(alone.len(), 3);
    assert!(alone[0] != alone[1] && alone[1] != alone[2]);
    assert_eq!(alone, times("['64B', '1KiB', '8KiB', '16KiB']"));
}

#[test]
fn the_poly_model_is_for_single_transfers() {
    let platform = platform(PROTOCOL, 0.0);
    let record = run(&format!("method = 'poly'\noperation = 'single'\n{SIZES}"), &platform, 1);
    assert!(metric(&record, "error_percent").unwrap() < 1e-6, "{record:?}");
    let keys = format!("method = 'poly'\noperation = 'scatter'\nranks = [4]\n{SIZES}");
    let error = prepared(&keys, &platform).unwrap_err();
    assert!(error.key == "method" && error.message.contains("single messages"), "{error}");
}

#[test]
fn what_is_wrong_is_told_by_its_key() {
    let platform = platform(HOCKNEY, 0.0);
    for (keys, key, part) in [
        ("method = 'ols'\noperation = 'single'\nsizes = ['1B']", "sizes", "two sizes"),
        ("method = 'ols'\noperation = 'single'\nsizes = ['1B', '2B']\nreceiver = 0", "receiver", "to itself"),
        ("method = 'ols'\noperation = 'single'\nsizes = ['1B', '2B']\nreceiver = 16", "receiver", "16 nodes"),
        ("method = 'ols'\noperation = 'scatter'\nsizes = ['1B', '2B']", "ranks", "at least one"),
        ("method = 'ols'\noperation = 'scatter'\nsizes = ['1B', '2B']\nranks = [4, 17]", "ranks", "from 2 to 16"),
        (
            "method = 'ols'\noperation = 'scatter'\nsizes = ['1B', '2B']\nranks = [4]\nunseen_ranks = [1]",
            "unseen_ranks",
            "from 2",
        ),
        (
            "method = 'ols'\noperation = 'scatter'\nalgorithm = 'bruck'\nsizes = ['1B', '2B']\nranks = [4]",
            "algorithm",
            "scatter",
        ),
        ("method = 'ols'\noperation = 'single'\nsizes = [{ from = '2B', to = '1B', step = '1B' }]", "sizes", "goes up"),
        (
            "method = 'ols'\noperation = 'single'\nsizes = ['1B', '2B']\npaper = { runs = 0 }",
            "paper.runs",
            "at least 1",
        ),
        (
            "method = 'ols'\noperation = 'single'\nsizes = ['1B', '2B']\npaper = { linear = 2.0 }",
            "paper.linear",
            "share",
        ),
        (
            "method = 'ols'\noperation = 'single'\nsizes = ['1B', '2B']\ngenetic = { population = 1 }",
            "genetic.population",
            "at least 2",
        ),
    ] {
        let error = prepared(keys, &platform).unwrap_err();
        assert!(error.key == key && error.message.contains(part), "{keys}: {} {error}", error.key);
    }
}

/// The paper's grid: 4 to 800 in steps of 20, to 4000 in steps of 400, to 240 000 in steps of 4000.
#[test]
fn the_grid_of_the_paper() {
    let text = "sizes = [{ from = '4B', to = '800B', step = '20B' }, { from = '800B', to = '4000B', step = '400B' }, \
                { from = '4000B', to = '240000B', step = '4000B' }]";
    let parameters: FitParameters = toml::from_str(&format!("method = 'ols'\noperation = 'single'\n{text}")).unwrap();
    let sizes = grid::sizes(&parameters.sizes).unwrap();
    assert_eq!(sizes.len(), 40 + 9 + 59);
    assert_eq!((sizes[0], sizes[39], sizes[40], sizes[48], sizes[49], sizes[107]), (4, 784, 800, 4000, 8000, 240_000));
    assert_eq!(grid::between(&[4_u32, 8, 16, 17]), [6, 12]);
}

#[test]
fn the_largest_point_can_be_watched() {
    let platform = platform(HOCKNEY, 0.0);
    let keys = format!("method = 'ols'\noperation = 'scatter'\nranks = [4, 8]\n{SIZES}");
    let timeline = prepared(&keys, &platform).unwrap().timeline(&platform, Streams::new(1, 0)).unwrap().0;
    assert_eq!(timeline.messages.len(), 7);
}
