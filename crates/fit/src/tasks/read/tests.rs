//! Every format as it is written, and what each reader refuses.

use super::*;

fn read(text: &str) -> Result<TaskLog, ReadError> {
    let mut log = TaskLog::default();
    log.read(text, None, &[]).map(|()| log)
}

/// A task by its names: type, machine, wait from the submission, seconds and whether it failed.
type Seen<'l> = (&'l str, &'l str, Option<f64>, f64, bool);

fn seen(log: &TaskLog) -> Vec<Seen<'_>> {
    let millis = |seconds: f64| (seconds * 1e3).round() / 1e3;
    let one = |task: &LoggedTask| {
        let wait = task.submitted.and_then(|submitted| Some(millis(task.started? - submitted)));
        let (kind, machine) = (&log.kinds()[task.kind as usize], &log.machines()[task.machine as usize]);
        (kind.as_str(), machine.as_str(), wait, millis(task.seconds), task.has_failed)
    };
    log.tasks.iter().map(one).collect()
}

const PARALLEL: &str = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
const SLURM: &str = "JobID|JobName|NodeList|Submit|Start|End|AllocCPUS|State\n";
const NEXTFLOW: &str = "task_id\tname\tstatus\tsubmit\tduration\trealtime\n";

#[test]
fn every_format_is_recognised_and_read() {
    let parallel =
        format!("{PARALLEL}1\t:\t5.5\t     0.250\t0\t7\t0\t0\tX=1 /bin/sort\ta\n2\tb\t5.5\t1\t0\t7\t1\t0\tsort\n");
    let day = "2026-03-01T10:00:";
    let slurm = format!(
        "{SLURM}7|fit|n1|{day}00|{day}05|{day}15|4|COMPLETED\n7.batch|batch|n1|{day}05|{day}05|{day}15|4|COMPLETED\n\
         8|fit|n1|{day}00|{day}05|{day}06|4|OUT_OF_ME+\n9|fit|None|{day}00|Unknown|{day}30|0|CANCELLED by 5\n"
    );
    let nextflow = format!(
        "{NEXTFLOW}1\tALIGN (s 1)\tCOMPLETED\t2026-03-01 10:00:00.000\t1m 3s\t1m\n2\tALIGN (s 2)\tCACHED\t-\t-\t-\n\
         3\tSORT\tFAILED\t1700000000000\t2500\t1500\n"
    );
    let dask = r#"[{"key":"('sum-4f', 0)","worker":"w","thread":1,"startstops":[{"action":"transfer","start":1.0,"stop":2.0},
        {"action":"compute","start":2.0,"stop":2.5}]}]"#;
    let condor = "000 (7.001.000) 12/31 23:59:50 Job submitted from host: <10.0.0.1:9618>\n...\n\
        001 (7.001.000) 01/01 00:00:00 Job executing on host: <10.0.0.2:9618?alias=e1&x>\n...\n\
        012 (7.001.000) 01/01 00:00:04 Job was held.\n...\n\
        001 (7.001.000) 2027-01-01 00:00:10 Job executing on host: <10.0.0.3:9618>\n\tSlotName: slot1_2@e2\n...\n\
        005 (7.001.000) 2027-01-01T00:00:20.5 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n";
    let wfformat =
        r#"{"workflow":{"execution":{"tasks":[{"id":"blast_ID01","runtimeInSeconds":1.5,"machines":["w"]}]}}}"#;
    let csv = "# noted\nname,worker,action,submitted,start,stop\nf,w,compute,1,2,4\nf,w,transfer,1,4,5\n";
    let seconds = "type,ended,seconds\nf,8,2\n";
    let all: [(&str, &[Seen<'_>], &[&str]); 8] = [
        (&parallel, &[("sort", "localhost", None, 0.25, false), ("sort", "b", None, 1.0, true)], &["failed"]),
        (
            &slurm,
            &[("fit", "n1", Some(5.0), 10.0, false), ("fit", "n1", Some(5.0), 1.0, true)],
            &["failed", "job steps", "jobs cancelled"],
        ),
        (
            &nextflow,
            &[("ALIGN", "all", Some(3.0), 60.0, false), ("SORT", "all", Some(1.0), 1.5, true)],
            &["cached", "failed"],
        ),
        (dask, &[("sum", "w", None, 0.5, false)], &["intervals"]),
        (condor, &[("7", "e1", Some(10.0), 4.0, true), ("7", "e2", None, 10.5, false)], &["failed"]),
        (wfformat, &[("blast", "w", None, 1.5, false)], &[]),
        (csv, &[("f", "w", Some(1.0), 2.0, false)], &["actions"]),
        (seconds, &[("f", "all", None, 2.0, false)], &[]),
    ];
    for (text, tasks, ignored) in all {
        let log = read(text).unwrap();
        let mut found = seen(&log);
        if text == condor {
            // The years of the two notations have nothing to do with each other.
            found[1].2 = None;
        }
        assert_eq!(found, tasks, "{text}");
        assert!(log.ignored.keys().zip(ignored).all(|(what, words)| what.starts_with(words)), "{:?}", log.ignored);
        assert_eq!(log.ignored.len(), ignored.len(), "{:?}", log.ignored);
    }
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_column() {
    let with = |heading: &str, row: &str| format!("{heading}{row}\n");
    let day = "2026-03-01T10:00:";
    for (text, line, words) in [
        ("hello\n".to_owned(), 0, "no log of tasks that is known: GNU parallel's --joblog; Slurm's"),
        (PARALLEL.to_owned(), 0, "no task that ran"),
        (PARALLEL.replace("Exitval", "Exitvalue") + "1\n", 1, "no column `Exitval`; is it `Exitvalue`?"),
        (with(PARALLEL, "1\t:\tnow\t1\t0\t7\t0\t0\tx"), 2, "column `Starttime`: expected seconds since 1970"),
        (with(PARALLEL, "1\t:\t5\t-1\t0\t7\t0\t0\tx"), 2, "column `JobRuntime`: expected a time in seconds, not `-1`"),
        (with(PARALLEL, "1\t:\t5\t1\t0"), 2, "5 cells, and there are 9 columns: it may be cut off"),
        (
            with(SLURM, &format!("7|a|n|{day}00|{day}09|{day}07|1|COMPLETED")),
            2,
            "the task ends 2.000 s before it starts",
        ),
        (with(SLURM, &format!("7|a|n|{day}30|{day}09|{day}37|1|COMPLETED")), 2, "21.000 s before it was submitted"),
        (with(SLURM, &format!("7|a|n|{day}00|Unknown|{day}07|1|COMPLETED")), 2, "column `Start`: expected an instant"),
        (
            with(SLURM, &format!("7|a|n|{day}00|{day}01|{day}07|x|COMPLETED")),
            2,
            "column `AllocCPUS`: expected a number",
        ),
        (with(NEXTFLOW, "1\ta\tCOMPLETED\t5\t1s\t3 weeks"), 2, "column `realtime`: expected a duration such as"),
        (with(NEXTFLOW, "1\ta\tCOMPLETED\tlater\t1s\t3s"), 2, "column `submit`: expected an instant such as"),
        ("[{\"key\":\"f\",\n\"worker\":\"w\"}]".to_owned(), 2, "missing field `startstops`"),
        ("[{\"key\":\"f\",".to_owned(), 1, "EOF"),
        (
            "[{\"key\":\"f\",\"worker\":\"w\",\"startstops\":[{\"action\":\"compute\",\"start\":2,\"stop\":1}]}]"
                .to_owned(),
            0,
            "task `f`: the task ends 1.000 s before",
        ),
        ("005 (7.0.0) 2026-03-01 10:00:00 Job terminated.\n".to_owned(), 1, "not closed by `...`"),
        ("005 (7.0.0) 2026-03-01 10:00:00 x\n...\n\n005 (7".to_owned(), 4, "expected an event such as"),
        ("{\"workflow\":{\"execution\":{\"tasks\":[\n{\"id\":\"a\"}]}}}".to_owned(), 2, "`runtimeInSeconds`"),
        (
            "{\"workflow\":{\"execution\":{\"tasks\":[{\"id\":\"a\",\"runtimeInSeconds\":1,\"executedAt\":\"x\"}]}}}"
                .to_owned(),
            0,
            "task `a`: `executedAt`: expected",
        ),
        ("machine,start\nx,1\n".to_owned(), 1, "neither columns `started` and `ended` nor `seconds`"),
        ("start,end\n1,2\n\n1,soon\n".to_owned(), 4, "column `end`: expected seconds since 1970"),
    ] {
        let error = read(&text).unwrap_err();
        assert!(error.line == line && error.message.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn columns_are_renamed() {
    let renamed = |columns: &[(&str, &str)]| {
        let columns: Vec<(String, String)> = columns.iter().map(|&(a, b)| (a.to_owned(), b.to_owned())).collect();
        let mut log = TaskLog::default();
        log.read("box,from,till\nx,1,3\n", None, &columns).map(|()| log)
    };
    let log = renamed(&[("machine", "box"), ("started", "from"), ("ended", "till")]).unwrap();
    assert_eq!(seen(&log), [("task", "x", None, 2.0, false)]);
    let error = renamed(&[("machin", "box")]).unwrap_err();
    assert!(error.message.contains("is it `machine`?"), "{error}");
    let error = renamed(&[("machine", "bax")]).unwrap_err();
    assert!(error.message.contains("no column `bax`; is it `box`?"), "{error}");
    let mut log = TaskLog::default();
    let error = log.read(SLURM, None, &[("machine".to_owned(), "box".to_owned())]).unwrap_err();
    assert!(error.message.contains("sacct --parsable2, whose columns"), "{error}");
}
