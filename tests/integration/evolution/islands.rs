//! Islands through the event engine: closed forms, migration by hand, and what speeds may change.

use hetsim::cluster::{Context, NodeId, Program, Simulation, TimerId, WorkId};
use hetsim::engine::Streams;
use hetsim::record::{Record, Value};
use hetsim::workload::Workload;
use hetsim::workload::island::{IslandParameters, Islands, Message};
use proptest::prelude::*;

use crate::support::{metric, near, read, refused, run_replica};

/// What evolves, where the test looks at it.
const SEARCH: &str = "[workload.search]\nobjective = \"rastrigin\"\ngenes = 4\nelitism = 1\nmutation = 0.02\n";

/// Nodes of these speeds in op/s, on a network with this latency, and a workload.
fn text(speeds: &[f64], latency: &str, workload: &str) -> String {
    let speeds: Vec<String> = speeds.iter().map(|speed| format!("\"{speed}op/s\"")).collect();
    format!(
        "version = 1\nreplicas = 100\n[platform.cluster.lab]\nnodes = {}\nspeeds = [{}]\n\
         network = {{ model = \"delay\", latency = \"{latency}\", bandwidth = \"1Gbit/s\" }}\n\
         [workload]\n{workload}\n[output]\ntables = [\"series\", \"nodes\"]\n",
        speeds.len(),
        speeds.join(", "),
    )
}

fn island(more: &str) -> String {
    format!("kind = \"island\"\ntask = {{ distribution = \"constant\", operations = \"2op\" }}\n{more}\n")
}

/// The errors of every generation of every island, without what depends on time.
fn evolution(record: &Record) -> Vec<[Value; 4]> {
    let series = record.tables.iter().find(|table| table.name == "series").expect("the table");
    let mut rows: Vec<[Value; 4]> =
        series.rows.iter().map(|row| [1, 2, 3, 4].map(|column: usize| row[column].clone())).collect();
    rows.sort_by(|a, b| (a[0].number(), a[1].number()).partial_cmp(&(b[0].number(), b[1].number())).unwrap());
    rows
}

/// G generations of N individuals, and G − 1 times breeding: (G·N·w + (G − 1)·b)/v.
#[test]
fn one_island_takes_what_its_work_takes() {
    let record = run_replica(&text(&[4.0], "1s", &island("population = 10\ngenerations = 7\nbreeding = \"3op\"")), 0);
    let time = (7.0 * 10.0 * 2.0 + 6.0 * 3.0) / 4.0;
    near(metric(&record, "completion_s"), time);
    near(metric(&record, "busy_max_s"), time);
    near(metric(&record, "speedup"), 1.0);
    assert_eq!(["rounds", "tasks", "migrations", "messages"].map(|name| metric(&record, name)), [7.0, 70.0, 0.0, 0.0]);
    assert!(record.metrics.iter().any(|(name, value)| name == "best_error" && *value == Value::Blank));
}

/// Three islands of 2 individuals, period 2, 4 generations, latency 1 s, breeding of a second at speed 1. Speeds 1, 2,
/// 4: a generation takes 4, 2 and 1 s and breeding 1, 1/2 and 1/4 s. Generation 2 is evaluated at 9, 4.5 and 2.25 s.
/// Island 0 waits for island 2 (3.25), island 1 for island 0 (10), island 2 for island 1 (5.5); generations 3 and 4 and
/// two breedings follow, without a migration after the last one: 9 + 10, 10 + 5 and 5.5 + 2.5.
#[test]
fn a_ring_by_hand() {
    let keys = "population = 6\ngenerations = 4\nbreeding = \"1op\"\nperiod = 2\n";
    let record = run_replica(&text(&[1.0, 2.0, 4.0], "1s", &island(keys)), 0);
    let series = record.tables.iter().find(|table| table.name == "series").expect("the table");
    let ends: Vec<(f64, f64)> = series
        .rows
        .iter()
        .filter(|row| row[2] == Value::Count(4))
        .map(|row| (row[1].number().unwrap(), row[0].number().unwrap()))
        .collect();
    assert_eq!(ends, [(2.0, 8.0), (1.0, 15.0), (0.0, 19.0)]);
    near(metric(&record, "completion_s"), 19.0);
    assert_eq!(["migrations", "messages", "tasks"].map(|name| metric(&record, name)), [3.0, 3.0, 24.0]);
    // Without waiting each takes what its own work takes: 4·4 + 3 operations at its speed.
    let record = run_replica(&text(&[1.0, 2.0, 4.0], "1s", &island(&format!("{keys}synchronous = false"))), 0);
    near(metric(&record, "completion_s"), 19.0);
    let busy: Vec<f64> = record.tables[1].rows.iter().map(|row| row[4].number().unwrap()).collect();
    assert_eq!(record.tables[1].name, "nodes");
    assert_eq!(busy, [19.0, 9.5, 4.75]);
    assert_eq!(metric(&record, "n_eff"), 33.25 / 19.0);
}

