#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Converts programs that were written for detent 0.1: the names that changed, and the order of designated options.

    tools/upgrade/from_0_1.py FILE_OR_FOLDER...     rewrites C, C++ and Markdown files in place, and prints their names

docs/upgrading.md has what changed and why. A second run changes nothing."""

import re
import sys
from pathlib import Path

# The options in the order of today, by the names of today. A list of options is put in order if one of these has all of
# its names.
ORDERS = (
    "name drive manual tick wait max_pending executor executors on_refusal cpu realtime_priority on_error slow_threshold "
    "on_slow capture_origin reserve counters_file instance record cpu_latency_limit clock memory wake_budget wheel "
    "hashed_slots shard",
    "label tag lane slack max_lateness stale executor",
    "runs missed_policy label tag lane slack executor",
    "runs label lane on_misfire misfire_after most",
)
ORDERS = tuple(names.split() for names in ORDERS)
# Options that changed their names, each in a list of options whose other names are of the same struct.
OPTIONS = {"capacity": "max_pending", "missed": "missed_policy"}
# Names that mean one thing wherever they stand.
NAMES = (
    (r"(?<=[.>])stop_for(?=\s*\()", "drain_for"),
    (r"\bdetent::unfired\b", "detent::unfired_timer"),
    (r"<detent/unfired\.hpp>", "<detent/unfired_timer.hpp>"),
    (r"\bdetent::wish\b", "detent::preference"),
    (r"\bDETENT_WISH_", "DETENT_PREFERENCE_"),
)
SUFFIXES = {".c", ".cc", ".cpp", ".cxx", ".h", ".hh", ".hpp", ".hxx", ".md"}

BLANK = re.compile(r"(?:\s|//[^\n]*\n|/\*.*?\*/)*", re.S)
DESIGNATOR = re.compile(r"\.([A-Za-z_]\w*)\s*(?==[^=]|\{)")
SKIPPED = re.compile(r'//[^\n]*|/\*.*?\*/|R"([^()\\ ]*)\(.*?\)\1"|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)
DIGIT_SEPARATOR = re.compile(r"(?<=[0-9a-fA-F])'(?=[0-9a-fA-F])")
CLOSING = {"{": "}", "(": ")", "[": "]"}


def closing(text, start):
    """The place behind the bracket that closes the one at `start`; None if it is never closed. With it the places of the
    commas directly inside."""
    open_brackets, commas, at = [], [], start
    while at < len(text):
        if DIGIT_SEPARATOR.match(text, at):
            at += 1
            continue
        skipped = SKIPPED.match(text, at)
        if skipped:
            at = skipped.end()
            continue
        each = text[at]
        if each in CLOSING:
            open_brackets.append(CLOSING[each])
        elif each in "})]":
            if not open_brackets or open_brackets.pop() != each:
                return None, []
            if not open_brackets:
                return at + 1, commas
        elif each == "," and len(open_brackets) == 1:
            commas.append(at)
        at += 1
    return None, []


def parts_of(text, start, end, commas):
    """The initializers between the brackets, and what separates them: commas inside of template arguments are none."""
    cuts = [each for each in commas if DESIGNATOR.match(text, BLANK.match(text, each + 1).end())]
    begins = [BLANK.match(text, start + 1).end()] + [BLANK.match(text, each + 1).end() for each in cuts]
    ends = cuts + [end - 1]
    tail = re.search(r",?\s*$", text[begins[-1]:ends[-1]]).start() + begins[-1]
    parts = [text[begin:last] for begin, last in zip(begins, ends[:-1] + [tail])]
    separators = [text[start + 1:begins[0]]] + [text[last:begin] for last, begin in zip(ends, begins[1:])] + [text[tail:end - 1]]
    return parts, separators


def converted_list(text, start):
    """What the list of options at `start` becomes; None where it is none of detent's."""
    if not DESIGNATOR.match(text, BLANK.match(text, start + 1).end()):
        return None
    end, commas = closing(text, start)
    if end is None:
        return None
    parts, separators = parts_of(text, start, end, commas)
    if "//" in "".join(separators):  # a comment belongs to the option before or after it: left to its author
        return None
    names = [DESIGNATOR.match(part)[1] for part in parts]
    statement = text[text.rfind(";", 0, start) + 1:start]
    if names == ["capacity"] and "engine" not in statement or names == ["missed"] and "missed_ticks" not in parts[0]:
        return None  # the one name of a list may be of a struct of the program's own
    now = [OPTIONS.get(name, name) for name in names]
    orders = [order for order in ORDERS if set(now) <= set(order)]
    if not orders:
        return None
    parts = [re.sub(rf"^\.{name}\b", f".{new}", part) for part, name, new in zip(parts, names, now)]
    parts = [part for _, part in sorted(zip(now, parts), key=lambda pair: orders[0].index(pair[0]))]
    out = [separators[0]]
    for part, separator in zip(parts, separators[1:]):
        out += [part, separator]
    return end, "{" + "".join(out) + "}"


def converted_lists(text, is_code):
    """The text with its lists of options in order. Strings and comments of code stay as they are; in Markdown a quotation
    mark begins no string."""
    at = 0
    while at < len(text):
        skipped = SKIPPED.match(text, at) if is_code and not DIGIT_SEPARATOR.match(text, at) else None
        found = converted_list(text, at) if text[at] == "{" else None
        if found:
            text = text[:at] + found[1] + text[found[0]:]
        at = skipped.end() if skipped else at + 1
    return text


def converted(text, is_code=True):
    for old, new in NAMES:
        text = re.sub(old, new, text)
    for found in set(re.findall(r"\b(?:engine|detent)_options\b[\s&*]+(\w+)", text)):  # the latter in C
        text = re.sub(rf"\b{found}(\.|->)capacity\b", rf"{found}\1max_pending", text)
    for found in set(re.findall(r"\bperiodic_options\b[\s&*]+(\w+)", text)):
        text = re.sub(rf"\b{found}(\.|->)missed\b(?!\s*\()", rf"{found}\1missed_policy", text)
    for found in set(re.findall(r"\btry_(?:create|stop)\s*\([^;]*?(\w+)\s*\)", text)):
        text = re.sub(rf"\bstd::error_code(?=\s+{found}\b)", "detent::failure", text)
    return converted_lists(text, is_code)


def main(places):
    if not places or any(each.startswith("-") for each in places):
        print(__doc__, file=sys.stderr)
        return 2
    for place in map(Path, places):
        if not place.exists():
            print(f"from_0_1.py: {place}: no such file or folder", file=sys.stderr)
            return 2
        for file in sorted(place.rglob("*")) if place.is_dir() else [place]:
            if not file.is_file() or file.suffix not in SUFFIXES:
                continue
            old = file.read_text(encoding="utf-8")
            new = converted(old, file.suffix != ".md")
            if new != old:
                file.write_text(new, encoding="utf-8")
                print(file)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
