#!/usr/bin/env python3
"""hetsim beside workflows that ran: four values a system are found on one half of its instances, and the others are predicted
with them.

    python3 validate.py INSTANCE... [--hetsim COMMAND] > ../../docs/validation-workflows.md

The instances are WfFormat with an execution: the run time of each task, the machines with their cores, and the makespan. Each
becomes a scenario: those machines, the tasks with their run times, first come first served. The values are the keys of
`[workload.system]`: `startup`, `submission`, `setup` and `storage`.
"""

import argparse
import csv
import itertools
import json
import os
import re
import statistics
import subprocess
import tempfile
from collections import defaultdict

KEYS = ["startup", "submission", "setup", "storage"]
UNITS = {"startup": "s", "submission": "s", "setup": "s", "storage": "MB/s"}
# What costs nothing: a storage of which nobody notices anything.
FREE = {"startup": 0, "submission": 0, "setup": 0, "storage": 1e9}
GRID = {"startup": [0, 10, 30, 60], "submission": [0, 0.3, 1, 3], "setup": [0, 3, 6, 9, 12, 15], "storage": [30, 100, 300, 1e9]}


def read(file):
    """An instance: what the scenario and the page need of it."""
    with open(file) as text:
        instance = json.load(text)
    specification, execution = instance["workflow"]["specification"], instance["workflow"]["execution"]
    ran = {machine for task in execution["tasks"] for machine in task.get("machines", [])}
    cores = {machine["nodeName"]: machine["cpu"]["coreCount"] for machine in execution["machines"]}
    seconds = {task["id"]: task["runtimeInSeconds"] for task in execution["tasks"]}
    return {"file": os.path.abspath(file), "name": re.sub(r"\.json$", "", os.path.basename(file)),
            "system": instance["runtimeSystem"]["name"], "version": instance["runtimeSystem"].get("version", "").rstrip("."),
            "cores": sorted(count for name, count in cores.items() if name in ran), "measured": float(execution["makespanInSeconds"]),
            "tasks": len(specification["tasks"]), "bytes": moved(specification), "types": types(execution["tasks"]), "seconds": seconds}


def moved(specification):
    """What the tasks read and write, in bytes."""
    sizes = {file["id"]: file["sizeInBytes"] for file in specification.get("files", [])}
    return sum(sizes.get(file, 0) for task in specification["tasks"]
               for file in {*task.get("inputFiles", [])} | {*task.get("outputFiles", [])})


def types(tasks):
    """The run times by program."""
    found = defaultdict(list)
    for task in tasks:
        found[task["command"]["program"]].append(task["runtimeInSeconds"])
    return found


def scenario(instance, grid):
    clusters = "".join(f"""[platform.cluster.cores{cores}]
nodes = {len(list(nodes))}
speed = "1op/s"
cores = {cores}
network = {{ model = "delay", latency = "0s", bandwidth = "1TB/s" }}
""" for cores, nodes in itertools.groupby(instance["cores"]))
    between = '[platform.between]\nnetwork = { model = "delay", latency = "0s", bandwidth = "1TB/s" }\n'
    sweep = "".join(f'"workload.system.{key}" = [' + ", ".join(f'"{value}{UNITS[key]}"' for value in values) + "]\n"
                    for key, values in grid.items())
    return f"""version = 1
{clusters}{between if len(set(instance["cores"])) > 1 else ""}[workload]
kind = "taskgraph"
file = {json.dumps(instance["file"])}
scheduler = "first_come"
[sweep]
{sweep}"""


class Hetsim:
    """Simulates instances."""

    def __init__(self, command, folder):
        self.command, self.folder = command, folder

    def makespans(self, instance, grid):
        """By the values of the keys, in the order of KEYS: the makespan in seconds."""
        file = os.path.join(self.folder, "workflow.toml")
        with open(file, "w") as out:
            out.write(scenario(instance, grid))
        subprocess.run([self.command, file, "--out", self.folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(self.folder, "workflow", "results.csv")) as results:
            seconds = [float(row["completion_s"]) for row in csv.DictReader(results)]
        return dict(zip(itertools.product(*(grid[key] for key in KEYS)), seconds))

    def makespan(self, instance, values):
        return next(iter(self.makespans(instance, {key: [value] for key, value in zip(KEYS, values)}).values()))


def error(predicted, instance):
    return predicted / instance["measured"] - 1


def calibrated(hetsim, instances):
    """The values with the least mean absolute error; of several, those that cost least."""
    grid = GRID
    for step in [0.5, 0.25, 0.12, 0.06]:
        simulated = [hetsim.makespans(instance, grid) for instance in instances]
        mean = {values: statistics.mean(abs(error(makespans[values], instance)) for makespans, instance in zip(simulated, instances))
                for values in simulated[0]}
        best = min(mean, key=lambda values: (mean[values], values[:3], -values[3]))
        around = lambda value: sorted({round(value * factor, 4) for factor in [1 - step, 1, 1 + step]} | {0} & {value})
        grid = {key: around(value) if value != FREE[key] else [value] for key, value in zip(KEYS, best)}
    return best


def percent(value):
    return f"{100 * value:.1f} %"


def shown(key, value):
    return "–" if value == FREE[key] else f"{value:.3g} {UNITS[key]}"


def of_system(hetsim, system, instances):
    """The rows of a system: its values, its instances, and what each value explains."""
    halves = [instances[::2], instances[1::2]]
    values = calibrated(hetsim, halves[0])
    rows, errors = [], []
    for half, members in zip(["calibrated", "predicted"], halves):
        for instance in members:
            free = hetsim.makespan(instance, FREE.values())
            whole = hetsim.makespan(instance, values)
            without = [hetsim.makespan(instance, [FREE[key] if key == off else value for key, value in zip(KEYS, values)])
                       for off in KEYS]
            explained = " | ".join(f"{whole - less:.0f} s" for less in without)
            rows.append(f"| {system} {instance['version']} | {instance['name']} | {instance['tasks']} | {len(instance['cores'])} "
                        f"| {instance['bytes'] / 1e9:.1f} GB | {instance['measured']:.0f} s | {free:.0f} s | {whole:.0f} s "
                        f"| {100 * error(whole, instance):+.1f} % | {half} | {explained} |")
            if half == "predicted":
                errors.append(abs(error(whole, instance)))
    middle = percent(statistics.median(errors)) if errors else "–"
    spread = f"{percent(min(errors))} to {percent(max(errors))}" if errors else "–"
    summary = (f"| {system} | {' | '.join(shown(key, value) for key, value in zip(KEYS, values))} "
               f"| {len(halves[0])} | {len(halves[1])} | {middle} | {spread} |")
    return summary, "\n".join(rows)


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("instances", nargs="+", help="WfFormat with an execution")
    arguments.add_argument("--hetsim", default="hetsim", help="the command")
    options = arguments.parse_args()
    systems = defaultdict(list)
    for instance in sorted(map(read, options.instances), key=lambda instance: instance["name"]):
        systems[instance["system"]].append(instance)
    with tempfile.TemporaryDirectory() as folder:
        hetsim = Hetsim(options.hetsim, folder)
        parts = [of_system(hetsim, system, instances) for system, instances in sorted(systems.items(), reverse=True)]
    print("\n".join(p[0] for p in parts)); print("\n".join(p[1] for p in parts))


if __name__ == "__main__":
    main()
