#!/usr/bin/env python3
"""What advice is worth: farms run under GNU parallel, Dask and Slurm, `hetsim advise --tasks` reads their logs, and the farms
run again as the lines to paste say.

The lines are carried out as they are printed: GNU parallel is started with their options, Dask is configured by them,
`dask.bag.from_sequence(tasks, …)` is evaluated, and Slurm gets them in the script of its array. Tasks sleep, as in measure.py.

    python3 follow.py --hetsim ../../target/release/hetsim --out followed.csv     six farms each: a quarter of an hour

Slurm is one of our own for each farm (slurm.py), with a node for each worker: these farms run at the same time.
"""

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

from measure import present, results, speeds_of, tasks_of
from slurm import Slurm

# Workers, their speeds, how long tasks last, their mean in seconds, the seconds of all tasks on all workers, and what else is
# given: the order of the tasks, or how many tasks of an array Slurm may run at once. Slurm starts a task each second or so and
# its log has whole seconds, so its tasks are longer.
FARMS = {
    "parallel": [(4, "equal", "exponential", 0.3, 3.0), (4, "equal", "uniform", 0.02, 2.0), (8, "equal", "constant", 0.01, 1.0),
                 (8, "equal", "uniform", 0.5, 3.0), (16, "equal", "exponential", 0.5, 3.0), (2, "equal", "constant", 0.005, 3.0)],
    "dask": [(4, "ladder", "exponential", 0.3, 3.0), (4, "two_classes", "uniform", 0.02, 2.0), (8, "ladder", "constant", 0.005, 1.0),
             (8, "one_slow", "uniform", 0.5, 3.0), (16, "ladder", "exponential", 0.5, 3.0), (4, "one_slow", "constant", 0.2, 3.0)],
    "slurm": [(4, "equal", "constant", 8.0, 60.0), (6, "ladder", "uniform", 10.0, 60.0), (4, "one_slow", "constant", 6.0, 50.0),
              (4, "equal", "exponential", 10.0, 50.0, "longest last"), (4, "equal", "uniform", 8.0, 45.0, "%2"),
              (4, "equal", "uniform", 0.5, 20.0), (4, "two_classes", "uniform", 2.0, 30.0)],
}
COLUMNS = ["system", "version", "farm", "workers", "speeds", "distribution", "mean_s", "tasks", "given", "advice", "lines", "predicted_now_s",
           "predicted_s", "run", "repetition", "makespan_s"]


def advise(hetsim, log):
    """What hetsim advises by a log: the first sentence, the lines, and the seconds that it expects now and then."""
    command = [hetsim, "advise", "--tasks", log, "--json", "--out", os.path.dirname(log)]
    told = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout)
    expected = lambda which: next((own["completion_s"] for own in told["settings"] if own[which]), None)
    fewer, now = told["with_fewer"], expected("now")
    return told["advice"][0], told["lines"], now, fewer["completion_s"] if fewer else expected("advised") or now


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


def retire(client, folder, line):
    """Workers have other addresses in each cluster, and the same names: the line names those of the cluster of the log."""
    addresses = {worker["name"]: address for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()}
    with open(os.path.join(folder, "names.json")) as file:
        for address, name in json.load(file).items():
            line = line.replace(f'"{address}"', f'"{addresses[name]}"')
    eval(line, {"client": client})


def with_dask(folder, workers, speeds, works, lines, times):
    import dask
    import dask.bag
    from distributed import Client, LocalCluster, get_task_stream
    setting = dict(line.split(": ") for line in lines if line.startswith("distributed."))
    bag = next((line for line in lines if line.startswith("dask.bag.")), None)
    retired = next((line for line in lines if line.startswith("client.")), None)
    tasks = in_order(works, lines)
    with dask.config.set({key: float(value) for key, value in setting.items()}), \
            LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster, Client(cluster) as client:
        client.wait_for_workers(workers)
        client.gather(client.map(dask_task, [0.001] * 4 * workers, speeds=speeds, pure=False))
        if retired:
            retire(client, folder, retired)
        elif not lines:
            names = {address: worker["name"] for address, worker in client.scheduler_info(n_workers=-1)["workers"].items()}
            write(folder, "names.json", json.dumps(names))
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


