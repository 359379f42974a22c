#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""contract_check.py finds each thing that can be wrong with the table.  usage: contract_check_test.py"""
import sys
import unittest

sys.dont_write_bytecode = True
import contract_check

TESTS = {"Engine.Fires", "Engine.Waits", "proofs.stop"}
GOOD = ["| 1 | fires | the same | `Engine.Fires`, `Engine.Waits` |",
        "| 2 | returns a future | none | callbacks have no value to return |"]


def findings(*rows, last=2):
    return list(contract_check.check("\n".join(rows), 1, last, TESTS))


class ContractCheckTest(unittest.TestCase):
    def test_accepts_a_complete_table(self):
        self.assertEqual(findings("# Title", "| n | a | b | c |", "|---|---|---|---|", *GOOD), [])

    def test_finds_a_missing_row(self):
        self.assertEqual(findings(GOOD[0]), ["row 2: missing"])

    def test_finds_a_row_that_comes_twice(self):
        self.assertEqual(findings(*GOOD, GOOD[1]), ["row 2: comes twice"])

    def test_finds_a_number_outside(self):
        self.assertEqual(findings(*GOOD, GOOD[1].replace("2", "3", 1)), ["row 3: not between 1 and 2"])

    def test_finds_a_test_that_is_not_there(self):
        self.assertEqual(findings(GOOD[0].replace("Waits", "Wait"), GOOD[1]), ["row 1: there is no test Engine.Wait"])

    def test_finds_a_suite_of_the_explorer_that_is_not_there(self):
        rows = [GOOD[0].replace("`Engine.Waits`", f"`Engine.Waits`; proofs.{suite}") for suite in ("stop", "stops")]
        self.assertEqual(findings(rows[0], GOOD[1]), [])
        self.assertEqual(findings(rows[1], GOOD[1]), ["row 1: there is no test proofs.stops"])

    def test_finds_a_row_without_test_or_reason(self):
        self.assertEqual(findings(GOOD[0], "| 2 | a | b | not here |"), ["row 2: neither a test nor a reason"])

    def test_finds_an_empty_column(self):
        self.assertEqual(len(findings(GOOD[0], "| 2 | a | | `Engine.Fires` |")), 1)

    def test_knows_every_form_of_test(self):
        text = "TEST(A, B) {}\nTEST_F(C,\n       D) {}\n  TYPED_TEST(E, F) {}\nTEST_P(G, H) {}\nTYPED_TEST_P(I, J) {}"
        found = {".".join(each) for each in contract_check.DEFINED.findall(text)}
        self.assertEqual(found, {"A.B", "C.D", "E.F", "G.H", "I.J"})


if __name__ == "__main__":
    unittest.main()
