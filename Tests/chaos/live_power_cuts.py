#!/usr/bin/env python3
"""Cuts the power of `combo-consumer live` at random moments under load, and proves that nothing acknowledged was lost.

    Tests/chaos/live_power_cuts.py PROGRAM [--cuts N] [--seed N]

A kill alone loses nothing that was written, synced or not. So power_cut.c keeps each file as it was synced last, and after a kill
only that is restored. After each cut, every acknowledged gift must be there once; in the end, `verify` must prove the output.
Python 3.9, its standard library, and a C compiler."""

import argparse
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from live_process import Feeder, begin, free_port, kept, verify


def replace(folder, source):
    """Empties a folder, and copies another one's files into it."""
    for file in folder.iterdir():
        file.unlink()
    for file in source.iterdir():
        if file.suffix != ".part":
            shutil.copy(file, folder)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("program")
    parser.add_argument("--cuts", type=int, default=100)
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 30))
    options = parser.parse_args()
    print(f"live_power_cuts: seed {options.seed}, {options.cuts} cuts", flush=True)
    chance = random.Random(options.seed)
    acknowledged = []
    with tempfile.TemporaryDirectory(prefix="combo-live-") as folder:
        folder = pathlib.Path(folder)
        disk, synced, library = folder / "disk", folder / "synced", folder / "power_cut.so"
        disk.mkdir()
        synced.mkdir()
        source = pathlib.Path(__file__).parent / "power_cut.c"
        subprocess.run(["cc", "-O2", "-Wall", "-shared", "-fPIC", "-o", library, source, "-ldl"], check=True)
        preload = {"LD_PRELOAD": str(library), "SYNCED": str(synced)}
        data = str(disk / "live.db")
        for cut in range(options.cuts):
            # Everything that is there now is synced.
            replace(synced, disk)
            port = free_port()
            process = begin(options.program, data, port, environment=preload)
            feeders = [Feeder(port, f"{options.seed}-{cut}-{one}", 20, acknowledged) for one in range(3)]
            for feeder in feeders:
                feeder.start()
            time.sleep(chance.random() * 0.6)
            process.send_signal(signal.SIGKILL)
            process.wait()
            for feeder in feeders:
                feeder.join(30)
            replace(disk, synced)
            there = kept(options.program, data)
            lost = [one for one in acknowledged if there[one] != 1]
            if lost:
                sys.exit(f"live_power_cuts: FAILED with seed {options.seed}: after cut {cut + 1} {len(lost)} of {len(acknowledged)}"
                         f" acknowledged gifts are not there once, the first is {lost[0]}")
            if (cut + 1) % 20 == 0:
                print(f"live_power_cuts: {cut + 1} cuts, {len(acknowledged)} gifts acknowledged", flush=True)
        process = begin(options.program, data, free_port())
        process.send_signal(signal.SIGTERM)
        if process.wait(60) != 0:
            sys.exit(f"live_power_cuts: the last run ended with {process.returncode}: {process.stderr.read()}")
        code, words = verify(options.program, data)
        print(words)
        if code != 0 or not acknowledged:
            sys.exit(f"live_power_cuts: FAILED with seed {options.seed}: {len(acknowledged)} gifts acknowledged, verify ended with {code}")
        print(f"live_power_cuts: {len(acknowledged)} gifts acknowledged, all there after {options.cuts} cuts")


if __name__ == "__main__":
    main()