/// Messages: neighbours times migrations, of two in 5 generations with period 2.
#[test]
fn migrants_are_counted_by_topology() {
    for (topology, edges) in [("none", 0), ("ring", 6), ("star", 10), ("complete", 30), ("torus", 18)] {
        for synchronous in [true, false] {
            let keys = format!(
                "population = 24\ngenerations = 5\nperiod = 2\ncount = 3\ntopology = \"{topology}\"\nsynchronous = {synchronous}\n"
            );
            let record = run_replica(&text(&[1.0, 2.0, 3.0, 1.0, 2.0, 3.0], "1ms", &island(&keys)), 0);
            assert_eq!(metric(&record, "messages"), f64::from(2 * edges), "{topology}");
            assert_eq!(metric(&record, "migrations"), f64::from(3 * 2 * edges), "{topology}");
        }
    }
}

/// The islands' stream and their costs have the names that a server's have.
#[test]
fn one_island_evolves_as_the_one_population_of_a_server() {
    let keys =
        "population = 20\ngenerations = 15\ntask = { distribution = \"gamma\", mean = \"5op\", deviation = \"2op\" }";
    for replica in 0..5 {
        let alone = run_replica(&text(&[1.0], "1ms", &format!("kind = \"island\"\n{keys}\n{SEARCH}")), replica);
        let served = run_replica(&text(&[1.0, 1.0], "1ms", &format!("kind = \"genetic\"\n{keys}\n{SEARCH}")), replica);
        for name in ["best_error", "mean_error", "busy_max_s"] {
            near(metric(&alone, name), metric(&served, name));
        }
    }
}

/// By hand: with all others' best one for its own worst after every generation and elitism, an island's best is never
/// worse than the best of all two generations before, wherever that was.
#[test]
fn the_best_migrates() {
    let keys = "population = 40\ngenerations = 12\nperiod = 1\ntopology = \"complete\"";
    for replica in 0..5 {
        let record = run_replica(&text(&[1.0, 2.0, 3.0, 4.0], "1ms", &island(&format!("{keys}\n{SEARCH}"))), replica);
        let rows = evolution(&record);
        let best = |generation: u64| {
            let of_it = rows.iter().filter(move |row| row[1] == Value::Count(generation));
            of_it.map(|row| row[2].number().unwrap())
        };
        for generation in 1..12 {
            let before = best(generation).fold(f64::INFINITY, f64::min);
            assert!(best(generation + 1).all(|best| best <= before), "generation {generation}");
        }
    }
}

