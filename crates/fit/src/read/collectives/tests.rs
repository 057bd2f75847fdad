//! Tests of reading measured collectives.

use super::*;
use hetsim_communication::Library;

const HEAD: &str = "system,run,nodes,ranks_per_node,library,operation,algorithm,buffer_bytes,median_us,p10_us,p90_us,iterations,notes\n";

fn of(text: &str) -> Vec<Measurement> {
    read(text, &GivenColumns::default()).unwrap().points
}

#[test]
fn every_name_of_the_data_file_is_one_of_hetsim() {
    for (name, entry) in &names().operation {
        for (algorithm, keys) in &entry.algorithms {
            let modelled = modelled((name, entry), algorithm, 8, 2, OverRanks::Longest).unwrap();
            let operation: Operation = modelled.keys["operation"].as_str().unwrap().parse().unwrap();
            let known: Algorithm = modelled.algorithm().parse().unwrap();
            assert!(known.fits(operation), "{name}: {algorithm} = {keys}");
        }
    }
    for keys in names().any.values() {
        keys["library"].as_str().unwrap().parse::<Library>().unwrap();
    }
    for &operation in Operation::ALL {
        assert!(names().operation.contains_key(operation.name()), "{operation}");
    }
}

#[test]
fn a_segment_can_be_a_block() {
    let rows = "operation,algorithm,nodes,bytes,time_s\nallreduce,bine_bdw_remap_segmented_over,32,1024,1\n\
        allreduce,bine_bdw_remap_segmented_over_16384,32,1024,1\n";
    let points = read(rows, &GivenColumns::default()).unwrap().points;
    let segments = points.iter().map(|point| point.model.as_ref().unwrap().keys["segment"].as_str().unwrap());
    assert_eq!(segments.collect::<Vec<_>>(), ["32B", "16KiB"]);
}

#[test]
fn a_row_of_pico() {
    let rows = "mn5,r1,32,1,OMPI 4.1.5,bcast,binomial_ompi,16384,44.9,44.049,45.827,1800,UCX_MAX_RNDV_RAILS=1\n\
        mn5,r1,60,1,OMPI 4.1.5,allgather,ring_ompi,16384,80,,,18,\"a\nb\"\n\
        mn5,r1,32,2,OMPI 4.1.5,scatter,default_ompi,16384,9,8,10,18,\n\
        mn5,r1,32,2,OMPI 4.1.5,gossip,linear_ompi,16384,9,8,10,18,\n";
    let points = of(&format!("{HEAD}{rows}"));
    let first = &points[0];
    assert_eq!((first.line, first.nodes, first.ranks(), first.bytes), (2, 32, 32, 16384));
    assert_eq!((first.operation.as_str(), first.algorithm.as_str()), ("broadcast", "binomial_ompi"));
    assert_eq!((first.median, first.p10, first.p90), (44.9e-6, Some(44.049e-6), Some(45.827e-6)));
    assert_eq!(first.iterations, Some(1800));
    let model = first.model.as_ref().unwrap();
    let named = (model.algorithm(), model.keys["operation"].as_str(), model.size);
    assert_eq!(named, ("segmented_binomial", Some("broadcast"), 16384));
    assert_eq!((first.bare_algorithm(), model.keys["segment"].as_str()), ("binomial", Some("0B")));
    // All ranks' blocks together, of which 4 B are left over; notes may have line breaks.
    assert_eq!((points[1].model.as_ref().unwrap().size, points[1].p10, points[1].line), (273, None, 3));
    let default = points[2].model.as_ref().unwrap();
    assert_eq!((points[2].is_default, points[2].line, default.algorithm()), (true, 5, "openmpi-4.1"));
    assert_eq!((points[3].operation.as_str(), &points[3].model, points[3].is_default), ("gossip", &None, false));
    let all = MeasuredCollectives { points };
    assert_eq!(all.not_modelled(), 1);
}

#[test]
fn columns_have_several_names_and_what_is_missing_is_given() {
    let text = "# mine\nBytes,collective,time_ms,ppn\n64,MPI_Allreduce,2,4\n";
    let mut given = GivenColumns::default();
    given.set("nnodes", "8").unwrap();
    given.set("algorithm", "ring").unwrap();
    assert!(given.set("colour", "red").unwrap_err().contains("expected one of algorithm, buffer_bytes"));
    let point = &read(text, &given).unwrap().points[0];
    assert_eq!((point.operation.as_str(), point.ranks(), point.median, point.line), ("all_reduce", 32, 2e-3, 3));
    assert_eq!(point.model.as_ref().unwrap().algorithm(), "ring");
    given.set("operation", "bcast").unwrap();
    let point = &read("size,median_s,nodes\n64,2,4\n", &given).unwrap().points[0];
    // `ring` is no broadcast.
    assert_eq!((point.operation.as_str(), point.nodes, &point.model), ("broadcast", 4, &None));
}

