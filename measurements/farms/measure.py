#!/usr/bin/env python3
"""Makespans of farms of tasks under real task systems, on one machine whose workers are made unequal.

A task of w seconds sleeps for w over the speed of its worker, so a worker is as fast as the configuration says, and the
cores of the machine have only the task systems to carry. Systems: Dask distributed and mpi4py's MPIPoolExecutor (from
PyPI), and GNU parallel; evolutions by pycma run over them. What is missing is said and left out.

    python3 measure.py --out results.csv            all configurations, three times each: half an hour on two cores
    python3 measure.py --systems parallel --times 1
    python3 measure.py --settings --out settings.csv  the same farms under several chunks and orders: ten minutes
    python3 measure.py --events --out events.csv      tasks that compute, load that begins, workers that slow down or stop
    python3 measure.py --evolutions --out evolutions.csv  pycma, whose generations the systems evaluate: five minutes

Every second configuration of a system is to calibrate a model, the others are to be predicted (column `half`).
"""

import argparse
import contextlib
import csv
import importlib.metadata
import itertools
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import warnings

import slurm

try:
    # It warns that it can't draw.
    with warnings.catch_warnings(action="ignore"):
        import cma
except ImportError:
    cma = None

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
# What happens to a farm: its tasks compute instead of sleeping; meanwhile a program begins on each core; half of the
# workers fall to a quarter of their speed; a worker dies. GNU parallel and MPI know no worker that dies and leaves the rest.
EVENTS = {"computes": ["parallel", "dask", "mpi4py"], "load": ["parallel", "dask", "mpi4py"],
          "slows": ["parallel", "dask", "mpi4py"], "stops": ["dask"]}
EVENT_AT_S = 1.5
# The individuals of a generation for each worker, and the dimensions of a point.
INDIVIDUALS = [2, 4, 8]
DIMENSIONS = 10
SLOWED = 0.25
CORES = 2
COLUMNS = ["system", "version", "configuration", "half", "event", "workers", "speeds", "distribution", "mean_s", "tasks",
           "generations", "batch", "order", "seed", "repetition", "ideal_s", "makespan_s"]


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


def events(system):
    """Farms to which something happens. Tasks that compute have a core for each worker."""
    for event in [event for event, systems in EVENTS.items() if system in systems]:
        for number in range(4):
            workers = CORES if event in ["computes", "load"] else [4, 8, 16, 8][number]
            kind = SPEEDS[(number + len(event)) % len(SPEEDS)]
            distribution, mean = DISTRIBUTIONS[number % 3], MEANS_S[number % 3]
            seed = 1000 * len(event) + number
            count = max(2 * workers, round(IDEAL_S * sum(speeds_of(kind, workers, random.Random(seed))) / mean))
            yield {"configuration": number, "half": "predict", "event": event, "workers": workers, "speeds": kind,
                   "distribution": distribution, "mean_s": mean, "tasks": count, "batch": 1, "seed": seed}


