#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Files for operators are what they claim: monitoring.md's alert rules and the dashboard are about metrics that there are, and
systemd reads operating.md's unit.

usage: operating_files_test.py OPERATING MONITORING DASHBOARD DETENT
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

METRIC = re.compile(r"\bdetent_[a-z_]+")
SUFFIX = re.compile(r"_(?:bucket|sum|count)$")
# For stores that nodes share, which a file is not.
OF_SHARED_STORES = {"detent_durable_nodes", "detent_durable_handlers_unrun"}  # console_store_test.py has seen them
# The dashboard has no panel for these: counts that follow from others, and details of one engine for `detent stat`.
NOT_ON_THE_DASHBOARD = {
    "detent_clock_distrusted_total", "detent_engine_live", "detent_hidden_threads", "detent_label_cancelled_total",
    "detent_label_callback_seconds", "detent_label_dropped_total", "detent_label_expired_total", "detent_label_failed_total",
    "detent_label_given_back_total", "detent_label_restarted_total", "detent_label_scheduled_total",
    "detent_nodes_retired_total", "detent_queue_passes_total", "detent_queue_taken_up_total", "detent_timers_boxed_total",
    "detent_timers_expired_total"}


def blocks(text, language):
    found = re.findall(rf"^```{language}\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    if not found:
        sys.exit(f"no block of {language}")
    return found


def names_in(exposition):
    return set(re.findall(r"^# TYPE (\w+)", exposition, re.MULTILINE))


def metrics_of_engines(detent, directory):
    """The names that detent exports."""
    counters = os.path.join(directory, "counters")
    subprocess.run([detent, "run", "--duration", "0.1", "--counters", counters], check=True, stdout=subprocess.DEVNULL)
    return names_in(subprocess.run([detent, "stat", "--prometheus", counters], check=True, stdout=subprocess.PIPE, text=True).stdout)


def metrics_of_stores(detent, directory):
    """Those that the console adds; none where detent is built without durable timers."""
    store = os.path.join(directory, "store")
    Path(store).touch()
    put = [detent, "durable", "put", "key", "--handler", "h", "--store", store, "--yes", "--due", "2030-01-01T00:00:00Z"]
    if subprocess.run(put, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode != 0:
        print("the durable timers' metrics are not checked: detent is built without them")
        return None
    console = subprocess.Popen([detent, "console", "--store", store, "--listen", "127.0.0.1:0", "--history", "none"],
                               stdout=subprocess.PIPE, text=True)
    try:
        address = console.stdout.readline().split()[1]
        names = set()
        while "detent_durable_dead" not in names:  # it has read the store
            with urllib.request.urlopen(address + "metrics") as answer:
                names = {name for name in names_in(answer.read().decode()) if name.startswith("detent_durable")}
            time.sleep(0.1)
        return names
    finally:
        console.kill()
        console.communicate()


def check_rules(rules, known):
    used = {SUFFIX.sub("", name) for name in METRIC.findall(rules)}
    if not used or used - known:
        sys.exit(f"alert rules about what is not exported: {sorted(used - known)}")
    try:
        import yaml
    except ImportError:
        print("the rules' YAML is not parsed: python3-yaml is not installed")
        return
    for rule in (rule for group in yaml.safe_load(rules)["groups"] for rule in group["rules"]):
        if not {"alert", "expr", "annotations"} <= rule.keys() or rule["expr"].count("(") != rule["expr"].count(")"):
            sys.exit(f"not a rule: {rule}")
    if shutil.which("promtool"):
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(rules)
            file.flush()
            subprocess.run(["promtool", "check", "rules", file.name], check=True)


def check_dashboard(text, known):
    """Of Grafana: its panels have what it needs and lie side by side, and their queries ask for what is exported."""
    dashboard = json.loads(text)
    taken = set()
    for panel in dashboard["panels"]:
        if not {"id", "type", "title", "datasource", "gridPos", "targets", "fieldConfig"} <= panel.keys():
            sys.exit(f"no panel: {panel.get('title')}")
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        if taken & cells or at["x"] + at["w"] > 24:
            sys.exit(f"{panel['title']} lies over another panel, or beside the page")
        taken |= cells
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {SUFFIX.sub("", name) for query in queries for name in METRIC.findall(query)}
    if not used or used - known:
        sys.exit(f"panels about what is not exported: {sorted(used - known)}")
    if unseen := known - used - NOT_ON_THE_DASHBOARD:
        sys.exit(f"exported, but in no panel: {sorted(unseen)}")
    if len({panel["id"] for panel in dashboard["panels"]}) != len(dashboard["panels"]):
        sys.exit("two panels have one id")
    if shutil.which("promtool"):
        rules = [{"record": f"query:{i}", "expr": query.replace("$__rate_interval", "5m").replace("$engine", ".*")}
                 for i, query in enumerate(queries)]
        with tempfile.NamedTemporaryFile("w", suffix=".yml") as file:
            file.write(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))  # JSON is YAML
            file.flush()
            subprocess.run(["promtool", "check", "rules", file.name], check=True)


def check_unit(unit, directory):
    if shutil.which("systemd-analyze") is None:
        print("the unit is not checked: systemd-analyze is not installed")
        return
    path = os.path.join(directory, "gateway.service")
    Path(path).write_text(re.sub(r"^ExecStart=\S+", "ExecStart=/bin/true", unit, flags=re.MULTILINE), encoding="utf-8")
    done = subprocess.run(["systemd-analyze", "verify", "--man=no", path], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    ours = [line for line in done.stdout.splitlines() if "gateway.service" in line]
    if ours:
        sys.exit("\n".join(ours))


def main(operating, monitoring, dashboard, detent):
    rules, unit = (Path(page).read_text(encoding="utf-8") for page in (monitoring, operating))
    with tempfile.TemporaryDirectory() as directory:
        known = metrics_of_engines(detent, directory)
        of_stores = metrics_of_stores(detent, directory)
        pages = [*blocks(rules, "yaml"), Path(dashboard).read_text(encoding="utf-8")]
        # Without durable timers, what the pages say of them is taken as it is.
        known |= OF_SHARED_STORES | (of_stores or {name for page in pages for name in METRIC.findall(page) if "_durable_" in name})
        for each in pages[:-1]:
            check_rules(each, known)
        check_dashboard(pages[-1], known)
        check_unit(blocks(unit, "ini")[0], directory)


if __name__ == "__main__":
    if len(sys.argv) != 5:
        sys.exit(__doc__.split("\n\n")[1])
    main(*sys.argv[1:])
