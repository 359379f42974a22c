# SPDX-License-Identifier: MIT
"""What `detent durable` does to a store of any kind, in which are two timers and a dead one."""
import base64
import json
import os
import pty
import subprocess

from command_support import DETENT, detent

DUE = 1_900_000_000_000_000  # 2030-03-17T17:46:40Z, in us
# Of a file of one shard, into which a test has written.
COUNT = "UPDATE shards SET timers = (SELECT count(*) FROM timers), dead = (SELECT count(*) FROM dead)"
BURY = "INSERT INTO dead VALUES (0, ?1, 9, ?2, 3, 0, ?3, ?4, ?5, ?6, ?2)"


class ActionsOnAStore:
    KEYS = r"a\x5cb", r"line\x0afeed \x1b[2J", r"\xff\xfe"

    def run_on(self, store, *words):
        done = detent("durable", *words, "--store", store)
        return done.returncode, done.stdout, done.stderr

    def objects(self, store, *words):
        """The objects that it prints, one a line."""
        return [json.loads(line) for line in self.run_on(store, *words, "--json")[1].splitlines()]

    def keys(self, store, *words):
        return [each["key"] for each in self.objects(store, "list", *words)]

    def done(self, store, *words):
        """What a change prints where all goes well."""
        status, text, trouble = self.run_on(store, *words, "--yes")
        self.assertEqual((status, trouble), (0, ""), (words, text))
        return text

    def test_lists_shows_cancels_and_revives(self):
        store = self.store()
        status, text, trouble = self.run_on(store, "list")
        self.assertEqual((status, trouble), (0, ""))
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^ *due +handler +key +partition +attempt")
        self.assertRegex(lines[1], r"^ *2030-03-17T17:46:40[.\d]*Z +expire +order:1")
        self.assertRegex(lines[2], r"^ *2030-03-17T17:46:4[01][.\d]*Z +expire +order:2.*on nightly$")
        self.assertIn("no account", self.run_on(store, "list", "--dead")[1])
        self.assertRegex(self.run_on(store, "show", "order:2")[1], r"(?s)partition +none.*on +nightly.*payload +4 bytes: body")
        self.assertRegex(self.run_on(store, "show", "lost")[1], r"why +no account")
        for words, status, said in (("cancel", "order:1"), 0, "cancelled"), (("cancel", "order:1"), 1, "no such timer"), \
                (("revive", "order:2"), 1, "no such dead timer"), (("revive", "lost"), 0, "lives again, due now"), \
                (("revive", "lost"), 1, "no such dead timer"), (("purge", "lost"), 1, "no such dead timer"):
            self.assertEqual(self.run_on(store, *words, "--yes"), (status, f"'{words[1]}': {said}\n", ""))
        self.assertIn("lost", self.run_on(store, "list")[1])

    def test_no_change_without_consent(self):
        store = self.store()
        before = self.run_on(store, "list")[1] + self.run_on(store, "list", "--dead")[1]
        for words, plan in ((("cancel", "order:1"), "cancel 'order:1' (handler 'expire', due 2030-03-17T17:46:40"),
                            (("cancel", "--key", "order:"), "cancel 2 timers with a key that begins with 'order:'"),
                            (("move", "--handler", "expire", "--by", "2h"), "timers with handler 'expire' by 2h"),
                            (("revive", "--all"), "revive 1 dead timer in"),
                            (("purge", "lost"), "purge 'lost'"),
                            (("put", "order:1", "--handler", "h", "--in", "1h"), "which stays")):
            trouble = self.refused(1, "durable", *words, "--store", store)
            self.assertIn(plan, trouble)
            self.assertIn("nothing was changed", trouble)
            self.assertIn("--yes", trouble)
        self.assertEqual(self.run_on(store, "list")[1] + self.run_on(store, "list", "--dead")[1], before)

    def asked(self, store, answer, *words):
        """Gives that answer on a terminal; returns the status, standard output and what stands on the terminal."""
        own, its = pty.openpty()
        self.addCleanup(os.close, own)
        process = subprocess.Popen([DETENT, "durable", *words, "--store", store], stdin=its, stdout=subprocess.PIPE, stderr=its,
                                   text=True)
        os.close(its)
        os.write(own, answer)
        text = process.communicate(timeout=60)[0]
        shown = b""
        while True:  # until the terminal has no program any more
            try:
                shown += os.read(own, 4096)
            except OSError:
                return process.returncode, text, shown.decode()

    def test_asks_on_a_terminal(self):
        store = self.store()
        for answer, status, said in (b"n\n", 1, "nothing was changed\n"), (b"\n", 1, "nothing was changed\n"), \
                (b"y\n", 0, "2 of 2 timers cancelled\n"):
            code, text, shown = self.asked(store, answer, "cancel", "--key", "order:")
            self.assertEqual((code, text), (status, said))
            self.assertIn("detent: this will cancel 2 timers with a key that begins with 'order:' in ", shown)
        self.assertEqual(self.keys(store, "--key", "order:"), [])

    def test_puts_gets_and_moves(self):
        store = self.store()
        payload = bytes(range(256))
        self.assertEqual(self.done(store, "put", "new", "--handler", "bill", "--due", "2031-01-01T00:00:00Z",
                                   "--payload", "@" + self.write("payload", payload)), "'new': stored\n")
        raw = subprocess.run([DETENT, "durable", "get", "new", "--store", store], capture_output=True)
        self.assertEqual((raw.returncode, raw.stdout, raw.stderr), (0, payload, b""))
        its, = self.objects(store, "get", "new")
        self.assertEqual(its, self.objects(store, "show", "new")[0])
        self.assertEqual((its["handler"], its["due"], its["due_us"], its["attempt"], its["dead"], its["died"], its["payload_size"]),
                         ("bill", "2031-01-01T00:00:00Z", 1_924_992_000_000_000, 1, False, None, 256))
        self.assertEqual(base64.b64decode(its["payload_base64"]), payload)
        self.assertEqual(self.run_on(store, "get", "none")[0:2], (1, ""))
        for if_exists, status, result in ("keep", 0, "kept"), ("fail", 1, "exists"), ("replace", 0, "replaced"):
            code, text, _ = self.run_on(store, "put", "new", "--handler", "h2", "--in", "1d", "--if-exists", if_exists, "--yes", "--json")
            self.assertEqual((code, json.loads(text)["result"]), (status, result))
        self.assertEqual([each["handler"] for each in self.objects(store, "show", "new")], ["h2"])
        self.assertEqual(self.done(store, "move", "new", "--to", "2031-06-01T00:00:00Z"), "'new': moved, due 2031-06-01T00:00:00Z\n")
        self.assertEqual(self.done(store, "move", "--key", "order:", "--until", "2031-01-01T00:00:00Z", "--by", "+1h"), "2 of 2 timers moved\n")
        self.assertEqual([each["due_us"] // 1_000_000 * 1_000_000 for each in self.objects(store, "list", "--key", "order:1")],
                         [DUE + 3_600_000_000])
        self.assertEqual(self.objects(store, "move", "--key", "order:", "--by", "-1h", "--yes"),
                         [{"action": "move", "concerned": 2, "moved": 2, "gone": 0, "unknown": 0}])

    def test_what_is_piped_in_is_the_payload(self):
        store = self.store()
        subprocess.run([DETENT, "durable", "put", "piped", "--handler", "h", "--due", "now", "--payload", "-", "--yes", "--store", store],
                       input=b"\0\n", check=True, stdout=subprocess.DEVNULL)
        self.assertEqual(self.run_on(store, "get", "piped")[1], "\0\n")
        self.assertIn("65536 bytes", self.refused(1, "durable", "put", "large", "--handler", "h", "--in", "1h", "--yes", "--store", store,
                                                  "--payload", "@" + self.write("large", b"x" * 65_537)))

    def test_a_key_is_looked_for_in_every_partition(self):
        store = self.store()
        for partition in "eu", "us":
            self.done(store, "put", "twice", "--handler", "h", "--in", "1h", "--partition", partition, "--payload", partition)
        self.done(store, "put", "once", "--handler", "h", "--in", "1h", "--partition", "eu")
        self.assertRegex(self.run_on(store, "show", "once")[1], "partition +'eu'")
        trouble = self.refused(1, "durable", "cancel", "twice", "--yes", "--store", store)
        for part in "2 timers", "--partition 'eu'", "--partition 'us'":
            self.assertIn(part, trouble)
        self.assertEqual(self.run_on(store, "get", "twice", "--partition", "us")[1], "us")
        self.assertEqual(self.run_on(store, "show", "twice", "--partition", "")[0], 1)
        self.assertEqual(self.keys(store, "--partition", "eu", "--key", "twice"), ["twice"])
        self.assertEqual(self.done(store, "cancel", "twice", "--partition", "eu"), "'twice' in partition 'eu': cancelled\n")
        self.assertEqual(self.done(store, "cancel", "twice"), "'twice' in partition 'us': cancelled\n")

    def test_what_is_printed_of_a_key_can_be_typed(self):
        store = self.store()
        for number, key in enumerate(self.KEYS):
            self.done(store, "put", key, "--handler", r"h\x5c", "--in", "1h", "--partition", key, "--payload", str(number))
            shown, = self.objects(store, "list", "--key", key)
            self.assertEqual((shown["key"], shown["partition"], shown["handler"]), (key, key, r"h\x5c"))
            self.assertEqual(self.run_on(store, "get", shown["key"], "--partition", shown["partition"])[1], str(number))
        self.assertEqual(self.run_on(store, "get", r"a\\b")[1], "0")
        self.assertEqual(len(self.keys(store, "--handler", r"h\\")), len(self.KEYS))
        self.assertIn("after a backslash", self.refused(2, "durable", "get", r"a\b", "--store", store))

    def test_list_says_that_more_follow(self):
        store = self.store()
        keys = [f"many:{i}" for i in range(7)]
        for i, key in enumerate(keys):
            self.done(store, "put", key, "--handler", "h", "--due", f"2029-01-01T00:00:0{i // 3}Z")
        seen, after = [], ()
        for _ in range(7):
            done = detent("durable", "list", "--handler", "h", "--limit", "2", "--json", "--store", store, *after)
            seen += [json.loads(line)["key"] for line in done.stdout.splitlines()]
            if not done.stderr:
                break
            self.assertRegex(done.stderr, r"\Adetent: more follow: the same with --after \S+, or --limit N\n\Z")
            after = ("--after", done.stderr.split("--after ")[1].split(",")[0])
        self.assertEqual(sorted(seen), keys)
        self.assertEqual([key[5:] < "3" for key in seen], [True] * 3 + [False] * 4)
        self.assertIn("--after", self.refused(2, "durable", "list", "--after", "x", "--store", store))

    def test_a_query_purges_and_revives(self):
        store = self.store()
        self.assertEqual(self.done(store, "purge", "--handler", "other"), "nothing to purge: 0 dead timers with handler 'other'\n")
        self.assertEqual(self.done(store, "revive", "--handler", "expire"), "1 of 1 timer revived\n")
        self.assertIn("lost", self.keys(store))
        store = self.store()
        self.assertEqual(self.objects(store, "purge", "--all", "--yes"),
                         [{"action": "purge", "concerned": 1, "purged": 1, "gone": 0, "unknown": 0}])
        self.assertEqual(self.keys(store, "--dead"), [])
        self.assertEqual(len(self.keys(store)), len(self.keys(store, "--key", "")))

    def test_what_cannot_be_meant_is_refused(self):
        store = self.store()
        for words, said in ((("cancel",), "--all"), (("purge",), "--all"), (("cancel", "k", "--handler", "h"), "--key PREFIX"),
                            (("cancel", "k", "--all"), "--key PREFIX"), (("move", "k"), "--to TIME"),
                            (("move", "k", "--by", "2"), "2h"), (("move", "k", "--by", "1h", "--to", "now"), "excludes"),
                            (("put", "k", "--handler", "h"), "--in SPAN"), (("put", "k", "--in", "1h"), "--handler is required"),
                            (("put", "k", "--handler", "h", "--due", "tomorrow"), "tomorrow"),
                            (("put", "k", "--handler", "h", "--in", "1h", "--if-exists", "no"), "keep, replace or fail"),
                            (("put", "k" * 129, "--handler", "h", "--in", "1h"), "128"), (("put", "", "--handler", "h", "--in", "1h"), "empty"),
                            (("list", "--from", "yesterday"), "yesterday")):
            self.assertIn(said, self.refused(2, "durable", *words, "--store", store))


class MakesNoStore:
    """`nothing` returns a URL where no store is, what is said of that, and whether nothing is there still."""

    def test_no_action_makes_a_store(self):
        store, complaint, is_empty = self.nothing()
        for words in (("list",), ("show", "k"), ("get", "k"), ("cancel", "k"), ("revive", "k"), ("purge", "--all"),
                      ("move", "--all", "--to", "now"), ("put", "k", "--handler", "h", "--in", "1h")):
            consent = [] if words[0] in ("list", "show", "get") else ["--yes"]
            self.assertIn(complaint, self.refused(1, "durable", *words, *consent, "--store", store))
        self.assertTrue(is_empty())