# The script of an array. A task finds its work by its number, and its speed by its node; Slurm doesn't say when it ended but
# in whole seconds.
ARRAY = """#!/bin/sh
{head}
#SBATCH --output=/dev/null --job-name=task
carry_out() {{
    perl -e 'select undef, undef, undef, shift() / shift' "$(sed -n "$(($1 + 1))p" {folder}/works)" "$(cat {folder}/$SLURMD_NODENAME)"
    date +%s.%N >> {folder}/ends
}}
{body}
"""
LOG = ["--parsable2", "--format=JobID,JobName,NodeList,Submit,Start,End,AllocCPUS,State"]
# From the last end on, until the log has it.
SETTLE_S = 5


def write(folder, name, text):
    with open(os.path.join(folder, name), "w") as file:
        file.write(text)


def with_slurm(folder, workers, speeds, works, lines, times):
    nodes = [f"n{number + 1}" for number in range(workers)]
    head = "\n".join(line for line in lines if line.startswith("#SBATCH"))
    loop = next((line for line in lines if line.startswith("for task in ")), "task=$SLURM_ARRAY_TASK_ID; …")
    ends = os.path.join(folder, "ends")
    with Slurm(nodes) as slurm:
        for node, speed in zip(nodes, speeds):
            write(folder, node, str(speed))
        write(folder, "works", "".join(f"{work}\n" for work in in_order(works, lines)))
        write(folder, "array.sh", ARRAY.format(head=head, folder=folder, body=loop.replace("…", 'carry_out "$task"')))
        for repetition in range(times):
            write(folder, "ends", "")
            begin = time.time()
            job = slurm.run("sbatch", "--parsable", os.path.join(folder, "array.sh")).strip()
            while len(open(ends).readlines()) < len(works):
                time.sleep(0.5)
            makespan = max(map(float, open(ends))) - begin
            time.sleep(SETTLE_S)
            if repetition == 0:
                write(folder, "tasks.txt", slurm.run("sacct", "-j", job, *LOG))
            yield makespan


RUN = {"parallel": (with_parallel, "tasks.log"), "dask": (with_dask, "tasks.json"), "slurm": (with_slurm, "tasks.txt")}


def followed(options, system, number):
    """The rows of a farm, without the version of its system."""
    run, log = RUN[system]
    workers, kind, distribution, mean, ideal, *given = FARMS[system][number]
    draw, given = random.Random(f"{system} {number}"), "".join(given)
    speeds = speeds_of(kind, workers, draw)
    works = tasks_of(distribution, mean, round(ideal * sum(speeds) / mean), draw)
    if given == "longest last":
        works.sort()
    at_once = given if given.startswith("%") else ""
    first = [f"#SBATCH --array=0-{len(works) - 1}{at_once}"] if system == "slurm" else []
    with tempfile.TemporaryDirectory() as folder:
        now = list(run(folder, workers, speeds, works, first, options.times))
        if options.logs:
            shutil.copy(os.path.join(folder, log), os.path.join(options.logs, f"{system}-{number}-{log}"))
        advice, lines, *predicted = advise(options.hetsim, os.path.join(folder, log))
        then = list(run(folder, workers, speeds, works, lines, options.times)) if lines else []
    print(f"{system} farm {number}: {advice}", file=sys.stderr)
    return [{"system": system, "farm": number, "workers": workers, "speeds": kind, "distribution": distribution, "mean_s": mean,
             "tasks": len(works), "given": given, "advice": advice, "lines": "\n".join(lines),
             "predicted_now_s": f"{predicted[0]:.4f}", "predicted_s": f"{predicted[1]:.4f}", "run": name,
             "repetition": repetition, "makespan_s": f"{makespan:.4f}"}
            for name, makespans in [("now", now), ("advised", then)] for repetition, makespan in enumerate(makespans)]


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--hetsim", required=True, help="the program")
    arguments.add_argument("--out", default="followed.csv", help="the file of results")
    arguments.add_argument("--systems", default=",".join(RUN), help="some of " + ", ".join(RUN))
    arguments.add_argument("--times", type=int, default=3, help="how often each makespan is measured")
    arguments.add_argument("--logs", help="a folder for the logs that are read")
    options = arguments.parse_args()
    with results(options.out, COLUMNS) as rows:
        for system, version in present(options.systems):
            # Those of the others have the cores to themselves.
            at_once = len(FARMS[system]) if system == "slurm" else 1
            with ThreadPoolExecutor(at_once) as pool:
                for own in pool.map(lambda number: followed(options, system, number), range(len(FARMS[system]))):
                    rows.writerows({**row, "version": version} for row in own)


if __name__ == "__main__":
    main()
