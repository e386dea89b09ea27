"""Performance Co-Pilot: pmcd with pmdaperfevent, counting the same events.

Needs the packages pcp and libpcp3-dev. On a machine without systemd the
post-install step of pcp fails and leaves dpkg unhappy: put "exit 0" into
/var/lib/dpkg/info/pcp.postinst and run `dpkg --configure pcp`.
"""

import pathlib
import shutil
import subprocess
import time

import processes

PMCD = pathlib.Path("/usr/lib/pcp/bin/pmcd")
PMDA = pathlib.Path("/usr/lib/pcp/pmdas/perfevent/pmdaperfevent")
NAMES = pathlib.Path("/var/lib/pcp/pmns")
FILES = {
    pathlib.Path("/etc/pcp/pmcd/pmcd.conf"):
        "pmcd 2 dso pmcd_init /usr/lib/pcp/pmdas/pmcd/pmda_pmcd.so\n"
        f"perfevent 127 pipe binary {PMDA} -d 127\n",
    pathlib.Path("/etc/pcp/perfevent/perfevent.conf"):
        "[perf]\n[dynamic]\nsoftware.task-clock\nsoftware.context-switches\n"
        "software.page-faults\nsoftware.cpu-migrations\n",
}


class PcpPeer:
    """A pmcd of our own, as a context; its files are put back afterwards."""

    def __init__(self, scratch):
        self._scratch = pathlib.Path(scratch)
        self.load = self._scratch / "pcp_load"

    @staticmethod
    def missing():
        return [str(part) for part in [PMCD, PMDA, pathlib.Path("/usr/include/pcp/pmapi.h")]
                if not part.exists()]

    def __enter__(self):
        here = pathlib.Path(__file__).parent
        subprocess.run(["gcc", "-O2", "-o", self.load, here / "pcp_load.c", "-lpcp"], check=True)
        self._saved = {path: path.read_bytes() for path in FILES}
        self._root = (NAMES / "root").read_bytes() if (NAMES / "root").exists() else None
        for path, text in FILES.items():
            path.write_text(text)
        names = (PMDA.parent / "pmns").read_text().split("*/", 1)[1].replace("PERFEVENT", "127")
        (self._scratch / "perfevent").write_text("root {\n perfevent\n}\n" + names)
        (NAMES / "root").unlink(missing_ok=True)
        subprocess.run(["/usr/lib/pcp/bin/pmnsmerge", "-f", "-a", self._scratch / "perfevent",
                        NAMES / "root_pmcd", NAMES / "root"], check=True)
        for folder in ["/run/pcp", "/var/log/pcp/pmcd"]:
            pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
            shutil.chown(folder, "pcp", "pcp")
        self._pmcd = subprocess.Popen([PMCD, "-f", "-l", self._scratch / "log", "-U", "root"],
                                      cwd=self._scratch)
        time.sleep(2)
        return self

    def cpu_ns(self):
        """Of pmcd and its agents."""
        children = subprocess.run(["pgrep", "-P", str(self._pmcd.pid)], stdout=subprocess.PIPE,
                                  text=True).stdout.split()
        return sum(processes.cpu_ns(pid) for pid in [self._pmcd.pid, *children])

    def fetch(self, count, pause_us=0):
        """p50 in us, and CPU of the peer in us, for each of `count` fetches."""
        before = self.cpu_ns()
        out = subprocess.run([self.load, "127.0.0.1", str(count), str(pause_us)], check=True,
                             stdout=subprocess.PIPE, text=True).stdout.split()
        return int(out[0]) / 1e3, (self.cpu_ns() - before) / count / 1e3

    def __exit__(self, *_):
        self._pmcd.terminate()
        self._pmcd.wait()
        for path, text in self._saved.items():
            path.write_bytes(text)
        if self._root is not None:
            (NAMES / "root").write_bytes(self._root)
