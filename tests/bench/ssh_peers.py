"""The usual way to measure many hosts: pdsh, or ssh, with perf stat; on loopback."""

import pathlib
import shutil
import subprocess
import time

COUNT = 16


class SshPeers:
    """An sshd of our own on 127.0.1.1 and on, as a context."""

    def __init__(self, scratch):
        self._scratch = pathlib.Path(scratch)
        self._port = 7122
        self.hosts = [f"127.0.1.{i}" for i in range(1, COUNT + 1)]

    @staticmethod
    def missing():
        return [tool for tool in ["pdsh", "ssh", "sshd", "perf"] if not find(tool)]

    def __enter__(self):
        here = self._scratch
        for name in ["host_key", "user_key"]:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", here / name],
                           check=True)
        shutil.copy(here / "user_key.pub", here / "authorized")
        stamp = here / "stamp.c"
        stamp.write_text('#include <stdio.h>\n#include <time.h>\n#include <unistd.h>\n'
                         'int main(){struct timespec t;clock_gettime(CLOCK_MONOTONIC,&t);'
                         'printf("%ld\\n",t.tv_sec*1000000000L+t.tv_nsec);fflush(stdout);'
                         'sleep(1);return 0;}\n')
        subprocess.run(["gcc", "-O2", "-o", here / "stamp", stamp], check=True)
        config = here / "sshd_config"
        # SHLVL: root's start-up files of the shell are not the peer's fault.
        config.write_text("\n".join(
            [f"Port {self._port}", *(f"ListenAddress {host}" for host in self.hosts),
             f"HostKey {here}/host_key", f"AuthorizedKeysFile {here}/authorized",
             "StrictModes no", "UsePAM no", "MaxStartups 200", f"PidFile {here}/sshd.pid",
             "SetEnv SHLVL=5", "PermitRootLogin yes", ""]))
        pathlib.Path("/run/sshd").mkdir(exist_ok=True)
        subprocess.run([find("sshd"), "-f", config], check=True)
        time.sleep(0.5)
        self.ssh = ["ssh", "-q", "-p", str(self._port), "-i", str(here / "user_key"),
                    "-o", "StrictHostKeyChecking=no", "-o", "UserKnownHostsFile=/dev/null",
                    "-o", "BatchMode=yes"]
        self.master = self.ssh + ["-o", f"ControlPath={here}/m-%h", "-o", "ControlMaster=auto",
                                  "-o", "ControlPersist=600"]
        for host in self.hosts:
            subprocess.run(self.master + [host, "true"], check=True)
        return self

    def __exit__(self, *_):
        for host in self.hosts:
            subprocess.run(self.master + ["-O", "exit", host], stderr=subprocess.DEVNULL)
        pid = self._scratch / "sshd.pid"
        if pid.exists():
            subprocess.run(["kill", pid.read_text().strip()])

    def measured_command(self):
        return ("perf stat -a -x, -o /dev/null -e task-clock,page-faults -- "
                f"{self._scratch}/stamp")

    def pdsh(self):
        options = " ".join(self.ssh[1:])
        return (["env", f"PDSH_SSH_ARGS_APPEND={options}", "pdsh", "-R", "ssh", "-N", "-f",
                 str(COUNT), "-w", ",".join(self.hosts), self.measured_command()])

    def loop(self, ssh):
        """All hosts at once, from one shell."""
        words = " ".join(ssh)
        lines = [f"{words} {host} '{self.measured_command()}' &" for host in self.hosts]
        return ["sh", "-c", "\n".join(lines) + "\nwait"]


def find(tool):
    return shutil.which(tool) or shutil.which(tool, path="/usr/sbin:/sbin")
