"""One emulated board, with the agent running on it."""

import json
import pathlib
import socket
import subprocess
import time

import images

PMUCTL = images.ROOT / "out/bin/client/cli/pmuctl"
MODEL = images.ROOT / "out/bin/tests/boards/cci400_in_ram"
ARM_MACHINE = ["-machine", "virt,gic-version=3", "-cpu", "cortex-a57", "-smp", "2", "-m", "512"]
RAM_BASE = 0x40000000
REGISTERS = 0x5ff00000
REGISTER_BYTES = 0x10000
START_LIMIT_S = 180


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Board:
    def __init__(self, folder, command, kernel, initrd, append, pmud_options):
        self._port, self._smi_port, self._command_port = free_port(), free_port(), free_port()
        forward = ",".join(f"hostfwd=tcp:127.0.0.1:{ours}-:{theirs}" for ours, theirs in
                           [(self._port, 50051), (self._smi_port, 50052),
                            (self._command_port, 50053)])
        options = " ".join("pmud." + option for option in pmud_options)
        self._console = pathlib.Path(folder) / f"console-{self._port}"
        with open(self._console, "wb") as console:
            self._process = subprocess.Popen(
                command + ["-kernel", kernel, "-initrd", initrd,
                           "-append", f"panic=-1 quiet {append} {options}", "-no-reboot",
                           "-nodefaults", "-display", "none", "-serial", "stdio",
                           "-netdev", f"user,id=net0,{forward}"],
                stdin=subprocess.DEVNULL, stdout=console, stderr=console)

    @property
    def host(self):
        return f"127.0.0.1:{self._port}"

    def wait_until_it_serves(self):
        deadline = time.monotonic() + START_LIMIT_S
        while self._process.poll() is None and time.monotonic() < deadline:
            done = subprocess.run([PMUCTL, "hosts", "--hosts", self.host, "--timeout", "2s", "-j"],
                                  stdout=subprocess.PIPE, text=True)
            if done.returncode == 0:
                return json.loads(done.stdout)["hosts"][0]["identity"]
            time.sleep(0.2)
        raise RuntimeError("the board does not serve; its console:\n"
                           + self._console.read_text(errors="replace")[-3000:])

    def run(self, *options):
        """The JSON result of pmuctl run, its exit status, and what it said."""
        out, status, message = self._pmuctl_run(*options)
        return (json.loads(out) if out.startswith("{") else None), status, message

    def run_intervals(self, *options):
        """The same with intervals: they and the result, one line each."""
        out, status, message = self._pmuctl_run(*options)
        return [json.loads(line) for line in out.splitlines()], status, message

    def _pmuctl_run(self, *options):
        done = subprocess.run([PMUCTL, "run", "--hosts", self.host, "--timeout", "10s", "-j",
                               "--output", "-", *options], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True)
        return done.stdout, done.returncode, done.stderr

    def trigger_smis(self, count):
        """A command that does so, and ends when it is done."""
        return ["python3", __file__, str(self._smi_port), str(count)]

    def take_cpu_offline(self, cpu):
        """A command that takes the CPU offline for two seconds, and goes on for four."""
        return ["python3", __file__, str(self._command_port), f"cpu {cpu}", "4"]

    def step_clock(self, seconds):
        """A command that sets the board's wall clock, and goes on for two seconds."""
        return ["python3", __file__, str(self._command_port), f"clock {seconds}", "2"]

    def stop(self):
        self._process.kill()
        self._process.wait()


class ArmBoard(Board):
    """A board whose CCI-400 is played by a process of this machine."""

    def __init__(self, folder, initrd, overlays, append="", pmud_options=()):
        self._ram = pathlib.Path(folder) / f"ram-{len(overlays)}"
        with open(self._ram, "wb") as ram:
            ram.truncate(512 << 20)
        self._model = subprocess.Popen([MODEL, self._ram, hex(REGISTERS - RAM_BASE)],
                                       stdout=subprocess.PIPE)
        self._model.stdout.readline()
        tree = images.make_device_tree(pathlib.Path(folder), ARM_MACHINE, overlays)
        memory = ["-object", f"memory-backend-file,id=ram0,size=512M,mem-path={self._ram},share=on",
                  "-machine", "memory-backend=ram0", "-dtb", tree,
                  "-device", "virtio-net-device,netdev=net0"]
        super().__init__(folder, ["qemu-system-aarch64", *ARM_MACHINE, *memory],
                         images.ARM.image, initrd, "console=ttyAMA0 iomem=relaxed " + append,
                         pmud_options)

    def registers(self):
        with open(self._ram, "rb") as ram:
            ram.seek(REGISTERS - RAM_BASE)
            return ram.read(REGISTER_BYTES)

    def stop(self):
        super().stop()
        self._model.terminate()
        self._model.wait()


class X86Board(Board):
    def __init__(self, folder, initrd):
        command = ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg", "-cpu",
                   "Skylake-Client", "-smp", "2", "-m", "512",
                   "-device", "virtio-net-pci,netdev=net0,romfile="]
        super().__init__(folder, command, images.X86.image, initrd, "console=ttyS0", [])


def ask(port, word):
    """Sends a line to a service of init.sh and waits for its answer."""
    with socket.create_connection(("127.0.0.1", int(port)), timeout=60) as connection:
        connection.sendall(word.encode() + b"\n")
        answer = connection.makefile().readline()
    return 0 if answer == "done\n" else 1


if __name__ == "__main__":
    import sys
    answer_status = ask(sys.argv[1], sys.argv[2])
    time.sleep(float(sys.argv[3]) if len(sys.argv) > 3 else 0)
    sys.exit(answer_status)
