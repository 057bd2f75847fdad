//! When the ranks of a plan are done, without events.

use rustc_hash::FxHashMap;

use super::plan::{Step, StepPlan};
use crate::Cost;
use hetsim_base::units::Time;

/// How far a rank has come.
#[derive(Debug, Clone, Copy, Default)]
struct RankTimes {
    step: u32,
    waits: bool,
    /// When it has received all before its next step.
    ready: Time,
    /// When its port is free.
    free: Time,
}

impl StepPlan {
    /// When each rank has received its last message, all having begun at once; `cost` gives what a message of so many
    /// bytes costs. A send starts once the rank has received all before it and its port is free; what it costs to
    /// combine is left out.
    pub fn arrivals(&self, cost: impl Fn(u64) -> Cost) -> Vec<Time> {
        // Nothing is later than this limit.
        self.arrivals_within(Time::NEVER, cost).unwrap_or_default()
    }

    /// The same, unless a rank receives something later than `limit`, where it ends at once.
    pub(crate) fn arrivals_within(&self, limit: Time, cost: impl Fn(u64) -> Cost) -> Option<Vec<Time>> {
        let mut places = vec![RankTimes::default(); self.ranks() as usize];
        // Messages for which nobody waits yet, by receiver and step.
        let mut early: FxHashMap<(u32, u32), Time> = FxHashMap::default();
        let mut free_to_go: Vec<u32> = (0..self.ranks()).rev().collect();
        while let Some(rank) = free_to_go.pop() {
            let mut place = places[rank as usize];
            while let Some(step) = self.step(rank, place.step) {
                match step {
                    Step::Send { to, bytes, receive, .. } => {
                        let (start, cost) = (place.free.max(place.ready), cost(bytes));
                        place.free = start + cost.gap;
                        let arrival = start + cost.hop;
                        if arrival > limit {
                            return None;
                        }
                        let receiver = &mut places[to as usize];
                        if receiver.waits && receiver.step == receive {
                            receiver.ready = receiver.ready.max(arrival);
                            (receiver.waits, receiver.step) = (false, receive + 1);
                            free_to_go.push(to);
                        } else {
                            early.insert((to, receive), arrival);
                        }
                    }
                    Step::Local { .. } => {}
                    Step::Receive { .. } => {
                        let Some(arrival) = early.remove(&(rank, place.step)) else {
                            place.waits = true;
                            break;
                        };
                        place.ready = place.ready.max(arrival);
                    }
                }
                place.step += 1;
            }
            places[rank as usize] = place;
        }
        Some(places.into_iter().map(|place| place.ready).collect())
    }
}
