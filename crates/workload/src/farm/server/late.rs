//! Late tasks: the server gives up chunks whose results do not come in time.

use std::cmp::Reverse;

use super::{Deadline, Server, TaskSource};
use hetsim_cluster::{Context, TimerId};
use hetsim_policy::Kind;

impl<S: TaskSource> Server<S> {
    /// Handles a timer: overdue tasks are given up, to be dealt to others. Returns true if there were any.
    pub(in crate::farm) fn expire<M>(&mut self, timer: TimerId, context: &mut impl Context<M>) -> bool {
        if self.timer.take_if(|(waiting, _)| *waiting == timer).is_none() {
            return self.detected(timer);
        }
        let given_up = if self.kind == Kind::Stealing { self.no_progress(context) } else { self.overdue(context) };
        self.keep_timer(context);
        given_up
    }

    /// Gives up the chunk of a slot, whose worker counts as absent until it reports again. Returns how many tasks that are.
    pub(in crate::farm) fn give_up(&mut self, slot: u32) -> u32 {
        self.busy -= 1;
        self.present[self.slots.worker_of(slot) as usize] = false;
        self.assignments.give_up(std::mem::take(&mut self.clients[slot as usize].out))
    }

    /// Gives up the chunks whose deadline has passed.
    fn overdue<M>(&mut self, context: &mut impl Context<M>) -> bool {
        let mut given_up = false;
        while let Some(Reverse(deadline)) = self.deadlines.peek() {
            let client = self.clients[deadline.slot as usize];
            let waits_for_it = client.deal == deadline.deal && client.out.count > 0;
            if waits_for_it && deadline.at > context.now() {
                break;
            }
            if waits_for_it {
                let tasks = self.give_up(deadline.slot);
                self.false_timeouts += if client.failed { 0 } else { u64::from(tasks) };
                given_up = true;
            }
            self.deadlines.pop();
        }
        given_up
    }

    /// Where workers steal, the server cannot know who has which tasks: after a time without any result it gives up all
    /// unfinished tasks and deals them to workers that ask.
    fn no_progress<M>(&mut self, context: &mut impl Context<M>) -> bool {
        self.deadlines.clear();
        let Some(patience) = self.rules.timeout.filter(|_| self.open) else { return false };
        let due = self.progress + patience.with(self.longest);
        if due > context.now() {
            self.deadlines.push(Reverse(Deadline { at: due, deal: 0, slot: 0 }));
            return false;
        }
        // No deadline is pending now; each new deal sets one.
        let tasks = self.assignments.give_up_all();
        let sound = self.clients.iter().all(|client| !client.failed);
        self.false_timeouts += if sound { u64::from(tasks) } else { 0 };
        true
    }

    /// Sets the timer of the first deadline, instead of that of a later one.
    pub(super) fn keep_timer<M>(&mut self, context: &mut impl Context<M>) {
        let Some(Reverse(first)) = self.deadlines.peek() else { return };
        if let Some((timer, _)) = self.timer.take_if(|(_, at)| *at > first.at) {
            context.cancel_timer(timer);
        }
        if self.timer.is_none() {
            self.timer = Some((context.set_timer(self.node, first.at - context.now()), first.at));
        }
    }
}
