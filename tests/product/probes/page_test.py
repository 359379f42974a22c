#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""usage: page_test.py KIND PAGE BUILD: the commands in PAGE's blocks that begin with ```sh KIND do what they say.

Exit status 77: this machine does not let them be tried; the last line says why.
"""
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.dont_write_bytecode = True  # a test leaves the sources as they are
from trial import end, need_sampling, need_static_probes

ROOT = Path(__file__).resolve().parents[3]
NEEDS = {"perf": need_sampling, "perf-probe": lambda: need_static_probes("perf"),
         "bpftrace": lambda: need_static_probes("bpftrace")}


def adapted(block, build):
    """The commands, run from anywhere and against any build tree."""
    block = block.replace("tools/profile bench", f"tools/profile bench --build {build}")
    block = re.sub(r"(?<![\w/.])tools/", f"{ROOT}/tools/", block)
    return re.sub(r"(?<![\w/.])build/gcc/", f"{build}/", block)


def main():
    kind, page, build = sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]).resolve()
    blocks = re.findall(rf"^```sh {kind}\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert blocks, f"{page} has no block of this kind"
    NEEDS[kind]()
    failed = 0
    for block in blocks:
        with tempfile.TemporaryDirectory(prefix="detent-page-") as scratch:
            # Processes that a block leaves running end with it.
            commands = "trap 'kill $(jobs -p) 2>&- || true' EXIT\n" + adapted(block, build)
            done = subprocess.run(["bash", "-eu", "-c", commands], stdin=subprocess.DEVNULL, cwd=scratch,
                                  capture_output=True, text=True, errors="replace", timeout=100, check=False)
            missing = [name for name in re.findall(r"--output (\S+)", block) if not (Path(scratch) / name).is_file()]
        # bpftrace ends with 0 although it could not attach to a probe that the page names.
        unfound = re.findall(r"^.*(?:No probes to attach|ERROR: .*usdt).*$", done.stderr, re.MULTILINE)
        if done.returncode != 0 or missing or unfound:
            failed += 1
            print(f"{block}exit status {done.returncode}; not written: {missing}\n{done.stdout}{done.stderr}")
    print(f"{len(blocks) - failed} of {len(blocks)} blocks did")
    return 1 if failed else 0


if __name__ == "__main__":
    end(main)
