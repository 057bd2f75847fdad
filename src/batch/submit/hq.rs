//! HyperQueue: the shards are the tasks of one job. Its commands are only shown.

use super::{Prepared, Request, SubmitError, quoted};

pub(super) fn prepare(request: &Request) -> Result<Prepared, SubmitError> {
    let resources = &request.resources;
    for (name, given) in [
        ("--partition", resources.partition.is_some()),
        ("--account", resources.account.is_some()),
        ("--memory", resources.memory.is_some()),
        ("--at-once", resources.at_once.is_some()),
    ] {
        if given {
            let message =
                format!("HyperQueue has no {name}: set it for the workers instead (hq alloc add, hq worker start)");
            return Err(SubmitError::Unfit(message));
        }
    }
    let folder = request.jobs();
    let path = super::text(&folder)?.to_owned();
    let mut words = vec!["hq".to_owned(), "submit".to_owned(), "--wait".to_owned()];
    let mut option = |name: &str, value: String| words.extend([format!("--{name}"), value]);
    option("array", request.ranges());
    option("name", request.job_name());
    option("cpus", resources.cpus.to_string());
    if let Some(time) = &resources.time {
        option("time-limit", time.clone());
    }
    words.extend(resources.options.iter().cloned());
    // A worker runs it in a folder of its own choice, so the path must be absolute.
    words.extend(["--".to_owned(), "sh".to_owned(), format!("{path}/shard.sh")]);
    Ok(Prepared {
        scripts: vec![("shard.sh", request.shard_script("$HQ_TASK_ID")?), ("merge.sh", request.merge_script()?)],
        folder,
        commands: vec![quoted(words.iter().map(String::as_str))?, "sh merge.sh".to_owned()],
    })
}

/// The reason why hetsim does not submit to it.
pub(super) fn refusal() -> SubmitError {
    let message = "hetsim does not submit to HyperQueue, since that is untested: --dry-run shows the script and the \
                   commands to run by hand";
    SubmitError::Unfit(message.to_owned())
}
