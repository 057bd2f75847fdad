//! Flows that take one way, as one flow of the solver.
//!
//! Flows of equal weights and limits over the same links always have the same rate. So the solver knows them as one
//! flow, with their summed weight; it ends when the first of them does, and goes on with the weight of the others. A
//! sender that hands over a thousand messages for one receiver costs the solver a few flows. Only a few: a bundle of two
//! or three is more work than they are alone.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::demand::{BadFlow, BadLink, Demand, LinkKind, PathLink, Reweighed, check};
use super::solver::Solver;
use super::ways::Ways;
use hetsim_base::units::Time;

/// How many flows of one way are flows of the solver before the last of them becomes a bundle.
const ALONE: u32 = 4;

/// Links that flows share, where flows of one way are one flow of the [`Solver`].
#[derive(Debug, Default)]
pub struct Bundles {
    solver: Solver,
    /// By the solver's flow: what it stands for.
    loads: Vec<Load>,
    ways: Ways,
    all: Vec<Bundle>,
    free: Vec<u32>,
    /// The bundles whose members have changed since the last solution.
    changed: Vec<u32>,
    due: Vec<u32>,
    /// Flows that have ended, by their order.
    ended: Vec<(u64, u32)>,
}

/// What a flow of the solver stands for.
#[derive(Debug, Clone, Copy)]
enum Load {
    /// The caller's number of a flow.
    One(u32),
    /// The index of a bundle.
    Bundle(u32),
}

/// Flows that the solver knows as one.
#[derive(Debug, Default)]
struct Bundle {
    /// The solver's flow.
    flow: u32,
    /// The weight and the limit of each member.
    weight: f64,
    limit: f64,
    members: BinaryHeap<Reverse<Member>>,
    /// The position at which the solver's flow ends.
    end: f64,
    is_changed: bool,
    /// Solutions since positions were counted from zero.
    age: usize,
}

/// A flow in a bundle. The position of a bundle is what a flow would have sent that was always in it, in bytes per weight,
/// counted from some instant on.
#[derive(Debug, Clone, Copy)]
struct Member {
    /// The position of the bundle at which it ends.
    end: f64,
    /// The number of flows that started before it.
    order: u64,
    /// The caller's number.
    name: u32,
}

impl PartialEq for Member {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Member {}

impl PartialOrd for Member {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Member {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.end.total_cmp(&other.end).then(self.order.cmp(&other.order))
    }
}

impl Bundles {
    /// No links and flows. Per byte, a flow over one of a pair of links loads the other one with `back`; if that is
    /// zero, there are no pairs.
    ///
    /// # Errors
    ///
    /// As of [`Solver::with_pairs`].
    pub fn new(back: f64) -> Result<Self, BadLink> {
        let solver = if back == 0.0 { Solver::new() } else { Solver::with_pairs(back)? };
        Ok(Self { solver, ..Self::default() })
    }

    /// The solver, to ask about links and the next end.
    #[must_use]
    pub fn solver(&self) -> &Solver {
        &self.solver
    }

    /// Adds a link: [`Solver::add_link`].
    ///
    /// # Errors
    ///
    /// As of the solver.
    pub fn add_link(&mut self, capacity: f64, kind: LinkKind) -> Result<u32, BadLink> {
        self.solver.add_link(capacity, kind)
    }

    /// Adds two links, one a direction: [`Solver::add_pair`].
    ///
    /// # Errors
    ///
    /// As of the solver.
    pub fn add_pair(&mut self, capacity: f64) -> Result<u32, BadLink> {
        self.solver.add_pair(capacity)
    }

    /// Changes the capacity of a link: [`Solver::set_capacity`].
    ///
    /// # Errors
    ///
    /// As of the solver.
    pub fn set_capacity(&mut self, link: u32, capacity: f64) -> Result<(), BadLink> {
        self.solver.set_capacity(link, capacity)
    }

    /// Starts a flow at `now`, with the next solution; [`take_ended`](Self::take_ended) will call it `name`. Flows with
    /// the same number of a `way` become a bundle if their routes, weights and limits are the same.
    ///
    /// # Errors
    ///
    /// As of [`Solver::start`].
    pub fn start(&mut self, now: Time, name: u32, way: u64, route: &[PathLink], demand: Demand) -> Result<(), BadFlow> {
        let place = self.ways.find(way, self.solver.active());
        let known = self.ways.taken[place];
        let is_like = known.count > 0 && self.is_like(known.flow, route, demand);
        if is_like && known.count >= ALONE {
            check(route, demand, self.solver.added.len())?;
            let bundle = self.bundle_of(known.flow, now);
            self.add(bundle, now, name, demand.bytes);
            return Ok(());
        }
        let flow = self.solver.start(route, demand)?;
        let count = if is_like { known.count + 1 } else { 1 };
        self.ways.taken[place] = known.by(flow, count);
        match self.loads.get_mut(flow as usize) {
            Some(load) => *load = Load::One(name),
            None => self.loads.push(Load::One(name)),
        }
        Ok(())
    }

