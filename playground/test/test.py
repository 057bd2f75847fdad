"""Serves the built page, lets Chromium use it, and compares what it gives with what the command gives.

Usage: test.py SITE HETSIM CHROMIUM
"""

import http.server
import json
import pathlib
import queue
import re
import subprocess
import sys
import tempfile
import threading

HERE = pathlib.Path(__file__).resolve().parent
SCENARIOS = HERE.parent.parent / "scenarios"
PATIENCE_S = 420

# Their draws or intervals use mathematical functions (exp, ln), whose last digit differs between the libraries of systems.
# Numbers may differ by so much, relatively; all else must be the same.
LAST_DIGITS = {"bazterra-fig3", "fragments", "halo", "until"}
TOLERANCE = 1e-13


class Handler(http.server.SimpleHTTPRequestHandler):
    """The site, with the driver beside it, which posts what it found."""

    found: "queue.Queue[dict]" = queue.Queue()

    def do_GET(self):
        if self.path != "/driver.html":
            return super().do_GET()
        content = (HERE / "driver.html").read_bytes()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

    def do_POST(self):
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.send_response(204)
        self.end_headers()
        self.found.put(json.loads(body))

    def log_message(self, *_):
        pass


def look(site, chromium):
    """What the driver finds."""
    handler = lambda *arguments: Handler(*arguments, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as profile:
        browser = subprocess.Popen(
            [chromium, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--window-size=1500,1100", f"--user-data-dir={profile}",
             f"http://127.0.0.1:{server.server_port}/driver.html"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            return Handler.found.get(timeout=PATIENCE_S)
        finally:
            browser.terminate()
            browser.wait()


def of_command(hetsim, name, folder):
    """The tables that the command writes."""
    subprocess.run([hetsim, SCENARIOS / f"{name}.toml", "--out", folder, "--quiet"], check=True, capture_output=True)
    return {kind: (pathlib.Path(folder) / name / f"{kind}.csv").read_bytes().decode() for kind in ("results", "summary")}


def is_near(own, other):
    if own == other:
        return True
    try:
        own, other = float(own), float(other)
    except ValueError:
        return False
    return abs(own - other) <= TOLERANCE * abs(other)


def agree(name, ours, theirs):
    """Whether two tables are the same, to the last digits where these depend on the system."""
    if ours == theirs or name not in LAST_DIGITS:
        return ours == theirs
    cells = [[line.split(",") for line in text.splitlines()] for text in (ours, theirs)]
    shapes = [[len(row) for row in table] for table in cells]
    return shapes[0] == shapes[1] and all(
        is_near(own, other) for rows in zip(*cells) for own, other in zip(*rows))


def first_difference(ours, theirs):
    """The first cell that differs, with the name of its column."""
    tables = [[line.split(",") for line in text.splitlines()] for text in (ours, theirs)]
    for number, rows in enumerate(zip(*tables), 1):
        for column, (own, other) in enumerate(zip(*rows)):
            if own != other:
                return f"line {number}, {tables[1][0][column]}: {own} in the browser, {other} by the command"
    return f"{len(tables[0])} lines in the browser, {len(tables[1])} by the command"


def check_page(found, expect):
    mistake = found["mistake"]
    expect(len(mistake["problems"]) == 1, "one problem is shown", mistake)
    expect(mistake["problems"][0].startswith("Line 4, column 50 unknown key `bandwith`"), "its place", mistake)
    expect("did you mean `bandwidth`?" in mistake["problems"][0], "its help", mistake)
    expect(mistake["underlined"] == ["bandwith"] and mistake["lines"] == ["4"], "the text at fault", mistake)
    offered = found["offered"]
    expect(offered["key"] == ["bandwidth"], "keys of the model", offered)
    expect(offered["model"] == ["hockney"], "names of models", offered)
    expect(offered["workload"] == ["size"], "keys of the workload", offered)
    expect(offered["swept"] == ["pipeline"], "values of a swept key", offered)
    for name, seconds in found["painted"].items():
        expect(not isinstance(seconds, str) and seconds < 5, f"the notation of a long text of {name}", seconds)
    expect(found["classes"] == [
        "header: [a.b]", "comment: # c", "key: k", "number: 1.5e-3", "key: q", 'text: "x=\\" y"', "key: d", "number: true",
        "number: -2", "text: 'z'", "key: e", 'text: """m\nn"""', "key: f", 'text: "open', "key: g", "number: false",
    ], "the notation", found["classes"])
    swollen = found["swollen"]
    expect(swollen["said"] == "The scenario is too long for a link: one holds 1024 KiB at most." and not swollen["text"],
           "a link that fills the memory is refused", swollen)
    restored = found["restored"]
    expect(restored["isSame"] and restored["hash"].startswith("#first="), "a link restores the text", restored)
    stopped = found["stopped"]
    expect(stopped["state"] == "ready" and stopped["status"].startswith("Stopped"), "a run can be stopped", stopped)


def check_runs(found, hetsim, expect):
    menu = json.loads((pathlib.Path(sys.argv[1]) / "scenarios.json").read_text())["menu"]
    expect(sorted(found["runs"]) == sorted(entry["name"] for entry in menu), "every scenario of the menu ran",
           sorted(found["runs"]))
    files = found["runs"]["grid5000"]["names"]
    expect({"report.html", "charts/speedup.svg"} <= set(files), "the report and the charts are there", files)
    with tempfile.TemporaryDirectory() as folder:
        for name, run in found["runs"].items():
            expect(run["failure"] is None, f"{name} runs", run["failure"])
            said = re.fullmatch(r"\d+ runs? in [\d.]+ m?s(, \d+ expectations? missed)?\.", run["status"])
            expect(said, f"the time of {name} is stated", run["status"])
            tables = of_command(hetsim, name, folder)
            for kind, own in (("results", run.get("csv")), ("summary", run.get("summary"))):
                expect(agree(name, own or "", tables[kind]), f"{kind}.csv of {name} is the command's", first_difference(own or "", tables[kind]))
            print(f"  {name}: {run['seconds']:.2f} s")


def main():
    site, hetsim, chromium = sys.argv[1:]
    found = look(site, chromium)
    faults = []

    def expect(holds, what, seen):
        if not holds:
            faults.append(f"{what}: {seen}")

    if "error" in found:
        sys.exit(f"the page failed: {found['error']}")
    print(f"  from opening to the first report: {found['opened']:.2f} s")
    check_page(found, expect)
    check_runs(found, hetsim, expect)
    if faults:
        sys.exit("\n".join(["the playground is not as expected:", *faults]))
    print("the playground is as expected")


main()