#[test]
fn all_ranks_are_spread_over_the_nodes() {
    let rows =
        |cells: &str| format!("operation,algorithm,nodes,ranks,bytes,mean_us,over_ranks\nreduce,linear,{cells}\n");
    let point = |cells: &str| read(&rows(cells), &GivenColumns::default()).map(|read| read.points[0].clone());
    let found = point("2,256,8,3,mean").unwrap();
    assert_eq!((found.nodes, found.ranks_per_node, found.over_ranks), (2, 128, OverRanks::Mean));
    assert_eq!(point("2,256,8,3,").unwrap().over_ranks, OverRanks::Longest);
    assert!(point("2,5,8,3,").unwrap_err().message.contains("5 ranks are not a multiple of the 2 nodes"));
    assert!(point("2,4,8,3,median").unwrap_err().message.contains("neither `max`"));
}

/// Columns that nobody reads may have any titles; those that are given and there are told.
#[test]
fn columns_that_are_given_and_there() {
    let text = "# mine\noperation,note,note,nnodes,bytes,time_s\nbcast,a,b,4,8,1\n";
    let given: GivenColumns = "nodes=16,algorithm=ring,operation=reduce".parse().unwrap();
    let own = [("nodes", "column `nnodes`".to_owned()), ("operation", "column `operation`".to_owned())];
    assert_eq!(repeated(text, &given), own);
    assert_eq!(read(text, &given).unwrap().points[0].nodes, 4);
    assert_eq!(repeated("bytes,rtt_us,nodes\n1,2,3\n", &"nodes=2".parse().unwrap()), []);
    let of_osu = |text: &str, given: &str| repeated(text, &given.parse().unwrap()).into_iter().map(|(own, _)| own);
    let all = "nodes=16,operation=bcast,buffer_bytes=7,iterations=3";
    assert!(of_osu("# Size  Latency (us)\n1 2\n", all).eq(["operation", "buffer_bytes"]));
    assert!(of_osu(OSU_ALL_REDUCE, all).eq(["operation", "buffer_bytes", "iterations"]));
    assert_eq!(of_osu(OSU_ALL_REDUCE, "nodes=16,ranks=32,algorithm=ring,over_ranks=mean").count(), 0);
    // What the output doesn't say is taken.
    let without = OSU_ALL_REDUCE.replace("  Iterations", "");
    assert!(of_osu(&without, all).eq(["operation", "buffer_bytes"]));
    assert_eq!(read(&without, &all.parse().unwrap()).unwrap().points[0].iterations, Some(3));
}

#[test]
fn osu_output() {
    let text = "\n# OSU MPI Allgather Latency Test v7.4\n# Datatype: MPI_CHAR.\n\
        # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n8    3.25   3.10   4.50   1000\n";
    let mut given = GivenColumns::default();
    assert!(read(text, &given).unwrap_err().message.contains("`nodes`"));
    given.set("nodes", "16").unwrap();
    given.set("algorithm", "bruck").unwrap();
    let point = &read(text, &given).unwrap().points[0];
    assert_eq!((point.operation.as_str(), point.bytes, point.line), ("all_gather", 128, 5));
    assert_eq!((point.median, point.iterations, point.model.as_ref().unwrap().size), (4.5e-6, Some(1000), 8));
    let barrier = "# OSU MPI Barrier Latency Test v5.9\n# Avg Latency(us)\n             12.50\n";
    assert_eq!(read(barrier, &given).unwrap().points[0].median, 12.5e-6);
    // An average is that over the ranks; the longest needs no key.
    let timing = |text: &str| {
        let point = read(text, &given).unwrap().points.remove(0);
        (point.over_ranks, point.model.and_then(|model| Some(model.keys.get("timing")?.as_str()?.to_owned())))
    };
    assert_eq!(timing(text), (OverRanks::Longest, None));
    let average = text.replace("Max Latency(us)", "Another(us)");
    assert_eq!(timing(&average), (OverRanks::Mean, Some("barrier_mean".to_owned())));
    // Both are in the output, and either can be asked for; of one that is not, it is said.
    let asked = |text: &str, over_ranks: &str| {
        let mut given = given.clone();
        given.set("over_ranks", over_ranks).unwrap();
        read(text, &given).map(|read| (read.points[0].over_ranks, read.points[0].median))
    };
    assert_eq!(asked(text, "mean").unwrap(), (OverRanks::Mean, 3.25e-6));
    assert_eq!(asked(text, "max").unwrap(), (OverRanks::Longest, 4.5e-6));
    assert_eq!(asked(&average, "mean").unwrap(), (OverRanks::Mean, 3.25e-6));
    let error = asked(&average, "max").unwrap_err();
    assert!(error.line == 5 && error.message.contains("`over_ranks=max` asks for"), "{error}");
    assert!(asked(text, "most").unwrap_err().message.contains("over_ranks: \"most\" is neither `max`"));
    let reduce_scatter = "# OSU MPI Reduce_scatter Latency Test v5.9\n# Size       Avg Latency(us)\n4   2.0\n";
    assert_eq!(read(reduce_scatter, &given).unwrap().points[0].operation, "reduce_scatter");
}

