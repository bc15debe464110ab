"""Instances of the service as processes, and what can happen to them."""

import os
import re
import resource
import shutil
import signal
import subprocess
import time

MALLOC_DEBUG = "/lib/x86_64-linux-gnu/libc_malloc_debug.so.0"


def _with_cores():
    """Lets a crash leave a core behind, if the machine allows it."""
    try:
        _, most = resource.getrlimit(resource.RLIMIT_CORE)
        resource.setrlimit(resource.RLIMIT_CORE, (most, most))
    except (OSError, ValueError):
        pass


class Instance:
    """An instance of the service, with the same transactional ids for all its processes."""

    def __init__(self, number, program, options, directory, is_static, has_several_inputs=False):
        self.number, self.program, self.directory = number, program, directory
        # With several inputs, the ids are made from the name.
        self.is_static = is_static or has_several_inputs
        self.options = options + ["--linger-ms", str(1500 + 250 * (number % 3))]
        if not has_several_inputs:
            self.options += ["--transactional-id", f"chaos-{number}"]
        if self.is_static:
            self.options += ["--instance", f"chaos-{number}"]
        self.process = None
        self.started = 0
        # Set while the test ends it.
        self.is_leaving = False

    @property
    def name(self):
        return f"instance {self.number}"

    @property
    def log_path(self):
        return os.path.join(self.directory, f"instance-{self.number}.{self.started}.log")

    def environment(self):
        environment = dict(os.environ)
        # Freed memory is overwritten at once; and if glibc has that, each block of memory is checked when it is freed.
        if self.number % 3 == 1:
            environment["MALLOC_PERTURB_"] = "165"
        elif self.number % 3 == 2 and os.path.exists(MALLOC_DEBUG):
            environment["LD_PRELOAD"] = MALLOC_DEBUG
            environment["GLIBC_TUNABLES"] = "glibc.malloc.check=3"
        environment["SWIFT_BACKTRACE"] = "enable=no"
        return environment

    def start(self):
        self.started += 1
        self.is_leaving = False
        with open(self.log_path, "wb") as log:
            self.process = subprocess.Popen(
                [self.program, "run", *self.options], stdout=subprocess.DEVNULL, stderr=log, stdin=subprocess.DEVNULL,
                cwd=self.directory, env=self.environment(), preexec_fn=_with_cores)

    @property
    def is_running(self):
        return self.process is not None and self.process.poll() is None

    def kill(self):
        self.is_leaving = True
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def terminate(self, timeout=30):
        """Sends SIGTERM; returns the exit status and the duration. The process ends within 10 s, whatever brokers do."""
        self.is_leaving = True
        began = time.monotonic()
        self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(timeout), time.monotonic() - began
        except subprocess.TimeoutExpired:
            return None, time.monotonic() - began

    def stop(self):
        self.process.send_signal(signal.SIGSTOP)

    def go_on(self):
        self.process.send_signal(signal.SIGCONT)

    def says(self, text):
        """Returns whether the present process has logged the text."""
        with open(self.log_path, errors="replace") as file:
            return any(text in line for line in file)

    def last_lines(self, count=12):
        with open(self.log_path, errors="replace") as file:
            return file.read().splitlines()[-count:]

    def crash_stack(self):
        """Returns the stack at which the process has crashed, if there are a core and gdb."""
        cores = [name for name in ("core", f"core.{self.process.pid}") if os.path.exists(os.path.join(self.directory, name))]
        if self.process.returncode >= 0 or not cores or not shutil.which("gdb"):
            return []
        command = ["gdb", "-batch", "-ex", "bt 30", self.program, os.path.join(self.directory, cores[-1])]
        try:
            told = subprocess.run(
                command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL, text=True, timeout=60).stdout
        except subprocess.TimeoutExpired:
            return ["gdb did not end"]
        # Its first frame is printed twice: when the core is loaded, and by bt.
        return ["The stack at the crash:"] + [line for line in told.splitlines() if line.startswith("#")][1:]


def describe_exit(status):
    if status is None:
        return "it did not end"
    if status < 0:
        return f"it died of signal {-status} ({signal.Signals(-status).name})"
    return f"it ended with exit code {status}"


class Figures:
    """Figures of the run from the logs of all instances."""

    def __init__(self, directory):
        self.aborts, self.reasons = 0, {}
        self.restores, self.restore_ms, self.restored_records = 0, [], []
        self.lost = self.fresh_starts = self.errors = 0
        self.error_lines = []
        for name in sorted(os.listdir(directory)):
            if re.fullmatch(r"instance-\d+\.\d+\.log", name):
                self._read(os.path.join(directory, name))

    def _read(self, path):
        with open(path, errors="replace") as file:
            for line in file:
                if " returning to the last commit: " in line:
                    self.aborts += 1
                    reason = line.split("last commit: ", 1)[-1].strip()
                    reason = re.sub(r"\d+", "N", reason)[:160]
                    self.reasons[reason] = self.reasons.get(reason, 0) + 1
                elif " restored: partition" in line:
                    self.restores += 1
                    found = re.search(r"(\d+) records and .* in (\d+) ms", line)
                    if found:
                        self.restored_records.append(int(found[1]))
                        self.restore_ms.append(int(found[2]))
                elif " lost: " in line:
                    self.lost += 1
                elif " warning starting again within the process" in line:
                    self.fresh_starts += 1
                if " error " in line and "kafka: " not in line:
                    self.errors += 1
                    self.error_lines.append(f"{os.path.basename(path)}: {line.strip()}")
