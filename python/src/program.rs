//! A program of one's own in Python on a simulated platform.
//!
//! A handler of Python does not call the simulation, which runs it: its requests wait in its [`Context`] until it
//! returns, and are then made in their order. Nothing happens in simulated time in between, so this changes no result.

use std::collections::HashMap;

use hetsim::cli::Failure;
use hetsim::cluster::{self, NodeId, Platform, Program, TimerId, WorkId};
use hetsim::engine::Streams;
use hetsim::record::Value;
use hetsim::report::typed::of_rows;
use pyo3::exceptions::{PyAttributeError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyMapping;

use crate::errors::{RunError, exception};
use crate::given::{Given, amount, overrides, seed, whole};
use crate::table::Table;
use crate::tools::{start_log, warn_of};
use crate::waiting::wait;

/// After how many events without a handler signals are looked for: handlers do so themselves.
const EVENTS: u64 = 1 << 12;

/// A request of a handler.
#[derive(Debug)]
enum NodeRequest {
    Send { from: NodeId, to: NodeId, bytes: u64, message: Py<PyAny> },
    Compute { at: NodeId, operations: f64, id: u64 },
    Timer { at: NodeId, delay_s: f64, id: u64 },
    Cancel { id: u64 },
    WorkingSet { at: NodeId, bytes: u64 },
    Complete { at: NodeId },
    Conclude,
}

/// What a program may ask of the platform, in its handlers only. Nodes are numbered from 0.
#[pyclass(module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Context {
    /// The clock, in seconds.
    #[pyo3(get)]
    now: f64,
    /// The number of nodes.
    #[pyo3(get)]
    nodes: u32,
    /// Whether a handler runs.
    is_open: bool,
    requests: Vec<NodeRequest>,
    works: u64,
    timers: u64,
}

impl Context {
    fn node(&self, node: u32) -> PyResult<NodeId> {
        if node < self.nodes {
            Ok(NodeId(node))
        } else {
            Err(PyValueError::new_err(format!("there is no node {node}: the platform has {} nodes", self.nodes)))
        }
    }

    fn request(&mut self, request: NodeRequest) -> PyResult<()> {
        if !self.is_open {
            return Err(PyRuntimeError::new_err("a context is of use in the handlers of its program only"));
        }
        self.requests.push(request);
        Ok(())
    }
}

#[pymethods]
impl Context {
    /// Sends an object as a message of `size` bytes, as soon as the sender's processor and port are free.
    #[pyo3(signature = (sender, to, size, message = None))]
    fn send(
        &mut self,
        py: Python<'_>,
        #[pyo3(from_py_with = whole)] sender: u32,
        #[pyo3(from_py_with = whole)] to: u32,
        #[pyo3(from_py_with = whole)] size: u64,
        message: Option<Py<PyAny>>,
    ) -> PyResult<()> {
        let (from, to) = (self.node(sender)?, self.node(to)?);
        let message = message.unwrap_or_else(|| py.None());
        self.request(NodeRequest::Send { from, to, bytes: size, message })
    }

    /// Starts a computation on a core, or queues it there; returns its number.
    fn compute(&mut self, #[pyo3(from_py_with = whole)] at: u32, operations: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (at, operations) = (self.node(at)?, amount("operations", operations)?);
        self.works += 1;
        self.request(NodeRequest::Compute { at, operations, id: self.works })?;
        Ok(self.works)
    }

    /// Starts a timer of `delay` seconds; returns its number.
    fn timer(&mut self, #[pyo3(from_py_with = whole)] at: u32, delay: &Bound<'_, PyAny>) -> PyResult<u64> {
        let (at, delay_s) = (self.node(at)?, amount("seconds", delay)?);
        self.timers += 1;
        self.request(NodeRequest::Timer { at, delay_s, id: self.timers })?;
        Ok(self.timers)
    }

    /// Cancels a timer, if it has not expired.
    fn cancel(&mut self, #[pyo3(from_py_with = whole)] timer: u64) -> PyResult<()> {
        self.request(NodeRequest::Cancel { id: timer })
    }

    /// Sets the bytes that computations of a node work on, for nodes with a cache.
    fn working_set(
        &mut self,
        #[pyo3(from_py_with = whole)] at: u32,
        #[pyo3(from_py_with = whole)] size: u64,
    ) -> PyResult<()> {
        let at = self.node(at)?;
        self.request(NodeRequest::WorkingSet { at, bytes: size })
    }

    /// Marks a node as complete.
    fn complete(&mut self, #[pyo3(from_py_with = whole)] at: u32) -> PyResult<()> {
        let at = self.node(at)?;
        self.request(NodeRequest::Complete { at })
    }

    /// Marks the results as complete: later computations do not count as usage.
    fn conclude(&mut self) -> PyResult<()> {
        self.request(NodeRequest::Conclude)
    }
}

