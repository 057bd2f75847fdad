"""What hetsim does in Rust. docs/python.md is a guide."""

import os
import pathlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, List, Union, final

import pandas
import polars

from ._types import Entry, Problem, Program

__all__ = [
    "Answer",
    "Chart",
    "Checked",
    "Context",
    "Outcome",
    "Report",
    "Results",
    "RunError",
    "ScenarioError",
    "Simulation",
    "Table",
    "__version__",
    "answer",
    "check",
    "command",
    "list",
    "run",
]

__version__: str

_Path = Union[str, os.PathLike[str]]
_Given = Union[_Path, Mapping[str, Any]]

class ScenarioError(ValueError):
    """Bad input. The text is that of the command; the place is that of the first problem, counted from 1."""

    file: str | None
    line: int | None
    column: int | None
    problems: List[Problem]

class RunError(RuntimeError):
    """Runs failed, or results cannot be read or written, or a bound is missed. Runs that went well are kept."""

    answer: Answer | None

@final
class Table:
    """A table with typed columns: integers, floats and texts, null where there is no value.

    It has the Arrow C data interface: `polars.DataFrame(table)` and `pyarrow.table(table)` take its memory as it is.
    """

    @property
    def name(self) -> str:
        """The name of the table."""
    @property
    def columns(self) -> List[str]:
        """The names of the columns."""
    def __len__(self) -> int: ...
    def __iter__(self) -> Iterator[str]: ...
    def __contains__(self, column: object, /) -> bool: ...
    def __getitem__(self, column: str, /) -> List[Any]:
        """The cells of a column."""
    def to_dict(self) -> dict[str, List[Any]]:
        """The cells of all columns."""
    def to_pandas(self) -> pandas.DataFrame:
        """The table in pandas: pip install 'hetsim[pandas]'."""
    def to_polars(self) -> polars.DataFrame:
        """The table in polars: pip install 'hetsim[polars]'."""
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class Chart:
    """A chart, which shows itself in a notebook."""

    @property
    def name(self) -> str:
        """Its name in the scenario."""
    @property
    def caption(self) -> str:
        """What it shows, in a sentence."""
    @property
    def svg(self) -> str:
        """The picture."""
    def save(self, path: _Path) -> None:
        """Writes the chart into an .svg file."""
    def _repr_svg_(self) -> str: ...

@final
class Report:
    """The page with all results, which shows itself in a notebook."""

    @property
    def path(self) -> pathlib.Path:
        """The page's file."""
    @property
    def html(self) -> str:
        """The text of the page."""
    def _repr_html_(self) -> str: ...

@final
class Results:
    """The results of a scenario. `str(results)` is what the command prints."""

    @property
    def name(self) -> str:
        """The scenario's name."""
    @property
    def folder(self) -> pathlib.Path:
        """The results folder, with the files that the command writes."""
    @property
    def computed(self) -> int:
        """The number of runs that were computed this time; the others were stored."""
    @property
    def missed(self) -> int:
        """The number of missed expectations."""
    @property
    def text(self) -> str:
        """What the command prints."""
    @property
    def results(self) -> Table:
        """A row for each run, as results.csv."""
    @property
    def summary(self) -> Table:
        """A row for each point, with statistics of its replicas, as summary.csv."""
    @property
    def tables(self) -> List[str]:
        """The names of all tables."""
    @property
    def charts(self) -> dict[str, Chart]:
        """The charts by their names."""
    @property
    def report(self) -> Report:
        """The page with all results."""
    def table(self, name: str) -> Table:
        """A table by its name, such as a long table that the scenario's `[output]` asks for."""

@final
class Checked:
    """What is known of a valid scenario before it runs. `str(checked)` is what `hetsim check` prints."""

    @property
    def points(self) -> int:
        """The number of points."""
    @property
    def runs(self) -> int:
        """The most runs: where points stop by themselves, there are fewer."""
    @property
    def swept(self) -> List[str]:
        """The swept keys."""
    @property
    def text(self) -> str:
        """What `hetsim check` prints."""

@final
class Answer:
    """What a command answers that runs no scenario. `str(answer)` is what it prints."""

    @property
    def text(self) -> str:
        """What the command prints."""
    @property
    def notes(self) -> str:
        """What it says besides."""
    @property
    def folder(self) -> pathlib.Path | None:
        """The results folder, if it makes one."""
    @property
    def tables(self) -> List[str]:
        """The names of the tables."""
    @property
    def charts(self) -> dict[str, Chart]:
        """The charts by their names."""
    def table(self, name: str) -> Table:
        """A table by its name."""

