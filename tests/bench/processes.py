"""Processes under measurement: agents, and what processes have used."""

import pathlib
import signal
import subprocess
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
BIN = ROOT / "out/static-bin"  # as they are deployed
PMUD = BIN / "server/pmud"
PMUCTL = BIN / "client/cli/pmuctl"


class Agents:
    """`count` agents on loopback, as a context."""

    def __init__(self, scratch, count):
        self._scratch, self._count = scratch, count
        self.processes = []

    def __enter__(self):
        for i in range(self._count):
            pathlib.Path(self._scratch, f"port{i}").unlink(missing_ok=True)
            self.processes.append(subprocess.Popen(
                [PMUD, "--listen=127.0.0.1:0", f"--port-file={self._scratch}/port{i}",
                 f"--state-dir={self._scratch}/state{i}", "--log-level=error"]))
        self.hosts = ",".join("127.0.0.1:" + self._port(i) for i in range(self._count))
        return self

    def _port(self, i):
        path = pathlib.Path(self._scratch, f"port{i}")
        deadline = time.monotonic() + 30
        while not (path.exists() and path.read_text().strip()):
            if time.monotonic() > deadline:
                raise RuntimeError(f"agent {i} did not start")
            time.sleep(0.02)
        return path.read_text().strip()

    def __exit__(self, *_):
        for process in self.processes:
            process.send_signal(signal.SIGTERM)
        for process in self.processes:
            process.wait()


def threads(pid):
    return pathlib.Path(f"/proc/{pid}/task").iterdir()


def cpu_ns(pid):
    """Time on a CPU, of all threads (schedstat: exact, unlike stat's ticks)."""
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads(pid))


def wake_ups(pid):
    total = 0
    for thread in threads(pid):
        for line in (thread / "status").read_text().splitlines():
            if "ctxt_switches" in line:
                total += int(line.split()[1])
    return total


def resident_kib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1])
    return 0


def timed(command, **options):
    """Wall seconds, CPU seconds, peak resident KiB, and standard output."""
    import resource
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begin = time.monotonic()
    done = subprocess.run(["/usr/bin/time", "-f", "%M", "-o", "/dev/fd/2", *map(str, command)],
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **options)
    wall = time.monotonic() - begin
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    lines = done.stderr.strip().splitlines()
    return wall, cpu, int(lines[-1]) if lines and lines[-1].isdigit() else 0, done.stdout
