#!/usr/bin/env python3
"""Tests the pages in a real browser: python3 Tests/browser/run.py [NAME …]

Needs Debian's chromium (or COMBO_CHROMIUM); nothing else but Python. With COMBO_CONSUMER, or .build/release/combo-consumer, the
traces are replayed anew and compared with those recorded here. --record writes them. --pictures DIR keeps pictures of the pages.
"""

import os
import sys
import unittest

import chrome
import fake_service
from browser_test import BrowserTest
from fake_service import dump, replay
from trace_of_rooms import OPTIONS, gifts, recorded


class TraceTests(unittest.TestCase):
    @unittest.skipUnless(fake_service.program(), "there is no combo-consumer to replay with: make build, or COMBO_CONSUMER")
    def test_the_recorded_trace_is_what_replay_says_today(self):
        self.assertEqual(recorded(), replay(gifts(), *OPTIONS))


def main():
    arguments = sys.argv[1:]
    if "--record" in arguments:
        (fake_service.HERE / "trace.jsonl").write_text("".join(dump(one) + "\n" for one in replay(gifts(), *OPTIONS)))
        return
    if "--pictures" in arguments:
        at = arguments.index("--pictures")
        BrowserTest.pictures = arguments[at + 1]
        os.makedirs(BrowserTest.pictures, exist_ok=True)
        del arguments[at:at + 2]
    path = chrome.find()
    if path is None:
        raise SystemExit("The browser tests did not run: there is no chromium. Install it (Debian: apt-get install chromium), or "
                         "say with COMBO_CHROMIUM where it is.")
    names = sum((["-k", one] for one in arguments if not one.startswith("-")), [])
    options = [one for one in arguments if one.startswith("-")]
    BrowserTest.browser = chrome.Browser(path)
    try:
        done = unittest.main(
            module=None, argv=[sys.argv[0], *names, *options, "view_tests", "page_tests", "overlay_tests", "__main__"], exit=False, verbosity=2)
    finally:
        BrowserTest.browser.close()
    sys.exit(not done.result.wasSuccessful())


if __name__ == "__main__":
    main()
