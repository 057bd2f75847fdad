#!/usr/bin/env bash
# A sweep on a real Slurm: a controller and a node on this machine, as root, without systemd. Tasks of the array are killed,
# `hetsim status` sees it, submitting again hands in those alone, and the merged results are the bytes of one process.
#
#   tests/slurm.sh target/release/hetsim
#
# HETSIM_SLURM_SKIP=1 lets a machine without root or apt pass; HETSIM_SLURM_LIMIT is the time limit in seconds (300).
set -euo pipefail

binary=$(realpath "${1:?the path of hetsim}")
limit=${HETSIM_SLURM_LIMIT:-300}

skip() {
    echo "tests/slurm.sh: skipped: $*"
    if [ "${HETSIM_SLURM_SKIP:-}" = 1 ]; then exit 0; fi
    echo "tests/slurm.sh: HETSIM_SLURM_SKIP=1 would let that pass" >&2
    exit 1
}

[ "$(id -u)" = 0 ] || skip "starting Slurm takes root"
if ! command -v slurmctld slurmd sbatch munged >/dev/null || [ "$(command -v slurmctld slurmd sbatch munged | wc -l)" != 4 ]; then
    command -v apt-get >/dev/null || skip "Slurm is not installed, and there is no apt-get"
    # No service is to be started: what is needed is started below. (`timeout` since another apt may hold the lock.)
    export DEBIAN_FRONTEND=noninteractive RUNLEVEL=1
    packages="slurm-wlm slurmctld slurmd slurm-client munge"
    # shellcheck disable=SC2086
    timeout 600 apt-get install -y --no-install-recommends $packages >/dev/null 2>&1 ||
        { timeout 300 apt-get update >/dev/null && timeout 600 apt-get install -y --no-install-recommends $packages >/dev/null; } ||
        skip "Debian's packages of Slurm can't be installed"
fi

# Once more below a time limit: a Slurm that does not answer must fail, not hang.
if [ -z "${HETSIM_SLURM_INSIDE:-}" ]; then
    HETSIM_SLURM_INSIDE=1 exec timeout --kill-after=30 "$limit" "$0" "$@"
fi

work=$(mktemp -d "${TMPDIR:-/tmp}/hetsim slurm.XXXXXX")
# Slurm's own files are not asked to bear a space; hetsim's are.
system=$(mktemp -d "${TMPDIR:-/tmp}/hetsim-slurm.XXXXXX")
chmod 755 "$system"
export SLURM_CONF=$system/slurm.conf
unset SLURM_JOB_ID SLURM_ARRAY_JOB_ID SLURM_ARRAY_TASK_ID

ended() { # a process is no more
    [ -z "$1" ] || ! kill -0 "$1" 2>/dev/null
}