const OSU_ALL_REDUCE: &str = "# OSU MPI Allreduce Latency Test v7.4\n# Datatype: MPI_CHAR.\n\
    # Size       Avg Latency(us)   Min Latency(us)   Max Latency(us)  Iterations\n256   98.71   88.84   108.58   1000\n";

#[test]
fn all_ranks_of_osu_output_and_ping_pongs_are_spread_over_the_nodes() {
    let point = |text: &str, given: &str| read(text, &given.parse().unwrap()).map(|read| read.points[0].clone());
    let found = point(OSU_ALL_REDUCE, "nodes=16,ranks=512,algorithm=ring").unwrap();
    assert_eq!((found.nodes, found.ranks_per_node), (16, 32));
    let error = point(OSU_ALL_REDUCE, "nodes=24,ranks=1024").unwrap_err();
    assert_eq!(error.message, "1024 ranks are not a multiple of the 24 nodes");
    let latency = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1    1.25\n";
    let found = point(latency, "nodes=1,ranks=2").unwrap();
    assert_eq!((found.nodes, found.ranks_per_node), (1, 2));
    assert!(point(latency, "ranks=3").unwrap_err().message.contains("3 ranks are not a multiple of the 2 nodes"));
}

#[test]
fn ping_pongs_are_between_two() {
    let text = "# OSU MPI Latency Test v5.9\n# Size          Latency (us)\n1    1.25\n1024   2.50\n";
    for text in [text, "bytes,rtt_us\n1,2.5\n1024,4\n1024,5\n1024,9\n"] {
        let points = of(text);
        let times: Vec<(u64, f64)> =
            points.iter().map(|point| (point.bytes, (point.median * 1e12).round() / 1e6)).collect();
        assert_eq!(times, [(1, 1.25), (1024, 2.5)]);
        assert_eq!((points[0].operation.as_str(), points[0].ranks()), (PING_PONG, 2));
        assert_eq!(points[0].model.as_ref().unwrap().keys["operation"].as_str(), Some("broadcast"));
    }
    let mut given = GivenColumns::default();
    given.set("nodes", "3").unwrap();
    assert!(read(text, &given).unwrap_err().message.contains("2 ranks"));
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_column() {
    let row = |cells: &str| format!("{HEAD}mn5,r,4,1,ompi,bcast,binomial_ompi,8,2,1,3,5,\n{cells}\n");
    for (text, line, word) in [
        (String::new(), 0, "no measurements"),
        (HEAD.to_owned(), 0, "no measurements"),
        ("operation,median_us,nodes\nbcast,1,2\n".to_owned(), 1, "`buffer_bytes`"),
        ("operation,bytes,nodes\nbcast,1,2\n".to_owned(), 1, "`median_us`"),
        ("operation,bytes,nodes,median\nbcast,1,2,3\n".to_owned(), 1, "unit"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8"), 3, "column 9 (`median_us`) is missing"),
        (row("mn5,r,0,1,ompi,bcast,binomial_ompi,8,2,1,3,5,"), 3, "column 3 (`nodes`)"),
        (row("mn5,r,4,9999999999,ompi,bcast,binomial_ompi,8,2,1,3,5,"), 3, "column 4 (`ranks_per_node`)"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8kB,2,1,3,5,"), 3, "column 8 (`buffer_bytes`)"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8,-2,1,3,5,"), 3, "column 9 (`median_us`)"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8,,1,3,5,"), 3, "column 9 (`median_us`) is blank"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8,2,nan,3,5,"), 3, "column 10 (`p10_us`)"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8,2,1,3,x,"), 3, "column 12 (`iterations`)"),
        ("colour,bytes\nred,1\n".to_owned(), 1, "half_rtt_us"),
        (
            "operation,nodes,Nodes,bytes,time_s\nbcast,1,2,3,4\n".to_owned(),
            1,
            "columns 2 and 3 are both called `nodes`",
        ),
        (row("mn5,r,,1,ompi,bcast,binomial_ompi,8,2,1,3,5,"), 3, "column 3 (`nodes`) is blank"),
        (row("mn5,r,4,1,ompi,bcast,binomial_ompi,8,2,1,3,5,,6"), 3, "14 cells, and there are 13 columns"),
        (
            "operation,nodes,bytes,median_us,median_ms\nbcast,1,2,3,4\n".to_owned(),
            1,
            "columns 4 (`median_us`) and 5 (`median_ms`) say the same",
        ),
        (
            "operation,nodes,Bytes,time_s,buffer_bytes\nbcast,1,2,3,4\n".to_owned(),
            1,
            "columns 3 (`bytes`) and 5 (`buffer_bytes`) say the same",
        ),
        ("operation,nodes,time_s,bytes,time_s\nbcast,1,2,3,4\n".to_owned(), 1, "columns 3 and 5"),
        // The row of a quote that never ends.
        ("operation,nodes,bytes,time_s\nbcast,1,2,3\nbcast,\"1,2,3\nbcast,1,2,3\n".to_owned(), 3, "column 2 (`nodes`)"),
    ] {
        let error = read(&text, &GivenColumns::default()).unwrap_err();
        assert!(error.line == line && error.message.contains(word), "{text:?}: {error}");
    }
}
