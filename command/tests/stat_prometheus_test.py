#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What `detent stat --prometheus` prints is read by Prometheus' own parser, and says what `--json` says."""
import shutil
import subprocess
import sys

sys.dont_write_bytecode = True
from command_support import WithDirectory, detent, run_tests

try:
    from prometheus_client.parser import text_string_to_metric_families
except ImportError:
    print("skipped: prometheus_client is not installed (Debian: python3-prometheus-client)")
    sys.exit(0)


class Exported(WithDirectory):
    def check_histogram(self, family):
        """Each series of it: bounds that grow, counts that never fall, and all of them in the last."""
        series = {}
        for sample in family.samples:
            key = tuple(sorted((name, value) for name, value in sample.labels.items() if name != "le"))
            series.setdefault(key, []).append(sample)
        for samples in series.values():
            buckets = [(float(s.labels["le"]), s.value) for s in samples if s.name.endswith("_bucket")]
            self.assertEqual(buckets, sorted(buckets))
            self.assertEqual(len({bound for bound, _ in buckets}), len(buckets))
            count, = (s.value for s in samples if s.name.endswith("_count"))
            self.assertEqual(buckets[-1], (float("inf"), count), family.name)
            self.assertEqual(sum(s.name.endswith("_sum") for s in samples), 1)

    def test_it_is_what_json_says(self):
        files = [self.sample(name) for name in ("one", "t\\w\"o")]
        text = detent("stat", "--prometheus", *files).stdout  # a note about their names comes with it
        engines = self.said("stat", *files)["engines"]
        if shutil.which("promtool"):
            subprocess.run(["promtool", "check", "metrics"], input=text, check=True, text=True, timeout=60)
        families = list(text_string_to_metric_families(text))
        samples = {}
        for family in families:
            self.assertTrue(family.documentation and family.type in ("counter", "gauge", "histogram"), family)
            for one in family.samples:
                key = one.name, tuple(sorted(one.labels.items()))
                self.assertNotIn(key, samples)
                samples[key] = one.value
            if family.type == "histogram":
                self.check_histogram(family)
        self.assertEqual(len({family.name for family in families}), len(families))

        # Two engines of one name, without an instance: the file of each makes them two.
        info, = (family.samples for family in families if family.name == "detent_engine_info")
        self.assertEqual([one.labels.get("counters_file") for one in info], [engine["file"] for engine in engines])
        for engine, who in zip(engines, info):
            of = lambda name, **labels: samples[name, tuple(sorted(
                {**{key: who.labels[key] for key in ("engine", "counters_file")}, **labels}.items()))]
            counts = engine["counts"]
            self.assertEqual((of("detent_timers_scheduled_total"), of("detent_timers_cancelled_total"),
                              of("detent_timers_pending"), of("detent_callbacks_fired_total")),
                             (counts["scheduled"], counts["cancelled"], engine["pending"], counts["fired"]))
            for cause in ("drain", "wait", "worker", "dispatch"):
                self.assertEqual(of("detent_lateness_cause_seconds_count", cause=cause), 1100)
            self.assertEqual(len(engine["labels"]), 2)
            for label in engine["labels"]:
                self.assertEqual((of("detent_label_pending", label=label["name"]),
                                  of("detent_label_lateness_seconds_count", label=label["name"])), (7, 3))


if __name__ == "__main__":
    run_tests()
