"""A test with a service of its own and a page on it."""

import json
import os
import unittest

from fake_service import FakeService


class BrowserTest(unittest.TestCase):
    """A test of a page. run.py sets `browser`, and `pictures` to the folder for pictures, or None."""

    maxDiff = 4000
    browser = None
    pictures = None

    @classmethod
    def setUpClass(cls):
        cls.service = FakeService().start()
        cls.page = cls.browser.page()

    @classmethod
    def tearDownClass(cls):
        cls.page.close()
        cls.service.stop()

    def setUp(self):
        self.page.media()
        self.page.resize(1280, 800)

    def tearDown(self):
        self.assertEqual(self.page.faults(), [], "the page threw, or its policy forbade something")

    def call(self, name, *arguments):
        return self.page.run(f"harness.{name}({', '.join(json.dumps(one) for one in arguments)})")

    def keep(self, name):
        if self.pictures:
            self.page.screenshot(os.path.join(self.pictures, f"{name}.png"))
