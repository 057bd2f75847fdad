#!/usr/bin/env python3
"""Makespans of farms of tasks under real task systems, on one machine whose workers are made unequal.

A task of w seconds sleeps for w over the speed of its worker, so a worker is as fast as the configuration says, and the
cores of the machine have only the task systems to carry. Systems: Dask distributed and mpi4py's MPIPoolExecutor (from
PyPI), and GNU parallel. What is missing is said and left out.

    python3 measure.py --out results.csv            all configurations, three times each: half an hour on two cores
    python3 measure.py --systems parallel --times 1
    python3 measure.py --settings --out settings.csv  the same farms under several chunks and orders: ten minutes

Every second configuration of a system is to calibrate a model, the others are to be predicted (column `half`).
"""

import argparse
import csv
import importlib.metadata
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

SYSTEMS = ["parallel", "dask", "mpi4py"]
WORKERS = [2, 4, 8, 16, 32]
SPEEDS = ["equal", "two_classes", "ladder", "uniform", "one_slow"]
DISTRIBUTIONS = ["constant", "uniform", "exponential"]
MEANS_S = [0.05, 0.1, 0.3]
BATCHES = [1, 4, 16]
CONFIGURATIONS = 24
# A configuration has as many tasks as take so many seconds if no worker ever waits.
IDEAL_S = 3.0
MOST_TASKS = 1500
# The farms whose settings are compared, and the settings.
FARMS = 6
SHORT_MEANS_S = [0.01, 0.05, 0.2]
ORDERS = ["given", "longest first"]
COLUMNS = ["system", "version", "configuration", "half", "workers", "speeds", "distribution", "mean_s", "tasks", "batch",
           "order", "seed", "repetition", "ideal_s", "makespan_s"]


def speeds_of(kind, workers, draw):
    """The speed of each worker."""
    match kind:
        case "equal":
            return [1.0] * workers
        case "two_classes":
            return [1.0 if worker < workers / 2 else 3.0 for worker in range(workers)]
        case "ladder":
            return [[1.0, 1.0, 2.0, 4.0][worker % 4] for worker in range(workers)]
        case "uniform":
            return [round(draw.uniform(0.5, 3.0), 3) for _ in range(workers)]
        case "one_slow":
            return [0.25 if worker == 0 else 1.0 for worker in range(workers)]


def tasks_of(distribution, mean, count, draw):
    """The seconds of each task on a worker of speed 1."""
    match distribution:
        case "constant":
            return [mean] * count
        case "uniform":
            return [draw.uniform(0.2 * mean, 1.8 * mean) for _ in range(count)]
        case "exponential":
            return [draw.expovariate(1.0 / mean) for _ in range(count)]


