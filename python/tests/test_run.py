"""hetsim.run: results, tables, charts, errors."""

import logging
import os
import subprocess
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import numpy
import pandas
import polars
import pyarrow
import pytest

import hetsim

SCENARIOS = Path(__file__).parents[2] / "scenarios"
FIRST = SCENARIOS / "first.toml"

BROADCAST = {
    "version": 1,
    "replicas": 2,
    "platform": {
        "cluster": {"lab": {"nodes": 16, "network": {"model": "hockney", "latency": "50us", "bandwidth": "1Gbit/s"}}}
    },
    "workload": {"kind": "broadcast", "size": "128KiB", "algorithm": "binomial"},
    "sweep": {
        "platform.cluster.lab.nodes": {"from": 2, "to": 8, "steps": 4},
        "workload.algorithm": ["linear", "binomial"],
    },
    "output": {"tables": ["nodes"]},
}


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def command(*words):
    return subprocess.run([sys.executable, "-m", "hetsim", *words], capture_output=True, text=True)


def test_results_are_those_of_the_command():
    results = hetsim.run(FIRST)
    assert command("run", str(FIRST), "--out", "other").returncode == 0
    for name in ["results.csv", "summary.csv", "best.csv", "charts/completion.svg", "scenario.resolved.toml"]:
        assert Path("output/first", name).read_bytes() == Path("other/first", name).read_bytes(), name
    printed = command("run", str(FIRST), "--out", "other").stdout
    assert printed.startswith(results.text) and str(results) == results.text
    # The command finds what Python has stored.
    again = command("run", str(FIRST))
    assert "18 already done" in again.stderr


def test_a_second_call_computes_nothing():
    first = hetsim.run(FIRST)
    assert first.computed == 18
    again = hetsim.run(FIRST)
    assert again.computed == 0
    assert again.results.to_dict() == first.results.to_dict()
    assert hetsim.run(FIRST, fresh=True).computed == 18


def test_a_dict_is_a_scenario():
    results = hetsim.run(BROADCAST, name="mine", jobs=1)
    assert (results.name, results.folder) == ("mine", Path("output/mine").absolute())
    # ⌈log₂ 4⌉ rounds of 50 µs + 131 072 B / 125 MB/s.
    rows = results.results.to_dict()
    at = [(nodes, algorithm) for nodes, algorithm in zip(rows["nodes"], rows["algorithm"])]
    assert rows["completion_s"][at.index((4, "binomial"))] == 0.002197152
    # The keys of the sweep keep their order.
    assert at[:4] == [(2, "linear"), (2, "linear"), (2, "binomial"), (2, "binomial")]
    assert hetsim.run(BROADCAST, name="mine").computed == 0


def test_values_are_put_over_a_scenario():
    results = hetsim.run(BROADCAST, set={"replicas": 1, "workload.size": "1KiB"}, out=Path("elsewhere"))
    assert len(results.results) == 8
    assert Path("elsewhere/scenario/report.html").is_file()
    with pytest.raises(hetsim.ScenarioError, match="there is no key `workload.length`"):
        hetsim.run(BROADCAST, set={"workload.length": 3})


def test_tables_have_types():
    results = hetsim.run(BROADCAST)
    frame = results.results.to_polars()
    assert frame.schema["algorithm"] == polars.String
    assert frame.schema["nodes"] == polars.Int64
    assert (frame["nodes"] - 3).min() == -1
    assert frame.schema["completion_s"] == polars.Float64
    assert frame["fitted_s"].null_count() == len(frame)
    csv = pandas.read_csv("output/scenario/results.csv")
    ours = results.results.to_pandas()
    assert list(ours.columns) == list(csv.columns) == results.results.columns
    pandas.testing.assert_frame_equal(ours, csv, check_dtype=False)
    summary = pandas.read_csv("output/scenario/summary.csv")
    pandas.testing.assert_frame_equal(results.summary.to_pandas(), summary, check_dtype=False)
    nodes = pandas.read_csv("output/scenario/nodes.csv")
    pandas.testing.assert_frame_equal(results.table("nodes").to_pandas(), nodes, check_dtype=False)
    assert len(results.table("nodes")) == sum(results.results["nodes"])
    with pytest.raises(KeyError, match="there are results, summary, nodes"):
        results.table("links")
    with pytest.raises(KeyError, match="results has no column time"):
        results.results["time"]


