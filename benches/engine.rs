//! The event queue against bare heaps, in the hold model: take the first event, put one back an exponential time later,
//! so that the number of those that wait stays the same. The metric is the time of one such pair.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::hint::black_box;

use criterion::{BenchmarkId, Criterion};
use dary_heap::QuaternaryHeap;
use hetsim::engine::{Engine, Streams};
use hetsim::units::Time;
use radix_heap::RadixHeapMap;
use rand_distr::{Distribution, Exp1};

const PENDING: [usize; 3] = [100, 10_000, 1_000_000];

/// What a queue has to do in the hold model: hold names with the instants at which they are due.
trait EventQueue: Default {
    fn push(&mut self, at: u64, name: u32);
    fn pop(&mut self) -> (u64, u32);
}

/// hetsim's engine, with events that stay where they are.
#[derive(Default)]
struct Plain(Engine<u32>);

impl EventQueue for Plain {
    fn push(&mut self, at: u64, name: u32) {
        self.0.schedule(Time(at), name);
    }
    fn pop(&mut self) -> (u64, u32) {
        let name = self.0.pop().unwrap_or_default();
        (self.0.now().0, name)
    }
}

/// hetsim's engine, with events that may be moved.
#[derive(Default)]
struct Movable(Engine<u32>);

impl EventQueue for Movable {
    fn push(&mut self, at: u64, name: u32) {
        self.0.schedule_movable(Time(at), name);
    }
    fn pop(&mut self) -> (u64, u32) {
        let name = self.0.pop().unwrap_or_default();
        (self.0.now().0, name)
    }
}

/// Time, number and name in 16 bytes: the bound that the engine is measured against.
#[derive(Default)]
struct KeyHeap<H> {
    heap: H,
    number: u64,
}

impl<H> KeyHeap<H> {
    fn key(&mut self, at: u64, name: u32) -> u128 {
        self.number += 1;
        u128::from(at) << 64 | u128::from(self.number << 24 | u64::from(name))
    }
}

const fn unpacked(key: u128) -> (u64, u32) {
    ((key >> 64) as u64, key as u32 & 0xff_ffff)
}

impl EventQueue for KeyHeap<QuaternaryHeap<Reverse<u128>>> {
    fn push(&mut self, at: u64, name: u32) {
        let key = self.key(at, name);
        self.heap.push(Reverse(key));
    }
    fn pop(&mut self) -> (u64, u32) {
        self.heap.pop().map_or((0, 0), |Reverse(key)| unpacked(key))
    }
}

impl EventQueue for KeyHeap<BinaryHeap<Reverse<u128>>> {
    fn push(&mut self, at: u64, name: u32) {
        let key = self.key(at, name);
        self.heap.push(Reverse(key));
    }
    fn pop(&mut self) -> (u64, u32) {
        self.heap.pop().map_or((0, 0), |Reverse(key)| unpacked(key))
    }
}

/// A radix heap keeps the order only of keys that never fall below the last one taken, as those of a simulation.
impl EventQueue for KeyHeap<RadixHeapMap<Reverse<u128>, ()>> {
    fn push(&mut self, at: u64, name: u32) {
        let key = self.key(at, name);
        self.heap.push(Reverse(key), ());
    }
    fn pop(&mut self) -> (u64, u32) {
        self.heap.pop().map_or((0, 0), |(Reverse(key), ())| unpacked(key))
    }
}

/// Time, number and name as they are, 24 bytes.
#[derive(Default)]
struct Tuples {
    heap: BinaryHeap<Reverse<(u64, u64, u32)>>,
    number: u64,
}

impl EventQueue for Tuples {
    fn push(&mut self, at: u64, name: u32) {
        self.number += 1;
        self.heap.push(Reverse((at, self.number, name)));
    }
    fn pop(&mut self) -> (u64, u32) {
        self.heap.pop().map_or((0, 0), |Reverse((at, _, name))| (at, name))
    }
}

/// Measures one pop and one push with each number of pending events. The increments are drawn before.
fn hold<Q: EventQueue>(criterion: &mut Criterion, name: &str, increments: &[u64]) {
    let mut group = criterion.benchmark_group("hold");
    for pending in PENDING {
        let mut queue = Q::default();
        let mut drawn = increments.iter().cycle();
        let mut next = || drawn.next().copied().unwrap_or_default();
        for name in 0..pending as u32 {
            queue.push(next(), name);
        }
        let mut step = || {
            let (now, name) = queue.pop();
            queue.push(now + next(), name);
            name
        };
        // A while, until the instants are spread as they will be from then on.
        for _ in 0..3 * pending {
            step();
        }
        group.bench_function(BenchmarkId::new(name, pending), |bencher| bencher.iter(|| black_box(step())));
    }
    group.finish();
}

fn main() {
    let mut criterion = Criterion::default().configure_from_args();
    // A mean of a second, in picoseconds. Few enough of them to stay in the first cache.
    let mut stream = Streams::new(1, 0).stream("increments", 0);
    let increments: Vec<u64> =
        (0..1009).map(|_| (1e12 * Distribution::<f64>::sample(&Exp1, &mut stream)) as u64).collect();
    hold::<KeyHeap<QuaternaryHeap<Reverse<u128>>>>(&mut criterion, "bare 4-ary heap of 16-byte keys", &increments);
    hold::<Plain>(&mut criterion, "engine", &increments);
    hold::<Movable>(&mut criterion, "engine, movable events", &increments);
    hold::<KeyHeap<BinaryHeap<Reverse<u128>>>>(&mut criterion, "binary heap of 16-byte keys", &increments);
    hold::<Tuples>(&mut criterion, "binary heap of tuples", &increments);
    hold::<KeyHeap<RadixHeapMap<Reverse<u128>, ()>>>(&mut criterion, "radix heap of 16-byte keys", &increments);
    criterion.final_summary();
}
