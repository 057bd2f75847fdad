"""hetsim.advise, calibrate and validate: the commands inside of Python."""

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType

import polars
import pytest

import hetsim

LAB = """
[cluster.lab]
nodes = 16
network = { model = "hockney", latency = "20us", bandwidth = "1Gbit/s" }
"""

# (⌈log₂ 16⌉ rounds or 15 messages) × (50 µs + bytes / 125 MB/s), in µs: a machine with another latency.
MEASURED = """operation,algorithm,nodes,buffer_bytes,median_us
bcast,linear,16,1024,872.88
bcast,linear,16,65536,8614.32
bcast,binomial,16,1024,232.768
bcast,binomial,16,65536,2297.152
"""


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("lab.toml").write_text(LAB)
    Path("measured.csv").write_text(MEASURED)


def command(*words):
    return subprocess.run([sys.executable, "-m", "hetsim", *words], capture_output=True, text=True)


def test_advice_is_that_of_the_command(capfd):
    answer = hetsim.advise("lab.toml", operation=["broadcast", "barrier"], ranks=[8, 16], sizes="1KiB,1MiB")
    assert capfd.readouterr() == ("", "")
    words = ["--operation", "broadcast", "--operation", "barrier", "--ranks", "8,16", "--sizes", "1KiB,1MiB"]
    assert answer.text == command("advise", "lab.toml", *words).stdout == str(answer)
    assert answer.folder == Path("output/advise-lab").absolute()
    assert sorted(answer.table("choices")["ranks"]) == [8, 8, 8, 16, 16, 16]
    assert set(answer.charts) == {"broadcast", "barrier"}
    assert answer.charts["broadcast"].svg.lstrip().startswith("<svg")


def test_advice_in_several_threads():
    def words(ranks):
        return hetsim.advise("lab.toml", ranks=[ranks], sizes="1KiB", out=f"of-{ranks}").text

    with ThreadPoolExecutor() as pool:
        together = [*pool.map(words, range(2, 9))]
    assert together == [*map(words, range(2, 9))]
    assert len(set(together)) == 7


def test_advice_on_tasks():
    Path("log.csv").write_text("host,started,ended\n" + "a,0,1\na,1,2\nb,0,2\nb,2,4\n" * 8)
    log = hetsim.advise("log.csv", tasks=True, format="csv", columns={"machine": "host"}, jobs=1)
    words = ["--tasks", "--format", "csv", "--columns", "machine=host"]
    assert log.text == command("advise", "log.csv", *words).stdout
    assert "settings" in log.tables
    with pytest.raises(hetsim.ScenarioError, match="--dag is for logs of tasks"):
        hetsim.advise("lab.toml", dag="dag.dot")
    with pytest.raises(hetsim.ScenarioError, match="cannot be used with"):
        hetsim.advise("log.csv", tasks=True, ranks=8)
    with pytest.raises(hetsim.ScenarioError, match="the file of a platform, not a scenario"):
        hetsim.advise("lab.toml", hpl=True)


def test_arguments_in_other_forms():
    several = hetsim.advise("lab.toml", operation=["broadcast"], ranks=[8], sizes="1KiB,8KiB", set={"seed": 3})
    other = hetsim.advise("lab.toml", operation="broadcast", ranks=8, sizes=["1KiB", "8KiB"], seed=3)
    assert several.text == other.text
    for name in ["operation", "sizes", "ranks", "ranks_per_node"]:
        with pytest.raises(ValueError, match=f"^{name}=: the list is empty"):
            hetsim.advise("lab.toml", **{name: []})
    with pytest.raises(ValueError, match="^free=: the list is empty"):
        hetsim.calibrate("measured.csv", platform="lab.toml", free=[])
    with pytest.raises(ValueError, match="^files=: the list is empty"):
        hetsim.validate([], platform="lab.toml")
    Path("--lab.toml").write_text(LAB)
    assert hetsim.advise("--lab.toml", ranks=8, sizes="1KiB").folder.name == "advise---lab"


def test_values_put_over_a_platform():
    network = {"model": "hockney", "latency": "1ms", "bandwidth": "1Gbit/s"}
    keywords = {"ranks": 8, "sizes": "1KiB", "operation": "barrier"}
    slow = hetsim.advise("lab.toml", set=MappingProxyType({"platform.cluster.lab.network": network}), **keywords)
    fast = hetsim.advise("lab.toml", **keywords)
    assert slow.table("choices")["completion_s"][0] > 10 * fast.table("choices")["completion_s"][0]
    with pytest.raises(TypeError, match="platform.tick: TOML has no value for None"):
        hetsim.advise("lab.toml", set={"platform.tick": None})


