#!/usr/bin/env python3
"""A private Slurm on this machine: a database, slurmdbd, slurmctld, and a slurmd for each of some emulated nodes.

Everything lies in a temporary folder, with its own key of munge and its own ports, so it stays apart from a Slurm that runs
here. It takes root, and Debian's packages slurmctld, slurmd, slurmdbd, slurm-client, munge and mariadb-server.

    with Slurm(["n1", "n2"]) as slurm:
        slurm.run("sbatch", "--array=0-9", script)
"""

import contextlib
import itertools
import os
import random
import secrets
import shutil
import socket
import subprocess
import tempfile
import time

# Each daemon and command, with the package that has it.
NEEDED = {"munged": "munge", "mariadbd": "mariadb-server", "mariadb-install-db": "mariadb-server", "slurmdbd": "slurmdbd",
          "slurmctld": "slurmctld", "slurmd": "slurmd", "sbatch": "slurm-client", "sacct": "slurm-client"}
# Debian has daemons where only root looks.
PATH = os.pathsep.join([os.environ.get("PATH", ""), "/usr/sbin", "/sbin"])
PATIENCE_S = 60

SLURM_CONF = """ClusterName=farm
SlurmctldHost={host}(127.0.0.1)
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CredType=cred/munge
CommunicationParameters=NoCtldInAddrAny,NoInAddrAny
SlurmctldPort={ports[0]}
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/slurmdbd
AccountingStorageHost=127.0.0.1
AccountingStoragePort={ports[1]}
AccountingStoragePass={folder}/munge.socket
MpiDefault=none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerType=sched/backfill
SlurmdParameters=config_overrides
ReturnToService=2
SwitchType=switch/none
StateSaveLocation={folder}/ctld
SlurmdSpoolDir={folder}/spool.%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.%n.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.%n.log
"""
SLURMDBD_CONF = """AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
DbdHost=localhost
DbdAddr=127.0.0.1
DbdPort={ports[1]}
SlurmUser=root
LogFile={folder}/slurmdbd.log
PidFile={folder}/slurmdbd.pid
StorageType=accounting_storage/mysql
StorageHost=127.0.0.1
StoragePort={ports[2]}
StorageUser=slurm
StoragePass={password}
StorageLoc=slurm
"""


def missing():
    """The packages that are missing, or what else is; empty if a Slurm can start."""
    packages = sorted({package for command, package in NEEDED.items() if shutil.which(command, path=PATH) is None})
    return packages or ([] if os.geteuid() == 0 else ["root, who starts the daemons"])


def version():
    """The version of Slurm, or nothing where something is missing."""
    if missing():
        return None
    done = subprocess.run(["slurmctld", "-V"], env=dict(os.environ, PATH=PATH), capture_output=True, text=True, check=True)
    return done.stdout.split()[-1]


# Below the ports that connections get, each once: several of these Slurms may run.
PORTS = iter(random.sample(range(10_000, 30_000), 20_000))


def is_free(port):
    with socket.socket() as own:
        return own.connect_ex(("127.0.0.1", port)) != 0


def wait_for(what, is_there):
    begin = time.monotonic()
    while not is_there():
        if time.monotonic() > begin + PATIENCE_S:
            raise TimeoutError(f"waited in vain for {what}")
        time.sleep(0.2)


