#!/usr/bin/env python3
"""Compares the reference with the output of engines: a client that missed nothing has each screen that the engine emits, and one
that missed something draws no banner that is not there."""

import json
import random
import unittest

import make_cases
import reference

STREAMS = sorted(make_cases.CONFORMANCE.glob("*.out.jsonl"))


def place(banner):
    return {key: banner[key] for key in ("banner", "slot", "count", "base")}


class ReferenceTests(unittest.TestCase):
    def test_who_missed_nothing_has_what_each_screen_says(self):
        screens = 0
        for path in STREAMS:
            client = reference.Client()
            before = {}
            for line in path.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                answer = client.take(f"instruction {line}")
                self.assertIn(answer["verdict"], ("draw", "clear, draw", "ignore") if said["op"] in ("skip", "final") else ("draw", "clear, draw"),
                              f"{path.name}: {line}")
                if said["op"] == "screen":
                    screens += 1
                    self.assertEqual(before[said["room"]], [place(one) for one in said["banners"]], f"{path.name}: {line}")
                before[said["room"]] = [place(one) for one in answer["screen"]]
        self.assertGreater(screens, 500)

    def test_who_missed_something_draws_nothing_that_is_not_there_and_all_of_it_from_the_next_screen_on(self):
        lost = fewer = 0
        for seed in range(200):
            random_ = random.Random(seed)
            path = random_.choice(STREAMS)
            whole, part = reference.Client(), reference.Client()
            behind = set()
            for line in path.read_text(encoding="utf-8").splitlines():
                said = json.loads(line)
                there = [place(one) for one in whole.take(f"instruction {line}")["screen"]]
                if random_.random() < 0.05:
                    behind.add(said["room"])
                    lost += 1
                    continue
                drawn = [place(one) for one in part.take(f"instruction {line}")["screen"]]
                for one in drawn:
                    self.assertIn(one, there, f"seed {seed}, {path.name}: {line}")
                if said["op"] == "screen" or said["seq"] == 1:
                    behind.discard(said["room"])
                if said["room"] in behind:
                    fewer += len(drawn) < len(there)
                else:
                    self.assertEqual(drawn, there, f"seed {seed}, {path.name}: {line}")
        self.assertGreater(lost, 1000)
        self.assertGreater(fewer, 500)


if __name__ == "__main__":
    unittest.main()
