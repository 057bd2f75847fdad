//! Refused input, with the position and a suggestion if there is one.

use super::{CABINETS, HOSTS, ZONES, parse, refusal, with};

/// Disks, which no program here uses, and parameters of SimGrid's implementation change nothing.
#[test]
fn what_bears_on_nothing_is_left_out() {
    let plain = with(r#"<link id="l" bandwidth="1Bps"/><route src="a" dst="b"><link_ctn id="l"/></route>"#);
    let config =
        r#"<config><prop id="precision/work-amount" value="1e-5"/><prop id="tracing" value="yes"/></config><zone id"#;
    let disk = r#"<host id="a" speed="1Gf"><disk id="d" read_bw="1MBps" write_bw="1MBps"><prop id="x" value="y"/></disk></host>"#;
    let more = plain.replace("<zone id", config).replace(r#"<host id="a" speed="1Gf"/>"#, disk);
    assert!(more.contains("tracing") && more.contains("disk"));
    assert_eq!(super::toml(&more), super::toml(&plain));
}

/// A cluster with more attributes.
fn cluster(more: &str) -> String {
    format!(
        r#"<platform version="4.1"><cluster id="c" prefix="n" suffix="" radical="0-7" speed="1Gf" bw="1MBps" lat="1us" {more}/></platform>"#
    )
}

const LINK: &str =
    r#"<link id="lan" bandwidth="1MBps"/><link id="two" bandwidth="1MBps" sharing_policy="SPLITDUPLEX"/>"#;

#[test]
fn unknown_elements_and_attributes_are_refused() {
    for (inner, message) in [
        (r#"<peer id="p" speed="1f"/>"#, "`peer` has no counterpart"),
        ("<disk/>", "expected no `disk` in `zone`"),
        (
            r#"<host id="d" speed="1f"><disk id="x" read_bw="1Bps" sort="y"/></host>"#,
            "the attribute `sort` of `disk` is not known",
        ),
        ("<hots/>", "the element `hots` is not known"),
        ("<link_ctn id=\"x\"/>", "expected no `link_ctn` in `zone`"),
        (r#"<actor host="a" function="f"/>"#, "`actor` belongs to a deployment, not to a platform"),
        (r#"<router id="r" coordinates="1 2 3"/>"#, "coordinates have no counterpart: latencies come from links"),
        (
            r#"<link id="w" bandwidth="1Mbps,2Mbps" sharing_policy="WIFI"/>"#,
            "links of wireless networks are not supported",
        ),
        (r#"<link id="w" bandwith="1Mbps"/>"#, "the attribute `bandwith` of `link` is not known"),
        (r#"<host id="c"/>"#, "expected the attribute `speed` of `host`"),
        (r#"<host id="" speed="1f"/>"#, "expected something in the attribute `id` of `host`"),
        ("text", "expected no text in `zone`"),
    ] {
        let text = with(inner);
        assert_eq!(refusal(&text).0, message, "{inner}");
    }
    let error = parse(&with("<hots/>")).expect_err("refused");
    assert_eq!(error.help.as_deref(), Some("did you mean `host`?"));
}

#[test]
fn other_versions_and_roots_are_refused() {
    for (text, message) in [
        (r#"<platform version="3"/>"#, "expected version 4.1 of platform files, not \"3\""),
        ("<platform/>", "expected the attribute `version` of `platform`"),
        (r#"<adag version="4.1"/>"#, "expected an element `platform`, not `adag`"),
        (r#"<platform version="4.1"/>"#, "the platform has no zone and no cluster"),
        ("", "expected an element `platform`"),
        (r#"<platform version="4.1"/><platform/>"#, "expected one element around all others"),
        (
            r#"<platform version="4.1"><zone id="z" routing="Full"/></platform>"#,
            "the zone holds no hosts, no routers and no zones",
        ),
        (
            r#"<platform version="4.1"><zone id="z" routing="None"><host id="a" speed="1f"/></zone><zone id="y" routing="Full"/></platform>"#,
            "there are no routes between several zones or clusters at the top",
        ),
    ] {
        assert_eq!(refusal(text).0, message, "{text}");
    }
}

#[test]
fn names_are_unique_and_known() {
    for (inner, message, place) in [
        (r#"<host id="a" speed="1f"/>"#, "there are two hosts or routers named \"a\"", "a"),
        (r#"<router id="b"/>"#, "there are two hosts or routers named \"b\"", "b"),
        (r#"<link id="lan" bandwidth="1Bps"/>"#, "there are two links named \"lan\"", "lan"),
        (r#"<link id="two_UP" bandwidth="1Bps"/>"#, "the link \"two_UP\" is named as a half of another", "two_UP"),
        (r#"<route src="a" dst="c"><link_ctn id="lan"/></route>"#, "there is no host or router \"c\"", "c"),
        (r#"<route src="a" dst="b"><link_ctn id="lane"/></route>"#, "there is no link \"lane\"", "lane"),
        (
            r#"<route src="a" dst="b"></route>"#,
            "expected `link_ctn` in `route`: a route leads over links",
            r#"<route src="a" dst="b">"#,
        ),
        (
            r#"<route src="a" dst="b"><link_ctn id="two"/></route>"#,
            "the link \"two\" has two halves: expected a `direction`, UP or DOWN",
            "two",
        ),
        (
            r#"<route src="a" dst="b"><link_ctn id="lan" direction="UP"/></route>"#,
            "the link \"lan\" has no halves: leave out `direction`",
            "lan",
        ),
        (r#"<trace_connect kind="SPEED" trace="t" element="a"/>"#, "there is no trace \"t\"", "t"),
        (r#"<host id="c" speed="1f" state_file="none"/>"#, "there is no file none", "none"),
        (r#"<host id="c" speed="1f" speed_file="below"/>"#, "below: line 2: the value is below zero", "below"),
    ] {
        let text = with(&format!("{LINK}{inner}"));
        assert_eq!(refusal(&text), (message.to_owned(), place), "{inner}");
    }
    let error =
        parse(&with(&format!(r#"{LINK}<route src="a" dst="b"><link_ctn id="lane"/></route>"#))).expect_err("refused");
    assert_eq!(error.help.as_deref(), Some("did you mean `lan`?"));
}

#[test]
fn a_pair_has_one_route() {
    let route = |src: &str, dst: &str, more: &str| {
        format!(r#"<route src="{src}" dst="{dst}" {more}><link_ctn id="lan"/></route>"#)
    };
    let both = with(&format!("{LINK}{}{}", route("a", "b", ""), route("b", "a", "")));
    assert_eq!(refusal(&both).0, "there are two routes between \"b\" and \"a\"");
    let each =
        with(&format!("{LINK}{}{}", route("a", "b", "symmetrical=\"NO\""), route("b", "a", "symmetrical=\"no\"")));
    assert!(parse(&each).is_ok());
}

#[test]
fn clusters_say_what_they_can_not() {
    for (more, place) in [
        (r#"limiter_link="1MBps""#, "1MBps"),
        (r#"loopback_lat="3us""#, "3us"),
        (r#"bb_lat="4us""#, "4us"),
        (r#"topo_parameters="8""#, "8"),
        (r#"topology="TORUS" topo_parameters="2,3""#, "2,3"),
        (r#"topology="TORUS" topo_parameters="2,0,4""#, "2,0,4"),
        (r#"topology="TORUS" topo_parameters="8" router_id="r""#, "r"),
        (r#"topology="FAT_TREE" topo_parameters="2;8;1;1""#, "2;8;1;1"),
        (r#"topology="DRAGONFLY" topo_parameters="2,1;2,1;2;1""#, "2,1;2,1;2;1"),
        (r#"topology="TORUS" topo_parameters="4294967295,4294967295,4294967295""#, "4294967295,4294967295,4294967295"),
        (r#"core="0""#, "0"),
        (r#"speed_file="x""#, "x"),
    ] {
        assert_eq!(refusal(&cluster(more)).1, place, "{more}");
    }
    // SimGrid 4 makes shared links of these despite its documentation, so the meaning is ambiguous.
    assert!(refusal(&cluster(r#"sharing_policy="FATPIPE""#)).0.contains("shared in SimGrid even if"));
    for radical in ["", "1-", "a", "1;2", "5-3", "1-2-3", "99999999999", "1,,2", "1-3,2", "+1"] {
        let text = cluster("").replace("0-7", radical);
        assert!(parse(&text).is_err(), "{radical}");
    }
}

#[test]
fn zones_keep_to_their_kind() {
    let mixed = ZONES.replace(r#"<link id="sea""#, r#"<host id="late" speed="1Gf"/><link id="sea""#);
    assert_eq!(refusal(&mixed), ("a zone holds hosts and routers, or other zones, but not both".to_owned(), "late"));
    let gateway = ZONES.replace(r#"gw_src="gate-router" gw_dst="alone""#, r#"gw_src="alone" gw_dst="alone""#);
    assert_eq!(refusal(&gateway), ("the gateway \"alone\" is not in \"left\" but in \"right\"".to_owned(), "alone"));
    let deep = ZONES.replace(r#"<zoneRoute src="left""#, r#"<zoneRoute src="l1""#);
    assert_eq!(refusal(&deep), ("\"l1\" is not in the zone of this route".to_owned(), "l1"));
    let routing = ZONES.replace("Floyd", "Vivaldi");
    assert_eq!(refusal(&routing), ("the routing \"Vivaldi\" has no counterpart".to_owned(), "Vivaldi"));
    let none = with("").replace("Full", "None");
    assert!(refusal(&none).0.contains("which the routing None does not have"));
    let twice = CABINETS.replace("61-92", "60-92");
    assert_eq!(refusal(&twice).0, "there are two nodes named \"n-60.site\"");
    let taken = CABINETS.replace("router_id=\"r2\"", "router_id=\"n-7.site\"");
    assert_eq!(refusal(&taken).0, "\"n-7.site\" is also the name of a node of a cluster");
}

#[test]
fn parameters_without_counterpart_are_refused() {
    for (from, to, place) in [
        ("network/TCP-gamma", "network/weight-S", "network/weight-S"),
        ("CM02", "IB", "IB"),
        ("4194304", "1.5", "1.5"),
        ("network/TCP-gamma", "network/crosstraffic", "4194304"),
    ] {
        assert_eq!(refusal(&CABINETS.replace(from, to)).1, place, "{to}");
    }
    assert_eq!(
        refusal(&HOSTS.replace("pstate=\"1\"", "pstate=\"2\"")).0,
        "expected a power state from 0 to 1, not \"2\""
    );
    assert_eq!(
        refusal(&CABINETS.replace(", 90:100:150", "")).0,
        "expected watts for each of 2 power states, not for 1"
    );
    assert_eq!(refusal(&HOSTS.replace("latency=\"10us\" bandwidth_file", "latency_file")).1, "lan.bw");
}
