"""The faults of instances and brokers: each function performs one step of a plan, and returns a description for the record."""

import time

from plan import GROUP, INPUT, PARTITIONS, SMALL_DISK_NODE


def kill(run, step):
    instance = run.victim(step)
    instance.kill()
    run.count("SIGKILL of an instance")
    run.log(f"  {instance.name}{' (static)' if instance.is_static else ''} killed, back after {step.hold:g} s")
    time.sleep(step.hold)
    instance.start()
    return instance.name


def kill_while_restoring(run, step):
    instance = run.victim(step)
    instance.kill()
    instance.start()
    run.wait(f"{instance.name} has partitions", lambda: instance.says(" assigned: "), run.options.patience)
    time.sleep(min(step.hold, 0.5))
    instance.kill()
    instance.start()
    run.count("SIGKILL of an instance", 2)
    run.log(f"  {instance.name} killed, and again {min(step.hold, 0.5):g} s after it was given partitions")
    return instance.name


def kill_two(run, step):
    first = step.victim % len(run.instances)
    both = [run.instances[first], run.instances[(first + 1) % len(run.instances)]]
    for instance in both:
        instance.kill()
    time.sleep(step.hold)
    for instance in both:
        instance.start()
    run.count("SIGKILL of an instance", 2)
    run.log(f"  {both[0].name} and {both[1].number} killed, back after {step.hold:g} s")
    return f"instances {both[0].number} and {both[1].number}"


def stall(run, step):
    instance = run.victim(step)
    instance.stop()
    time.sleep(step.hold)
    instance.go_on()
    run.log(f"  {instance.name} stood still for {step.hold:g} s")
    return instance.name


def stall_long(run, step):
    instance = run.victim(step)
    ends = run.input_ends()
    instance.stop()
    run.log(f"  {instance.name}{' (static)' if instance.is_static else ''} stands still")
    began = time.monotonic()
    run.wait(
        "the others have taken over from one that stands still",
        lambda: time.monotonic() - began > run.options.session_ms / 1000
        and run.has_committed(ends),
        run.options.patience)
    time.sleep(step.hold)
    instance.go_on()
    run.log(f"  {instance.name} goes on after {time.monotonic() - began:.1f} s, a zombie")
    return f"{instance.name}, {time.monotonic() - began:.1f} s"


def restart(run, step):
    instance = run.victim(step)
    run.log(f"  {instance.name} is told to stop")
    run.terminate(instance)
    time.sleep(step.hold)
    instance.start()
    return instance.name


def add(run, step):
    instance = run.add_instance()
    run.log(f"  {instance.name}{' (static)' if instance.is_static else ''} comes")
    run.wait(f"{instance.name} has partitions", lambda: instance.says(" assigned: "), run.options.patience)
    return instance.name


def take_away(run, step):
    instance = run.victim(step)
    run.log(f"  {instance.name} goes")
    run.terminate(instance)
    run.instances.remove(instance)
    return instance.name


def choose_broker(run, step):
    """Returns the node that is the step's target, according to the brokers."""
    found = []

    def ask():
        if step.target == "transaction coordinator":
            found.append(run.wire.coordinator(f"chaos-{run.victim(step).number}", of_transactions=True))
        elif step.target == "group coordinator":
            found.append(run.wire.coordinator(GROUP))
        elif step.target == "leader of a partition":
            found.append(run.wire.metadata([INPUT])[0][INPUT][step.victim % PARTITIONS][0])
        else:
            found.append(step.victim % 3)
        return True

    run.wait(f"the {step.target} is known", ask, 60)
    return found[-1]


def kill_broker(run, step):
    node = choose_broker(run, step)
    run.cluster.kill(node)
    began = time.monotonic()
    run.count("SIGKILL of a broker")
    run.log(f"  broker {node} killed: {step.target}")
    if step.during:
        kill(run, step.during)
    run.wait(f"others lead what broker {node} led", lambda: run.cluster.has_moved_from(node), 90)
    without = run.recovered(began, "all is committed while a broker is away")
    run.log(f"  recovered without it after {without:.1f} s")
    time.sleep(step.hold)
    run.cluster.bring_back(node)
    run.wait("all replicas are in sync", run.cluster.is_in_sync, 180)
    run.log(f"  broker {node} is back and in sync, {time.monotonic() - began:.1f} s after its death")
    return f"broker {node}; going on without it after {without:.1f} s"


def freeze_broker(run, step):
    node = choose_broker(run, step)
    run.cluster.freeze(node)
    run.log(f"  broker {node} frozen for {step.hold:g} s: {step.target}")
    time.sleep(step.hold)
    run.cluster.thaw(node)
    run.wait("all replicas are in sync", run.cluster.is_in_sync, 180)
    return f"broker {node}"


def full_disk(run, step):
    node = SMALL_DISK_NODE
    if not run.cluster.small_disk:
        run.log(f"  LEFT OUT: {run.left_out[-1]}")
        return "left out"
    began = time.monotonic()
    run.cluster.fill_disk()
    run.log(f"  the disk of broker {node} is full")
    said = "No space left on device"
    run.wait(
        f"broker {node} notices that its disk is full",
        lambda: not run.cluster.is_running(node) or run.cluster.says(node, said), 120)
    run.cluster.away.add(node)
    ended = not run.cluster.is_running(node)
    run.log(f"  broker {node} {'ended over it' if ended else 'has noticed'} after {time.monotonic() - began:.1f} s")
    without = run.recovered(began, "all is committed while a broker's disk is full")
    run.log(f"  recovered without it after {without:.1f} s")
    time.sleep(step.hold)
    run.cluster.empty_disk()
    if run.cluster.is_running(node):
        run.cluster.kill(node)
    run.cluster.bring_back(node)
    run.wait("all replicas are in sync", run.cluster.is_in_sync, 180)
    return f"broker {node}; going on without it after {without:.1f} s"


BY_KIND = {
    "kill an instance": kill, "kill while restoring": kill_while_restoring, "kill two at once": kill_two, "stall": stall,
    "stall beyond the session": stall_long, "restart by SIGTERM": restart, "add an instance": add,
    "take an instance away": take_away, "kill broker": kill_broker, "freeze broker": freeze_broker,
    "full disk of a broker": full_disk}
