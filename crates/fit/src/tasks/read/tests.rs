//! Every format as it is written, and what each reader refuses.

use super::*;

fn read(text: &str) -> Result<TaskLog, ReadError> {
    let mut log = TaskLog::default();
    log.read(text, None, &[]).map(|_| log)
}

/// The tasks: type, machine, wait from the submission, seconds, and a cross if it failed; then what was ignored.
fn seen(text: &str) -> String {
    let log = read(text).unwrap();
    let one = |task: &LoggedTask| {
        let wait = task.submitted.map_or("-".to_owned(), |at| format!("{:.3}", task.started.unwrap() - at));
        let (kind, machine) = (&log.kinds()[task.kind as usize], &log.machines()[task.machine as usize]);
        format!("{kind} {machine} {wait} {:.3}{}", task.seconds, if task.has_failed { " x" } else { "" })
    };
    let ignored = log.ignored.keys().map(|what| (*what).to_owned());
    log.tasks.iter().map(one).chain(ignored).collect::<Vec<_>>().join("; ").replace(", but for their slots", "")
}

const PARALLEL: &str = "Seq\tHost\tStarttime\tJobRuntime\tSend\tReceive\tExitval\tSignal\tCommand\n";
const SLURM: &str = "JobID|JobName|NodeList|Submit|Start|End|AllocCPUS|State\n";
const NEXTFLOW: &str = "task_id\tname\tstatus\tsubmit\tduration\trealtime\n";

