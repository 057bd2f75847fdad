"""Types of what goes in and out of hetsim. They are for type checkers: a program needs no base class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Dict, Optional, Protocol, TypedDict

if TYPE_CHECKING:
    from ._hetsim import Chart, Context


class Charts(Dict[str, "Chart"]):
    """Charts by their names."""

    def __missing__(self, name: str) -> Chart:
        raise KeyError(f"there is no chart {name}; there are {', '.join(self) or 'none'}")


class Problem(TypedDict):
    """Something that is wrong with a scenario. What has no place has no file, line and column."""

    message: str
    file: Optional[str]
    line: Optional[int]
    column: Optional[int]
    help: Optional[str]


class Entry(TypedDict):
    """Something that a scenario can name."""

    section: str
    name: str
    summary: str


class Program(Protocol):
    """A program of one's own: one object holds the state of all nodes. It may also have these methods:

    on_message(context, at, sender, message): a message has been received at a node.
    on_computed(context, at, work): a computation has ended.
    on_timer(context, at, timer): a timer has expired.
    """

    def start(self, context: Context, /) -> object:
        """Called once, at time zero."""