def configurations(system):
    """The configurations of a system: the same on every machine."""
    draw = random.Random(f"farms of {system}")
    for number in range(CONFIGURATIONS):
        workers, kind = WORKERS[number % len(WORKERS)], SPEEDS[(number // len(WORKERS) + number) % len(SPEEDS)]
        distribution, mean = draw.choice(DISTRIBUTIONS), draw.choice(MEANS_S)
        batch = draw.choice(BATCHES) if system == "mpi4py" else 1
        speeds = speeds_of(kind, workers, random.Random(number))
        count = max(2 * workers, min(MOST_TASKS, round(IDEAL_S * sum(speeds) / mean)))
        yield {"configuration": number, "half": ["calibrate", "predict"][number % 2], "workers": workers, "speeds": kind,
               "distribution": distribution, "mean_s": mean, "tasks": count, "batch": batch, "seed": number}


def settings(system):
    """Some farms under each setting: chunks of tasks, as they come or the longest first."""
    for farm in range(FARMS if system != "parallel" else 0):
        workers, kind = WORKERS[1 + farm % 3], SPEEDS[farm % len(SPEEDS)]
        distribution, mean = DISTRIBUTIONS[1 + farm % 2], SHORT_MEANS_S[farm % len(SHORT_MEANS_S)]
        count = max(4 * workers, min(MOST_TASKS, round(IDEAL_S * sum(speeds_of(kind, workers, random.Random(100 + farm))) / mean)))
        for number, (batch, order) in enumerate(itertools.product(BATCHES, ORDERS)):
            yield {"configuration": 10 * farm + number, "half": f"farm {farm}", "workers": workers, "speeds": kind,
                   "distribution": distribution, "mean_s": mean, "tasks": count, "batch": batch, "order": order,
                   "seed": 100 + farm}


def tasks_and_speeds(configuration):
    draw = random.Random(1000 + configuration["seed"])
    works = tasks_of(configuration["distribution"], configuration["mean_s"], configuration["tasks"], draw)
    if configuration.get("order") == "longest first":
        works.sort(reverse=True)
    return works, speeds_of(configuration["speeds"], configuration["workers"], random.Random(configuration["seed"]))


# GNU parallel: a worker is a job slot.

SLEEP = "select undef, undef, undef, shift() / (split /,/, $ENV{SPEEDS})[shift() - 1]"


def with_parallel(configuration, works, speeds, times):
    environment = dict(os.environ, SPEEDS=",".join(map(str, speeds)))
    command = ["parallel", "--will-cite", f"-j{configuration['workers']}", f"perl -e '{SLEEP}' {{}} {{%}}"]
    for _ in range(times):
        begin = time.perf_counter()
        subprocess.run(command, input="\n".join(map(str, works)), text=True, check=True, env=environment)
        yield time.perf_counter() - begin


# Dask: a process for each worker, one thread each.

def dask_task(works, speeds):
    from distributed import get_worker
    for work in works:
        time.sleep(work / speeds[int(get_worker().name)])


def with_dask(configuration, works, speeds, times):
    from distributed import Client, LocalCluster
    with LocalCluster(n_workers=configuration["workers"], threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(configuration["workers"])
            client.gather(client.map(dask_task, [[0.001]] * 4 * configuration["workers"], speeds=speeds, pure=False))
            for _ in range(times):
                begin = time.perf_counter()
                chunks = [works[first:first + configuration["batch"]] for first in range(0, len(works), configuration["batch"])]
                client.gather(client.map(dask_task, chunks, speeds=speeds, pure=False))
                yield time.perf_counter() - begin


# mpi4py: a rank for each worker, and one for the master.

def mpi_task(pair):
    from mpi4py import MPI
    work, speeds = pair
    time.sleep(work / speeds[MPI.COMM_WORLD.Get_rank() - 1])


def mpi_master(configuration, times):
    from mpi4py.futures import MPIPoolExecutor
    works, speeds = tasks_and_speeds(configuration)
    with MPIPoolExecutor() as pool:
        list(pool.map(mpi_task, [(0.001, speeds)] * 4 * configuration["workers"]))
        for _ in range(times):
            begin = time.perf_counter()
            pairs = [(work, speeds) for work in works]
            list(pool.map(mpi_task, pairs, chunksize=configuration["batch"], unordered=True))
            print(time.perf_counter() - begin, flush=True)


def with_mpi4py(configuration, works, speeds, times):
    # Idle ranks sleep instead of spinning: there are more of them than cores.
    environment = dict(os.environ, MPI4PY_FUTURES_BACKOFF="0.001", OMPI_MCA_mpi_yield_when_idle="1",
                       OMPI_MCA_rmaps_base_oversubscribe="1", OMPI_ALLOW_RUN_AS_ROOT="1",
                       OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
    command = ["mpirun", "-n", str(configuration["workers"] + 1), sys.executable, "-m", "mpi4py.futures", __file__,
               "--master", json.dumps(configuration), "--times", str(times)]
    done = subprocess.run(command, text=True, check=True, env=environment, stdout=subprocess.PIPE)
    yield from map(float, done.stdout.split())


RUN = {"parallel": with_parallel, "dask": with_dask, "mpi4py": with_mpi4py}


def version_of(system):
    """The version of a system, or nothing where it is missing."""
    try:
        match system:
            case "parallel":
                return subprocess.run(["parallel", "--version"], capture_output=True, text=True).stdout.split()[2]
            case "dask":
                return importlib.metadata.version("distributed")
            case "mpi4py":
                mpirun = subprocess.run(["mpirun", "--version"], capture_output=True, text=True).stdout.split()
                return f"{importlib.metadata.version('mpi4py')} on Open MPI {mpirun[3]}"
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError, IndexError):
        return None


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", default="results.csv", help="the file of results")
    arguments.add_argument("--systems", default=",".join(SYSTEMS), help="some of " + ", ".join(SYSTEMS))
    arguments.add_argument("--settings", action="store_true", help="some farms under several settings")
    arguments.add_argument("--times", type=int, default=3, help="how often each makespan is measured")
    arguments.add_argument("--master", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.master:
        return mpi_master(json.loads(options.master), options.times)
    with tempfile.NamedTemporaryFile("w", newline="", dir=os.path.dirname(os.path.abspath(options.out)), delete=False) as file:
        rows = csv.DictWriter(file, COLUMNS, lineterminator="\n")
        rows.writeheader()
        for system in options.systems.split(","):
            version = version_of(system)
            if version is None:
                print(f"{system} is missing: it is left out", file=sys.stderr)
                continue
            for configuration in (settings if options.settings else configurations)(system):
                works, speeds = tasks_and_speeds(configuration)
                known = {"order": ORDERS[0], "system": system, "version": version, **configuration, "ideal_s": f"{sum(works) / sum(speeds):.4f}"}
                for repetition, makespan in enumerate(RUN[system](configuration, works, speeds, options.times)):
                    rows.writerow({**known, "repetition": repetition, "makespan_s": f"{makespan:.4f}"})
                print(f"{system} configuration {configuration['configuration']}", file=sys.stderr)
                file.flush()
    os.chmod(file.name, 0o644)
    shutil.move(file.name, options.out)


if __name__ == "__main__":
    main()