#[test]
fn islands_end_when_one_reaches_the_target() {
    let search = "[workload.search]\nobjective = \"one_max\"\ngenes = 12\nelitism = 1\nmutation = 0.05\n";
    let keys = "population = 40\ngenerations = 500\ntarget = 0.0\nperiod = 3";
    for synchronous in [true, false] {
        let workload = island(&format!("{keys}\nsynchronous = {synchronous}\n{search}"));
        let record = run_replica(&text(&[1.0, 2.0, 3.0, 4.0], "1s", &workload), 1);
        assert_eq!(metric(&record, "best_error"), 0.0);
        assert!(metric(&record, "rounds") < 500.0);
        // The slowest island hears of it a second later, at an evaluation of two seconds with another one behind it.
        let late = metric(&record, "completion_s") - metric(&record, "target_s");
        assert!((1.0..=5.0).contains(&late), "{late}");
    }
    // Nobody reaches less than nothing.
    let workload = island(&format!("population = 8\ngenerations = 3\ntarget = -1.0\n{search}"));
    let record = run_replica(&text(&[1.0, 2.0], "1s", &workload), 0);
    assert!(record.metrics.iter().any(|(name, value)| name == "target_s" && *value == Value::Blank));
    assert_eq!(metric(&record, "rounds"), 3.0);
}

#[test]
fn not_waiting_is_faster_where_costs_vary() {
    // Costs that vary make another island the slowest in every generation: to wait for it costs each time.
    let keys = "kind = \"island\"\npopulation = 32\ngenerations = 40\nperiod = 1\ntopology = \"complete\"\n\
                task = { distribution = \"exponential\", mean = \"1op\" }";
    let time = |synchronous: bool, replica| {
        let workload = format!("{keys}\nsynchronous = {synchronous}\n");
        metric(&run_replica(&text(&[1.0; 4], "10ms", &workload), replica), "completion_s")
    };
    for replica in 0..10 {
        assert!(time(false, replica) < 0.9 * time(true, replica), "replica {replica}");
    }
}

#[test]
fn islands_in_proportion_to_their_speeds_end_together() {
    let keys = "population = 35\ngenerations = 4\nsplit = \"nominal\"\ntopology = \"none\"";
    let record = run_replica(&text(&[1.0, 2.0, 4.0], "1s", &island(keys)), 0);
    near(metric(&record, "completion_s"), 4.0 * 5.0 * 2.0);
    near(metric(&record, "efficiency"), 1.0);
}

/// A node whose own memory holds its island, but not the whole population, is more than its share faster.
#[test]
fn small_islands_fit_into_a_cache() {
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 4\nspeed = \"1op/s\"\n\
        cache = \"10KiB\"\nspeed_beyond_cache = 0.5\nnetwork = { model = \"ideal\" }\n[workload]\n";
    let keys = "population = 40\ngenerations = 2\nindividual_memory = \"1KiB\"";
    let record = run_replica(&format!("{text}{}", island(keys)), 0);
    near(metric(&record, "speedup"), 8.0);
    assert!(record.metrics.iter().any(|(name, value)| name == "scaling" && *value == "super-linear".into()));
}

#[test]
fn what_is_wrong_is_said() {
    let small = |more: &str| island(&format!("generations = 3\n{more}"));
    let two = |more: &str| text(&[1.0, 8.0], "1ms", &small(more));
    refused(&two("population = 0"), "population");
    refused(&two("population = 1"), "1 individuals are too few for 2 islands");
    refused(&two("population = 8\nperiod = 0"), "period");
    refused(&two("population = 8\ncount = 0"), "count");
    refused(&two("population = 8\ncount = 4"), "the smallest one has 4 individuals");
    refused(&two("population = 3\nsplit = \"nominal\""), "node 0 gets none of the 3 individuals");
    refused(&two("population = 8\ntarget = 0.5"), "nothing evolves");
    refused(&two("population = 8\ntopology = \"web\""), "topology");
    refused(&two(&format!("population = 8\n{}", SEARCH.replace("elitism = 1", "elitism = 5"))), "elite");
    refused(&two("population = 4000000000"), "too many");
    refused(&text(&[1.0], "1ms", &small("population = 8\ntopology = \"star\"")), "a star has a centre");
    // Alone, an island has no neighbours in the other topologies, and waits for nobody.
    for topology in ["ring", "complete", "torus"] {
        let record =
            run_replica(&text(&[1.0], "1ms", &small(&format!("population = 8\ntopology = \"{topology}\"\n"))), 0);
        near(metric(&record, "completion_s"), 48.0);
    }
}

/// Islands of which one never gets any message: its network is cut.
struct Cut<'a> {
    islands: Islands<'a>,
    deaf: NodeId,
}

