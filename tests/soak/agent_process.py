"""One pmud under test: started, killed, stopped and started again on its port."""

import os
import pathlib
import signal
import subprocess
import time

BOARD_BYTES = 0x10000


def write_board(path):
    """A register file as a CCI-400 r1's former user may have left it."""
    words = {0x0100: 0x2030, 0x0fe8: 0x60}
    for frame in range(0x9000, 0xd001, 0x1000):
        if frame != 0x9000:
            words[frame] = 0x0c + (frame >> 12)
        words[frame + 4] = 0x1000 + frame
        words[frame + 8] = 1 if frame == 0xb000 else 0
        words[frame + 12] = 1
    data = bytearray(BOARD_BYTES)
    for offset, word in words.items():
        data[offset:offset + 4] = word.to_bytes(4, "little")
    path.write_bytes(data)


class AgentProcess:
    """Not thread-safe: one thread at a time."""

    def __init__(self, pmud, scratch, name, board=False):
        self.name = name
        self._pmud = pmud
        self._scratch = pathlib.Path(scratch)
        self._port = 0
        self._process = None
        self._board = self._scratch / f"{name}.registers" if board else None
        if board:
            write_board(self._board)
            self._board_before = self._board.read_bytes()

    @property
    def host(self):
        return f"127.0.0.1:{self._port}"

    @property
    def log(self):
        return self._scratch / f"{self.name}.log"

    def start(self):
        port_file = self._scratch / f"{self.name}.port"
        port_file.unlink(missing_ok=True)
        command = [self._pmud, f"--listen=127.0.0.1:{self._port}", f"--port-file={port_file}",
                   f"--state-dir={self._scratch}/{self.name}.state"]
        if self._board:
            command.append(f"--cci400={self._board}")
        with open(self.log, "ab") as log:
            self._process = subprocess.Popen(command, stderr=log)
        deadline = time.monotonic() + 30
        while not (port_file.exists() and port_file.read_text().strip()):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError(f"agent {self.name} did not start; see {self.log}")
            time.sleep(0.01)
        self._port = int(port_file.read_text())

    def kill(self):
        self._process.kill()
        self._process.wait()

    def terminate(self):
        """Its exit status; 0 is right."""
        self._process.terminate()
        return self._process.wait(timeout=20)

    def pause(self, seconds):
        self._process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        self._process.send_signal(signal.SIGCONT)

    def running(self):
        return self._process.poll() is None

    def open_counters(self):
        """Descriptors of perf_event_open(2) that it holds."""
        folder = f"/proc/{self._process.pid}/fd"
        count = 0
        for entry in os.listdir(folder):
            try:
                count += "perf_event" in os.readlink(f"{folder}/{entry}")
            except FileNotFoundError:
                pass
        return count

    def descriptors(self):
        return len(os.listdir(f"/proc/{self._process.pid}/fd"))

    def resident_kib(self):
        for line in pathlib.Path(f"/proc/{self._process.pid}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1])
        return 0

    def left_as_found(self):
        return self._board is None or self._board.read_bytes() == self._board_before
