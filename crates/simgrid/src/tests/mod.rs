//! Files written for these tests in the style of SimGrid's documentation; their meaning is that of its document type
//! and reader (SimGrid 4).

mod hostile;
mod networks;
mod profiles;
mod quantities;
mod refusals;

use hetsim_text::{Node, Problem, Value};

use super::{read, to_toml};

/// Three cabinets with backbones of their own on one link, as in Griffon of Grid'5000.
const CABINETS: &str = r#"<?xml version='1.0'?>
<!DOCTYPE platform SYSTEM "https://simgrid.org/simgrid.dtd">
<!-- Three cabinets. -->
<platform version="4.1">
  <config><prop id="network/model" value="CM02"/><prop id="network/TCP-gamma" value="4194304"/></config>
  <zone id="site" routing="Full">
    <prop id="author" value="nobody"/>
    <cluster id="cab1" prefix="n-" suffix=".site" radical="1-29,58,59,60" speed="286.087Mf" core="4" bw="125MBps" lat="24us"
             bb_bw="1.25GBps" bb_lat="0s"/>
    <cluster id="cab2" prefix="n-" suffix=".site" radical="30-57" speed="286.087Mf" bw="1Gbps" lat="24us"
             bb_bw="10Gbps" bb_sharing_policy="FATPIPE" router_id="r2"/>
    <cluster id="cab3" prefix="n-" suffix=".site" radical="61-92" speed="286.087Mf,100Mf" bw="125MBps" lat="24us"
             sharing_policy="SHARED">
      <prop id="wattage_per_state" value="95:120:200, 90:100:150"/>
      <prop id="wattage_off" value="10"/>
    </cluster>
    <link id="backbone" bandwidth="1.25GBps" latency="24us" sharing_policy="FATPIPE"/>
    <zoneRoute src="cab1" dst="cab2" gw_src="n-cab1_router.site" gw_dst="r2"><link_ctn id="backbone"/></zoneRoute>
    <zoneRoute src="cab2" dst="cab3" gw_src="r2" gw_dst="n-cab3_router.site"><link_ctn id="backbone"/></zoneRoute>
    <zoneRoute src="cab1" dst="cab3" gw_src="n-58.site" gw_dst="n-92.site" symmetrical="NO">
      <link_ctn id="backbone"/>
    </zoneRoute>
  </zone>
</platform>
"#;

/// Hosts and routers with every kind of link, route and property.
const HOSTS: &str = r#"<platform version="4">
  <trace id="load" periodicity="8">
    0 1.0
    4 0.5
  </trace>
  <AS id="lab" routing="Dijkstra">
    <host id="Ada Lovelace" speed="2Gf" core="2" pstate="0"/>
    <host id="bob" speed="2Gf,1Gf" pstate="1" state_file="bob.state"><prop id="ram" value="1GiB"/></host>
    <router id="r1"/>
    <link id="lan" bandwidth="100MiBps" latency="10us" bandwidth_file="lan.bw"><prop id="wattage_range" value="10.3:30"/></link>
    <link id="b" bandwidth="50MBps" latency="1ms" sharing_policy="SPLITDUPLEX"/>
    <link id="self" bandwidth="498MBps" latency="15us" sharing_policy="FATPIPE"/>
    <route src="Ada Lovelace" dst="r1"><link_ctn id="lan"/></route>
    <route src="r1" dst="bob"><link_ctn id="b" direction="DOWN"/></route>
    <route src="bob" dst="bob"><link_ctn id="self"/></route>
    <bypassRoute src="bob" dst="Ada Lovelace"><link_ctn id="b_UP"/><link_ctn id="lan"/></bypassRoute>
  </AS>
  <trace_connect kind="SPEED" trace="load" element="Ada Lovelace"/>
</platform>
"#;

/// Nested zones, a zone with only a router, and bypass routes.
const ZONES: &str = r#"<platform version="4.1">
  <zone id="world" routing="Floyd">
    <zone id="left" routing="Full">
      <cluster id="l1" prefix="l" suffix="" radical="0-3" speed="1Gf" bw="125MBps" lat="50us"/>
      <zone id="gate" routing="Full"><router id="gate-router"/></zone>
      <link id="up" bandwidth="1GBps" latency="5us"/>
      <zoneRoute src="l1" dst="gate" gw_src="ll1_router" gw_dst="gate-router"><link_ctn id="up"/></zoneRoute>
    </zone>
    <zone id="right" routing="None"><host id="alone" speed="1Gf"/></zone>
    <link id="sea" bandwidth="10MBps" latency="40ms"/>
    <link id="sky" bandwidth="1MBps" latency="300ms"/>
    <zoneRoute src="left" dst="right" gw_src="gate-router" gw_dst="alone"><link_ctn id="sea"/></zoneRoute>
    <bypassZoneRoute src="l1" dst="right" gw_src="l2" gw_dst="alone"><link_ctn id="sky"/></bypassZoneRoute>
  </zone>
</platform>
"#;

/// A zone with links to a hub: halves of a link, one link both ways, and two links.
const STAR: &str = r#"<platform version="4.1">
  <zone id="star" routing="Cluster">
    <host id="a" speed="1Gf"/> <host id="b" speed="1Gf"/> <host id="c" speed="1Gf"/>
    <router id="exit"/>
    <link id="la" bandwidth="1MBps" latency="1us" sharing_policy="SPLITDUPLEX"/>
    <link id="lb" bandwidth="1MBps" latency="1us"/>
    <link id="up" bandwidth="1MBps" latency="1us"/> <link id="down" bandwidth="1MBps" latency="1us"/>
    <host_link id="a" up="la_UP" down="la_DOWN"/>
    <host_link id="b" up="lb" down="lb"/>
    <host_link id="c" up="up" down="down"/>
    <backbone id="bb" bandwidth="1GBps" latency="2us"/>
  </zone>
</platform>
"#;

/// All samples.
const SAMPLES: [&str; 4] = [CABINETS, HOSTS, ZONES, STAR];

/// The files named by samples.
fn file(name: &str) -> Result<String, String> {
    match name {
        "bob.state" => Ok("1 0\n3 1\nLOOPAFTER 7\n".to_owned()),
        "lan.bw" => Ok("# a comment\n2 52428800\n4 26214400".to_owned()),
        "below" => Ok("0 1\n5 -1\n".to_owned()),
        _ => Err(format!("there is no file {name}")),
    }
}

fn parse(text: &str) -> Result<Node, Problem> {
    read(text, 0, &mut file)
}

/// The TOML of a valid text.
fn toml(text: &str) -> String {
    to_toml(&parse(text).expect("it can be read"))
}

/// The error message for an invalid text, and the part of the text at its position.
fn refusal(text: &str) -> (String, &str) {
    let error = parse(text).expect_err("it is refused");
    (error.message, &text[error.place.expect("it has a place").span])
}

/// A zone of two hosts with the given content, before a route that needs the link `l`.
fn with(inner: &str) -> String {
    format!(
        r#"<platform version="4.1"><zone id="z" routing="Full"><host id="a" speed="1Gf"/><host id="b" speed="1Gf"/>{inner}</zone></platform>"#
    )
}

/// The value under a path of keys and indices.
fn at<'t>(table: &'t Node, path: &[&str]) -> &'t Value {
    let inner = path.iter().fold(table, |node, key| match &node.value {
        Value::Table(entries) => &entries.iter().find(|entry| entry.key == *key).expect("there is such a key").value,
        Value::Array(items) => &items[key.parse::<usize>().expect("a position")],
        other => panic!("{other:?} has no {key}"),
    });
    &inner.value
}
