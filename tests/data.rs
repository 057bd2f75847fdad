//! Tests on measured data from outside of the repository, in the folder that `HETSIM_DATA` names. Without it they say that
//! they were skipped; nothing else depends on them.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::{Path, PathBuf};

use hetsim::cluster::NodeId;
use hetsim::scenario::Scenario;

fn data(file: &str) -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("HETSIM_DATA") else {
        eprintln!("skipped: HETSIM_DATA does not name the folder of measured data");
        return None;
    };
    Some(Path::new(&folder).join(file))
}

/// The gaps of `grid5000.platform.toml` are those derived from a ping-pong over Gigabit Ethernet on Grid'5000's graphene
/// (platform-calibration, 2013), rounded: within 5 % at each of the scenario's points.
#[test]
fn the_gaps_of_grid5000_are_the_measured_ones() {
    let Some(path) = data("communication/plogp_graphene_eth.csv") else { return };
    let mut reader = csv::Reader::from_path(path).unwrap();
    let measured: Vec<(u64, f64)> = reader
        .records()
        .map(|record| record.unwrap())
        .map(|record| (record[0].parse().unwrap(), record[1].parse::<f64>().unwrap() * 1e-6))
        .collect();
    let scenario = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios/grid5000.toml");
    let scenario = Scenario::load(&scenario, &[]).unwrap();
    let platform = scenario.platform(0);
    let mut compared = 0;
    for bytes in [1, 64, 512, 1024, 1448, 4096, 8192, 16384, 32768, 65536, 131_072, 262_144, 524_288, 989_921] {
        // Sizes are measured at random, so the nearest two are interpolated.
        let above = measured.partition_point(|(size, _)| *size < bytes).clamp(1, measured.len() - 1);
        let ((x0, y0), (x1, y1)) = (measured[above - 1], measured[above]);
        let part = if x1 == x0 { 0.0 } else { (bytes as f64 - x0 as f64) / (x1 as f64 - x0 as f64) };
        let expected = y0 + (y1 - y0) * part;
        let gap = platform.tick().seconds(platform.transfer(NodeId(0), NodeId(1), bytes).gap());
        eprintln!("{bytes} B: {:.1} us in the scenario, {:.1} us measured", gap * 1e6, expected * 1e6);
        compared += usize::from((gap / expected - 1.0).abs() < 0.05);
    }
    // Single points of a noisy curve may lie further off.
    assert!(compared >= 11, "{compared} of 14 gaps are within 5 %");
}
