"""Programs of one's own on a simulated platform."""

import logging
import time
from pathlib import Path
from types import MappingProxyType

import pytest

import hetsim

NETWORK = {"model": "hockney", "latency": "50us", "bandwidth": "1Gbit/s"}
PLATFORM = {"cluster": {"lab": {"nodes": 4, "speeds": ["1Gop/s", "1Gop/s", "2Gop/s", "0.5Gop/s"], "network": NETWORK}}}


class Scatter:
    """Node 0 sends a number to everyone; each computes for as long as it says."""

    def start(self, context):
        for node in range(1, context.nodes):
            context.send(0, node, 1024, 5e6)
        context.complete(0)

    def on_message(self, context, at, sender, operations):
        assert sender == 0
        context.compute(at, operations)

    def on_computed(self, context, at, work):
        context.complete(at)


def test_a_scatter_by_hand():
    simulation = hetsim.Simulation(PLATFORM)
    assert simulation.nodes == 4
    outcome = simulation.run(Scatter())
    # Node 3 gets the third message, after 3 × (50 µs + 1024 B / 125 MB/s), and computes for 10 ms.
    assert outcome.completion == 0.010174576
    assert (outcome.messages, outcome.completed) == (3, 4)
    assert outcome.nodes["busy_s"] == [0, 0.005, 0.0025, 0.01]
    # Each run starts anew.
    assert simulation.run(Scatter()).completion == 0.010174576


def test_platforms_of_files_and_scenarios(tmp_path):
    own = tmp_path / "own.platform.toml"
    keys = 'speeds = ["1Gop/s", "1Gop/s", "2Gop/s", "0.5Gop/s"]\nnetwork = { model = "hockney", latency = "50us", bandwidth = "1Gbit/s" }'
    own.write_text(f"[cluster.lab]\nnodes = 4\n{keys}\n")
    assert hetsim.Simulation(own).run(Scatter()).completion == 0.010174576
    own.write_text(f"version = 1\n[platform.cluster.lab]\nnodes = 4\n{keys}\n")
    assert hetsim.Simulation(str(own)).run(Scatter()).completion == 0.010174576
    assert hetsim.Simulation({"platform": PLATFORM}).run(Scatter()).completion == 0.010174576
    slower = {"platform.cluster.lab.network.latency": "1ms"}
    # 3 × (1 ms + 8.192 µs) + 10 ms.
    assert hetsim.Simulation(PLATFORM, set=slower).run(Scatter()).completion == pytest.approx(0.013024576, abs=1e-12)
    with pytest.raises(hetsim.ScenarioError, match="`network` is missing"):
        hetsim.Simulation({"cluster": {"lab": {"nodes": 4}}})


class Timers:
    """Numbers tell timers and computations apart; a cancelled timer does not expire."""

    def __init__(self):
        self.seen = []

    def start(self, context):
        self.early = context.timer(1, 0.5)
        self.late = context.timer(1, 2.0)
        self.never = context.timer(1, 1.5)
        self.work = context.compute(0, 1e9)

    def on_timer(self, context, at, timer):
        self.seen.append((context.now, at, timer))
        context.cancel(self.never)

    def on_computed(self, context, at, work):
        self.seen.append((context.now, at, work))


def test_timers_and_computations():
    program = Timers()
    outcome = hetsim.Simulation(PLATFORM).run(program)
    assert program.seen == [(0.5, 1, program.early), (1.0, 0, program.work), (2.0, 1, program.late)]
    assert (outcome.end, outcome.completion) == (2.0, None)


class Wrong:
    def __init__(self, ask):
        self.ask = ask

    def start(self, context):
        context.timer(0, 1.0)
        context.timer(0, 2.0)

    def on_timer(self, context, at, timer):
        self.kept = context
        self.calls = getattr(self, "calls", 0) + 1
        self.ask(context)