    /// Whether a flow of the solver is under way and like one that is to start, of one or of a bundle.
    fn is_like(&self, flow: u32, route: &[PathLink], demand: Demand) -> bool {
        if !self.solver.is_under_way(flow) {
            return false;
        }
        let known = match self.loads[flow as usize] {
            Load::One(_) => self.solver.weight_and_limit(flow),
            Load::Bundle(number) => {
                let bundle = &self.all[number as usize];
                (bundle.weight, bundle.limit)
            }
        };
        known == (demand.weight, demand.limit) && self.solver.goes_over(flow, route)
    }

    /// The bundle that a flow of the solver carries; made now if it stands for one flow so far.
    fn bundle_of(&mut self, flow: u32, now: Time) -> u32 {
        let name = match self.loads[flow as usize] {
            Load::Bundle(bundle) => return bundle,
            Load::One(name) => name,
        };
        let number = self.free.pop().unwrap_or_else(|| {
            self.all.push(Bundle::default());
            self.all.len() as u32 - 1
        });
        let bundle = &mut self.all[number as usize];
        (bundle.flow, bundle.age) = (flow, 0);
        (bundle.weight, bundle.limit) = self.solver.weight_and_limit(flow);
        bundle.end = -self.solver.progress(flow, now);
        bundle.members.push(Reverse(Member { end: bundle.end, order: self.solver.order_of(flow), name }));
        self.loads[flow as usize] = Load::Bundle(number);
        number
    }

    /// Adds a flow to a bundle.
    fn add(&mut self, number: u32, now: Time, name: u32, bytes: f64) {
        let order = self.solver.next_order();
        let bundle = &mut self.all[number as usize];
        let end = bundle.position(&self.solver, now) + bytes / bundle.weight;
        bundle.members.push(Reverse(Member { end, order, name }));
        self.change(number);
    }

    /// Notes that the members of a bundle have changed.
    fn change(&mut self, number: u32) {
        let bundle = &mut self.all[number as usize];
        if !std::mem::replace(&mut bundle.is_changed, true) {
            self.changed.push(number);
        }
    }

    /// Solves all rates at `now`.
    pub fn solve(&mut self, now: Time) {
        while let Some(number) = self.changed.pop() {
            let bundle = &mut self.all[number as usize];
            bundle.is_changed = false;
            bundle.renew(&mut self.solver, now);
        }
        self.solver.solve(now);
    }

    /// Ends the flows that are due by `now`, and puts their names into `ended`, in the order of their start.
    pub fn take_ended(&mut self, now: Time, ended: &mut Vec<u32>) {
        ended.clear();
        let mut due = std::mem::take(&mut self.due);
        self.solver.find_due(now, &mut due);
        if due.iter().any(|&flow| matches!(self.loads[flow as usize], Load::Bundle(_))) {
            self.take_members(&due, now, ended);
        } else {
            // Without bundles, what is due is in order.
            for &flow in &due {
                if let Load::One(name) = self.loads[flow as usize] {
                    ended.push(name);
                }
                self.solver.stop(flow);
            }
        }
        self.due = due;
    }

    /// Ends flows that are due by `now`, some of which are bundles.
    fn take_members(&mut self, due: &[u32], now: Time, ended: &mut Vec<u32>) {
        for &flow in due {
            match self.loads[flow as usize] {
                Load::One(name) => {
                    self.ended.push((self.solver.order_of(flow), name));
                    self.solver.stop(flow);
                }
                Load::Bundle(number) => self.end_members(number, now),
            }
        }
        self.ended.sort_unstable();
        ended.extend(self.ended.drain(..).map(|(_, name)| name));
    }

    /// Ends the members of a bundle that are due by `now`, and the bundle with the last one.
    fn end_members(&mut self, number: u32, now: Time) {
        let bundle = &mut self.all[number as usize];
        let flow = bundle.flow;
        while let Some(Reverse(first)) = bundle.members.peek().copied() {
            if !self.solver.is_due(flow, first.end - bundle.end, now) {
                break;
            }
            bundle.members.pop();
            self.ended.push((first.order, first.name));
        }
        if bundle.members.is_empty() {
            self.solver.stop(flow);
            // If it is among those that have changed, it has no members when its turn comes.
            self.free.push(number);
        } else {
            self.change(number);
        }
    }
}

impl Bundle {
    /// Its position at `now`.
    fn position(&self, solver: &Solver, now: Time) -> f64 {
        self.end + solver.progress(self.flow, now)
    }

    /// Tells the solver of the members that there are now.
    fn renew(&mut self, solver: &mut Solver, now: Time) {
        let Some(&Reverse(Member { end, .. })) = self.members.peek() else { return };
        let position = self.position(solver, now);
        let (left, count) = ((end - position).max(0.0), self.members.len() as f64);
        let (weight, limit) = (self.weight * count, self.limit * count);
        solver.reweighed.push(Reweighed { flow: self.flow, weight, limit, remaining: left });
        self.end = position + left;
        self.age += 1;
        // Positions are differences of ever larger numbers, unless they are counted from zero again now and then.
        if self.age > self.members.len() {
            let members = std::mem::take(&mut self.members).into_iter();
            self.members =
                members.map(|Reverse(member)| Reverse(Member { end: member.end - position, ..member })).collect();
            (self.end, self.age) = (left, 0);
        }
    }
}
