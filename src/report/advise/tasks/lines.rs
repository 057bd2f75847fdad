//! The lines to paste: keys of a scenario, or what the system of a log calls its settings.

use super::setting::key_name;
use super::{Setting, TaskAdvice};
use crate::fit::tasks::LogFormat;
use crate::policy::{Kind, Policy};
use crate::workload::farm_advice::{Dealing, FarmSetting, TaskOrder};
use crate::workload::graph_advice::GraphSetting;
use crate::workload::hpl::GridOrder;
use crate::workload::hpl_advice::HplSetting;
use crate::workload::machines::MachineKind;

/// What advice is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// A scenario.
    Scenario,
    /// The system whose log has so many tasks.
    Log(LogFormat, usize),
}

/// What that system can do. WfFormat is written by systems for workflows.
#[must_use]
pub const fn dealing(asked: Asked) -> Dealing {
    match asked {
        Asked::Scenario | Asked::Log(LogFormat::Csv, _) => Dealing::ByAnyPolicy,
        Asked::Log(LogFormat::Parallel | LogFormat::Dask | LogFormat::Slurm, _) => Dealing::InChunks,
        Asked::Log(LogFormat::Nextflow | LogFormat::Condor | LogFormat::Wfformat, _) => Dealing::OneByOne,
    }
}

/// Slurm's default `MaxArraySize`: all numbers of an array are below it.
const MAX_ARRAY_SIZE: usize = 1001;

impl<S: Setting> TaskAdvice<S> {
    /// That only some of the nodes are to be used.
    fn others_out(&self) -> String {
        format!("# and take out all but the fastest {}", S::nodes(self.counted(self.enough().0)))
    }

    /// The names of the machines that have none of so many of the fastest nodes.
    fn unused(&self, count: usize) -> impl Iterator<Item = &str> {
        let used = &self.machines.fastest[..count];
        let is_unused = move |kind: &&MachineKind| !kind.machines.iter().flatten().any(|node| used.contains(node));
        self.machines.kinds.iter().filter(is_unused).map(|kind| kind.name.as_str())
    }
}

impl TaskAdvice<FarmSetting> {
    /// The lines to paste; none where all stays as it is.
    #[must_use]
    pub fn lines(&self, asked: Asked) -> Vec<String> {
        let FarmSetting { chunk, ahead, order, .. } = self.used().what;
        let count = self.enough().0;
        let mut lines = match asked {
            Asked::Log(LogFormat::Parallel, _) => {
                let chunk = if chunk > 1 { format!(" -N {chunk}") } else { String::new() };
                vec![format!("parallel {}{chunk} …", self.slots(count))]
            }
            Asked::Log(LogFormat::Dask, _) => {
                let chunk = (chunk > 1).then(|| format!("dask.bag.from_sequence(tasks, partition_size={chunk})"));
                // Of a worker of one thread: rounded up, 1.1, the default, is two tasks.
                let saturation = if ahead > 0 { "1.1" } else { "1.0" };
                let retired = self.unused(count).map(|name| format!("{name:?}")).collect::<Vec<_>>();
                let retired = (!retired.is_empty()).then(|| format!("client.retire_workers([{}])", retired.join(", ")));
                let saturation = format!("distributed.scheduler.worker-saturation: {saturation}");
                [saturation].into_iter().chain(chunk).chain(retired).collect()
            }
            Asked::Log(LogFormat::Slurm, tasks) => self.array(tasks, chunk as usize, count),
            Asked::Log(LogFormat::Nextflow, _) => vec![format!("executor.queueSize = {count}")],
            _ => self.keys(),
        };
        if self.with_fewer.is_some() && matches!(asked, Asked::Scenario | Asked::Log(LogFormat::Csv, _)) {
            lines.push(self.others_out());
        }
        if order == TaskOrder::LongestFirst {
            lines.push("# and sort the tasks, the longest first".to_owned());
        }
        lines
    }

    /// The keys of a scenario that change.
    fn keys(&self) -> Vec<String> {
        let (own, FarmSetting { policy, chunk, ahead, .. }) = (self.settings[0].what, self.used().what);
        if (policy, chunk, ahead) == (own.policy, own.chunk, own.ahead) {
            return Vec::new();
        }
        let has_chunks = policy.kind() == Kind::SelfScheduling && policy != Policy::Adaptive;
        let mut lines = vec![format!("workload.farm.policy = \"{policy}\"")];
        lines.extend(has_chunks.then(|| format!("workload.farm.chunk = {chunk}")));
        if ahead != own.ahead {
            lines.push("# and take out workload.farm.ahead and steal_interval".to_owned());
        }
        if own.policy == Policy::StaticShares {
            lines.push("# and take out workload.farm.shares and first_share".to_owned());
        }
        lines
    }

