//! Dropping the steps that nothing can come back to.

use super::{FIRST_CLEARING, Mark, Trail, TrailStep};

impl Trail {
    /// Drops the steps that nothing can come back to.
    pub(super) fn clear(&mut self) {
        let mut kept = vec![false; self.steps.len()];
        kept[0] = true;
        self.each_mark(|mark| {
            if *mark != Mark::UNKNOWN {
                kept[mark.0 as usize] = true;
            }
        });
        // A step comes after its predecessor.
        for number in (0..kept.len()).rev().filter(|number| *number > 0) {
            if kept[number] {
                kept[self.steps[number].before.0 as usize] = true;
            }
        }
        let mut numbers = vec![Mark::START; kept.len()];
        let mut next = 0;
        for number in (0..kept.len()).filter(|number| kept[*number]) {
            numbers[number] = Mark(next as u32);
            let step = self.steps[number];
            self.steps[next] = TrailStep { before: numbers[step.before.0 as usize], ..step };
            next += 1;
        }
        self.steps.truncate(next);
        self.each_mark(|mark| {
            if *mark != Mark::UNKNOWN {
                *mark = numbers[mark.0 as usize];
            }
        });
        self.most_steps = FIRST_CLEARING.max(2 * next);
    }

    fn each_mark(&mut self, mut act: impl FnMut(&mut Mark)) {
        let registers =
            [&mut self.now, &mut self.start, &mut self.after, &mut self.ready, &mut self.gone, &mut self.freed];
        registers
            .into_iter()
            .chain([&mut self.arrival, &mut self.arrived, &mut self.handled])
            .chain(&mut self.completion)
            .for_each(&mut act);
        self.events.values_mut().chain(self.flows.values_mut()).for_each(&mut act);
        self.works.values_mut().for_each(|(mark, _)| act(mark));
        self.processors.iter_mut().chain(&mut self.ports_out).chain(&mut self.ports_in).for_each(&mut act);
        self.jobs.iter_mut().chain(&mut self.outgoing).chain(&mut self.turns).flatten().for_each(&mut act);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::critical::Part;
    use crate::program::NodeId;
    use crate::trail::{Name, Subject};
    use hetsim_base::units::Time;

    /// A chain that the completion comes back to stays as it was, beside a pending event; what ends nowhere goes.
    #[test]
    fn only_what_nothing_comes_back_to_is_dropped() {
        let mut trail = Trail::default();
        trail.begin(2, 2);
        let at = Subject::at(NodeId(0), Name::NONE);
        let mut pending = Mark::START;
        for tick in 1..=50 {
            // Each tick has a step that ends nowhere.
            trail.step(trail.now, Time(1000 + tick), Part::Latency, at);
            let part = if tick % 2 == 0 { Part::Computing } else { Part::Overhead };
            trail.now = trail.step(trail.now, Time(10 * tick), part, at);
            if tick == 20 {
                pending = trail.step(trail.now, Time(777), Part::Decision, at);
                trail.expect(9, pending);
            }
        }
        trail.expect(10, Mark::UNKNOWN);
        trail.complete();
        let (path, steps) = (trail.path(), trail.steps.len());
        trail.clear();
        assert_eq!((trail.path(), steps, trail.steps.len()), (path, 102, 52));
        trail.follow(9);
        assert_ne!(trail.now, pending);
        trail.complete();
        let path = trail.path().unwrap();
        assert_eq!(
            (path.end(), path.total(Part::Computing), path.total(Part::Decision)),
            (Time(777), Time(100), Time(577))
        );
        trail.follow(10);
        trail.complete();
        assert_eq!(trail.path(), None);
    }
}
