"""How schedulers rank on real workflows where tasks take longer than said and the task system has its costs."""

import csv
import json
import math
import os
import statistics
import subprocess
from collections import defaultdict

SCHEDULERS = ["heft", "peft", "cpop", "min_min", "mct", "online", "first_come", "round_robin"]
REPLICAS = 20
# Student's t for 19 degrees of freedom, 95 %.
T = 2.093
NETWORK = 'network = { model = "delay", latency = "100us", bandwidth = "10Gbit/s" }'
PLATFORM = "".join(f"""[platform.cluster.{name}]
nodes = 4
speed = "{speed}op/s"
cores = 4
{NETWORK}
""" for name, speed in [("old", 1), ("new", 2)]) + f"[platform.between]\n{NETWORK}\n"
NOISE = "noise = 0.3\n"


def conditions(values):
    """By name: the lines of the workload. `values` are those of `[workload.system]`."""
    overheads = "".join(f'{key} = "{value}s"\n' for key, value in values.items() if key != "storage")
    storage = f'storage = "{values["storage"]}MB/s"\n'
    return {"as published": "", "noise": NOISE, "storage": "[workload.system]\n" + storage,
            "overheads": "[workload.system]\n" + overheads, "all three": NOISE + "[workload.system]\n" + overheads + storage}


def ratios(command, folder, instance, lines):
    """By scheduler: the makespan over that of HEFT in the same replica, a value a replica."""
    file = os.path.join(folder, "schedulers.toml")
    with open(file, "w") as out:
        out.write(f"""version = 1
replicas = {REPLICAS}
{PLATFORM}[workload]
kind = "taskgraph"
file = {json.dumps(instance["file"])}
scheduler = "heft"
{lines}[sweep]
"workload.scheduler" = {json.dumps(SCHEDULERS)}
""")
    subprocess.run([command, file, "--out", folder, "--quiet"], check=True, stdout=subprocess.DEVNULL)
    found = defaultdict(list)
    with open(os.path.join(folder, "schedulers", "results.csv")) as results:
        for row in csv.DictReader(results):
            found[row["scheduler"]].append(float(row["completion_s"]))
    return {scheduler: [own / heft for own, heft in zip(found[scheduler], found["heft"])] for scheduler in SCHEDULERS}


def cell(values):
    """The geometric mean with half of its interval, if there is any."""
    logs = [math.log(value) for value in values]
    mean = math.exp(statistics.mean(logs))
    half = mean * T * statistics.stdev(logs) / math.sqrt(len(logs))
    return f"{mean:.2f}" if half < 0.005 else f"{mean:.2f} ± {half:.2f}"


def tables(command, folder, instances, values):
    """The rows of all workflows by condition, and those of each workflow with all costs."""
    rows, each = [], []
    for name, lines in conditions(values).items():
        found = [ratios(command, folder, instance, lines) for instance in instances]
        # Over the workflows in each replica, and then over the replicas.
        together = {scheduler: [statistics.geometric_mean(of) for of in zip(*(one[scheduler] for one in found))]
                    for scheduler in SCHEDULERS}
        rows.append(f"| {name} | " + " | ".join(cell(together[scheduler]) for scheduler in SCHEDULERS[1:]) + " |")
        if name == "all three":
            each = [f"| {instance['name'].split('-')[0]} | " + " | ".join(cell(one[scheduler]) for scheduler in SCHEDULERS[1:]) + " |"
                    for instance, one in zip(instances, found)]
    head = ["| {} | " + " | ".join(SCHEDULERS[1:]) + " |", "|---" * len(SCHEDULERS) + "|"]
    table = lambda first, body: "\n".join([head[0].format(first), head[1], *body])
    return table("with", rows), table("all three", each)
