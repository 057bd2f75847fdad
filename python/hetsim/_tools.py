"""Advice, calibration and validation: the commands of these names, with their options as keywords."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, Optional, Union

from ._hetsim import Answer, answer

_Path = Union[str, "os.PathLike[str]"]
_Several = Union[_Path, Iterable[_Path]]


def advise(
    platform: _Path,
    *,
    operation: Union[str, Iterable[str], None] = None,
    sizes: Union[str, Iterable[str], None] = None,
    ranks: Union[int, Iterable[int], None] = None,
    ranks_per_node: Union[int, Iterable[int], None] = None,
    placement: Optional[str] = None,
    reduction: Optional[str] = None,
    measured: _Several = (),
    given: Union[str, Iterable[str]] = (),
    error: Union[float, _Path, None] = None,
    tasks: bool = False,
    hpl: bool = False,
    format: Optional[str] = None,
    columns: Optional[Mapping[str, str]] = None,
    dag: Optional[_Path] = None,
    replicas: Optional[int] = None,
    set: Optional[Mapping[str, Any]] = None,
    seed: Optional[int] = None,
    out: _Path = "output",
    jobs: Optional[int] = None,
) -> Answer:
    """The fastest algorithm for each operation, number of ranks and size on a platform, as `hetsim advise`.

    Its table is "choices"; its charts are maps of the operations. With `tasks` or `hpl` it says how to run tasks or HPL
    instead, and its table is "settings".

    Args:
        platform: The file of the platform, or of a scenario with one; for `tasks` and `hpl` a scenario, or a log of tasks.
        operation: An operation, such as "all_reduce", several of them, or "all"; "broadcast" by default.
        sizes: The message sizes: powers of two times the first, "1B..4MiB" by default, or a list, ["1KiB", "8KiB"].
        ranks: The numbers of ranks; powers of two and all nodes by default.
        ranks_per_node: The numbers of ranks on each node, of which each has rules of its own.
        placement: The placement of the ranks: on the first nodes ("cluster", the default), or on each cluster in turn
            ("round_robin").
        reduction: The computation for combining a pair of bytes in a reduction, such as "1op"; "0op" by default.
        measured: Files with measured times, which take the place of simulated ones.
        given: What the measured files do not say, such as "nodes=16".
        error: The error of the simulation in per cent, or the summary.csv of a validation, which has it by operation.
        tasks: Whether to say how to run tasks, independent ones or those of a graph, and on which machines.
        hpl: Whether to say how to run HPL, and on which nodes.
        format: The format of a log of tasks, if its content does not tell it.
        columns: The titles of columns in a CSV of tasks, where they have others: {"machine": "host"}.
        dag: The graph of the processes whose tasks a log of Nextflow has.
        replicas: The number of runs with independent draws whose mean is taken, 1 by default; the most of them for `tasks`,
            24 by default, and for `hpl`, 8.
        set: Values put over the platform, by key: {"platform.cluster.lab.nodes": 32}.
        seed: The seed of all random streams.
        out: The parent of the results folder, "output" by default.
        jobs: The number of concurrent runs, at most one a core; all cores by default.

    Raises:
        `ScenarioError`: The platform or an argument is wrong.
        `RunError`: A run failed.
    """
    return answer(
        [
            "advise",
            *(["--tasks"] if tasks else []),
            *(["--hpl"] if hpl else []),
            *_one("--format", format),
            *_each("--columns", [f"{column}={title}" for column, title in (columns or {}).items()]),
            *_one("--dag", dag),
            *_each("--operation", None if operation is None else _several("operation", operation)),
            *_joined("--sizes", sizes),
            *_joined("--ranks", ranks),
            *_joined("--ranks-per-node", ranks_per_node),
            *_one("--placement", placement),
            *_one("--reduction", reduction),
            *_each("--measured", measured),
            *_each("--with", given),
            *_one("--error", error),
            *_one("--replicas", replicas),
            *_one("--seed", seed),
            *_one("--out", out),
            *_one("--jobs", jobs),
        ],
        [platform],
        set=set,
    )


def calibrate(
    files: _Several,
    *,
    platform: _Path,
    free: Union[str, Iterable[str]],
    use: Union[str, Iterable[str]] = (),
    leave_out: Union[str, Iterable[str]] = (),
    given: Union[str, Iterable[str]] = (),
    locally: bool = False,
    seed: int = 1,
    max_messages: Optional[int] = None,
    date: Optional[str] = None,
    out: _Path = "calibrated.toml",
    jobs: Optional[int] = None,
) -> Answer:
    """Values of a platform's keys that explain measured collectives, as `hetsim calibrate`.

    The calibrated platform goes into the file `out`; the text has the ranges of the keys and the errors. After Ctrl-C,
    the same call goes on from there.

    Args:
        files: A file with measured times, or several.
        platform: The file of the platform, or of a scenario with one.
        free: The keys to be calibrated, with bounds if need be: "network.latency=1us..20us".
        use: The points to calibrate on, such as "operation=bcast,algorithm=binomial"; all by default.
        leave_out: The points to leave out.
        given: What the files do not say, such as "nodes=16".
        locally: Whether to search near the values of the platform only.
        seed: The seed of the search, and of a platform with random parts.
        max_messages: The most messages of a point that is simulated; a point with more is not used.
        date: The day that the calibrated platform tells, such as "2025-04-12"; none by default.
        out: The file for the calibrated platform, "calibrated.toml" by default.
        jobs: The number of concurrent simulations, at most one a core; all cores by default.

    Raises:
        `ScenarioError`: A file or an argument is wrong.
        `RunError`: A simulation failed.
    """
    return answer(
        [
            "calibrate",
            *_one("--platform", platform),
            *_joined("--free", free),
            *_each("--use", use),
            *_each("--leave-out", leave_out),
            *_each("--with", given),
            *(["--locally"] if locally else []),
            *_one("--seed", seed),
            *_one("--max-messages", max_messages),
            *_one("--date", date),
            *_one("--out", out),
            *_one("--jobs", jobs),
        ],
        _several("files", files),
    )


def validate(
    files: _Several,
    *,
    platform: _Path,
    use: Union[str, Iterable[str]] = (),
    leave_out: Union[str, Iterable[str]] = (),
    given: Union[str, Iterable[str]] = (),
    within: Optional[str] = None,
    seed: Optional[int] = None,
    max_messages: Optional[int] = None,
    out: _Path = "output",
    jobs: Optional[int] = None,
) -> Answer:
    """Predictions of measured collectives beside the measurements, as `hetsim validate`.

    Its tables are "points", "summary" and "choices".

    Args:
        files: A file with measured times, or several.
        platform: The file of the platform, or of a scenario with one.
        use: The points to compare, such as "operation=bcast,algorithm=binomial"; all by default.
        leave_out: The points whose errors are left out, such as those used to calibrate.
        given: What the files do not say, such as "nodes=16".
        within: Bounds of the errors in per cent, such as "median=15,regret=4".
        seed: The seed of all random streams.
        max_messages: The most messages of a point that is simulated; a point with more has no prediction.
        out: The parent of the results folder, "output" by default.
        jobs: The number of concurrent simulations, at most one a core; all cores by default.

    Raises:
        `ScenarioError`: A file or an argument is wrong.
        `RunError`: No point can be predicted, or a bound is missed; `error.answer` is the answer then.
    """
    return answer(
        [
            "validate",
            *_one("--platform", platform),
            *_each("--use", use),
            *_each("--leave-out", leave_out),
            *_each("--with", given),
            *_one("--within", within),
            *_one("--seed", seed),
            *_one("--max-messages", max_messages),
            *_one("--out", out),
            *_one("--jobs", jobs),
        ],
        _several("files", files),
    )


def _text(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _list(values: Any) -> list[Any]:
    """One value, or several."""
    is_one = isinstance(values, (str, os.PathLike)) or not isinstance(values, Iterable)
    return [values] if is_one else [*values]


def _several(name: str, values: Any) -> list[Any]:
    """At least one value: none would mean what nobody meant."""
    if several := _list(values):
        return several
    raise ValueError(f"{name.strip('-').replace('-', '_')}=: the list is empty")


def _one(option: str, value: object) -> list[str]:
    """An option, unless it is not given."""
    return [] if value is None else [f"{option}={_text(value)}"]


def _each(option: str, values: object) -> list[str]:
    """An option for each value, unless there is none."""
    return [] if values is None else [f"{option}={_text(value)}" for value in _list(values)]


def _joined(option: str, values: object) -> list[str]:
    """An option with all values, unless it is not given."""
    return [] if values is None else [f"{option}={','.join(map(_text, _several(option, values)))}"]