def test_a_table_has_its_columns():
    table = hetsim.run(BROADCAST).results
    assert list(table) == table.columns and "nodes" in table and "time" not in table and 3 not in table
    for rows in [3, slice(2)]:
        with pytest.raises(TypeError, match="is no name of a column; rows are those of to_pandas"):
            table[rows]


def test_a_swept_key_that_is_called_like_a_metric():
    results = hetsim.run(SCENARIOS / "nasri-cost.toml", set={"workload.repetitions": 1})
    for table in [results.results, results.summary]:
        assert len(set(table.columns)) == len(table.columns)
        assert "workload.models" in table and "models" in table


def test_results_stay_where_they_are(tmp_path, monkeypatch):
    results = hetsim.run(BROADCAST)
    (tmp_path / "other").mkdir()
    monkeypatch.chdir("other")
    assert results.folder.is_dir() and "<html" in results.report.html
    results.report.path.unlink()
    with pytest.raises(FileNotFoundError, match="scenario/report.html: No such file"):
        results.report.html


def test_a_table_outlives_its_results():
    stream = hetsim.run(BROADCAST).summary.__arrow_c_stream__()
    del stream
    frame = polars.DataFrame(hetsim.run(BROADCAST).summary)
    assert frame["n"].to_list() == [2] * 8


def test_numbers_are_not_copied():
    table = hetsim.run(BROADCAST).results

    def address():
        return pyarrow.table(table)["completion_s"].chunk(0).buffers()[1].address

    kept = pyarrow.table(table)
    assert kept["completion_s"].chunk(0).buffers()[1].address == address() == address()


def test_tables_show_themselves():
    table = hetsim.run(BROADCAST).results
    assert "results: 16 rows" in repr(table)
    assert max(len(line) for line in repr(table).splitlines()) <= 104
    assert table._repr_html_().count("<tr>") == 11


def test_charts_and_report():
    results = hetsim.run(FIRST)
    chart = results.charts["completion"]
    assert chart._repr_svg_().lstrip().startswith("<svg")
    chart.save("mine.svg")
    assert Path("mine.svg").read_text() == Path("output/first/charts/completion.svg").read_text()
    with pytest.raises(KeyError, match="there is no chart nope; there are completion"):
        results.charts["nope"]
    assert list(results.charts) == ["completion", "pipeline"] and results.charts.get("nope") is None
    with pytest.raises(ValueError, match="saved as .svg"):
        chart.save("mine.pdf")
    assert results.report.html == Path("output/first/report.html").read_text()
    assert results.report._repr_html_().startswith("<iframe srcdoc=")
    assert "&lt;" not in results._repr_html_() and "binomial" in results._repr_html_()


def test_errors_have_places():
    Path("wrong.toml").write_text(FIRST.read_text().replace("nodes = 16", "nodes = 'x'").replace("kind =", "kinds ="))
    with pytest.raises(hetsim.ScenarioError) as caught:
        hetsim.run("wrong.toml")
    error = caught.value
    assert isinstance(error, ValueError)
    lines = Path("wrong.toml").read_text().splitlines()
    [number] = [problem for problem in error.problems if "whole number" in problem["message"]]
    assert lines[number["line"] - 1][number["column"] - 1 :].startswith("'x'")
    assert len(error.problems) > 1
    first = error.problems[0]
    assert (error.file, error.line, error.column) == ("wrong.toml", first["line"], first["column"])
    assert first.keys() == {"message", "file", "line", "column", "help"}
    told = command("check", "wrong.toml")
    assert told.returncode == 2
    assert told.stderr.strip() == str(error).strip()


