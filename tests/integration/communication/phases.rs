//! Phases: what they take by hand, how they choose algorithms, and what is refused.

use hetsim::record::Value;

use super::machines::{TWO_BY_TWO, text};
use crate::support::{column, metric, near, refused, run, run_replica};

/// A phase cuts a broadcast as the kind `collective` does: at 16 KiB, or where it says.
#[test]
fn phases_cut_messages_into_segments() {
    let time = |workload: &str| metric(&run_replica(&text(6, workload), 0), "completion_s");
    let of = |algorithm: &str, segment: &str| {
        let keys = format!("operation = \"broadcast\", algorithm = \"{algorithm}\", size = \"1MB\"{segment}");
        let phase = time(&format!("kind = \"phases\"\n[[workload.phase]]\ncollective = {{ {keys} }}"));
        near(phase, time(&format!("kind = \"collective\"\n{}", keys.replace(", ", "\n"))));
        phase
    };
    let chain = of("chain", "");
    assert!(of("pipeline", "") < chain / 3.0);
    near(of("pipeline", ", segment = \"0B\""), chain);
    assert!(of("segmented_binomial", ", segment = \"1kB\"") != of("segmented_binomial", ""));
}

/// A phase takes the same algorithms, libraries and parameters as the kind `collective`, levels included.
#[test]
fn phases_choose_as_collectives_do() {
    let keys = |rest: &str| format!("operation = \"broadcast\", size = \"300kB\", {rest}");
    let phase_of = |rest: &str| format!("kind = \"phases\"\n[[workload.phase]]\ncollective = {{ {} }}", keys(rest));
    let choices = [
        "algorithm = \"k_nomial\", radix = 3",
        "algorithm = \"k_nomial\"",
        "algorithm = \"chain\", fanout = 4",
        "algorithm = \"chain\"",
        "library = \"openmpi-4.1\"",
        "library = \"mpich-4.2\"",
        "algorithm = \"linear+chain\"",
        "algorithm = \"linear+chain\", levels = \"leaders\"",
    ];
    let time = |workload: &str| {
        metric(
            &run_replica(&format!("{TWO_BY_TWO}[workload]\n{workload}\n").replace("nodes = 2", "nodes = 6"), 0),
            "completion_s",
        )
    };
    let times = choices.map(|rest| {
        let phase = time(&phase_of(rest));
        near(phase, time(&format!("kind = \"collective\"\n{}", keys(rest).replace(", ", "\n"))));
        phase
    });
    assert!(times[0] != times[1] && times[2] != times[3] && times[4] != times[3], "{times:?}");
    let refused_phase = |rest: &str, why: &str| refused(&format!("{TWO_BY_TWO}[workload]\n{}\n", phase_of(rest)), why);
    refused_phase("library = \"openmpi-4.1\", radix = 3", "chooses it");
    refused_phase("algorithm = \"k_nomial\", radix = 1", "a radix must be at least 2");
    refused_phase("algorithm = \"chain\", levels = \"all\"", "only two of them");
    let rootless = phase_of("root = 1").replace("broadcast", "all_reduce");
    refused(&format!("{TWO_BY_TWO}[workload]\n{rootless}\n"), "has no root");
}

const PHASES: &str = "[[workload.phase]]\nrepeat = 3\n[[workload.phase.phase]]\ncompute = \"2Gop\"\n\
                      [[workload.phase.phase]]\nhalo = \"64KiB\"\n\
                      [[workload.phase]]\ncollective = { operation = \"barrier\" }\n[output]\ntables = [\"phases\", \"nodes\"]\n";

/// By hand: on a ring every node sends both faces one after the other, 2(20 + 524.288) µs; three times with two seconds
/// of computing before, then a barrier of two rounds.
#[test]
fn phases_by_hand() {
    let record = run_replica(&text(4, &format!("kind = \"phases\"\ngrid = [4]\nperiodic = true\n{PHASES}")), 0);
    let (halo, barrier) = (2.0 * 544.288e-6, 40e-6);
    let whole = 3.0 * (2.0 + halo) + barrier;
    near(metric(&record, "completion_s"), whole);
    near(metric(&record, "compute_share"), 6.0 / whole);
    near(metric(&record, "communication_share"), (3.0 * halo + barrier) / whole);
    assert!(metric(&record, "idle_share").abs() < 1e-12);
    near(metric(&record, "speedup"), 4.0 * 6.0 / whole);
    assert_eq!(metric(&record, "messages"), 3.0 * 8.0 + 8.0);
    let table = record.tables.iter().find(|table| table.name == "phases").unwrap();
    let column = |column: usize| -> Vec<Value> { table.rows.iter().map(|row| row[column].clone()).collect() };
    assert_eq!(column(1), ["compute", "halo", "barrier"].map(Value::from));
    assert_eq!(column(2), [3, 3, 1].map(Value::Count));
    let shares: f64 = column(6).iter().filter_map(Value::number).sum();
    near(shares, 1.0);
}