def evolutions(system):
    """Evolutions: the tasks are those of all generations, one generation after the other."""
    for number in range(8):
        workers, kind = [4, 8, 16][number % 3], SPEEDS[(number + len(system)) % len(SPEEDS)]
        distribution, mean = DISTRIBUTIONS[number % 3], MEANS_S[(number + number // 3) % 3]
        seed = 500 + number
        population = INDIVIDUALS[(number + number // 3) % 3] * workers
        generations = max(3, round(IDEAL_S * sum(speeds_of(kind, workers, random.Random(seed))) / mean / population))
        yield {"configuration": number, "half": "predict", "event": "evolves", "workers": workers, "speeds": kind,
               "distribution": distribution, "mean_s": mean, "tasks": population * generations, "generations": generations,
               "batch": 1, "seed": seed}


def worker_that_stops(speeds):
    """The last of the fastest workers."""
    return max(range(len(speeds)), key=lambda worker: (speeds[worker], worker))


def workers_that_slow(workers):
    return range(workers // 2, workers)


def passed(work, speed, slow, at):
    """A task of some work begins now: what it sleeps, where the worker falls to a share of its speed at an instant."""
    if not slow:
        return work / speed
    quick = max(0.0, min(work / speed, at - time.time()))
    return quick + (work - quick * speed) / (speed * SLOWED)


def work_on(work, worker, speeds, event, at):
    """Carries out a task."""
    if event in ["computes", "load"]:
        begin = time.process_time()
        while time.process_time() - begin < work / speeds[worker]:
            pass
    else:
        time.sleep(passed(work, speeds[worker], event == "slows" and worker in workers_that_slow(len(speeds)), at))


class Meanwhile:
    """What happens in the middle of a farm, besides what its own tasks do."""

    def __init__(self, event, stop=None):
        spin = lambda: self.spinning.extend(subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(CORES))
        self.spinning = []
        self.timer = threading.Timer(EVENT_AT_S, {"load": spin, "stops": stop}.get(event) or (lambda: None))

    def __enter__(self):
        self.timer.start()

    def __exit__(self, *_):
        self.timer.cancel()
        self.timer.join()
        for process in self.spinning:
            process.kill()
            process.wait()


def tasks_and_speeds(configuration):
    draw = random.Random(1000 + configuration["seed"])
    works = tasks_of(configuration["distribution"], configuration["mean_s"], configuration["tasks"], draw)
    if configuration.get("order") == "longest first":
        works.sort(reverse=True)
    return works, speeds_of(configuration["speeds"], configuration["workers"], random.Random(configuration["seed"]))


def error_of(point):
    return sum(x * x for x in point)


def carry_out(configuration, works, own, start):
    """Has a system carry out all tasks: `start` gives it a list, of what `own` makes of a point and a work, and returns the
    results. The tasks of an evolution are the individuals that pycma asks for, a list for each generation."""
    if "generations" not in configuration:
        return start([own([], work) for work in works])
    population = len(works) // configuration["generations"]
    evolution = cma.CMAEvolutionStrategy(DIMENSIONS * [1.0], 0.5, {"popsize": population, "seed": 1, "verbose": -9})
    for first in range(0, len(works), population):
        points = evolution.ask()
        evolution.tell(points, start([own(list(map(float, point)), work)
                                      for point, work in zip(points, works[first:first + population])]))


# GNU parallel: a worker is a job slot.

CLOCK_GETTIME = {"x86_64": 228, "aarch64": 113}.get(os.uname().machine, 228)
SLEEP = "select undef, undef, undef, shift() / (split /,/, $ENV{SPEEDS})[shift() - 1]"
# Clock 0 is the time of day, clock 2 the time that the process has computed: by the system call, since loading Perl's module
# for it takes longer than parallel takes for a task.
CLOCK = f"sub clock {{ my $b = pack q(x16); syscall {CLOCK_GETTIME}, shift, $b; my ($s, $n) = unpack q(qq), $b; $s + $n / 1e9 }} "
COMPUTE = CLOCK + "$s = clock(2) + shift() / (split /,/, $ENV{SPEEDS})[shift() - 1]; 1 while clock(2) < $s"
SLOW = CLOCK + ("$w = shift; $n = shift; @s = split /,/, $ENV{SPEEDS}; $s = $s[$n - 1]; $q = $w / $s; "
                "if ($n > int(@s / 2)) { $l = $ENV{AT} - clock(0); $l = 0 if $l < 0; $q = $l if $l < $q; "
                f"$q += ($w - $q * $s) / ($s * {SLOWED}) }} select undef, undef, undef, $q")
EVOLVE = ("@x = split /,/, shift; select undef, undef, undef, shift(@x) / (split /,/, $ENV{SPEEDS})[shift() - 1]; "
          "$e += $_ * $_ for @x; print $e, q( )")
SCRIPTS = {"computes": COMPUTE, "load": COMPUTE, "slows": SLOW, "evolves": EVOLVE}


def with_parallel(configuration, works, speeds, times):
    event = configuration.get("event", "")
    environment = dict(os.environ, SPEEDS=",".join(map(str, speeds)))
    # Results are wanted in the order of the individuals.
    keep = ["-k"] if "generations" in configuration else []
    command = ["parallel", "--will-cite", *keep, f"-j{configuration['workers']}", f"perl -e '{SCRIPTS.get(event, SLEEP)}' {{}} {{%}}"]

    def start(tasks):
        done = subprocess.run(command, input="\n".join(tasks), text=True, check=True, env=environment, stdout=subprocess.PIPE)
        return list(map(float, done.stdout.split()))

    for _ in range(times):
        begin = time.perf_counter()
        environment["AT"] = str(time.time() + EVENT_AT_S)
        with Meanwhile(event):
            carry_out(configuration, works, lambda point, work: ",".join(map(str, [work, *point])), start)
            makespan = time.perf_counter() - begin
        yield makespan


# Dask: a process for each worker, one thread each.

def dask_task(chunk, speeds, event, at):
    from distributed import get_worker
    errors = []
    for point, work in chunk:
        work_on(work, int(get_worker().name), speeds, event, at)
        errors.append(error_of(point))
    return errors


def with_dask(configuration, works, speeds, times):
    # A worker that stops doesn't come back: the cluster is another one each time.
    if configuration.get("event") == "stops":
        for _ in range(times):
            yield from with_a_cluster(configuration, works, speeds, 1)
    else:
        yield from with_a_cluster(configuration, works, speeds, times)


def with_a_cluster(configuration, works, speeds, times):
    from distributed import Client, LocalCluster
    from distributed.core import Status
    workers, event = configuration["workers"], configuration.get("event", "")
    with LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(workers)
            client.gather(client.map(dask_task, [[([], 0.001)]] * 4 * workers, speeds=speeds, event="", at=0, pure=False))
            pids = client.run(lambda dask_worker: (int(dask_worker.name), os.getpid()))

            def stop():
                # Its nanny would start another one.
                worker = worker_that_stops(speeds)
                cluster.workers[worker].status = Status.closing_gracefully
                os.kill(dict(pids.values())[worker], signal.SIGKILL)

            def start(tasks):
                chunks = [tasks[first:first + configuration["batch"]] for first in range(0, len(tasks), configuration["batch"])]
                errors = client.gather(client.map(dask_task, chunks, speeds=speeds, event=event, at=at, pure=False))
                return list(itertools.chain(*errors))

            for _ in range(times):
                begin, at = time.perf_counter(), time.time() + EVENT_AT_S
                with Meanwhile(event, stop):
                    carry_out(configuration, works, lambda point, work: (point, work), start)
                    makespan = time.perf_counter() - begin
                yield makespan


# mpi4py: a rank for each worker, and one for the master.

def mpi_task(own):
    from mpi4py import MPI
    point, work, *rest = own
    work_on(work, MPI.COMM_WORLD.Get_rank() - 1, *rest)
    return error_of(point)


def mpi_master(configuration, times):
    from mpi4py.futures import MPIPoolExecutor
    works, speeds = tasks_and_speeds(configuration)
    event = configuration.get("event", "")
    with MPIPoolExecutor() as pool:
        list(pool.map(mpi_task, [([], 0.001, speeds, "", 0)] * 4 * configuration["workers"]))
        ordered = "generations" in configuration
        start = lambda tasks: list(pool.map(mpi_task, tasks, chunksize=configuration["batch"], unordered=not ordered))
        for _ in range(times):
            begin, at = time.perf_counter(), time.time() + EVENT_AT_S
            with Meanwhile(event):
                carry_out(configuration, works, lambda point, work: (point, work, speeds, event, at), start)
                makespan = time.perf_counter() - begin
            print(makespan, flush=True)


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
            case "slurm":
                return slurm.version()
    except (importlib.metadata.PackageNotFoundError, FileNotFoundError, IndexError):
        return None


@contextlib.contextmanager
def results(out, columns):
    """A table for results, which is there under its name when all of it is."""
    with tempfile.NamedTemporaryFile("w", newline="", dir=os.path.dirname(os.path.abspath(out)), delete=False) as file:
        rows = csv.DictWriter(file, columns, lineterminator="\n")
        rows.writeheader()
        yield rows
    os.chmod(file.name, 0o644)
    shutil.move(file.name, out)


def present(systems):
    """Those of some systems that are there, with their versions."""
    for system in systems.split(","):
        version = version_of(system)
        if version is None:
            packages = f" ({', '.join(slurm.missing())})" if system == "slurm" else ""
            print(f"{system} is missing{packages}: it is left out", file=sys.stderr)
        else:
            yield system, version


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--out", default="results.csv", help="the file of results")
    arguments.add_argument("--systems", default=",".join(SYSTEMS), help="some of " + ", ".join(SYSTEMS))
    arguments.add_argument("--settings", action="store_true", help="some farms under several settings")
    arguments.add_argument("--events", action="store_true", help="farms to which something happens")
    arguments.add_argument("--evolutions", action="store_true", help="evolutions whose generations the systems evaluate")
    arguments.add_argument("--times", type=int, default=3, help="how often each makespan is measured")
    arguments.add_argument("--master", help=argparse.SUPPRESS)
    options = arguments.parse_args()
    if options.master:
        return mpi_master(json.loads(options.master), options.times)
    if options.evolutions and cma is None:
        sys.exit("pycma is missing: install `cma`")
    kind = (settings if options.settings else events if options.events else evolutions if options.evolutions
            else configurations)
    with results(options.out, COLUMNS) as rows:
        for system, version in present(options.systems):
            if options.evolutions:
                version += f", pycma {importlib.metadata.version('cma')}"
            for configuration in kind(system):
                works, speeds = tasks_and_speeds(configuration)
                known = {"order": ORDERS[0], "system": system, "version": version, **configuration, "ideal_s": f"{sum(works) / sum(speeds):.4f}"}
                for repetition, makespan in enumerate(RUN[system](configuration, works, speeds, options.times)):
                    rows.writerow({**known, "repetition": repetition, "makespan_s": f"{makespan:.4f}"})
                print(f"{system} configuration {configuration['configuration']}", file=sys.stderr)


if __name__ == "__main__":
    main()