/// The handlers of a Python object as a program.
struct Bridge<'py> {
    py: Python<'py>,
    context: Bound<'py, Context>,
    start: Bound<'py, PyAny>,
    on_message: Option<Bound<'py, PyAny>>,
    on_computed: Option<Bound<'py, PyAny>>,
    on_timer: Option<Bound<'py, PyAny>>,
    /// The program's own numbers of what is under way.
    works: HashMap<WorkId, u64>,
    timers: HashMap<TimerId, u64>,
    /// The reverse.
    started: HashMap<u64, TimerId>,
    /// The first exception: from then on nothing is asked, and what is under way has no effect.
    raised: Option<PyErr>,
    /// Events since signals were looked for.
    events: u64,
}

impl<'py> Bridge<'py> {
    fn new(program: &Bound<'py, PyAny>, nodes: u32) -> PyResult<Self> {
        let py = program.py();
        let handler = |name: &str| -> PyResult<Option<Bound<'py, PyAny>>> {
            match program.getattr(name) {
                Err(error) if error.is_instance_of::<PyAttributeError>(py) => Ok(None),
                handler => handler.map(Some),
            }
        };
        let context = Context { now: 0.0, nodes, is_open: false, requests: Vec::new(), works: 0, timers: 0 };
        Ok(Self {
            py,
            context: Bound::new(py, context)?,
            start: program.getattr("start")?,
            on_message: handler("on_message")?,
            on_computed: handler("on_computed")?,
            on_timer: handler("on_timer")?,
            works: HashMap::new(),
            timers: HashMap::new(),
            started: HashMap::new(),
            raised: None,
            events: 0,
        })
    }

    /// Calls a handler, and makes its requests.
    fn call(
        &mut self,
        handler: impl FnOnce(&Self) -> PyResult<Option<Bound<'py, PyAny>>>,
        context: &mut impl cluster::Context<Py<PyAny>>,
    ) {
        if self.raised.is_some() {
            return;
        }
        {
            let mut own = self.context.borrow_mut();
            own.now = context.tick().seconds(context.now());
            own.is_open = true;
        }
        let called = handler(self);
        let mut requests = {
            let mut own = self.context.borrow_mut();
            own.is_open = false;
            std::mem::take(&mut own.requests)
        };
        if let Err(error) = called.and_then(|_| self.look()) {
            self.raised = Some(error);
            return;
        }
        for request in requests.drain(..) {
            self.ask(request, context);
        }
        // Its memory serves the next handler.
        self.context.borrow_mut().requests = requests;
    }

    /// Looks for signals now and then.
    fn look(&mut self) -> PyResult<()> {
        self.events += 1;
        if self.events.is_multiple_of(EVENTS) { self.py.check_signals() } else { Ok(()) }
    }

    fn ask(&mut self, request: NodeRequest, context: &mut impl cluster::Context<Py<PyAny>>) {
        match request {
            NodeRequest::Send { from, to, bytes, message } => {
                context.send(from, to, bytes, message);
            }
            NodeRequest::Compute { at, operations, id } => {
                self.works.insert(context.compute(at, operations), id);
            }
            NodeRequest::Timer { at, delay_s, id } => {
                let timer = context.set_timer(at, context.tick().time(delay_s));
                self.timers.insert(timer, id);
                self.started.insert(id, timer);
            }
            NodeRequest::Cancel { id } => {
                if let Some(timer) = self.started.remove(&id)
                    && context.cancel_timer(timer)
                {
                    self.timers.remove(&timer);
                }
            }
            NodeRequest::WorkingSet { at, bytes } => context.set_working_set(at, bytes),
            NodeRequest::Complete { at } => context.complete(at),
            NodeRequest::Conclude => context.conclude(),
        }
    }
}

impl Program for Bridge<'_> {
    type Message = Py<PyAny>;

    fn start(&mut self, context: &mut impl cluster::Context<Py<PyAny>>) {
        self.call(|own| own.start.call1((&own.context,)).map(Some), context);
    }

    fn on_message(
        &mut self,
        at: NodeId,
        from: NodeId,
        message: Py<PyAny>,
        context: &mut impl cluster::Context<Py<PyAny>>,
    ) {
        let called = |own: &Self| match &own.on_message {
            Some(handler) => handler.call1((&own.context, at.0, from.0, message)).map(Some),
            None => Err(PyAttributeError::new_err("messages are sent, and the program has no on_message")),
        };
        self.call(called, context);
    }

    fn on_computed(&mut self, at: NodeId, work: WorkId, context: &mut impl cluster::Context<Py<PyAny>>) {
        let id = self.works.remove(&work);
        let called =
            |own: &Self| own.on_computed.as_ref().map(|handler| handler.call1((&own.context, at.0, id))).transpose();
        self.call(called, context);
    }

    fn on_timer(&mut self, at: NodeId, timer: TimerId, context: &mut impl cluster::Context<Py<PyAny>>) {
        let id = self.timers.remove(&timer);
        if let Some(id) = id {
            self.started.remove(&id);
        }
        let called =
            |own: &Self| own.on_timer.as_ref().map(|handler| handler.call1((&own.context, at.0, id))).transpose();
        self.call(called, context);
    }
}

