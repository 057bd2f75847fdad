#!/usr/bin/env python3
"""What advice is worth: farms run under GNU parallel and Dask, `hetsim advise --tasks` reads their logs, and the farms run
again as the lines to paste say.

The lines are carried out as they are printed: GNU parallel is started with their options, Dask is configured by them, and
`dask.bag.from_sequence(tasks, …)` is evaluated. Tasks sleep, as in measure.py.

    python3 follow.py --hetsim ../../target/release/hetsim --out followed.csv     six farms each: five minutes
"""

import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

from measure import present, results, speeds_of, tasks_of

# Workers, their speeds, how long tasks last, their mean in seconds, and the seconds of all tasks on all workers.
FARMS = {
    "parallel": [(4, "equal", "exponential", 0.3, 3.0), (4, "equal", "uniform", 0.02, 2.0), (8, "equal", "constant", 0.01, 1.0),
                 (8, "equal", "uniform", 0.5, 3.0), (16, "equal", "exponential", 0.5, 3.0), (2, "equal", "constant", 0.005, 3.0)],
    "dask": [(4, "ladder", "exponential", 0.3, 3.0), (4, "two_classes", "uniform", 0.02, 2.0), (8, "ladder", "constant", 0.005, 1.0),
             (8, "one_slow", "uniform", 0.5, 3.0), (16, "ladder", "exponential", 0.5, 3.0), (4, "one_slow", "constant", 0.2, 3.0)],
}
COLUMNS = ["system", "version", "farm", "workers", "speeds", "distribution", "mean_s", "tasks", "advice", "lines", "predicted_now_s",
           "predicted_s", "run", "repetition", "makespan_s"]


def advise(hetsim, log):
    """What hetsim advises by a log: the first sentence, the lines, and the seconds that it expects now and then."""
    command = [hetsim, "advise", "--tasks", log, "--json", "--out", os.path.dirname(log)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
    expected = lambda which: next((own["completion_s"] for own in told["settings"] if own[which]), None)
    now = expected("now")
    return told["advice"][0], told["lines"], now, expected("advised") or now


def in_order(works, lines):
    return sorted(works, reverse=True) if any("longest first" in line for line in lines) else works


def with_parallel(folder, workers, speeds, works, lines, times):
    """Yields makespans. Of several repetitions the first leaves its log."""
    start = next((line for line in lines if line.startswith("parallel")), f"parallel --jobs {workers} …").split()
    assert start.pop() == "…", start
    for repetition in range(times):
        log = ["--joblog", os.path.join(folder, "tasks.log")] if repetition == 0 else []
        command = [*start, "--will-cite", *log, "perl -e 'select undef, undef, undef, $_ for @ARGV' {}"]
        begin = time.perf_counter()
        subprocess.run(command, input="\n".join(map(str, in_order(works, lines))), text=True, check=True)
        yield time.perf_counter() - begin


def dask_task(work, speeds):
    from distributed import get_worker
    time.sleep(work / speeds[int(get_worker().name)])


def with_dask(folder, workers, speeds, works, lines, times):
    import dask
    import dask.bag
    from distributed import Client, LocalCluster, get_task_stream
    setting = dict(line.split(": ") for line in lines if line.startswith("distributed."))
    bag = next((line for line in lines if line.startswith("dask.bag.")), None)
    tasks = in_order(works, lines)
    with dask.config.set({key: float(value) for key, value in setting.items()}), \
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        client.gather(client.map(dask_task, [0.001] * 4 * workers, speeds=speeds, pure=False))
        for repetition in range(times):
            with get_task_stream() as stream:
                begin = time.perf_counter()
                if bag:
                    eval(bag, {"dask": dask, "tasks": tasks}).map(dask_task, speeds=speeds).compute()
                else:
                    client.gather(client.map(dask_task, tasks, speeds=speeds, pure=False))
                makespan = time.perf_counter() - begin
            if repetition == 0:
                with open(os.path.join(folder, "tasks.json"), "w") as file:
                    json.dump(stream.data, file, default=str)
            yield makespan


RUN = {"parallel": (with_parallel, "tasks.log"), "dask": (with_dask, "tasks.json")}


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--hetsim", required=True, help="the program")
    arguments.add_argument("--out", default="followed.csv", help="the file of results")
    arguments.add_argument("--systems", default=",".join(RUN), help="some of " + ", ".join(RUN))
    arguments.add_argument("--times", type=int, default=3, help="how often each makespan is measured")
    options = arguments.parse_args()
    with results(options.out, COLUMNS) as rows:
        for system, version in present(options.systems):
            run, log = RUN[system]
            for number, (workers, kind, distribution, mean, ideal) in enumerate(FARMS[system]):
                draw = random.Random(f"{system} {number}")
                speeds = speeds_of(kind, workers, draw)
                works = tasks_of(distribution, mean, round(ideal * sum(speeds) / mean), draw)
                with tempfile.TemporaryDirectory() as folder:
                    now = list(run(folder, workers, speeds, works, [], options.times))
                    advice, lines, *predicted = advise(options.hetsim, os.path.join(folder, log))
                    then = list(run(folder, workers, speeds, works, lines, options.times)) if lines else []
                for name, makespans in [("now", now), ("advised", then)]:
                    for repetition, makespan in enumerate(makespans):
                        rows.writerow({"system": system, "version": version, "farm": number, "workers": workers, "speeds": kind,
                                       "distribution": distribution, "mean_s": mean, "tasks": len(works), "advice": advice,
                                       "lines": "; ".join(lines), "predicted_now_s": f"{predicted[0]:.4f}",
                                       "predicted_s": f"{predicted[1]:.4f}", "run": name, "repetition": repetition,
                                       "makespan_s": f"{makespan:.4f}"})
                print(f"{system} farm {number}: {advice}", file=sys.stderr)


if __name__ == "__main__":
    main()