impl Program for Cut<'_> {
    type Message = Message;

    fn start(&mut self, context: &mut impl Context<Message>) {
        self.islands.start(context);
    }

    fn on_message(&mut self, at: NodeId, from: NodeId, message: Message, context: &mut impl Context<Message>) {
        if at != self.deaf {
            self.islands.on_message(at, from, message, context);
        }
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl Context<Message>) {
        self.islands.on_computed(at, work, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl Context<Message>) {
        self.islands.on_timer(at, timer, context);
    }
}

/// A run in which messages get lost ends, and says who waits for whom.
#[test]
fn a_halt_names_those_who_wait() {
    let scenario = read(&text(&[1.0; 3], "1ms", &island("population = 6\ngenerations = 9")));
    let platform = scenario.first_platform().unwrap();
    let parameters: IslandParameters = toml::from_str(
        "population = 6\ngenerations = 9\nperiod = 2\ntask = { distribution = \"constant\", operations = \"2op\" }",
    )
    .unwrap();
    let prepared = parameters.prepare(platform).unwrap();
    let mut cut = Cut { islands: prepared.program(platform, Streams::new(1, 0)).unwrap(), deaf: NodeId(1) };
    Simulation::new(platform, 1).run(&mut cut).unwrap();
    let said = cut.islands.check_end().unwrap_err();
    // Island 1 waits after generation 2, so island 2 lacks its next migrants, and island 0 those of island 2.
    for part in [
        "island 1 waits for the migrants of generation 2 from island 0",
        "island 2 waits for the migrants of generation 4 from island 1",
        "island 0 waits for the migrants of generation 6 from island 2",
    ] {
        assert!(said.to_string().contains(part), "{said}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    /// What a synchronous run finds depends on nothing but the seed; what it costs does.
    #[test]
    fn speeds_do_not_change_what_synchronous_islands_find(
        speeds in prop::collection::vec(0.5..20.0f64, 2..8),
        latency in 1u32..5000,
        topology in prop::sample::select(vec!["none", "ring", "star", "complete", "torus"]),
        period in 1u32..4,
        replica in 0u32..100,
    ) {
        let keys = format!(
            "population = 40\ngenerations = 9\nperiod = {period}\ncount = 2\ntopology = \"{topology}\"\nbreeding = \"1op\"\n{SEARCH}"
        );
        let latency = format!("{latency}ms");
        let unequal = run_replica(&text(&speeds, &latency, &island(&keys)), replica);
        let equal = run_replica(&text(&vec![1.0; speeds.len()], "1ms", &island(&keys)), replica);
        prop_assert_eq!(evolution(&unequal), evolution(&equal));
        for name in ["best_error", "mean_error", "tasks", "migrations", "messages"] {
            prop_assert_eq!(metric(&unequal, name), metric(&equal, name));
        }
        // Nothing is lost, and the same run comes out the same.
        prop_assert_eq!(metric(&unequal, "tasks"), 360.0);
        let again = run_replica(&text(&speeds, &latency, &island(&keys)), replica);
        prop_assert_eq!(unequal, again);
    }

    /// Asynchronous islands never wait: each takes what its own work takes, on a network that takes no processor.
    #[test]
    fn asynchronous_islands_never_wait(
        speeds in prop::collection::vec(0.5..20.0f64, 2..8),
        topology in prop::sample::select(vec!["none", "ring", "star", "complete", "torus"]),
        replica in 0u32..100,
    ) {
        let keys = format!(
            "population = 40\ngenerations = 9\nperiod = 2\ntopology = \"{topology}\"\nsynchronous = false\n{SEARCH}"
        );
        let record = run_replica(&text(&speeds, "10ms", &island(&keys)), replica);
        let (completion, busy) = (metric(&record, "completion_s"), metric(&record, "busy_max_s"));
        prop_assert!((completion - busy).abs() <= 1e-9 * busy, "{completion} {busy}");
        prop_assert_eq!(&record, &run_replica(&text(&speeds, "10ms", &island(&keys)), replica));
    }
}