/// A platform on which programs of one's own run. Each run starts at time zero.
///
/// Args:
///     platform: The path of a scenario or of a platform file, or a dict with the keys of `[platform]`.
///     seed: The seed of the random parts; that of the scenario by default.
///     replica: The number of the replica whose random parts are drawn.
///     set: Values put over the platform, by key: {"platform.cluster.lab.nodes": 8}.
///
/// Raises:
///     `ScenarioError`: The platform is wrong.
#[pyclass(frozen, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Simulation {
    platform: Platform,
    streams: Streams,
}

#[pymethods]
impl Simulation {
    #[new]
    #[pyo3(signature = (platform, *, seed = None, replica = 0, set = None))]
    fn new(
        py: Python<'_>,
        platform: &Bound<'_, PyAny>,
        #[pyo3(from_py_with = seed)] seed: Option<u64>,
        #[pyo3(from_py_with = whole)] replica: u32,
        set: Option<&Bound<'_, PyMapping>>,
    ) -> PyResult<Self> {
        start_log();
        let given = Given::of_platform(platform)?;
        let mut overrides = overrides(set)?;
        if let Some(seed) = seed {
            if overrides.iter().any(|one| one.starts_with("seed=")) {
                return Err(PyValueError::new_err(format!("seed={seed}: set= has a seed too")));
            }
            overrides.push(format!("seed={seed}"));
        }
        wait(py, None, |_| {
            let scenario = given.around_platform(&overrides)?;
            warn_of(&scenario);
            let platform = scenario.drawn_platform(0, replica).map_err(|error| Failure::Run(error.to_string()))?;
            Ok(Self { platform, streams: Streams::new(scenario.file.seed, u64::from(replica)) })
        })
    }

    /// The number of nodes.
    #[getter]
    fn nodes(&self) -> u32 {
        self.platform.nodes()
    }

    /// Runs a program until no event is pending. An exception in a handler ends it.
    ///
    /// Raises:
    ///     `RunError`: The simulation cannot go on.
    fn run(&self, program: &Bound<'_, PyAny>) -> PyResult<Outcome> {
        let mut bridge = Bridge::new(program, self.platform.nodes())?;
        let mut simulation = cluster::Simulation::with_streams(&self.platform, self.streams);
        let ended = simulation.run(&mut bridge);
        if let Some(error) = bridge.raised {
            return Err(error);
        }
        ended.map_err(|error| RunError::new_err(error.to_string()))?;
        let seconds = |time| self.platform.tick().seconds(time);
        let row = |(node, usage): (usize, &cluster::Usage)| {
            let (node, busy) = (Value::Count(node as u64), Value::Number(seconds(usage.busy)));
            vec![node, busy, Value::Number(usage.operations), Value::Count(usage.works)]
        };
        let names = ["node", "busy_s", "operations", "works"].map(str::to_owned).to_vec();
        // There is no usage where nothing was computed.
        let idle = vec![cluster::Usage::default(); self.platform.nodes() as usize];
        let usage = if simulation.usage().is_empty() { &idle } else { simulation.usage() };
        let nodes = of_rows(names, usage.iter().enumerate().map(row).collect());
        Ok(Outcome {
            completion: simulation.completion().map(seconds),
            completed: simulation.completed(),
            end: seconds(simulation.clock()),
            events: simulation.events(),
            messages: simulation.messages(),
            lost: simulation.lost(),
            nodes: Table::of("nodes", &nodes).map_err(|failure| exception(failure, program.py()))?,
        })
    }

    fn __repr__(&self) -> String {
        format!("<hetsim.Simulation of {} nodes>", self.platform.nodes())
    }
}

/// How a program has ended.
#[pyclass(frozen, get_all, module = "hetsim")]
#[derive(Debug)]
pub(crate) struct Outcome {
    /// When the last node completed, in seconds; None if none has.
    completion: Option<f64>,
    /// The number of completions.
    completed: u32,
    /// The time of the last event, in seconds.
    end: f64,
    /// The number of events.
    events: u64,
    /// The number of delivered messages.
    messages: u64,
    /// Messages that were lost because a node was down.
    lost: u64,
    /// What each node computed: node, `busy_s`, operations, works.
    nodes: Table,
}

#[pymethods]
impl Outcome {
    fn __repr__(&self) -> String {
        let completion = self.completion.map_or_else(|| "None".to_owned(), |seconds| format!("{seconds}"));
        format!("<hetsim.Outcome completion={completion} events={} messages={}>", self.events, self.messages)
    }
}
