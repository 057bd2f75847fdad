//! Costs of messages over named links and their routes. Times are hand arithmetic, which stands beside each, or those
//! of the same links under `fair`.

use hetsim::cluster::network::routed::Routed;
use hetsim::cluster::network::{Model, NetworkError, Parameters};
use hetsim::record::Value;
use hetsim::units::Tick;

use crate::support::read;

fn completion(platform: &str, workload: &str) -> f64 {
    let text = format!("version = 1\n{platform}\n[workload]\n{workload}\n");
    let record = read(&text).run(0, 0).unwrap_or_else(|error| panic!("{error}\n{text}"));
    record.get("completion_s").and_then(Value::number).unwrap()
}

/// 200 ns and 300 ns of overhead, 500 ns in flight, 500 MB/s alone; eager up to so many bytes.
fn costs(eager: &str) -> String {
    format!(
        "costs = {{ latency = '500ns', bandwidth = '500MB/s', send_overhead = '200ns', receive_overhead = '300ns', \
         eager_limit = '{eager}', handshake = '100ns' }}"
    )
}

/// A star of links of 1 GB/s and 1 µs, laid link by link.
fn routed(nodes: u32, keys: &str) -> String {
    let wire = |node| format!("[platform.wire.w{node}]\nbandwidth = '1GB/s'\nlatency = '1us'\n");
    let route = |node| format!("{{ from = 'n{node}', to = 'switch', wires = ['w{node}'] }}");
    format!(
        "{}[platform.cluster.net]\nnodes = {nodes}\n[platform.cluster.net.network]\nmodel = 'routes'\nnodes = [{}]\n\
         routers = ['switch']\nchoose = 'fewest_links'\nroute = [{}]\n{keys}\n",
        (0..nodes).map(wire).collect::<String>(),
        (0..nodes).map(|node| format!("'n{node}'")).collect::<Vec<_>>().join(", "),
        (0..nodes).map(route).collect::<Vec<_>>().join(", "),
    )
}

/// The same under `fair`.
fn star(nodes: u32, keys: &str) -> String {
    format!(
        "[platform.cluster.net]\nnodes = {nodes}\n[platform.cluster.net.network]\nmodel = 'fair'\nlatency = '1us'\n\
         bandwidth = '1GB/s'\ntopology = {{ kind = 'star' }}\n{keys}\n"
    )
}

/// Traffic, collectives with receivers that are always ready, and those with posted receives.
#[test]
fn routes_cost_as_their_star() {
    let traffic = "kind = 'traffic'\npattern = { kind = 'random', messages = 80 }\ngap = '2us'\n\
                   sizes = { distribution = 'uniform', from = '1B', to = '20kB' }";
    let collective = |operation: &str, calls: &str| {
        format!("kind = 'collective'\noperation = '{operation}'\nalgorithm = 'linear'\nsize = '3kB'\ncalls = '{calls}'")
    };
    let workloads = [
        traffic.to_owned(),
        collective("gather", "ready"),
        collective("gather", "mpi"),
        collective("all_to_all", "mpi"),
    ];
    for transport in ["", "[platform.transport]\ncalibration = 'lv08'\nsends = 2\n"] {
        for eager in ["0B", "1kB", "1MB"] {
            for workload in &workloads {
                let time = |network: String| completion(&format!("{transport}{network}"), workload);
                let (by_hand, fair) = (time(routed(9, &costs(eager))), time(star(9, &costs(eager))));
                assert_eq!(by_hand, fair, "{eager} {workload}");
                assert!(fair > time(star(9, "")), "{eager} {workload}");
            }
        }
    }
}

/// 1000 B from one node to the next: 200 ns, the links' latencies and 500 ns more, 2000 ns at the message's own rate,
/// 300 ns. LV08 makes 13.01 of the links' latencies and leaves the costs as they are; its own rate counts for
/// 1000/0.97 bytes on the link, and bounds the flow to what takes 2000 ns. A rendezvous takes two flights of 500 ns
/// and 100 ns more.
#[test]
fn latencies_of_routes_and_costs_add_up() {
    let one = "kind = 'collective'\noperation = 'broadcast'\nalgorithm = 'linear'\nsize = '1000B'";
    let near = |found: f64, wanted: f64| assert!((found - wanted * 1e-9).abs() < 1e-12, "{found} is not {wanted} ns");
    let eager = routed(2, &costs("1kB"));
    near(completion(&eager, one), 200.0 + 2000.0 + 500.0 + 2000.0 + 300.0);
    let lv08 = format!("[platform.transport]\ncalibration = 'lv08'\n{eager}");
    near(completion(&lv08, one), 200.0 + 13.01 * 2000.0 + 500.0 + 2000.0 + 300.0);
    let asked = routed(2, &costs("0B"));
    near(completion(&asked, one), 200.0 + 2000.0 + 500.0 + 2000.0 + 300.0 + 2.0 * 500.0 + 100.0);
    near(completion(&routed(2, ""), one), 2000.0 + 1000.0);
}

/// Between clusters that a zone joins, a message costs as inside its sender's: 1000 B over the trunk alone.
#[test]
fn zones_take_the_costs_of_the_sender() {
    let cluster = |name: &str, keys: &str| {
        format!(
            "[platform.cluster.{name}]\nnodes = 1\n[platform.cluster.{name}.network]\nmodel = 'routes'\nnodes = ['x']\n\
             {keys}\n"
        )
    };
    let zone = "[platform.wire.trunk]\nbandwidth = '1GB/s'\nlatency = '100us'\n[platform.zone.all]\n\
                members = ['a', 'b']\nroute = [{ from = 'a', to = 'b', from_gateway = 'a:x', to_gateway = 'b:x', \
                wires = ['trunk'] }]\n";
    let platform = format!("{}{}{zone}", cluster("a", &costs("1kB")), cluster("b", ""));
    for (root, seconds) in [(0, 200e-9 + 100e-6 + 500e-9 + 2e-6 + 300e-9), (1, 100e-6 + 1e-6)] {
        let one = format!(
            "kind = 'collective'\noperation = 'broadcast'\nalgorithm = 'linear'\nsize = '1000B'\nroot = {root}"
        );
        let found = completion(&platform, &one);
        assert!((found - seconds).abs() < 1e-12, "{root}: {found}");
    }
}

#[test]
fn only_closed_models_are_costs() {
    let model = |text: &str| Model::new(&toml::from_str::<Parameters>(text).unwrap(), Tick::PICOSECOND).unwrap();
    assert!(Routed::with_costs(model("model = 'hockney'\nlatency = '1us'\nbandwidth = '1GB/s'")).is_ok());
    let fair = model("model = 'fair'\nlatency = '1us'\nbandwidth = '1GB/s'");
    assert_eq!(Routed::with_costs(fair), Err(NetworkError::Costs));
}
