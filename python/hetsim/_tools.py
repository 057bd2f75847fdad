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
    operation: Union[str, Iterable[str]] = "broadcast",
    sizes: str = "1B..4MiB",
    ranks: Optional[Iterable[int]] = None,
    ranks_per_node: Optional[Iterable[int]] = None,
    placement: str = "cluster",
    reduction: str = "0op",
    measured: _Several = (),
    given: Union[str, Iterable[str]] = (),
    error: Union[float, _Path, None] = None,
    replicas: int = 1,
    set: Optional[Mapping[str, Any]] = None,
    seed: Optional[int] = None,
    out: _Path = "output",
    jobs: Optional[int] = None,
) -> Answer:
    """The fastest algorithm for each operation, number of ranks and size on a platform, as `hetsim advise`.

    Its table is "choices"; its charts are maps of the operations.

    Args:
        platform: The file of the platform, or of a scenario with one.
        operation: An operation, such as "all_reduce", several of them, or "all".
        sizes: The message sizes: powers of two times the first ("1B..4MiB"), or a list ("1KiB,8KiB").
        ranks: The numbers of ranks; powers of two and all nodes by default.
        ranks_per_node: The numbers of ranks on each node, of which each has rules of its own.
        placement: The placement of the ranks: on the first nodes ("cluster"), or on each cluster in turn ("round_robin").
        reduction: The computation for combining a pair of bytes in a reduction, such as "1op".
        measured: Files with measured times, which take the place of simulated ones.
        given: What the measured files do not say, such as "nodes=16".
        error: The error of the simulation in per cent, or the summary.csv of a validation, which has it by operation.
        replicas: The number of runs with independent draws whose mean is taken.
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
            os.fspath(platform),
            *_each("--operation", operation),
            *_one("--sizes", sizes),
            *_joined("--ranks", ranks),
            *_joined("--ranks-per-node", ranks_per_node),
            *_one("--placement", placement),
            *_one("--reduction", reduction),
            *_each("--measured", measured),
            *_each("--with", given),
            *_one("--error", error),
            *_one("--replicas", replicas),
            *_each("--set", [f"{key}={value}" for key, value in (set or {}).items()]),
            *_one("--seed", seed),
            *_one("--out", out),
            *_one("--jobs", jobs),
        ]
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
            *_each(None, files),
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
        ]
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
        `RunError`: No point can be predicted, or a bound is missed.
    """
    return answer(
        [
            "validate",
            *_each(None, files),
            *_one("--platform", platform),
            *_each("--use", use),
            *_each("--leave-out", leave_out),
            *_each("--with", given),
            *_one("--within", within),
            *_one("--seed", seed),
            *_one("--max-messages", max_messages),
            *_one("--out", out),
            *_one("--jobs", jobs),
        ]
    )


def _text(value: object) -> str:
    return os.fspath(value) if isinstance(value, os.PathLike) else str(value)


def _several(values: object) -> list[object]:
    if isinstance(values, (str, os.PathLike)):
        return [values]
    return list(values)  # type: ignore[call-overload]


def _one(option: str, value: object) -> list[str]:
    """An option, unless it is not given."""
    return [] if value is None else [f"{option}={_text(value)}"]


def _each(option: Optional[str], values: object) -> list[str]:
    """An option for each value; without an option, the values."""
    texts = map(_text, _several(values))
    return [text if option is None else f"{option}={text}" for text in texts]


def _joined(option: str, values: object) -> list[str]:
    """An option with all values, unless it is not given."""
    return [] if values is None else [f"{option}={','.join(map(_text, _several(values)))}"]
