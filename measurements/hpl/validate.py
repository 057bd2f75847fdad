#!/usr/bin/env python3
"""hetsim beside runs of High-Performance Linpack on 32 nodes of dahu, and beside what SMPI predicted of them.

    python3 validate.py DATA [--hetsim COMMAND] [--results FILE] > ../../docs/validation-hpl.md

DATA is `shared/data/measured/hpl`. Without --results, `docs/validation/hpl.toml` is run first, which takes some minutes.
With --season, only the rows of one season are simulated and printed.
"""

import argparse
import csv
import os
import statistics
import subprocess
import tempfile

ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
SIZES = [50_000, 75_000, 100_000, 125_000, 150_000]
# When calls were calibrated; the runs of that season begin with these dates; SMPI's final model of it.
SEASONS = {"2020-09": ("2020-10", ("-", "2020-09-07")), "2019-03": ("2019-03", ("D1_het", "")),
           "2019-10": ("2019-10", ("D1_het", ""))}


def rows(file):
    with open(file, newline="") as text:
        return list(csv.DictReader(text))


def simulated(command, season):
    """The results of hetsim, run now: of all seasons or of one."""
    with tempfile.TemporaryDirectory() as folder:
        scenario = os.path.join(ROOT, "docs", "validation", "hpl.toml")
        one = ["--set", f"platform.kernel.dgemm.rows.season={season}"] if season else []
        subprocess.run([command, scenario, "--out", folder, *one], check=True, stdout=subprocess.DEVNULL)
        return rows(os.path.join(folder, "hpl", "results.csv"))


def compare(data, results, seasons):
    """A row for each of the seasons and each size: the runs, their median, hetsim's time and SMPI's."""
    runs, smpi = rows(os.path.join(data, "runs-known.csv")), rows(os.path.join(data, "smpi.csv"))
    table = []
    for season in seasons:
        date, model = SEASONS[season]
        for n in SIZES:
            times = [float(run["time_s"]) for run in runs if run["date"].startswith(date) and int(run["n"]) == n]
            ours = [float(row["completion_s"]) for row in results if row["season"] == season and int(row["workload.n"]) == n]
            theirs = [float(row["time_s"]) for row in smpi if (row["model"], row["date"]) == model and int(row["n"]) == n]
            assert times and len(ours) == len(theirs) == 1, (season, n, len(ours), len(theirs))
            table.append((season, n, len(times), statistics.median(times), ours[0], theirs[0]))
    return table


def error(predicted, measured):
    return 100 * (predicted / measured - 1)


def median_error(table, of):
    return statistics.median(abs(error(row[of], row[3])) for row in table)


def signed(number):
    return f"{number:+.1f} %".replace("-", "−")


def size(n):
    return f"{n:,}".replace(",", " ")


def lines(table):
    return [f"| {season} | {size(n)} | {count} | {measured:.2f} | {ours:.2f} | {signed(error(ours, measured))} | "
            f"{signed(error(theirs, measured))} |" for season, n, count, measured, ours, theirs in table]


def page(table):
    by_season = {season: median_error([row for row in table if row[0] == season], 4) for season in SEASONS}
    with open(os.path.join(ROOT, "measurements", "hpl", "page.md")) as text:
        return text.read().format(
            table="\n".join(lines(table)), all=f"{median_error(table, 4):.1f}", smpi=f"{median_error(table, 5):.1f}",
            points=len(table), sound=f"{by_season['2020-09']:.1f}", march=f"{by_season['2019-03']:.1f}",
            october=f"{by_season['2019-10']:.1f}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("data")
    parser.add_argument("--hetsim", default="hetsim")
    parser.add_argument("--results", help="the results.csv of docs/validation/hpl.toml")
    parser.add_argument("--season", choices=SEASONS)
    options = parser.parse_args()
    results = rows(options.results) if options.results else simulated(options.hetsim, options.season)
    if options.season:
        print("\n".join(lines(compare(options.data, results, [options.season]))))
    else:
        print(page(compare(options.data, results, SEASONS)), end="")


main()