def answer(arguments: Sequence[str], files: Sequence[_Path], *, set: Mapping[str, Any] | None = None) -> Answer:
    """Runs a command with these arguments, files and values put over them, and keeps what it says."""

def run(
    scenario: _Given,
    *,
    set: Mapping[str, Any] | None = None,
    name: str | None = None,
    out: _Path = ...,
    jobs: int | None = None,
    fresh: bool = False,
    progress: Callable[[int, int], object] | None = None,
) -> Results:
    """Computes the runs of a scenario that are not stored, and makes all results, as the command `hetsim run`.

    Ctrl-C ends it after the current runs, which are kept: the same call goes on from there.

    Args:
        scenario: The path of a TOML file, or a dict with the same keys.
        set: Values put over the scenario, by key: {"workload.size": "8KiB"}.
        name: The name of a dict's results, "scenario" by default; a file's results have the file's name.
        out: The parent of the results folder, "output" by default.
        jobs: The number of concurrent runs, at most one a core; all cores by default.
        fresh: Whether stored runs are discarded.
        progress: Called with the numbers of computed runs and of all runs to compute.

    Raises:
        `ScenarioError`: The scenario is wrong, or its results folder belongs to another scenario.
        `RunError`: Runs failed.
    """

def check(scenario: _Given, *, set: Mapping[str, Any] | None = None) -> Checked:
    """Checks a scenario and says what it would run.

    Args:
        scenario: The path of a TOML file, or a dict with the same keys.
        set: Values put over the scenario, by key: {"workload.size": "8KiB"}.

    Raises:
        `ScenarioError`: The scenario is wrong.
    """

def list(words: str = "") -> List[Entry]:
    """What a scenario can name but metrics; or, of all that has a name, what has certain words.

    Args:
        words: Words that are looked for, such as "policies"; without any, all but metrics.

    Raises:
        `ValueError`: Nothing matches.
    """

@final
class Context:
    """What a program may ask of the platform, in its handlers only. Nodes are numbered from 0."""

    @property
    def now(self) -> float:
        """The clock, in seconds."""
    @property
    def nodes(self) -> int:
        """The number of nodes."""
    def send(self, sender: int, to: int, size: int, message: object = None) -> None:
        """Sends an object as a message of `size` bytes, as soon as the sender's processor and port are free."""
    def compute(self, at: int, operations: float) -> int:
        """Starts a computation on a core, or queues it there; returns its number."""
    def timer(self, at: int, delay: float) -> int:
        """Starts a timer of `delay` seconds; returns its number."""
    def cancel(self, timer: int) -> None:
        """Cancels a timer, if it has not expired."""
    def working_set(self, at: int, size: int) -> None:
        """Sets the bytes that computations of a node work on, for nodes with a cache."""
    def complete(self, at: int) -> None:
        """Marks a node as complete."""
    def conclude(self) -> None:
        """Marks the results as complete: later computations do not count as usage."""

@final
class Outcome:
    """How a program has ended."""

    @property
    def completion(self) -> float | None:
        """When the last node completed, in seconds; None if none has."""
    @property
    def completed(self) -> int:
        """The number of completions."""
    @property
    def end(self) -> float:
        """The time of the last event, in seconds."""
    @property
    def events(self) -> int:
        """The number of events."""
    @property
    def messages(self) -> int:
        """The number of delivered messages."""
    @property
    def lost(self) -> int:
        """Messages that were lost because a node was down."""
    @property
    def nodes(self) -> Table:
        """What each node computed: node, `busy_s`, operations, works."""

@final
class Simulation:
    """A platform on which programs of one's own run. Each run starts at time zero.

    Args:
        platform: The path of a scenario or of a platform file, or a dict with the keys of `[platform]`.
        seed: The seed of the random parts; that of the scenario by default.
        replica: The number of the replica whose random parts are drawn.
        set: Values put over the platform, by key: {"platform.cluster.lab.nodes": 8}.

    Raises:
        `ScenarioError`: The platform is wrong.
    """

    @property
    def nodes(self) -> int:
        """The number of nodes."""
    def __new__(
        cls,
        platform: _Given,
        *,
        seed: int | None = None,
        replica: int = 0,
        set: Mapping[str, Any] | None = None,
    ) -> Simulation: ...
    def run(self, program: Program) -> Outcome:
        """Runs a program until no event is pending. An exception in a handler ends it.

        Raises:
            `RunError`: The simulation cannot go on.
        """

def command(arguments: Sequence[str]) -> int:
    """Runs a command, whose first argument is the path of the program, and returns its exit code."""
