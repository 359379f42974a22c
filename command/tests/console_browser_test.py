#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The page of `detent console` in a real browser."""
import json
import re
import sys

sys.dont_write_bytecode = True
import headless_browser
from command_support import DETENT, WithDirectory, run_tests

if not headless_browser.installed():
    print("skipped: no Chromium")
    sys.exit(77)

HOSTILE_NAME = "<b>orders</b> & \u05d0\u05d1\u05d2"
HOSTILE_LABEL = "\"><script>alert(1)</script><img src=x onerror='alert(2)'>"
WIDTHS, SCHEMES = (1280, 390), ("light", "dark")
NAMES = "[...document.querySelectorAll('#engines ~ table th[scope=row] a')].map(e => e.textContent)"


class Page(WithDirectory):
    @classmethod
    def setUpClass(cls):
        browser = headless_browser.browser()
        cls.new_tab = staticmethod(browser.__enter__())
        cls.addClassCleanup(browser.__exit__, None, None, None)

    def setUp(self):
        super().setUp()
        self.engine(self.path("detent.1.0"), "heartbeat", "feed", "beat")
        self.engine(self.path("detent.2.0"), "heartbeat", HOSTILE_NAME, HOSTILE_LABEL)
        console = self.spawn(DETENT, "console", "--listen", "127.0.0.1:0", "--counters", self.directory)
        self.url = re.fullmatch(r"serving (http://\S+)\n", console.stdout.readline())[1]

    def tab(self, width=1280, scheme="light", scripts=True, query=""):
        tab = self.new_tab()
        tab.show(width, scheme=scheme, scripts=scripts)
        tab.open(self.url + query)
        return tab

    def wait_until(self, tab, condition):
        def holds():
            try:
                return tab.run(condition)
            except headless_browser.PageGone:  # the next one comes
                return False

        tab.wait_for(holds, condition)

    def test_engines_of_two_processes_on_wide_and_narrow_screens_light_and_dark(self):
        backgrounds = set()
        for width in WIDTHS:
            for scheme in SCHEMES:
                with self.subTest(width=width, scheme=scheme):
                    tab = self.tab(width, scheme)
                    self.assertEqual(sorted(tab.run(NAMES)), sorted(["feed", HOSTILE_NAME]))
                    # A curve that has some length, of the engine that is shown at length.
                    self.wait_until(tab, "document.querySelector('.small .line.series1')?.getTotalLength() > 1")
                    self.assertLessEqual(tab.run("document.documentElement.scrollWidth"), width)
                    backgrounds.add((scheme, tab.run("getComputedStyle(document.body).backgroundColor")))
                    self.assertEqual(tab.errors, [])
        self.assertEqual(len(backgrounds), len(SCHEMES))

    def test_a_label_that_is_markup_is_shown_as_text(self):
        tab = self.tab()
        tab.run(f"[...document.links].find(e => e.textContent === {json.dumps(HOSTILE_NAME)}).click()")
        labels = "[...document.querySelectorAll('table.labels th[scope=row]')].map(e => e.textContent)"
        self.wait_until(tab, f"{labels}[0] === {json.dumps(HOSTILE_LABEL)}")
        self.assertEqual(tab.run("document.querySelectorAll('img').length"), 0)
        self.assertEqual(tab.run("document.querySelectorAll('script').length"), 1)
        self.assertEqual(tab.errors, [])

    def test_it_follows_what_happens_without_a_reload(self):
        tab = self.tab()
        tab.run("window.mark = true; document.getElementById('checked-line').focus(); 0")
        tab.press("Enter", 13)
        self.assertTrue(tab.run("document.getElementById('checked').open"))
        before = tab.run("document.getElementById('now').textContent")
        process = self.engine(self.path("detent.3.0"), "heartbeat", "late comer", "beat")
        self.wait_until(tab, f"{NAMES}.includes('late comer')")
        process.stdin.close()
        self.wait_until(tab, "document.querySelector('main').textContent.includes('(ended)')")
        self.assertNotEqual(tab.run("document.getElementById('now').textContent"), before)
        self.assertEqual(tab.run("[mark, document.getElementById('checked').open, document.activeElement.id]"),
                         [True, True, "checked-line"])
        self.assertEqual(tab.errors, [])

    def test_the_keyboard_suffices(self):
        tab = self.tab()
        wanted = tab.run("[...document.querySelectorAll('#engines ~ table th[scope=row] a')].pop().id")
        for _ in range(100):
            tab.press("Tab", 9)
            if tab.run("document.activeElement.id") == wanted:
                break
        self.assertEqual(tab.run("document.activeElement.id"), wanted)
        self.assertEqual(tab.run("getComputedStyle(document.activeElement).outlineStyle"), "solid")
        name = tab.run("document.activeElement.textContent")
        tab.press("Enter", 13)
        self.wait_until(tab, f"location.search && document.querySelector('h2#engine')?.textContent === "
                             f"{json.dumps('Engine ' + name)}")

    def test_it_works_with_scripts_off(self):
        for width in WIDTHS:
            tab = self.tab(width, scripts=False)
            self.assertEqual(sorted(tab.run(NAMES)), sorted(["feed", HOSTILE_NAME]))
            self.assertTrue(tab.run("document.getElementById('pause').hidden"))
            links = tab.run("[...document.querySelectorAll('noscript a')].map(e => e.href)")
            self.assertEqual(len(links), 2)
            self.assertLessEqual(tab.run("document.documentElement.scrollWidth"), width)
            tab.open(links[1])
            before = tab.run("document.getElementById('now').textContent")
            self.wait_until(tab, f"document.getElementById('now')?.textContent !== {json.dumps(before)}")
            self.assertEqual(tab.errors, [])


run_tests()
