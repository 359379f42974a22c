# SPDX-License-Identifier: MIT
"""How the page opens: what the run found, in three sentences."""
from comparison import is_rival
from series import Series, number


def _best(results, work, series):
    """(name, median) of the rival with the least; None if there is none."""
    found = [(series(s).median, s) for s in results.compared.who_did(work) if is_rival(s) and series(s)]
    return min(found)[::-1] if found else None


def _microseconds(nanoseconds):
    return f"{number(nanoseconds / 1e3)} µs"


def _punctuality(results):
    late = results.late("detent", "p50_ns")
    if not late:
        return ""

    def of_the_punctual(system):
        never_early = results.late(system, "early_percent").most == 0
        return results.late(system, "p50_ns") if never_early else Series({})

    said = (f"A timer fires a median of {_microseconds(late.median)} after its deadline, for "
            f"{number(results.late('detent', 'cpu_percent').median)} % of one CPU at 1,000 timers a second")
    if best := _best(results, "lateness", of_the_punctual):
        name, median = best
        said += (f"; the most punctual of the others, `{name}`, takes {_microseconds(median)} for "
                 f"{number(results.late(name, 'cpu_percent').median)} %")
    return said + "."


def _pairs(results):
    def cpu(system):
        return results.pair(system, 100_000, what="cpu")

    if not cpu("detent"):
        return ""
    said = (f"With 100,000 timers live, scheduling one and cancelling one costs {number(cpu('detent').median)} ns of CPU in all " "threads together")
    if best := _best(results, "pair", cpu):
        said += f", {number(best[1] / cpu('detent').median)} times less than the best of the others, `{best[0]}`"
    return said + "."


def _tails(results):
    def tail(system):
        return results.compared.series(system, "calls", "schedule_p9999_ns")

    if not tail("detent"):
        return ""
    said = (f"One call of `schedule_at` in 10,000 takes longer than {_microseconds(tail('detent').median)} while the worker "
            "fires beside it")
    if tail("multimap"):
        said += f"; with a multimap and a mutex, it is {_microseconds(tail('multimap').median)}"
    return said + "."


def opening(results):
    return " ".join(each for each in (_punctuality(results), _pairs(results), _tails(results)) if each)
