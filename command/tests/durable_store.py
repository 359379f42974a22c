# SPDX-License-Identifier: MIT
"""What `detent durable` does to a store of any kind, in which are two timers and a dead one."""
from command_support import detent

DUE = 1_900_000_000_000_000  # 2030-03-17T17:46:40Z, in us


class ActionsOnAStore:
    def run_on(self, store, *words):
        done = detent("durable", *words, "--store", store)
        return done.returncode, done.stdout, done.stderr

    def test_lists_shows_cancels_and_revives(self):
        store = self.store()
        status, text, trouble = self.run_on(store, "list")
        self.assertEqual((status, trouble), (0, ""))
        lines = text.splitlines()
        self.assertRegex(lines[0], r"^ *2030-03-17T17:46:40[.\d]*Z +expire +order:1")
        self.assertRegex(lines[1], r"^ *2030-03-17T17:46:4[01][.\d]*Z +expire +order:2.*on nightly$")
        self.assertIn("no account", self.run_on(store, "list", "--dead")[1])
        self.assertRegex(self.run_on(store, "show", "order:2")[1], r"(?s)on +nightly.*payload +4 bytes: body")
        self.assertRegex(self.run_on(store, "show", "lost")[1], r"dead +no account")
        for words, status, said in (("cancel", "order:1"), 0, "cancelled"), (("cancel", "order:1"), 1, "no such timer"), \
                (("revive", "lost"), 0, "lives again, due now"), (("revive", "lost"), 1, "no such dead timer"):
            self.assertEqual(self.run_on(store, *words), (status, f"'{words[1]}': {said}\n", ""))
        self.assertIn("lost", self.run_on(store, "list")[1])
