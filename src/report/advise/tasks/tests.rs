//! What is advised of times that are made up.

use super::*;
use crate::fit::tasks::LogFormat;
use crate::policy::Policy;
use crate::workload::farm_advice::{FarmSetting, TaskOrder};
use crate::workload::graph_advice::GraphSetting;

/// The replicas of a mean, whose common part is the same for all that is tried.
fn around(mean: f64, own: f64) -> Vec<f64> {
    (0..8).map(|replica| mean + f64::from(replica % 4 - 2) + own * f64::from(replica % 3 - 1)).collect()
}

fn setting(policy: Policy, chunk: u32, order: TaskOrder) -> FarmSetting {
    FarmSetting { policy, chunk, ahead: 0, order }
}

/// Two kinds of machines, of which a slow one and two fast ones; with these times of settings and changes.
fn advice(settings: &[Vec<f64>], changes: &[(MachineChange, Vec<f64>)]) -> TaskAdvice<FarmSetting> {
    let whats = [
        setting(Policy::Guided, 1, TaskOrder::AsGiven),
        setting(Policy::Adaptive, 1, TaskOrder::AsGiven),
        setting(Policy::Fixed, 4, TaskOrder::LongestFirst),
    ];
    let settings: Vec<_> =
        whats.into_iter().zip(settings.iter().cloned()).map(|(what, seconds)| Tried { what, seconds }).collect();
    let kind = |name: &str, machines: &[u32], speed: f64| MachineKind {
        name: name.to_owned(),
        machines: machines.iter().map(|&node| vec![node]).collect(),
        speed,
    };
    let machines = Machines { kinds: vec![kind("old", &[1], 1.0), kind("new", &[2, 3], 4.0)], fastest: vec![2, 3, 1] };
    let advised = advised(&settings, &race(8)).unwrap();
    let changes = changes.iter().cloned().map(|(what, seconds)| Tried { what, seconds }).collect();
    let lower_bound_s = None;
    TaskAdvice { settings, advised, lower_bound_s, machines, changes, with_fewer: None, race: race(8) }
}

/// The advised setting: the farm's own where it is tied, else the simplest of a tie; by pairs, which see through what all
/// replicas have in common.
#[test]
fn of_a_tie_the_simplest_is_advised() {
    let advised = |means: [(f64, f64); 3]| advice(&means.map(|(mean, own)| around(mean, own)), &[]).advised;
    assert_eq!(advised([(10.0, 0.0), (9.0, 0.0), (9.2, 0.0)]), 1);
    assert_eq!(advised([(10.0, 0.0), (9.02, 0.0), (9.0, 0.0)]), 1, "less than half a per cent");
    assert_eq!(advised([(10.0, 0.0), (9.2, 0.0), (9.0, 0.0)]), 2);
    assert_eq!(advised([(9.2, 2.0), (9.5, 0.0), (9.0, 0.0)]), 0, "within the interval");
    // The first of two that tie with the third takes no less than the present one for sure.
    assert_eq!(advised([(10.0, 0.0), (9.9, 3.0), (9.0, 0.0)]), 2);
    let early = advice(&[around(10.0, 0.0), around(8.0, 0.0)[..4].to_vec(), around(9.0, 0.0)], &[]);
    assert_eq!(early.advised, 2, "what dropped out is not advised");
    assert_eq!(super::advised::<FarmSetting>(&[], &race(8)), None);
}

#[test]
fn a_setting_is_kept_or_changed_in_words() {
    let kept = advice(&[vec![9.0; 8], vec![9.0; 8], vec![9.3; 8]], &[]);
    assert_eq!(kept.sentences(), ["Keep tasks by guided: 9\u{a0}s. Nothing else that was tried is surely shorter."]);
    assert_eq!(kept.lines(Asked::Scenario), Vec::<String>::new());
    let changed = advice(&[around(12.0, 0.0), around(10.0, 0.3), around(9.0, 0.1)], &[]);
    assert_eq!(
        changed.sentences()[0].replace('\u{a0}', " "),
        "Hand out chunks of 4, longest first: 8.49 s (7.49 to 9.48), 26 % shorter than now (24 to 29)."
    );
}

