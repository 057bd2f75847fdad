"""hetsim simulates parallel programs on clusters of unequal machines.

>>> import hetsim
>>> results = hetsim.run("mine.toml")
>>> results.charts["speedup"]
>>> results.results.to_pandas()
"""

from ._hetsim import (
    Answer,
    Chart,
    Checked,
    Context,
    Outcome,
    Report,
    Results,
    RunError,
    ScenarioError,
    Simulation,
    Table,
    __version__,
    check,
    list,
    run,
)
from ._tools import advise, calibrate, validate
from ._types import Entry, Problem, Program

# Without `list`: `from hetsim import *` leaves Python's own in place.
__all__ = [
    "Answer",
    "Chart",
    "Checked",
    "Context",
    "Entry",
    "Outcome",
    "Problem",
    "Program",
    "Report",
    "Results",
    "RunError",
    "ScenarioError",
    "Simulation",
    "Table",
    "__version__",
    "advise",
    "calibrate",
    "check",
    "run",
    "validate",
]