/// Without messages nobody waits: the slower of two nodes decides, and the other is idle in the end.
#[test]
fn ranks_wait_only_for_messages() {
    let text = "version = 1\n[platform.cluster.lab]\nnodes = 2\nspeeds = [\"1Gop/s\", \"2Gop/s\"]\n\
                network = { model = \"ideal\" }\n[workload]\nkind = \"phases\"\n\
                [[workload.phase]]\ncompute = \"1Gop\"\n[[workload.phase]]\nname = \"solve\"\ncompute = \"3Gop\"\n";
    let record = run_replica(text, 0);
    // Nothing, and no negative zero.
    assert!(metric(&record, "communication_share").is_sign_positive());
    near(metric(&record, "completion_s"), 4.0);
    near(metric(&record, "compute_share"), 0.75);
    near(metric(&record, "idle_share"), 0.25);
}

/// Phases of a list repeated are those written out, also where ranks are in different phases at once and messages
/// overtake each other; and an uneven load costs time.
#[test]
fn repeating_is_writing_out() {
    let of = |imbalance: f64, phases: &str| {
        let keys = "kind = \"phases\"\ngrid = [2, 4]\nreduction = \"1op\"\n";
        let text = text(8, &format!("{keys}{phases}"))
            .replace("[platform.cluster.lab]", "[platform.cluster.lab]\njitter = 0.4");
        metric(&run_replica(&text.replace("SPREAD", &imbalance.to_string()), 0), "completion_s")
    };
    let step = |prefix: &str| {
        format!(
            "[[{prefix}]]\ncompute = \"10Mop\"\nimbalance = SPREAD\n[[{prefix}]]\nhalo = \"1KiB\"\n\
             [[{prefix}]]\ncollective = {{ operation = \"reduce\", size = \"64B\", algorithm = \"linear\", root = 3 }}\n"
        )
    };
    let repeated = format!("[[workload.phase]]\nrepeat = 4\n{}", step("workload.phase.phase"));
    let written = step("workload.phase").repeat(4);
    assert_eq!(of(0.0, &repeated).to_bits(), of(0.0, &written).to_bits());
    assert_eq!(of(0.3, &repeated).to_bits(), of(0.3, &written).to_bits());
    assert!(of(0.3, &repeated) > of(0.0, &repeated));
}

#[test]
fn what_is_wrong_is_said() {
    let collective = |keys: &str| text(6, &format!("kind = \"collective\"\n{keys}"));
    refused(
        &collective("operation = \"gather\"\nalgorithm = \"ring\"\nsize = \"1B\""),
        "ring is not an algorithm for gather; expected one of linear, binomial",
    );
    refused(&collective("operation = \"gather\"\nalgorithm = \"linear\""), "needs a `size`");
    refused(
        &collective("operation = \"gather\"\nalgorithm = \"linear\"\nsize = \"1B\"\nlevels = \"all\""),
        "with a `+` between, work on levels",
    );
    let broadcast = |keys: &str| text(6, &format!("kind = \"broadcast\"\nsize = \"1kB\"\n{keys}"));
    refused(&broadcast("algorithm = \"ecef\"\nlevels = \"all\""), "with a `+` between, work on levels");
    for algorithm in ["binomial", "ecef+best"] {
        refused(
            &broadcast(&format!("algorithm = \"{algorithm}\"\ncandidates = [\"linear\", \"ring\"]")),
            "ring is not an algorithm for broadcast; expected one of linear, chain",
        );
    }
    refused(
        &collective("operation = \"gather\"\nalgorithm = \"linear\"\nsize = \"1B\"\nroot = 6"),
        "there is no rank 6: the ranks are 0 to 5",
    );
    refused(&collective("operation = \"all_gather\"\nalgorithm = \"ring\"\nsize = \"1B\"\nroot = 1"), "has no root");
    refused(
        &text(
            5,
            "kind = \"collective\"\noperation = \"all_gather\"\nalgorithm = \"neighbour_exchange\"\nsize = \"1B\"",
        ),
        "even number of ranks",
    );
    let phases = |keys: &str| text(6, &format!("kind = \"phases\"\ngrid = [2, 4]\n{keys}"));
    refused(&phases("[[workload.phase]]\nhalo = \"1B\""), "a grid of 8 places needs as many ranks, there are 6");
    refused(
        &phases("[[workload.phase]]\nname = \"x\""),
        "one of the keys `compute`, `call`, `halo`, `collective` and `repeat`",
    );
    refused(&phases("[[workload.phase]]\nhalo = \"1B\"\ncompute = \"1op\""), "has a `compute` already");
    refused(&phases("[[workload.phase]]\nrepeat = 3"), "nothing to repeat");
    refused(
        &phases("[[workload.phase]]\nrepeat = 0\n[[workload.phase.phase]]\ncompute = \"1op\""),
        "`repeat` must be at least 1",
    );
    refused(&text(6, "kind = \"phases\"\n[[workload.phase]]\nhalo = \"1B\""), "`halo` needs the key `grid`");
    refused(
        &phases(
            "[[workload.phase]]\nrepeat = 3000000\n[[workload.phase.phase]]\nrepeat = 3000000\n[[workload.phase.phase.phase]]\ncompute = \"1op\"",
        ),
        "more than",
    );
    refused(
        &phases("[[workload.phase]]\ncompute = \"1op\"\n[[workload.phase.phase]]\ncompute = \"1op\""),
        "only a `repeat`",
    );
    refused(&phases("[[workload.phase]]\ncollective = { operation = \"reduce\" }"), "needs a `size`");
    refused(&text(2, "kind = \"phases\"\nphase = []"), "nothing to do");
}