/// A machine without which the run is surely longer by less than a tenth of its share of the speed, a ninth and eight
/// ninths here, is not worth using.
#[test]
fn machines_are_judged_by_their_share() {
    use MachineChange::{Fastest, OneMore, WithoutAll, WithoutOne};
    let with = |old: f64, new: f64, all: f64| {
        let changes = [(WithoutOne(0), old), (WithoutOne(1), new), (WithoutAll(1), all)];
        let changes = changes.map(|(change, mean)| (change, vec![mean; 8]));
        let advice = advice(&[vec![9.0; 8], vec![9.5; 8], vec![9.5; 8]], &changes);
        advice.sentences()[1..].iter().map(|sentence| sentence.replace('\u{a0}', " ")).collect::<Vec<_>>()
    };
    assert_eq!(with(10.0, 11.0, 30.0), Vec::<String>::new());
    assert_eq!(with(9.0, 11.0, 30.0), ["It is not worth using old: without it the run is no longer."]);
    assert_eq!(with(9.08, 11.0, 30.0), ["It is not worth using old: without it the run is 0.9 % longer."]);
    assert_eq!(with(9.11, 11.0, 30.0), Vec::<String>::new());
    assert_eq!(
        with(10.0, 9.0, 30.0),
        ["It is not worth using one of the 2 machines of new: without it the run is no longer."]
    );
    assert_eq!(
        with(10.0, 9.0, 4.5),
        ["It is not worth using the 2 machines of new: without them the run is 50 % shorter."]
    );
    let fewer = |one: f64, two: f64, more: f64| {
        let changes = [(Fastest(1), one), (Fastest(2), two), (OneMore(1), more)];
        let changes = changes.map(|(change, mean)| (change, vec![mean; 8]));
        let advice = advice(&[vec![9.0; 8], vec![9.5; 8], vec![9.5; 8]], &changes);
        (advice.enough().0, advice.sentences()[1..].join(" ").replace('\u{a0}', " "))
    };
    assert_eq!(fewer(15.0, 10.0, 9.0), (3, "One more machine brings nothing.".to_owned()));
    let unsure = |two: Vec<f64>, more: Vec<f64>| {
        let changes = [(Fastest(2), two), (OneMore(1), more)];
        let advice = advice(&[vec![9.0; 8], vec![9.5; 8], vec![9.5; 8]], &changes);
        (advice.enough().0, advice.sentences()[1..].join(" "))
    };
    let not_sure = "It is not sure that one more machine brings anything.".to_owned();
    assert_eq!(unsure(around(10.0, 0.0), around(9.0, 0.0)), (3, not_sure), "by 6 % each, but not surely");
    let failed = advice(&[vec![9.0; 8], vec![9.5; 8], vec![9.5; 8]], &[(OneMore(0), Vec::new())]);
    assert_eq!(failed.sentences().len(), 1, "nothing is known of what cannot run");
    let enough = "The fastest 2 workers of 3 are enough: 9.01 s. One more machine like new makes it 50 % shorter.";
    assert_eq!(fewer(15.0, 9.01, 4.5), (2, enough.to_owned()));
    let better = "The fastest worker of 3 is better than all: 6 s, 33 % shorter. One more machine brings nothing.";
    assert_eq!(fewer(6.0, 6.01, 9.0), (1, better.to_owned()));
}

/// Each system is told what it calls what is advised.
#[test]
fn lines_of_each_system() {
    let changes = [(MachineChange::Fastest(2), vec![9.0; 8])];
    let advice = advice(&[vec![12.0; 8], vec![10.0; 8], vec![9.0; 8]], &changes);
    let sorted = "# and sort the tasks, the longest first";
    let log = |format: LogFormat| advice.lines(Asked::Log(format, 60));
    assert_eq!(advice.lines(Asked::Scenario), ["workload.farm.policy = \"fixed\"", "workload.farm.chunk = 4", sorted]);
    assert_eq!(log(LogFormat::Parallel), ["parallel --sshlogin 2/new -N 4 …", sorted]);
    let saturation = "distributed.scheduler.worker-saturation: 1.0";
    let bag = "dask.bag.from_sequence(tasks, partition_size=4)";
    assert_eq!(log(LogFormat::Dask), [saturation, bag, "client.retire_workers([\"old\"])", sorted]);
    let array = [
        "#SBATCH --array=0-14%2",
        "#SBATCH --exclude=old",
        "for task in $(seq $((4 * SLURM_ARRAY_TASK_ID)) 59 | head -n 4); do …; done",
        sorted,
    ];
    assert_eq!(log(LogFormat::Slurm), array);
    assert_eq!(log(LogFormat::Nextflow), ["executor.queueSize = 2", sorted]);
    let alone = Machines { kinds: advice.machines.kinds[1..].to_vec(), fastest: vec![2, 3] };
    let alone = TaskAdvice { machines: alone, advised: 1, changes: Vec::new(), ..advice };
    assert_eq!(alone.lines(Asked::Log(LogFormat::Parallel, 60)), ["parallel --jobs 2 …"]);
    assert_eq!(alone.lines(Asked::Log(LogFormat::Dask, 60)), [saturation]);
    assert_eq!(
        alone.lines(Asked::Log(LogFormat::Slurm, 60)),
        ["#SBATCH --array=0-59"],
        "what else is free may be used"
    );
    let large = alone.lines(Asked::Log(LogFormat::Slurm, 1002));
    assert_eq!(large, ["#SBATCH --array=0-1001", "# which takes a MaxArraySize of 1002"]);
    assert_eq!(alone.lines(Asked::Log(LogFormat::Slurm, 1001)), ["#SBATCH --array=0-1000"]);
}