cleanup() {
    code=$?
    trap - EXIT
    set +e
    if [ "$code" != 0 ]; then
        echo "tests/slurm.sh: failed with $code" >&2
        tail -n 15 "$system"/log/*.log "$work"/out/sweep/jobs/*.log 2>/dev/null >&2
    fi
    timeout 10 scancel --me 2>/dev/null
    timeout 10 scontrol shutdown 2>/dev/null
    # By the numbers that the daemons wrote down, and nobody else's.
    for name in slurmctld slurmd munged; do
        pid=$(cat "$system/$name.pid" 2>/dev/null)
        [ "$name" = munged ] && kill "$pid" 2>/dev/null
        for _ in $(seq 50); do ended "$pid" && break; sleep 0.1; done
        ended "$pid" || kill -9 "$pid" 2>/dev/null
    done
    rm -rf "$work" "$system"
    exit "$code"
}
trap cleanup EXIT
trap 'echo "tests/slurm.sh: no end within '"$limit"' s" >&2; exit 124' TERM INT

free_port() { # a port on which nobody answers, above $1
    local port=$(($1 + RANDOM % 1000))
    while (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null; do port=$((port + 1)); done
    echo "$port"
}

wait_for() { # $1 seconds, until the rest of the words succeed
    local until=$((SECONDS + $1)); shift
    until "$@"; do
        [ "$SECONDS" -lt "$until" ] || { echo "waited in vain for: $*" >&2; return 1; }
        sleep 0.1
    done
}

host=$(hostname -s)
cpus=$(nproc)
memory=$(($(sed -n 's/^MemTotal: *\([0-9]*\) kB/\1/p' /proc/meminfo) * 9 / 10 / 1024))
mkdir -p "$system"/{ctld,d,log}

# An authentication service of our own, beside one that may run.
head -c 1024 /dev/urandom > "$system/munge.key"
chmod 400 "$system/munge.key"
munged --force --socket="$system/munge.socket" --key-file="$system/munge.key" --pid-file="$system/munged.pid" \
    --log-file="$system/log/munged.log" --seed-file="$system/munge.seed" 2>/dev/null
munge --socket="$system/munge.socket" -n | unmunge --socket="$system/munge.socket" >/dev/null

cat > "$SLURM_CONF" <<END
ClusterName=hetsim
SlurmctldHost=$host(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$system/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort=$(free_port 16000)
SlurmdPort=$(free_port 18000)
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
ReturnToService=2
SwitchType=switch/none
StateSaveLocation=$system/ctld
SlurmdSpoolDir=$system/d
SlurmctldPidFile=$system/slurmctld.pid
SlurmdPidFile=$system/slurmd.pid
SlurmctldLogFile=$system/log/slurmctld.log
SlurmdLogFile=$system/log/slurmd.log
NodeName=$host NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=$memory State=UNKNOWN
PartitionName=main Nodes=$host Default=YES MaxTime=INFINITE State=UP
END
slurmctld -c
slurmd
is_up() { timeout 10 sinfo --noheader --format=%T 2>/dev/null | grep -q '^\(idle\|mixed\)'; }
wait_for 60 is_up

# Shards of a few seconds, of runs of some milliseconds.
cd "$work"
cat > sweep.toml <<'END'
version = 1
replicas = 60
seed = 3

[platform.cluster.a]
nodes = 2000
network = { model = "loggp", latency = "20us", overhead = "3us", gap = "5us", gap_per_byte = "8ns/B" }
jitter = 0.3

[workload]
kind = "broadcast"
size = "64KiB"
algorithm = "binomial"

[sweep]
"workload.algorithm" = ["linear", "binomial", "chain", "binary", "split_binary", "pipeline"]
"workload.size" = ["1KiB", "64KiB", "1MiB", "2MiB"]

[[chart]]
name = "times"
title = "Broadcast to 2000 nodes"
x = "size"
y = "completion_s"
series = "algorithm"
END
echo "== one process"
"$binary" sweep.toml --quiet --out one

echo "== eight shards, two of which do not survive"
results=out/sweep
"$binary" submit sweep.toml --engine slurm --shards 8 --out out --partition main --time 10:00
job=$(sed -n 's/.*"job": "\([0-9]*\)".*/\1/p' "$results/jobs/submissions.json")
# The last task waits still: it never starts.
timeout 20 scancel "${job}_7"
someone_computes() { grep -ls '"state": "running"' "$results"/shards/*-of-8.json >/dev/null; }
wait_for 60 someone_computes
state=$(grep -ls '"state": "running"' "$results"/shards/*-of-8.json | head -n 1)
pid=$(sed -n 's/.*"pid": \([0-9]*\).*/\1/p' "$state")
killed=$(basename "$state" -of-8.json)
kill -9 "$pid"
"$binary" status "$results"
is_quiet() { [ -z "$(timeout 20 squeue --noheader)" ]; }
wait_for "$limit" is_quiet

"$binary" status "$results" | tee status.txt
grep -q "^ *$killed/8 .* lost " status.txt
grep -q "^ *7/8 .* lost" status.txt
[ "$(grep -c finished status.txt)" -ge 6 ]
[ ! -e "$results/results.csv" ] || { echo "the merge took part of the runs for all" >&2; exit 1; }
grep -q "runs are missing; nothing was written" "$results"/jobs/merge.*.log

echo "== those two again"
"$binary" submit sweep.toml --engine slurm --out out --partition main --time 10:00 2>&1 | tee submit.txt
grep -q "2 to submit" submit.txt
wait_for "$limit" is_quiet
"$binary" status "$results" | tee status.txt
grep -q "8 of 8 shards finished" status.txt
grep -q "slurm [0-9]*_$killed" status.txt

for file in results.csv summary.csv report.html scenario.resolved.toml charts/times.svg; do
    cmp "one/sweep/$file" "$results/$file"
done
"$binary" submit sweep.toml --engine slurm --out out 2>&1 | grep -q "nothing to submit"
echo "tests/slurm.sh: the bytes of one process"