def test_wrong_arguments():
    with pytest.raises(hetsim.ScenarioError, match="invalid value 'brodcast'"):
        hetsim.advise("lab.toml", operation="brodcast")
    with pytest.raises(hetsim.ScenarioError, match="has 16 nodes"):
        hetsim.advise("lab.toml", ranks=[17])
    Path("lab.toml").write_text(LAB.replace("nodes", "nods"))
    with pytest.raises(hetsim.ScenarioError) as caught:
        hetsim.advise("lab.toml")
    assert caught.value.problems[0]["line"] == 3
    Path("measured.csv").write_text(MEASURED.replace("8614.32", "long"))
    with pytest.raises(hetsim.ScenarioError, match="measured.csv: line 3: column 5") as caught:
        hetsim.validate("measured.csv", platform="lab.toml")
    assert (caught.value.file, caught.value.line) == ("measured.csv", 3)


def test_a_calibration_finds_the_latency():
    answer = hetsim.calibrate("measured.csv", platform="lab.toml", free="network.latency", jobs=1)
    assert "latency" in answer.text
    found = hetsim.validate("measured.csv", platform="calibrated.toml")
    before = hetsim.validate("measured.csv", platform="lab.toml", out="before")
    assert {"points", "summary", "choices"} <= set(found.tables)
    points, uncalibrated = (validation.table("points").to_dict() for validation in (found, before))
    assert len(points["operation"]) == 4
    error = next(column for column in points if column.startswith("error"))
    worst, worst_before = (max(abs(error) for error in table[error]) for table in (points, uncalibrated))
    assert worst < worst_before / 4


def test_a_missed_bound_is_an_error():
    with pytest.raises(hetsim.RunError, match="median") as caught:
        hetsim.validate("measured.csv", platform="lab.toml", within="median=0.001")
    answer = hetsim.validate("measured.csv", platform="lab.toml")
    assert caught.value.answer.text == answer.text
    assert caught.value.answer.table("points").to_dict() == answer.table("points").to_dict()


def test_errors_that_others_raise():
    error = hetsim.ScenarioError("x")
    assert (error.file, error.line, error.column, error.problems) == (None, None, None, [])
    assert hetsim.RunError("x").answer is None


def test_tables_of_names_that_look_like_numbers():
    head = "system,run,nodes,ranks_per_node,library,operation,algorithm,buffer_bytes,median_us,p10_us,p90_us\n"
    rows = "m,001,16,1,,bcast,linear,1024,872.88,,\nm,2,16,1,,bcast,binomial,1024,232.768,,\n"
    Path("named.csv").write_text(head + rows + f"m,2,16,1,,gossip,linear,{2**63},1,,\n")
    points = hetsim.validate("named.csv", platform="lab.toml").table("points")
    assert points["run"] == ["001", "2", "2"]
    # All digits are kept, and a column without a value is one of numbers.
    assert points["buffer_bytes"] == [1024, 1024, 2**63]
    types = dict(points.to_polars().schema)
    assert (types["nodes"], types["buffer_bytes"]) == (polars.Int64, polars.UInt64)
    assert types["p10_s"] == polars.Float64 and set(points["p10_s"]) == {None}


def test_ctrl_c_stops_a_validation(ctrl_c):
    points = "".join(f"allgather,ring,512,{512 * size},1\n" for size in range(1, 500))
    Path("long.csv").write_text("operation,algorithm,nodes,buffer_bytes,median_us\n" + points)
    ctrl_c()
    with pytest.raises(KeyboardInterrupt):
        hetsim.validate("long.csv", platform="lab.toml")
    assert not Path("output/validate-long/points.csv").exists()


def test_each_file_has_its_own_columns():
    osu = "# OSU MPI Broadcast Latency Test v5.9\n# Size       Avg Latency(us)\n1024    232.768\n"
    for nodes in ("8", "16"):
        Path(f"of-{nodes}.txt").write_text(osu)
    given = ["nodes=8,algorithm=binomial", "nodes=16,algorithm=binomial"]
    found = hetsim.validate(["of-8.txt", "of-16.txt"], platform="lab.toml", given=given)
    assert found.table("points")["nodes"] == [8, 16]
    hetsim.advise("lab.toml", sizes="1KiB", measured="of-16.txt", given=given[1])