def test_what_is_no_scenario():
    with pytest.raises(TypeError, match="a path or a dict is needed, and this is a int"):
        hetsim.run(3)
    with pytest.raises(TypeError, match="workload.size: TOML has no value for None"):
        hetsim.run({"workload": {"size": None}})
    for seed in [2**63, 10**40]:
        with pytest.raises(ValueError, match=f"seed: {seed} does not fit the 64 bits"):
            hetsim.run(BROADCAST, set={"seed": seed})
    with pytest.raises(hetsim.ScenarioError, match="there is no file|No such file|cannot be read"):
        hetsim.run("missing.toml")
    with pytest.raises(ValueError, match="name= is for a dict"):
        hetsim.run(FIRST, name="other")
    with pytest.raises(ValueError, match="jobs=0"):
        hetsim.run(FIRST, jobs=0)
    with pytest.raises(ValueError, match="-1: the number is at least 0"):
        hetsim.run(FIRST, jobs=-1)


class Endless(Mapping):
    """A mapping within which there is always another."""

    def __getitem__(self, key):
        return Endless()

    def __iter__(self):
        return iter(["a"])

    def __len__(self):
        return 1


def test_what_holds_itself_or_is_too_deep():
    """Each of these ended the interpreter."""
    own = {"version": 1, "workload": {}}
    own["workload"]["again"] = own
    items = []
    items.append(items)
    deep = {}
    for _ in range(100_000):
        deep = {"a": deep}
    nested = []
    for _ in range(100_000):
        nested = [nested]
    for call in [hetsim.run, hetsim.check, hetsim.Simulation]:
        with pytest.raises(ValueError, match="workload.again: this dict holds itself"):
            call(own)
        with pytest.raises(ValueError, match="sweep: this list holds itself"):
            call({"sweep": items})
        for given in [deep, {"a": {"a": nested}}, Endless()]:
            with pytest.raises(ValueError, match="^a.a.*: dicts and lists are nested more than 64 deep"):
                call(given)
    with pytest.raises(ValueError, match="workload.size…: dicts and lists are nested more than 64 deep"):
        hetsim.check(BROADCAST, set={"workload.size": nested})
    # The same twice is no circle.
    lab = BROADCAST["platform"]["cluster"]["lab"]
    platform = {"cluster": {"lab": lab, "other": lab}, "between": {"network": lab["network"]}}
    assert hetsim.check({**BROADCAST, "platform": platform, "sweep": {}}).points == 1
    # The text of a file, in TOML's most nested form, on the thread that reads it.
    key = ".".join(["a"] * 79)
    Path("deep.toml").write_text(f"[{key}]\n{key} = " + f"{{{key} = " * 77 + "1" + "}" * 77 + "\n")
    with pytest.raises(hetsim.ScenarioError, match="nested more than 64 deep"):
        hetsim.check("deep.toml")


def test_values_of_other_types():
    """What has the same values gives the same scenario."""
    linear = {**BROADCAST, "sweep": {"workload.root": [0, 1, 2], "workload.algorithm": ["linear"]}}
    rows = hetsim.run(linear).results.to_dict()
    for values in [range(3), numpy.arange(3), numpy.arange(3, dtype="uint8"), pandas.Series([0, 1, 2])]:
        given = {**linear, "sweep": MappingProxyType({**linear["sweep"], "workload.root": values})}
        assert hetsim.run(MappingProxyType(given)).results.to_dict() == rows
    farm = {"kind": "independent", "tasks": 4, "task": "1Mop", "farm": {"policy": "static", "task_size": "0B", "result_size": "0B"}}
    with pytest.raises(hetsim.ScenarioError, match="true"):
        hetsim.check({**BROADCAST, "workload": farm, "sweep": {}}, set={"workload.tasks": numpy.bool_(True)})
    assert hetsim.check(BROADCAST, set=MappingProxyType({"replicas": numpy.int64(3)})).runs == 24