class Slurm:
    """Runs while it is entered. Each node has so many CPUs, whatever the machine has."""

    def __init__(self, nodes, cpus=1):
        self.nodes, self.cpus, self.daemons = nodes, cpus, []

    def __enter__(self):
        if missing():
            raise FileNotFoundError("missing: " + ", ".join(missing()))
        self.folder = tempfile.mkdtemp(prefix="slurm-")
        # Nothing of a job that this may run in.
        outside = {key: value for key, value in os.environ.items() if not key.startswith(("SLURM_", "SBATCH_", "SACCT_"))}
        self.environment = dict(outside, PATH=PATH, SLURM_CONF=self.file("slurm.conf"), TZ="UTC")
        try:
            self.configure()
            self.start_all()
        except BaseException:
            self.__exit__()
            raise
        return self

    def file(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command, **options):
        """What a command prints."""
        done = subprocess.run(command, env=self.environment, check=True, text=True, stdout=subprocess.PIPE, timeout=PATIENCE_S,
                              **options)
        return done.stdout

    def succeeds(self, *command):
        return subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                              timeout=PATIENCE_S).returncode == 0

    def configure(self):
        # Authentication wants folders that others can't write to.
        os.chmod(self.folder, 0o755)
        self.host = socket.gethostname().split(".")[0]
        self.ports = list(itertools.islice(filter(is_free, PORTS), 3 + len(self.nodes)))
        self.password = secrets.token_hex(16)
        known = {"host": self.host, "folder": self.folder, "ports": self.ports, "password": self.password}
        nodes = [f"NodeName={node} NodeHostname={self.host} NodeAddr=127.0.0.1 Port={port} CPUs={self.cpus} State=UNKNOWN\n"
                 for node, port in zip(self.nodes, self.ports[3:])]
        partition = f"PartitionName=main Nodes={','.join(self.nodes)} Default=YES MaxTime=INFINITE State=UP\n"
        for name, text in [("slurm.conf", SLURM_CONF.format(**known) + "".join(nodes) + partition),
                           ("slurmdbd.conf", SLURMDBD_CONF.format(**known))]:
            with open(self.file(name), "w") as file:
                file.write(text)
        # It has a password.
        os.chmod(self.file("slurmdbd.conf"), 0o600)
        with open(self.file("munge.key"), "wb") as file:
            file.write(secrets.token_bytes(1024))
        os.chmod(self.file("munge.key"), 0o400)
        for name in ["ctld", *(f"spool.{node}" for node in self.nodes)]:
            os.mkdir(self.file(name))

    def start(self, name, *command):
        """Starts a daemon in the foreground, so that its number is known."""
        with open(self.file(f"{name}.out"), "w") as out:
            self.daemons.append(subprocess.Popen(command, env=self.environment, stdout=out, stderr=subprocess.STDOUT))

    def start_all(self):
        self.start("munged", "munged", "--foreground", "--force", *(
            f"--{key}={self.file(name)}" for key, name in [("socket", "munge.socket"), ("key-file", "munge.key"),
                                                           ("pid-file", "munged.pid"), ("seed-file", "munge.seed")]))
        self.start_database()
        wait_for("munge", lambda: self.succeeds("munge", "-n", f"--socket={self.file('munge.socket')}"))
        self.start("slurmdbd", "slurmdbd", "-D")
        wait_for("slurmdbd", lambda: self.succeeds("sacctmgr", "-n", "show", "cluster"))
        self.run("sacctmgr", "-i", "add", "cluster", "farm")
        self.start("slurmctld", "slurmctld", "-D", "-c")
        for node in self.nodes:
            self.start(f"slurmd.{node}", "slurmd", "-D", "-N", node)
        idle = lambda: self.run("sinfo", "-h", "-N", "-t", "idle", "-o", "%N").split() == sorted(self.nodes)
        wait_for("the nodes", lambda: self.succeeds("sinfo") and idle())

    def start_database(self):
        os.mkdir(self.file("tmp"))
        own = ["--no-defaults", f"--datadir={self.file('data')}", f"--tmpdir={self.file('tmp')}"]
        self.run("mariadb-install-db", *own, "--user=root", "--auth-root-authentication-method=normal", "--skip-test-db")
        where = f"--socket={self.file('mariadb.socket')}"
        self.start("mariadbd", "mariadbd", *own, "--user=root", where, "--bind-address=127.0.0.1", f"--port={self.ports[2]}",
                   f"--pid-file={self.file('mariadb.pid')}")
        client = ["mariadb", "--no-defaults", where, "--user=root"]
        wait_for("the database", lambda: self.succeeds(*client, "-e", "select 1"))
        users = [f"create user {user} identified by '{self.password}'; grant all on slurm.* to {user};"
                 for user in ["slurm@'%'", "slurm@localhost"]]
        self.run(*client, input="\n".join(users))

    def __exit__(self, *_):
        """Ends the jobs, and then the daemons, the last one first: each is told to, and killed if it doesn't."""
        with contextlib.suppress(subprocess.SubprocessError, TimeoutError):
            if self.succeeds("scancel", "--user=root"):
                wait_for("the jobs", lambda: not self.run("squeue", "-h"))
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(20)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        shutil.rmtree(self.folder)
