"""hetsim.advise, calibrate and validate: the commands inside of Python."""

import subprocess
import sys
from pathlib import Path

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
    assert answer.folder == Path("output/advise-lab")
    assert sorted(answer.table("choices")["ranks"]) == [8, 8, 8, 16, 16, 16]
    assert set(answer.charts) == {"broadcast", "barrier"}
    assert answer.charts["broadcast"].svg.lstrip().startswith("<svg")


def test_wrong_arguments():
    with pytest.raises(hetsim.ScenarioError, match="invalid value 'brodcast'"):
        hetsim.advise("lab.toml", operation="brodcast")
    with pytest.raises(hetsim.ScenarioError, match="has 16 nodes"):
        hetsim.advise("lab.toml", ranks=[17])
    Path("lab.toml").write_text(LAB.replace("nodes", "nods"))
    with pytest.raises(hetsim.ScenarioError) as caught:
        hetsim.advise("lab.toml")
    assert caught.value.problems[0]["line"] == 3


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
    with pytest.raises(hetsim.RunError, match="median"):
        hetsim.validate("measured.csv", platform="lab.toml", within="median=0.001")
