"""Writes the record of a run, its parameters and its results, as a page of Markdown."""

import os
import platform
import time


def _spread(values, unit):
    if not values:
        return "none"
    values = sorted(values)

    def at(share):
        return values[min(len(values) - 1, int(share * len(values)))]

    return f"median {at(0.5):.1f} {unit}, 9 of 10 within {at(0.9):.1f} {unit}, longest {values[-1]:.1f} {unit} ({len(values)} times)"


def write_record(chaos):
    """Writes record.md beside the logs; returns its path."""
    options, figures = chaos.options, chaos.figures
    lines = [
        f"Seed {options.seed}, {time.strftime('%Y-%m-%d', time.gmtime())}, {os.cpu_count()} cores, {platform.machine()}; delivery"
        f" {options.delivery or 'exactly-once'}, session time-out {options.session_ms / 1000:g} s, gifts with {chaos.mix_name}.",
        "",
        f"* {chaos.counts.get('SIGKILL of an instance', 0)} kills of instances, {chaos.counts.get('SIGKILL of a broker', 0)} kills of"
        f" brokers, {chaos.counts.get('add an instance', 0)} instances added, {chaos.counts.get('take an instance away', 0)} taken away;"
        f" {chaos.rebalances_seen} generations of the group in all.",
        f"* {len(chaos.events)} faults in {chaos.faults_took / 60:.1f} minutes, {chaos.gifts_by_then} gifts produced meanwhile, then the rest.",
        f"* From a fault to everything that had come by its end being committed: {_spread([e[3] for e in chaos.events], 's')}.",
        f"* Restoring one partition: {_spread(figures.restore_ms, 'ms')}; records run through again:"
        f" {sum(figures.restored_records)} in all, at most {max(figures.restored_records, default=0)} at once.",
        f"* {figures.aborts} transactions given up, {figures.lost} times partitions lost, {figures.fresh_starts} fresh"
        " starts within a process.",
    ]
    for reason, count in sorted(figures.reasons.items(), key=lambda pair: -pair[1]):
        lines.append(f"  * {count} × {reason}")
    for text in chaos.left_out:
        lines.append(f"* Left out: {text}.")
    lines += ["", "```", chaos.verified, chaos.recounted.summary(), "```", f"`verify` took {chaos.verify_seconds:.1f} s.", ""]
    for find in chaos.finds:
        lines.append(f"* FOUND: {find}")
    lines += ["| after | fault | who | recovered after |", "| ---: | --- | --- | ---: |"]
    for began, step, told, seconds in chaos.events:
        lines.append(f"| {began:.0f} s | {step} | {told} | {seconds:.1f} s |")
    path = os.path.join(chaos.directory, "record.md")
    with open(path, "w") as file:
        file.write("\n".join(lines) + "\n")
    return path