#[test]
fn every_format_is_recognised_and_read() {
    let rows = "1\t:\t5.5\t     0.250\t0\t7\t0\t0\tX=1 /bin/sort\ta\n2\tb\t5.5\t1\t0\t7\t0\t9\tsort\n";
    assert_eq!(seen(&format!("{PARALLEL}{rows}")), "sort localhost - 0.250; sort b - 1.000 x; failed tasks");
    let slurm = "7|fit|n1|@00|@05|@15|4|COMPLETED\n7.batch|batch|n1|@05|@05|@15|4|COMPLETED\n\
        8|fit|n1|@00|@05|@06|4|OUT_OF_ME+\n9|fit|None|@00|Unknown|@30|0|CANCELLED by 5\n";
    assert_eq!(
        seen(&format!("{SLURM}{slurm}").replace('@', "2026-03-01T10:00:")),
        "fit n1 5.000 10.000; fit n1 5.000 1.000 x; failed tasks; job steps; jobs cancelled before they started"
    );
    let nextflow = "1\tALIGN (s 1)\tCOMPLETED\t2026-03-01 10:00:00.000\t1m 3s\t1m\n\
        2\tALIGN (s 2)\tCACHED\t-\t-\t-\n3\tSORT\tFAILED\t1700000000000\t2500\t1500\n";
    assert_eq!(
        seen(&format!("{NEXTFLOW}{nextflow}")),
        "ALIGN all 3.000 60.000; SORT all 1.000 1.500 x; cached tasks; failed tasks"
    );
    let dask = r#"[{"key":"('sum-4f', 0)","worker":"w","thread":1,"startstops":[{"action":"transfer","start":1.0,"stop":2.0},
        {"action":"compute","start":2.0,"stop":2.5}]}, {"key":"read-csv-1e8e4d09-1886-4e65","worker":"v","status":"error","startstops":[
        {"action":"compute","start":3.0,"stop":4.0}]}]"#;
    assert_eq!(seen(dask), "sum w - 0.500; read-csv v - 1.000 x; actions other than compute; failed tasks");
    // An old log, which passes a new year; then a newer one.
    let condor = "000 (7.001.000) 12/31 23:59:50 Job submitted from host: <10.0.0.1:9618>\n...\n\
        001 (7.001.000) 01/01 00:00:00 Job executing on host: <10.0.0.2:9618?alias=e1&x>\n...\n\
        012 (7.001.000) 01/01 00:00:04 Job was held.\n...\n006 (7.001.000) 01/01 00:00:05 Image size.\n...\n";
    assert_eq!(seen(condor), "7 e1 10.000 4.000 x; failed tasks; other events");
    let condor = "000 (8.000.000) 2027-01-01 00:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
        001 (8.000.000) 2027-01-01 00:00:10 Job executing on host: <10.0.0.3:9618>\n\tSlotName: slot1_2@e2\n...\n\
        005 (8.000.000) 2027-01-01T00:00:20.5 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n\
        001 (8.001.000) 2027-01-01 00:00:20 Job executing on host: <10.0.0.3:9618>\n...\n";
    assert_eq!(seen(condor), "8 e2 10.000 10.500; jobs that have not ended");
    // A shadow is lost; the job is held, and waits again from its release on.
    let condor = "000 (9.000.000) 07/05 10:00:00 Job submitted from host: <10.0.0.1:9618>\n...\n\
        001 (9.000.000) 07/05 10:00:10 Job executing on host: <10.0.0.2:9618>\n...\n010 (9.000.000) 07/05 10:00:11 Job was suspended.\n...\n\
        011 (9.000.000) 07/05 10:00:12 Job was unsuspended.\n...\n010 (9.000.000) 07/05 10:00:13 Job was suspended.\n...\n\
        007 (9.000.000) 07/05 10:00:14 Shadow exception!\n...\n012 (9.000.000) 07/05 10:00:14 Job was held.\n...\n\
        013 (9.000.000) 07/05 10:05:00 Job was released.\n...\n001 (9.000.000) 07/05 10:05:02 Job executing on host: <10.0.0.2:9618>\n...\n\
        005 (9.000.000) 07/05 10:05:09 Job terminated.\n\t(1) Normal termination (return value 0)\n...\n";
    assert_eq!(
        seen(condor),
        "9 10.0.0.2 10.000 2.000 x; 9 10.0.0.2 2.000 7.000; failed tasks; suspensions, whose time is none of their tasks'"
    );
    let wfformat = r#"{"workflow":{"execution":{"tasks":[{"id":"a_ID01","runtimeInSeconds":1.5,"machines":["w"]},
        {"id":"b_ID02","runtimeInSeconds":1,"machines":["v","w"]}]}}}"#;
    assert_eq!(seen(wfformat), "a w - 1.500; tasks on several machines");
    let csv = "# noted\nname,worker,action,submitted,start,stop\nf,w,compute,1,2,4\nf,w,transfer,1,4,5\n";
    assert_eq!(seen(csv), "f w 1.000 2.000; actions other than compute");
    assert_eq!(
        seen("type,ended,seconds\nf,8,2\n,9,0\n"),
        "f all - 2.000; task all - 0.000; tasks too short for the clock and the farm"
    );
}

/// A task that waited within its time ended when the log says.
#[test]
fn an_end_that_is_given_is_the_end() {
    let log = read("started,ended,seconds\n1,5,2\n1,3,2\n").unwrap();
    let ends: Vec<Option<f64>> = log.tasks.iter().map(LoggedTask::ended).collect();
    assert_eq!((log.tasks[0].seconds, ends), (2.0, vec![Some(5.0), Some(3.0)]));
    assert_eq!(read("started,seconds\n1,2\n").unwrap().tasks[0].ended(), Some(3.0));
}