    /// Slurm's array for so many of the fastest workers, and the loop by which each of its tasks does a chunk.
    fn array(&self, tasks: usize, chunk: usize, count: usize) -> Vec<String> {
        let last = tasks.saturating_sub(1);
        // Without a limit, Slurm may also use machines that the log does not show.
        let has_all = count == self.machines.fastest.len();
        let at_once = if has_all { String::new() } else { format!("%{count}") };
        let mut lines = vec![format!("#SBATCH --array=0-{}{at_once}", last / chunk)];
        lines.extend(
            (last / chunk >= MAX_ARRAY_SIZE).then(|| format!("# which takes a MaxArraySize of {}", last / chunk + 1)),
        );
        // The limit alone does not tell Slurm which machines to use.
        let unused: Vec<&str> = self.unused(count).collect();
        lines.extend((!unused.is_empty()).then(|| format!("#SBATCH --exclude={}", unused.join(","))));
        // By multiples, since Slurm limits the numbers of an array and not their count.
        let first = format!("$(({chunk} * SLURM_ARRAY_TASK_ID))");
        lines.extend((chunk > 1).then(|| format!("for task in $(seq {first} {last} | head -n {chunk}); do …; done")));
        lines
    }

    /// The jobs at once of GNU parallel, for so many of the fastest workers.
    fn slots(&self, count: usize) -> String {
        let used = &self.machines.fastest[..count];
        if let [_] = self.machines.kinds.as_slice() {
            return format!("--jobs {count}");
        }
        let of_machine = self.machines.kinds.iter().rev().filter_map(|kind| {
            let slots = kind.machines.iter().flatten().filter(|worker| used.contains(worker)).count();
            (slots > 0).then(|| format!("{slots}/{}", kind.name))
        });
        format!("--sshlogin {}", of_machine.collect::<Vec<_>>().join(","))
    }
}

impl TaskAdvice<GraphSetting> {
    /// The keys of a scenario that change.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let (own, used) = (self.settings[0].what, self.used().what);
        let mut lines = Vec::new();
        if let Some(scheduler) = used.scheduler.filter(|_| used != own) {
            lines.push(format!("workload.scheduler = \"{scheduler}\""));
            lines.extend(own.scheduler.is_none().then(|| "# and take out workload.mapping".to_owned()));
            lines.extend(own.insertion.map(|_| "# and take out workload.insertion".to_owned()));
        }
        if self.with_fewer.is_some() {
            lines.push(self.others_out());
        }
        lines
    }
}

impl TaskAdvice<HplSetting> {
    /// The keys of a scenario that change, with the numbers that `HPL.dat` has instead of names.
    #[must_use]
    pub fn keys(&self) -> Vec<String> {
        let (own, used) = (self.settings[0].what, self.used().what);
        let number = |key: &str, own: u32, used: u32| (own != used).then(|| format!("workload.{key} = {used}"));
        let name = |key: &str, is_changed: bool, name: String, number: usize| {
            is_changed.then(|| format!("workload.{key} = \"{name}\" # {} {number} in HPL.dat", key.to_uppercase()))
        };
        let ((bcast, _), (swap, _)) = (used.broadcast_in_hpl(), used.swap_in_hpl());
        let is_by_columns = usize::from(used.pmap == GridOrder::ColumnMajor);
        let leave_out = self.with_fewer.as_ref().map(|_| {
            let names: Vec<&str> = self.unused(self.enough().0).collect();
            format!("# and leave out {}", names.join(", "))
        });
        let lines = [
            number("p", own.p, used.p),
            number("q", own.q, used.q),
            name("pmap", own.pmap != used.pmap, key_name(&used.pmap), is_by_columns),
            number("nb", own.nb, used.nb),
            name("bcast", own.bcast != used.bcast, key_name(&used.bcast), bcast),
            name("swap", own.swap != used.swap, key_name(&used.swap), swap),
            number("depth", own.depth, used.depth),
            leave_out,
        ];
        lines.into_iter().flatten().collect()
    }
}
