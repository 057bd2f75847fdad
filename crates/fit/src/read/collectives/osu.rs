//! The output of an OSU benchmark of a collective, and ping-pongs.

use super::{
    Buffer, GivenColumns, Measurement, OverRanks, PING_PONG, ReadError, is_default, modelled, names, number, size,
    spread,
};

/// What all points of a file have in common: a measurement without its size and time.
fn common(operation: &str, given: &GivenColumns, nodes: Option<u32>) -> Result<Measurement, ReadError> {
    let text = |column: &str| given.get(column).unwrap_or_default().to_owned();
    let count = |column: &str| match given.get(column).map(str::parse::<u32>) {
        None => Ok(None),
        Some(Ok(count)) if count > 0 => Ok(Some(count)),
        Some(_) => Err(ReadError::at(0, format!("`{column}` is not a whole number from 1: {:?}", text(column)))),
    };
    let Some(nodes) = count("nodes")?.or(nodes) else {
        return Err(ReadError::at(
            0,
            "the file does not say the number of `nodes`: use a CSV with a column `nodes`, or `--with nodes=16`",
        ));
    };
    let ranks_per_node = match (count("ranks_per_node")?, count("ranks")?) {
        (Some(ranks_per_node), _) => ranks_per_node,
        (None, Some(ranks)) => spread(ranks, nodes).map_err(|message| ReadError::at(0, message))?,
        (None, None) => 1,
    };
    let algorithm = given.get("algorithm").unwrap_or("default").to_owned();
    Ok(Measurement {
        line: 0,
        system: text("system"),
        run: text("run"),
        nodes,
        ranks_per_node,
        library: text("library"),
        operation: operation.to_owned(),
        is_default: is_default(&algorithm),
        algorithm,
        bytes: 0,
        median: 0.0,
        p10: None,
        p90: None,
        iterations: count("iterations")?.map(u64::from),
        over_ranks: OverRanks::default(),
        model: None,
    })
}

/// The columns of the output that are read: the time that is asked for, or else the slowest rank's where it is given,
/// and the mean where it is not.
struct Heading {
    time: usize,
    over_ranks: OverRanks,
    iterations: Option<usize>,
    has_size: bool,
}

/// The columns by the comment line that names them.
fn heading(comment: &str, asked: Option<OverRanks>) -> Option<Heading> {
    // Names hold single blanks, and two or more lie between them, or a unit ends one.
    let lower = comment.trim_start_matches('#').trim().to_lowercase().replace("(us)", "(us)  ");
    let titles: Vec<&str> = lower.split("  ").map(str::trim).filter(|title| !title.is_empty()).collect();
    let place = |part: &str| titles.iter().position(|title| title.contains(part));
    let column = |over_ranks: OverRanks| match over_ranks {
        OverRanks::Longest => place("max latency"),
        OverRanks::Mean => place("avg latency").or_else(|| place("latency")),
    };
    let tried = asked.map_or_else(|| vec![OverRanks::Longest, OverRanks::Mean], |asked| vec![asked]);
    let (time, over_ranks) = tried.into_iter().find_map(|tried| Some((column(tried)?, tried)))?;
    let in_microseconds = titles.get(time).is_some_and(|title| title.contains("(us)"));
    let has_size = titles.first().is_some_and(|title| title.starts_with("size"));
    in_microseconds.then(|| Heading { time, over_ranks, iterations: place("iterations"), has_size })
}

/// The given columns that the output has itself, each with the part of it that says it.
pub(super) fn repeated(text: &str, given: &GivenColumns) -> Vec<(&'static str, String)> {
    let comments = text.lines().filter(|line| line.trim_start().starts_with('#'));
    let Some(heading) = comments.filter_map(|comment| heading(comment, None)).next_back() else { return Vec::new() };
    let own = [
        ("operation", true, "title"),
        ("buffer_bytes", heading.has_size, "column \"Size\""),
        ("iterations", heading.iterations.is_some(), "column \"Iterations\""),
    ];
    let is_repeated = |&(column, is_own, _): &(&str, bool, &str)| is_own && given.get(column).is_some();
    own.into_iter().filter(is_repeated).map(|(column, _, part)| (column, part.to_owned())).collect()
}

