#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""The line of the manual that feeds the node exporter: each page has the same one, and no reader sees a part of a file."""
import os
import re
import subprocess
import sys
import threading

sys.dont_write_bytecode = True
from command_support import DETENT, ROOT, WithDirectory, run_tests

COLLECTED = "/var/lib/prometheus/node-exporter"


def lines():
    """Page and line, for each line of the manual that writes such a file."""
    for page in [*ROOT.glob("docs/*.md"), *ROOT.glob("packaging/man/*"), ROOT / "README.md"]:
        for line in page.read_text(encoding="utf-8").splitlines():
            if re.search(r"> *\S+\.prom\b", line):
                yield page.name, line.strip().replace("\\-", "-")


class Textfile(WithDirectory):
    def test_each_page_that_has_one_has_the_same(self):
        found = dict(lines())
        self.assertLessEqual({"counters.md", "monitoring.md", "detent-stat.1"}, set(found))
        self.assertEqual(len(set(found.values())), 1, found)
        self.assertIn(COLLECTED, next(iter(found.values())))

    def test_a_reader_sees_whole_files_alone(self):
        self.sample()
        tools = self.path("tools")
        os.mkdir(tools)
        with open(os.path.join(tools, "detent"), "w", encoding="utf-8") as command:
            command.write(f'#!/bin/sh\nexec "{DETENT}" "$@" "{self.path("counters")}"\n')
        os.chmod(command.name, 0o755)
        collected = self.path("collected")
        os.mkdir(collected)
        environment = {**os.environ, "PATH": tools + os.pathsep + os.environ["PATH"]}

        def write(line):
            subprocess.run(["sh", "-c", line.replace(COLLECTED, collected)], check=True, env=environment, timeout=60)

        for page, line in lines():
            write(line)
            files = [name for name in os.listdir(collected) if name.endswith(".prom")]
            self.assertEqual(len(files), 1, page)
            path = os.path.join(collected, files[0])
            with open(path, encoding="utf-8") as file:
                whole = file.read()
            self.assertIn("detent_engine_info", whole)
            ended = threading.Event()

            def write_often(line=line):
                try:
                    for _ in range(50):
                        write(line)
                finally:
                    ended.set()

            writer = threading.Thread(target=write_often)
            writer.start()
            seen = set()
            while not ended.is_set():
                with open(path, encoding="utf-8") as file:
                    seen.add(file.read())
            writer.join()
            self.assertEqual({len(each) for each in seen}, {len(whole)}, page)
            os.remove(path)


if __name__ == "__main__":
    run_tests()
