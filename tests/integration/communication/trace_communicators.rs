//! Traces whose collective operations are of communicators, and blocks that differ from pair to pair.

use super::trace_replay::{PLAIN, all, each, refused, replayed, smpi};
use crate::support::near;

/// Every rank of a row and of a column goes on by itself, in the numbers of its communicator.
#[test]
fn communicators_take_what_smpi_prints() {
    let text = std::fs::read_to_string("tests/data/replay_smpi_communicators.txt").unwrap();
    let found = replayed(&smpi(16), &text, "library = \"smpi\"");
    // SMPI counts in floating-point seconds, with a precision of 1 ns here.
    assert!((found - 305_244.0).abs() <= 2.0, "{found}");
    // Of all ranks, the same operations are others.
    let of_all = text.replace("@row", "").replace("@column", "");
    assert!(hetsim::workload::replay::read(&of_all).is_err());
}

const ROWS: &str = "communicator row 0 1\ncommunicator row 2-3\n";
const COLUMNS: &str = "communicator column 0-2:2\ncommunicator column 1-3:2\n";

/// A row of two sends one message of 1000 B: 2 µs. The rows don't wait for each other, and columns for both of theirs.
#[test]
fn groups_go_on_by_themselves() {
    let linear = "algorithms = { broadcast = \"linear\" }";
    let bcast = |of: &str, root: u32| all(&format!("bcast@{of} 1000 {root}"));
    let slow = "0 compute 5000\n";
    near(replayed(PLAIN, &(ROWS.to_owned() + &bcast("row", 1)), linear), 2000.0);
    // Rank 1 sends to rank 0, which is late, and ranks 3 and 2 are long done.
    let rows = format!("{ROWS}2 compute 100\n{slow}{}2 compute 4000\n", bcast("row", 0));
    near(replayed(PLAIN, &rows, linear), 7000.0);
    // Column 0 waits for rank 0 and for row 0 before it; column 1 for row 0, in which rank 1 receives.
    let both = format!("{ROWS}{COLUMNS}{slow}{}{}", bcast("row", 0), bcast("column", 0));
    near(replayed(PLAIN, &both, linear), 9000.0);
    // By numbers of the group: root 1 of the columns are ranks 2 and 3, which no one keeps.
    let fast = format!("{ROWS}{COLUMNS}{slow}{}{}", bcast("column", 1), bcast("row", 1));
    near(replayed(PLAIN, &fast, linear), 5000.0);
}

/// Rank r has r + 1 times 100 B for each other. All at once, rank 3 sends three blocks of 400 B through its port; by pairs,
/// each of three steps takes as long as the longest block.
#[test]
fn blocks_differ_from_pair_to_pair() {
    let line = |rank: u64| {
        let (sent, received) = (100 * (rank + 1), [100, 200, 300, 400]);
        let sent = [sent; 4].map(|bytes| bytes.to_string()).join(" ");
        format!("alltoallv {} {sent} 1000 {}", 400 * (rank + 1), received.map(|bytes| bytes.to_string()).join(" "))
    };
    let trace = each(&[0, 1, 2, 3].map(line));
    near(replayed(PLAIN, &trace, "algorithms = { all_to_all_v = \"linear\" }"), 3.0 * 1400.0);
    near(replayed(PLAIN, &trace, "algorithms = { all_to_all_v = \"pairwise\" }"), 3.0 * 1400.0);
    // Pairwise is the usual one. Elements of a type by its number: of 4 B.
    let ints = trace.replace('\n', " 1 1\n");
    near(replayed(PLAIN, &ints, ""), 3.0 * 2600.0);
    refused(
        &trace.replace("1000 100 200 300 400\n1", "1000 100 200 301 400\n1"),
        "line 1: rank 0 receives 301 B from rank 2 in this all_to_all, and is sent 300 B (line 3)",
    );
    refused(
        &trace.replace("3 alltoallv 1600 400 400 400 400 1000 100 200 300 400", "3 alltoall 100 100"),
        "line 4: the coll",
    );
}

/// A receive whose length is left open gets that of its message.
#[test]
fn a_receive_takes_the_length_of_its_message() {
    let trace = "0 send 1 7 300\n0 send 1 7 500\n1 recv 0 7 -1\n1 recv 0 7 -1\n";
    assert_eq!(replayed(PLAIN, trace, ""), replayed(PLAIN, &trace.replacen("-1", "300", 1).replace("-1", "500"), ""));
    // One from nobody, beside one from any sender.
    near(replayed(PLAIN, "0 send 1 4 100\n1 recv -1 4 100\n1 irecv -333 4 -1\n", ""), 1100.0);
    refused("0 send 1 7 300\n1 recv -1 7 -1\n", "line 2: rank 1 receives a message of an unknown length");
}

#[test]
fn wrong_communicators_are_said() {
    refused("communicator\n0 init\n", "line 1: a communicator has a name and ranks");
    refused("0 init\ncommunicator row\n", "line 2: a communicator has a name and ranks");
    refused("communicator row 0 x\n1 init\n", "line 1: `x` is no rank");
    refused("communicator row 3-1\n3 init\n", "line 1: `3-1` is no rank");
    refused("communicator row 0-3:0\n3 init\n", "line 1: `0-3:0` is no rank");
    refused("communicator row 0-4\n3 init\n", "line 1: there is no rank 4: the ranks are 0 to 3");
    refused("communicator row 0 1\ncommunicator row 1 2\n3 init\n", "communicator `row`: rank 1 stands in two groups");
    let rows = |action: &str| ROWS.to_owned() + &all(action);
    refused(&rows("bcast@raw 10"), "line 3: there is no communicator `raw`: did you mean `row`?");
    refused(&rows("bcast@row 10 2"), "line 3: there is no rank 2: the ranks are 0 to 1");
    refused(&rows("send@row 1 0 10"), "line 3: `send` is not of a communicator: its ranks are numbered among all");
    refused(&rows("test@row"), "line 3: the action `test` is not known");
    refused("communicator row 0-3 0-3\n3 init\n", "line 1: communicator `row` has a rank twice");
    refused("communicator pair 0 1\n0 barrier@pair\n3 barrier@pair\n", "line 3: rank 3 is not in communicator `pair`");
    refused(
        "communicator pair 0 1\n0 barrier@pair\n3 init\n",
        "rank 1 takes part in 0 collective operations of 1 (pair)",
    );
}
