#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `detent stat --prometheus` prints is read by Prometheus' own parser, and says what `--json` says.

usage: stat_prometheus_test.py DETENT COUNTERS_SAMPLE
"""
import json
import os
import shutil
import subprocess
import sys
import tempfile

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("skipped: prometheus_client is not installed (Debian: python3-prometheus-client)")
    sys.exit(0)


def stat(detent, *arguments):
    return subprocess.run([detent, "stat", *arguments], check=True, capture_output=True, text=True, timeout=60).stdout


def check_histogram(family):
    """Each series of it: bounds that grow, counts that never fall, and all of them in the last."""
    series = {}
    for sample in family.samples:
        key = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
        series.setdefault(key, []).append(sample)
    for samples in series.values():
        buckets = [(float(s.labels["le"]), s.value) for s in samples if s.name.endswith("_bucket")]
        assert buckets == sorted(buckets) and len({bound for bound, _ in buckets}) == len(buckets), buckets
        assert buckets[-1][0] == float("inf"), buckets
        count, = (s.value for s in samples if s.name.endswith("_count"))
        assert buckets[-1][1] == count, family.name
        assert sum(s.name.endswith("_sum") for s in samples) == 1


def main():
    detent, sample = sys.argv[1:]
    with tempfile.TemporaryDirectory() as directory:
        files = [os.path.join(directory, name) for name in ("one", "t\\w\"o")]
        for file in files:
            subprocess.run([sample, file], check=True, timeout=60)
        text = stat(detent, "--prometheus", *files)
        engines = json.loads(stat(detent, "--json", *files))["engines"]
    if shutil.which("promtool"):
        subprocess.run(["promtool", "check", "metrics"], input=text, check=True, text=True, timeout=60)
    families = {}
    seen = set()
    for family in text_string_to_metric_families(text):
        assert family.name not in families, family.name
        assert family.documentation and family.type in ("counter", "gauge", "histogram"), family
        families[family.name] = family
        for one in family.samples:
            key = one.name, tuple(sorted(one.labels.items()))
            assert key not in seen, key
            seen.add(key)
        if family.type == "histogram":
            check_histogram(family)

    # Two engines of one name, without an instance: the file of each makes them two.
    info = [one.labels for one in families["detent_engine_info"].samples]
    assert [one.get("counters_file") for one in info] == [engine["file"] for engine in engines], info

    def of(engine, name, **labels):
        (who,) = (one for one in info if one["pid"] == str(engine["process"]) and one["file"] == engine["file"])
        wanted = {key: who[key] for key in ("engine", "counters_file")} | labels
        value, = (one.value for family in families.values() for one in family.samples
                  if one.name == name and one.labels == wanted)
        return value

    for engine in engines:
        counts = engine["counts"]
        assert of(engine, "detent_timers_scheduled_total") == counts["scheduled"] == 1234
        assert of(engine, "detent_timers_cancelled_total") == counts["cancelled"] == 40
        assert of(engine, "detent_timers_pending") == engine["pending"] == 200
        assert of(engine, "detent_callbacks_fired_total") == counts["fired"] == 1100
        for cause in ("drain", "wait", "worker", "dispatch"):
            assert of(engine, "detent_lateness_cause_seconds_count", cause=cause) == 1100
        for label in engine["labels"]:
            assert of(engine, "detent_label_pending", label=label["name"]) == 7
            assert of(engine, "detent_label_lateness_seconds_count", label=label["name"]) == 3
    assert len(engines) == 2 and all(len(engine["labels"]) == 2 for engine in engines)
    print(f"{len(families)} families, {len(seen)} samples")


if __name__ == "__main__":
    main()
