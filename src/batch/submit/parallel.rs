//! GNU parallel: runs the shards of a sweep on one machine (or, with its own `--sshlogin`, on several), then the merge.
//!
//! Parallel keeps a log of its jobs and, when told to resume, repeats those that failed or were never logged. It
//! identifies a job by its position in the list, so it always gets the whole list of shards. If its log counts a shard
//! as done and the store does not (a segment was removed, or the scenario changed), the log is moved away and started
//! anew. In both cases stored runs are not computed again.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use super::{Prepared, Request, Submission, SubmitError, quoted, remember};

/// The log in the folder of the scripts.
const LOG: &str = "parallel.log";

pub(super) fn prepare(request: &Request) -> Result<Prepared, SubmitError> {
    let resources = &request.resources;
    for (name, given) in [
        ("--partition", resources.partition.is_some()),
        ("--account", resources.account.is_some()),
        ("--memory", resources.memory.is_some()),
        ("--time", resources.time.is_some()),
    ] {
        if given {
            let message =
                format!("GNU parallel has no {name}; --option passes options of its own, such as --timeout=3600");
            return Err(SubmitError::Unfit(message));
        }
    }
    let folder = request.jobs();
    let last = request.shards.first().map_or(0, |shard| shard.count() - 1);
    let cores = std::thread::available_parallelism().map_or(1, |cores| cores.get() as u32);
    let at_once = resources.at_once.unwrap_or_else(|| (cores / resources.cpus.max(1)).max(1)).to_string();
    let log = logged(&folder.join(LOG));
    let resumes = log.as_ref().is_some_and(|done| request.shards.iter().all(|shard| !done.contains(&shard.index())));
    let mut words = vec!["parallel", "--jobs", &at_once, "--joblog", LOG];
    if resumes {
        words.push("--resume-failed");
    }
    words.extend(resources.options.iter().map(String::as_str));
    let aside = if log.is_some() && !resumes { format!("mv -f {LOG} {LOG}.old && ") } else { String::new() };
    let all = format!(
        "#!/bin/sh\n\
         # Computes the shards of a sweep, then merges. Written by `hetsim submit`, which writes it again.\n\
         cd -- {} || exit 1\n\
         {aside}seq 0 {last} | {} sh shard.sh {{}} || echo \"some shards failed\" >&2\n\
         exec sh merge.sh\n",
        quoted([super::text(&folder)?])?,
        quoted(words)?,
    );
    Ok(Prepared {
        scripts: vec![
            ("shard.sh", request.shard_script("$1")?),
            ("merge.sh", request.merge_script()?),
            ("parallel.sh", all),
        ],
        folder,
        commands: vec!["sh parallel.sh".to_owned()],
    })
}

/// The shards that a log counts as done; `None` without a log. Its columns are: sequence, host, start, time, bytes sent
/// and received, exit value, signal, command.
fn logged(path: &Path) -> Option<BTreeSet<u32>> {
    let text = std::fs::read_to_string(path).ok()?;
    let done = |line: &str| {
        let fields: Vec<&str> = line.split('\t').collect();
        let sequence: u32 = fields.first()?.parse().ok()?;
        (fields.get(6) == Some(&"0") && fields.get(7) == Some(&"0")).then(|| sequence.checked_sub(1)).flatten()
    };
    Some(text.lines().filter_map(done).collect())
}

pub(super) fn submit(request: &Request, submission: Submission) -> Result<Submission, SubmitError> {
    // Checked first, since the script could report it only in its log.
    if let Err(cause) = Command::new("parallel").arg("--version").output() {
        return Err(SubmitError::Start { program: "parallel".to_owned(), system: "GNU parallel", cause });
    }
    remember(&request.folder(), &submission)?;
    let status = Command::new("sh").arg("parallel.sh").current_dir(request.jobs()).status();
    let status = status.map_err(|cause| SubmitError::Start { program: "sh".to_owned(), system: "a shell", cause })?;
    if status.success() {
        return Ok(submission);
    }
    let message = format!("{status}; its output is above. Submit again to compute what is missing");
    Err(SubmitError::Refused { command: "sh parallel.sh".to_owned(), message })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_log_tells_what_is_done() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let log = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n\
                   1\t:\t1.0\t0.1\t0\t0\t0\t0\tsh shard.sh 0\n\
                   3\t:\t1.0\t0.1\t0\t0\t1\t0\tsh shard.sh 2\n\
                   2\t:\t1.0\t0.1\t0\t0\t0\t9\tsh shard.sh 1\n\
                   4\t:\t1.0\t0.1\t0\t0\t0\t0\tsh shard.sh 3\n";
        std::fs::write(file.path(), log).unwrap();
        assert_eq!(logged(file.path()), Some(BTreeSet::from([0, 3])));
        assert_eq!(logged(Path::new("/nowhere")), None);
    }
}