/// Fewer workers may want another setting, which is advised if it surely takes less time than all do.
#[test]
fn fewer_workers_with_a_setting_of_their_own() {
    let changes = [(MachineChange::Fastest(2), vec![9.0; 8])];
    let mut advice = advice(&[vec![12.0; 8], vec![10.0; 8], vec![9.0; 8]], &changes);
    assert_eq!(advice.fewer_nodes(), Some([2, 3].as_slice()));
    let with = |seconds: f64| {
        vec![Tried { what: setting(Policy::Adaptive, 1, TaskOrder::AsGiven), seconds: vec![seconds; 8] }]
    };
    advice.try_fewer(with(9.0));
    assert_eq!(advice.with_fewer, None);
    advice.try_fewer(with(6.0));
    let expected = [
        "Use only the fastest 2 workers of 3, and hand out one task at a time: 6 s, 50 % shorter than now.",
        "With all, hand out chunks of 4, longest first: 9 s, 25 % shorter than now.",
    ];
    assert_eq!(advice.sentences().iter().map(|text| text.replace('\u{a0}', " ")).collect::<Vec<_>>(), expected);
    let only = "# and take out all but the fastest 2 workers";
    assert_eq!(advice.lines(Asked::Scenario), ["workload.farm.policy = \"adaptive\"", only]);
    let array = ["#SBATCH --array=0-59%2", "#SBATCH --exclude=old"];
    assert_eq!(advice.lines(Asked::Log(LogFormat::Slurm, 60)), array, "a slow machine would be one of the first two");
}

/// Task graphs have nodes and schedulers, and a time that no schedule is below.
#[test]
fn schedulers_in_words_and_keys() {
    let setting = |scheduler: Option<&str>| GraphSetting {
        scheduler: scheduler.map(|name| name.parse().unwrap()),
        insertion: None,
    };
    let advice = |own: GraphSetting, times: [f64; 2], changes: &[(MachineChange, f64)]| {
        let settings = [own, setting(Some("peft"))].into_iter().zip(times);
        let settings: Vec<_> = settings.map(|(what, seconds)| Tried { what, seconds: vec![seconds; 8] }).collect();
        let machines = vec![vec![0], vec![1]];
        let kinds = vec![MachineKind { name: "lab".to_owned(), machines, speed: 1.0 }];
        let changes = changes.iter().map(|&(what, seconds)| Tried { what, seconds: vec![seconds; 8] }).collect();
        TaskAdvice {
            advised: advised(&settings, &race(8)).unwrap(),
            settings,
            lower_bound_s: Some(8.0),
            machines: Machines { kinds, fastest: vec![0, 1] },
            changes,
            with_fewer: None,
            race: race(8),
        }
    };
    let said = |advice: &TaskAdvice<GraphSetting>| advice.sentences().join(" ").replace('\u{a0}', " ");
    let kept = advice(setting(None), [8.0, 9.0], &[(MachineChange::Fastest(1), 8.0)]);
    let bound = "On these machines no schedule can";
    assert_eq!(
        said(&kept),
        format!(
            "Keep the given mapping: 8 s. Nothing else that was tried is surely shorter. {bound} be shorter by more than 0.5 %. \
             The fastest node of 2 is enough: 8 s."
        )
    );
    assert_eq!(kept.keys(), Vec::<String>::new());
    let changed = advice(setting(None), [12.0, 10.0], &[]);
    assert_eq!(
        said(&changed),
        format!("Schedule by peft: 10 s, 17 % shorter than now. {bound} take less than 8 s, 20 % less.")
    );
    assert_eq!(changed.keys(), ["workload.scheduler = \"peft\"", "# and take out workload.mapping"]);
    let own = GraphSetting { insertion: Some(true), ..setting(Some("dls")) };
    let mut fewer = advice(own, [12.0, 10.0], &[(MachineChange::Fastest(1), 9.0)]);
    fewer.try_fewer(vec![Tried { what: own, seconds: vec![6.0; 8] }]);
    assert_eq!(
        said(&fewer),
        "Use only the fastest node of 2, and schedule by dls with insertion: 6 s, 50 % shorter than now. \
         With all, schedule by peft: 10 s, 17 % shorter than now."
    );
    assert_eq!(fewer.keys(), ["# and take out all but the fastest node"]);
    fewer.with_fewer = None;
    assert_eq!(fewer.keys(), ["workload.scheduler = \"peft\"", "# and take out workload.insertion"]);
    assert_eq!(setting(Some("recorded")).to_string(), "the recorded machines");
}