FORKED = """
import os, sys
import hetsim
hetsim.check(sys.argv[1])
child = os.fork()
if child:
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
for work in [hetsim.run, hetsim.check, hetsim.advise, hetsim.Simulation]:
    try:
        work(sys.argv[1])
    except RuntimeError as error:
        assert "start processes by spawn" in str(error), error
    else:
        sys.exit(f"{work} works")
print("refused", flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_forked_child_does_not_hang():
    told = subprocess.run([sys.executable, "-c", FORKED, str(FIRST)], capture_output=True, text=True, timeout=60)
    assert (told.returncode, told.stdout) == (0, "refused\n"), told.stderr


def test_jobs_are_bounded_by_the_cores(caplog):
    with caplog.at_level(logging.WARNING):
        assert hetsim.run(FIRST, jobs=1_000_000).computed == 18
    assert any("1000000 jobs are more than this machine has cores" in record.message for record in caplog.records)
    assert {record.name for record in caplog.records} == {"hetsim"}


def test_another_scenarios_folder_is_refused():
    hetsim.run(FIRST)
    Path("deep").mkdir()
    Path("deep/first.toml").write_text(FIRST.read_text())
    with pytest.raises(hetsim.ScenarioError, match="holds the results of"):
        hetsim.run("deep/first.toml")


LONG = {
    **BROADCAST,
    "replicas": 200,
    "workload": {
        "kind": "independent",
        "tasks": 20_000,
        "task": {"distribution": "uniform", "from": "50Mop", "to": "150Mop"},
        "farm": {"policy": "adaptive", "task_size": "100B", "result_size": "100B"},
    },
    "sweep": {"workload.farm.policy": ["adaptive", "guided"]},
    "output": {},
}


def test_progress_is_told():
    told = []
    hetsim.run(LONG, set={"replicas": 20}, progress=lambda done, total: told.append((done, total)))
    assert told and told == sorted(told)
    assert told[-1] == (40, 40)


def test_progress_is_told_to_the_end():
    """The runs end within the first call."""
    told = []

    def progress(done, total):
        told.append((done, total))
        patience = time.monotonic() + 60
        while not Path("output/scenario/manifest.json").exists() and time.monotonic() < patience:
            time.sleep(0.05)
        time.sleep(0.3)

    hetsim.run(LONG, set={"replicas": 20}, progress=progress)
    assert len(told) > 1 and told[-1] == (40, 40)


def test_progress_is_a_function():
    with pytest.raises(TypeError, match="progress=5: a function is needed"):
        hetsim.run(FIRST, progress=5)
    assert not Path("output").exists()


def test_an_exception_of_progress_stops_the_runs():
    def progress(done, total):
        if done:
            raise LookupError("enough")

    with pytest.raises(LookupError, match="enough"):
        hetsim.run(LONG, progress=progress)
    # What is computed is kept.
    again = hetsim.run(LONG)
    assert 0 < again.computed < 400


def test_ctrl_c_stops_and_keeps(ctrl_c):
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        hetsim.run(LONG)
    assert 0 < hetsim.run(LONG).computed < 400


def test_failed_runs_are_an_error(tmp_path):
    scenario = {
        **BROADCAST,
        "platform": {
            "tick": "1s",
            "cluster": {
                "lab": {"nodes": 4, "network": {"model": "hockney", "latency": "1e19s", "bandwidth": "1Gbit/s"}}
            },
        },
        "sweep": {"workload.size": ["1KiB", "2KiB"]},
    }
    with pytest.raises(hetsim.RunError, match="4 of 4 runs failed") as caught:
        hetsim.run(scenario)
    assert caught.value.answer is None


def test_warnings_are_logged(caplog):
    with caplog.at_level(logging.WARNING):
        hetsim.run(BROADCAST, set={"platform.tick": "40us"})
    assert any("tick" in record.message and record.name == "hetsim" for record in caplog.records)


def test_check_and_list():
    checked = hetsim.check(FIRST)
    assert (checked.points, checked.runs) == (18, 18)
    assert checked.swept == ["workload.algorithm", "workload.size"]
    assert command("check", str(FIRST)).stdout.endswith(checked.text)
    assert hetsim.check(BROADCAST, set={"replicas": 3}).runs == 24
    policies = hetsim.list("policies")
    assert {"guided", "adaptive"} <= {entry["name"] for entry in policies}
    assert len({entry["section"] for entry in hetsim.list()}) > 20
    with pytest.raises(ValueError, match="did you mean `guided`"):
        hetsim.list("giuded")