#[test]
fn what_is_wrong_is_said_with_its_line_and_column() {
    let (parallel, slurm, nextflow) = (PARALLEL, SLURM, NEXTFLOW);
    let executed = |task: &str| (format!("{{\"workflow\":{{\"execution\":{{\"tasks\":[\n{task}]}}}}}}"), String::new());
    for ((heading, row), line, words) in [
        (("hello".into(), "\n".into()), 0, "no log of tasks that is known: GNU parallel's --joblog; Slurm's"),
        ((parallel.into(), "\n".into()), 0, "no task that ran"),
        ((parallel.replace("Exitval", "Exitvalue"), "1".into()), 1, "no column `Exitval`; is it `Exitvalue`?"),
        ((parallel.into(), "1\t:\tnow\t1\t0\t7\t0\t0\tx".into()), 2, "column `Starttime`: expected seconds since 1970"),
        (
            (parallel.into(), "1\t:\t5\t-1\t0\t7\t0\t0\tx".into()),
            2,
            "`JobRuntime`: expected a time in seconds, not `-1`",
        ),
        ((parallel.into(), "1\t:\t5\t1\t0".into()), 2, "5 cells, and there are 9 columns: it may be cut off"),
        ((slurm.into(), "7|a|n|@00|@09|@07|1|COMPLETED".into()), 2, "the task ends 2.000 s before it starts"),
        ((slurm.into(), "7|a|n|@30|@09|@37|1|COMPLETED".into()), 2, "21.000 s before it was submitted: a clock"),
        ((slurm.into(), "7|a|n|@00|Unknown|@07|1|COMPLETED".into()), 2, "column `Start`: expected an instant"),
        ((slurm.into(), "7|a|n|@00|@01|@07|x|COMPLETED".into()), 2, "column `AllocCPUS`: expected a number"),
        (
            (nextflow.into(), "1\ta\tCOMPLETED\t5\t1s\t3 weeks".into()),
            2,
            "column `realtime`: expected a duration such as",
        ),
        ((nextflow.into(), "1\ta\tCOMPLETED\tlater\t1s\t3s".into()), 2, "column `submit`: expected an instant such as"),
        (
            ("005 (7.0.0) 01/01 00:00:00 Job terminated.\n...\n".into(), "005 (7.0.0) noon Job".into()),
            3,
            "expected an event such as",
        ),
        (
            ("000 (7.0.0) 01/01 00:00:00 Job submitted.\n".into(), "more".into()),
            1,
            "not closed by `...`: the log may be cut off",
        ),
        (("[\n".into(), r#"{"key":"a"}]"#.into()), 2, "missing field `worker`"),
        (
            ("[".into(), r#"{"key":"a","worker":"w","startstops":[{"action":"compute","start":2,"stop":1}]}]"#.into()),
            0,
            "task `a`: the task ends 1.000 s before it starts",
        ),
        (executed(r#"{"id":"a"}"#), 2, "missing field `runtimeInSeconds`"),
        (executed(r#"{"id":"a","runtimeInSeconds":-1}"#), 0, "task `a`: the task ends 1.000 s before"),
        (executed(r#"{"id":"a","runtimeInSeconds":1,"executedAt":"x"}"#), 0, "task `a`: `executedAt`: expected"),
        (("machine,start\n".into(), "x,1".into()), 1, "neither columns `started` and `ended` nor `seconds`"),
        (("start,end\n".into(), "-1e308,1e308".into()), 2, "lasts longer than"),
        (("machine,seconds\na,1\n".into(), "b,1e300".into()), 3, "lasts longer than can be reckoned with"),
        (("machine,seconds\na,1\n".into(), "b,1e-300".into()), 3, "is shorter than can be reckoned with"),
        (("start,end,seconds\n5,7,2\n".into(), "5,3,2".into()), 3, "the task ends 2.000 s before it starts"),
        (("start,end\n1,2\n\n".into(), "1,soon".into()), 4, "column `end`: expected seconds since 1970"),
    ] {
        let text = heading + &row.replace('@', "2026-03-01T10:00:");
        let error = read(&text).unwrap_err();
        assert!(error.line == line && error.message.contains(words), "{text:?}: {error}");
    }
}

#[test]
fn columns_are_renamed() {
    let renamed = |text: &str, column: &str, title: &str| {
        let columns = [(column.to_owned(), title.to_owned()), ("seconds".to_owned(), "took".to_owned())];
        let mut log = TaskLog::default();
        log.read(text, None, &columns).map_or_else(|error| error.message, |_| log.machines()[0].clone())
    };
    let csv = "box,took\nx,1\n";
    assert_eq!(renamed(csv, "machine", "box"), "x");
    assert!(renamed(csv, "machin", "box").contains("is it `machine`?"));
    assert!(renamed(csv, "machine", "bax").contains("no column `bax`; is it `box`?"));
    assert!(renamed(SLURM, "machine", "box").contains("sacct --parsable2, whose columns"));
}
