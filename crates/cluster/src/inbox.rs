//! Jobs that wait for a node's processor: one first-in, first-out list per node, all in one slab.
//!
//! Nothing is allocated until a first job has to wait; then a node costs eight bytes and a waiting job its own size.

/// The lists of all nodes.
#[derive(Debug)]
pub(super) struct Inboxes<J> {
    lists: Vec<List>,
    jobs: Vec<Slot<J>>,
    free: u32,
    waiting: usize,
}

const NONE: u32 = u32::MAX;

#[derive(Debug, Clone, Copy)]
struct List {
    head: u32,
    tail: u32,
    /// Whether the head already has the processor and an event that will run it.
    woken: bool,
}

const EMPTY: List = List { head: NONE, tail: NONE, woken: false };

#[derive(Debug)]
struct Slot<J> {
    job: Option<J>,
    next: u32,
}

impl<J> Inboxes<J> {
    pub(super) const fn new() -> Self {
        Self { lists: Vec::new(), jobs: Vec::new(), free: NONE, waiting: 0 }
    }

    /// Whether nothing waits at any node, which saves a look at each node.
    #[inline]
    pub(super) const fn all_empty(&self) -> bool {
        self.waiting == 0
    }

    #[inline]
    pub(super) fn is_empty(&self, node: usize) -> bool {
        self.waiting == 0 || self.lists[node].head == NONE
    }

    /// Appends a job to the list of `node`; `nodes` is the number of lists.
    pub(super) fn push(&mut self, node: usize, nodes: usize, job: J) {
        if self.lists.is_empty() {
            self.lists = vec![EMPTY; nodes];
        }
        let slot = Slot { job: Some(job), next: NONE };
        let place = if self.free == NONE {
            self.jobs.push(slot);
            (self.jobs.len() - 1) as u32
        } else {
            let place = self.free;
            self.free = self.jobs[place as usize].next;
            self.jobs[place as usize] = slot;
            place
        };
        let list = &mut self.lists[node];
        match list.tail {
            NONE => list.head = place,
            tail => self.jobs[tail as usize].next = place,
        }
        list.tail = place;
        self.waiting += 1;
    }

    /// The next job of `node`, unless it already has the processor.
    pub(super) fn next(&self, node: usize) -> Option<&J> {
        let list = self.lists.get(node).filter(|list| !list.woken && list.head != NONE)?;
        self.jobs[list.head as usize].job.as_ref()
    }

    /// The jobs of `node`, in their order.
    pub(super) fn iter(&self, node: usize) -> impl Iterator<Item = &J> {
        let head = self.lists.get(node).map_or(NONE, |list| list.head);
        let slots = std::iter::successors(self.jobs.get(head as usize), |slot| self.jobs.get(slot.next as usize));
        slots.filter_map(|slot| slot.job.as_ref())
    }

    /// Whether the next job of `node` already has the processor.
    pub(super) fn is_woken(&self, node: usize) -> bool {
        self.lists.get(node).is_some_and(|list| list.woken)
    }

    /// Records that the next job of `node` has the processor.
    pub(super) fn wake(&mut self, node: usize) {
        self.lists[node].woken = true;
    }

    /// Takes the next job of `node`.
    pub(super) fn pop(&mut self, node: usize) -> Option<J> {
        let list = self.lists.get_mut(node).filter(|list| list.head != NONE)?;
        let place = list.head as usize;
        list.woken = false;
        list.head = self.jobs[place].next;
        if list.head == NONE {
            list.tail = NONE;
        }
        self.jobs[place].next = self.free;
        self.free = place as u32;
        self.waiting -= 1;
        self.jobs[place].job.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_keep_their_order_and_their_places_are_used_again() {
        let mut inboxes = Inboxes::new();
        assert!(inboxes.all_empty() && inboxes.is_empty(1) && inboxes.next(1).is_none());
        for job in 0..6 {
            inboxes.push(job % 2, 2, job);
        }
        assert_eq!(inboxes.next(1), Some(&1));
        inboxes.wake(1);
        assert_eq!(inboxes.next(1), None);
        assert_eq!(
            [inboxes.pop(1), inboxes.pop(0), inboxes.pop(1), inboxes.pop(1), inboxes.pop(1)],
            [Some(1), Some(0), Some(3), Some(5), None]
        );
        inboxes.push(1, 2, 7);
        assert_eq!((inboxes.jobs.len(), inboxes.pop(1)), (6, Some(7)));
        assert!(!inboxes.all_empty() && inboxes.is_empty(1));
    }
}