@pytest.mark.parametrize(
    "ask, error, message",
    [
        (lambda context: context.send(0, 4, 8), ValueError, "there is no node 4: the platform has 4 nodes"),
        (lambda context: context.compute(0, float("nan")), ValueError, "NaN operations"),
        (lambda context: context.timer(0, -1.0), ValueError, "-1 seconds"),
        (lambda context: context.compute(0, 10**400), ValueError, "inf operations"),
        (lambda context: context.send(-1, 0, 8), ValueError, "-1: the number is at least 0 and at most 4294967295"),
        (lambda context: context.send(0, 2**32, 8), ValueError, "4294967296: the number is at least 0"),
        (lambda context: context.send(0, 1, -8), ValueError, "-8: the number is at least 0 and at most 18446744073709"),
        (lambda context: context.complete(-1), ValueError, "-1: the number is at least 0"),
        (lambda context: context.cancel(-1), ValueError, "-1: the number is at least 0"),
        (lambda context: context.send(0.5, 1, 8), TypeError, "'float' object cannot be interpreted as an integer"),
        (lambda context: context.send(0, 1, 8), AttributeError, "no on_message"),
        (lambda context: {}["x"], KeyError, "x"),
    ],
)
def test_an_exception_ends_the_simulation(ask, error, message):
    program = Wrong(ask)
    with pytest.raises(error, match=message):
        hetsim.Simulation(PLATFORM).run(program)
    assert program.calls == 1
    with pytest.raises(RuntimeError, match="in the handlers of its program only"):
        program.kept.complete(0)


def test_a_dict_with_an_included_platform(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lab.toml").write_text('[cluster.lab]\nnodes = 3\nnetwork = { model = "ideal" }\n')
    assert hetsim.Simulation({"include": "lab.toml"}).nodes == 3
    assert hetsim.Simulation(MappingProxyType({"include": "lab.toml"})).nodes == 3
    slow = MappingProxyType({"platform.cluster.lab.nodes": 5})
    assert hetsim.Simulation({"include": "lab.toml"}, set=slow).nodes == 5


def test_wrong_seeds():
    for seed in [-1, 2**63, 2**64]:
        with pytest.raises(ValueError, match=f"seed={seed}: the number is at least 0 and at most 9223372036854775807"):
            hetsim.Simulation(PLATFORM, seed=seed)
    with pytest.raises(ValueError, match="seed=1: set= has a seed too"):
        hetsim.Simulation(PLATFORM, seed=1, set={"seed": 2})
    assert hetsim.Simulation(PLATFORM, seed=2**63 - 1).nodes == 4


def test_the_seed_is_that_of_the_scenario():
    drawn = {"version": 1, "platform": {"cluster": {"lab": {"nodes": 4, "jitter": 0.1, "network": NETWORK}}}}

    def completion(given, **keywords):
        return hetsim.Simulation(given, **keywords).run(Scatter()).completion

    of = {seed: completion(drawn, seed=seed) for seed in [0, 1, 2]}
    assert len({*of.values()}) == 3
    # A scenario says 0 by saying nothing.
    assert completion(drawn) == of[0]
    assert completion({**drawn, "seed": 1}) == completion(drawn, set={"seed": 1}) == of[1]
    assert completion({**drawn, "seed": 1}, set={"seed": 2}) == completion({**drawn, "seed": 1}, seed=2) == of[2]


def test_warnings_of_the_scenario_are_logged(caplog):
    with caplog.at_level(logging.WARNING):
        hetsim.Simulation({**PLATFORM, "tick": "40us"})
    assert any("tick" in record.message and record.name == "hetsim" for record in caplog.records)


def test_a_program_has_a_start():
    with pytest.raises(AttributeError, match="start"):
        hetsim.Simulation(PLATFORM).run(object())


class PingPong:
    def __init__(self, messages):
        self.left = messages

    def start(self, context):
        context.send(0, 1, 8)

    def on_message(self, context, at, sender, message):
        self.left -= 1
        if self.left:
            context.send(at, sender, 8)


def test_a_hundred_thousand_events_take_about_a_second():
    start = time.perf_counter()
    outcome = hetsim.Simulation(PLATFORM).run(PingPong(100_000))
    seconds = time.perf_counter() - start
    assert outcome.messages == 100_000
    # An idle core of 2020 takes a tenth of that.
    assert seconds < 2.0, f"{outcome.events / seconds:.0f} events a second"