/// The templates of both kinds are valid.
#[test]
fn templates_run() {
    for kind in ["collective", "phases"] {
        let text = hetsim::scenario::template(kind).unwrap();
        assert!(metric(&run_replica(text, 0), "completion_s") > 0.0);
    }
}

/// A platform of so many nodes, and phases of collectives on a grid.
fn among(nodes: u32, keys: &str, collectives: &[&str]) -> String {
    let phase = |keys: &&str| format!("[[workload.phase]]\ncollective = {{ {keys} }}\n");
    let phases = collectives.iter().map(phase).collect::<Vec<_>>().concat();
    format!(
        "version = 1\n[platform.cluster.lab]\nnodes = {nodes}\n\
         network = {{ model = \"hockney\", latency = \"10us\", bandwidth = \"1GB/s\" }}\n\
         [workload]\nkind = \"phases\"\n{keys}\n{phases}"
    )
}

/// Rows of a grid, and columns, do at the same time what as many nodes would do alone, from any root of theirs.
#[test]
fn rows_and_columns_work_like_clusters_of_their_own() {
    let time = |text: &str| metric(&run(text), "completion_s");
    let operations = [
        "operation = \"all_reduce\", size = \"4KiB\"",
        "operation = \"broadcast\", size = \"100kB\", root = 2",
        "operation = \"all_to_all\", size = \"1KiB\"",
        "operation = \"barrier\"",
    ];
    for calls in ["ready", "mpi"] {
        for operation in operations {
            let keys = format!("calls = \"{calls}\"");
            let alone = |nodes| time(&among(nodes, &keys, &[operation]));
            let grid = |name: &str| {
                let on_grid = format!("grid = [4, 6]\n{keys}");
                time(&among(24, &on_grid, &[&format!("{operation}, among = \"{name}\"")]))
            };
            near(grid("rows"), alone(6));
            near(grid("columns"), alone(4));
        }
    }
}

/// The root is counted within the group: a far rank that is the root sends over its slow link twice, one after the other.
#[test]
fn a_group_has_a_root_of_its_own() {
    let time = |root: u32| {
        let network = "{ model = \"hockney\", latency = \"10us\", bandwidth = \"1GB/s\" }";
        let text = format!(
            "version = 1\n[platform.cluster.near]\nnodes = 3\nnetwork = {network}\n\
             [platform.cluster.far]\nnodes = 1\nnetwork = {network}\n\
             [[platform.link]]\nbetween = [\"near\", \"far\"]\n\
             network = {{ model = \"hockney\", latency = \"1s\", bandwidth = \"1GB/s\" }}\n\
             [workload]\nkind = \"phases\"\ngroups = {{ some = [[1, 2, 3]] }}\n[[workload.phase]]\n\
             collective = {{ operation = \"broadcast\", size = \"1kB\", algorithm = \"linear\", root = {root}, among = \"some\" }}\n"
        );
        metric(&run(&text), "completion_s")
    };
    // To the next rank in 11 µs, then to the far one.
    near(time(0), 11e-6 + 1.000_001);
    near(time(2), 2.0 * 1.000_001);
}

/// Groups of a name may be of unlike lengths, and leave ranks out, which go on.
#[test]
fn ranks_of_no_group_go_on() {
    let groups = "groups = { odd = [[1, 3, 5], [4, 0]] }";
    let broadcast = "operation = \"broadcast\", size = \"1MB\", algorithm = \"linear\", among = \"odd\"";
    let record = run(&(among(6, groups, &[broadcast]) + "[output]\ntables = [\"phases\"]\n"));
    // The first group's root sends twice, 1.01 ms each.
    near(metric(&record, "completion_s"), 2.02e-3);
    // Rank 2 passes by.
    near(column(&record, "phases", "least_s")[0], 0.0);
    for (keys, phase, why) in [
        (groups, "operation = \"barrier\", among = \"even\"", "there are no groups `even`: "),
        ("", "operation = \"barrier\", among = \"rows\"", "of a `grid` of two dimensions"),
        ("grid = [2, 4]", "operation = \"barrier\", among = \"rows\"", "a `grid` of 2 × 4 is not one of 6 ranks"),
        ("groups = { a = [[0, 1], [1, 2]] }", "operation = \"barrier\", among = \"a\"", "rank 1 stands in two groups"),
        (
            "groups = { a = [[0, 9]] }",
            "operation = \"barrier\", among = \"a\"",
            "there is no rank 9: the ranks are 0 to 5",
        ),
        (groups, "operation = \"broadcast\", size = \"1B\", root = 2, among = \"odd\"", "there is no root 2 in it"),
    ] {
        refused(&among(6, keys, &[phase]), why);
    }
}