/// Reads the output of `osu_bcast` and its like, or of `osu_latency`.
pub(super) fn read(text: &str, given: &GivenColumns) -> Result<Vec<Measurement>, ReadError> {
    let is_title = |line: &&str| line.trim_start().starts_with('#') && line.contains(" Test");
    let title = text.lines().find(is_title).unwrap_or_default().to_lowercase();
    let named = title.split_once("mpi ").and_then(|(_, rest)| rest.split_once(" latency test")).map(|(name, _)| name);
    let is_named = |osu: &Option<String>| named.is_some_and(|named| osu.as_deref() == Some(named));
    let Some((operation, entry)) = names().operation.iter().find(|(_, entry)| is_named(&entry.osu)) else {
        return ping_pongs(text, given);
    };
    let common = common(operation, given, None)?;
    let asked = given.get("over_ranks").filter(|asked| !asked.is_empty()).map(str::parse).transpose();
    let asked = asked.map_err(|error| ReadError::at(0, format!("over_ranks: {error}")))?;
    let mut columns = None;
    let mut points = Vec::new();
    for (line, content) in (1..).zip(text.lines().map(str::trim)) {
        if content.starts_with('#') {
            columns = heading(content, asked).or(columns);
            continue;
        }
        if content.is_empty() {
            continue;
        }
        let Some(columns) = &columns else {
            let message = match asked {
                Some(OverRanks::Longest) => {
                    "no header above it names a column \"Max Latency(us)\", which `over_ranks=max` asks for: let the \
                     benchmark print it (-f)"
                }
                _ => "no header above it names a column \"Avg Latency(us)\"",
            };
            return Err(ReadError::at(line, message));
        };
        let cells: Vec<&str> = content.split_whitespace().collect();
        let cell = |place: usize| {
            cells.get(place).copied().ok_or_else(|| ReadError::at(line, format!("there is no column {}", place + 1)))
        };
        let bytes = if columns.has_size { size(cell(0)?, line)? } else { 0 };
        let median = number(cell(columns.time)?, &format!("column {}", columns.time + 1), line)? / 1e6;
        // The file counts as MPI does; the whole buffer is what other files give.
        let ranks = common.ranks();
        let bytes = if entry.buffer == Buffer::Blocks { bytes.saturating_mul(ranks) } else { bytes };
        points.push(Measurement {
            line,
            bytes,
            median,
            iterations: columns
                .iterations
                .map_or(common.iterations, |place| cells.get(place).and_then(|cell| cell.parse().ok())),
            over_ranks: columns.over_ranks,
            model: modelled((operation, entry), &common.algorithm, bytes, ranks, columns.over_ranks),
            ..common.clone()
        });
    }
    Ok(points)
}

/// Ping-pongs in any form that [`read`](crate::read::read) knows: a point per size, the median of its samples.
pub(super) fn ping_pongs(text: &str, given: &GivenColumns) -> Result<Vec<Measurement>, ReadError> {
    let samples = crate::read::read(text)?;
    if samples.round_trips.is_empty() {
        return Err(ReadError::at(0, "there are neither collectives nor round trips in the file"));
    }
    let common = common(PING_PONG, given, Some(2))?;
    if common.ranks() != 2 {
        let message = format!("a ping-pong is between 2 ranks, not among {}", common.ranks());
        return Err(ReadError::at(0, message));
    }
    let entry = &names().operation[PING_PONG];
    let point = |series: &crate::Series| {
        let median = crate::robust::median(&series.seconds)? / 2.0;
        Some(Measurement {
            algorithm: PING_PONG.to_owned(),
            is_default: false,
            bytes: series.bytes,
            median,
            iterations: common.iterations.or(Some(series.seconds.len() as u64)),
            model: modelled((PING_PONG, entry), PING_PONG, series.bytes, common.ranks(), common.over_ranks),
            ..common.clone()
        })
    };
    Ok(samples.round_trips.iter().filter_map(point).collect())
}
