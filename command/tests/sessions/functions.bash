# SPDX-License-Identifier: MIT
# Functions that the sessions may use beside the commands.

# A host of the session's own: copies of /proc and /sys in a directory, to be given files.
host=host
clocks=sys/devices/system/clocksource/clocksource0
cpus=sys/devices/system/cpu
pages=sys/kernel/mm/transparent_hugepage
given() { mkdir -p "$host/${1%/*}" && printf '%b' "$2" >"$host/$1"; }
new_host() { rm -rf host later && given proc/uptime '1000.00 1.00\n'; }
# later [SECONDS]: what is given from here on in this line is of a second copy, made so much later.
later() { rm -rf later && cp -r host later && host=later && given proc/uptime "$((1000 + ${1:-1})).00 1.00\n"; }
# thread PROCESS THREAD [NAME=VALUE...]: of the scheduler, in ns and times.
thread() {
  local at=proc/$1/task/$2 name=other cpu=0 ran=0 waited=0 gave_up=0 preempted=0 flags=4194304 priority=0 policy=0 allowed=0-7
  [ $# -lt 3 ] || local "${@:3}"
  local stat="$2 ($name) S 1 1 1 0 -1 $flags$(printf ' 0%.0s' {10..21}) 777$(printf ' 0%.0s' {23..38})"
  given "$at/stat" "$stat $cpu $priority $policy 0 0 0\n"
  [ "$1" != "$2" ] || given "proc/$1/stat" "$stat 0 0 0 0\n"
  given "$at/schedstat" "$ran $waited 9\n"
  given "$at/status" "Name:\tx\nCpus_allowed_list:\t$allowed\nvoluntary_ctxt_switches:\t$gave_up\nnonvoluntary_ctxt_switches:\t$preempted\n"
}
# idle CPU STATE NAME LATENCY RESIDENCY [OFF]
idle() {
  local at=$cpus/cpu$1/cpuidle/state$2
  given "$at/name" "$3\n" && given "$at/latency" "$4\n" && given "$at/residency" "$5\n" && given "$at/disable" "${6:-0}\n"
}
# about SUBJECT [OPTION...]: what the doctor says of what begins so, a line each.
about() {
  detent doctor --root host $([ $host = host ] || echo --later later) "${@:2}" --json | python3 -c '
import json, sys
for each in json.load(sys.stdin)["findings"]:
    if each["subject"].startswith(sys.argv[1]):
        print(" | ".join(text for name, text in each.items() if text and (name != "subject" or text != sys.argv[1])))' "$1"
}

# row EXPRESSION EXPECTED: of a file of cases, and check ROW: such a file with that row between two good ones.
row() { echo "$1,,,,,2024-01-01T00:00:00Z,$2,who said"; }
check() {
  local good='0 0 0 * * ?,,,,,2024-01-01T00:00:00Z,2024-01-02T00:00:00Z,'
  (cat header && printf '%s\n' "$good" "$1" "$good") >cases.csv && detent cron --check cases.csv
}
# bad ROW: a trace with that row between two good ones.
bad() { (cat header.csv && printf '%s\n' 5,S,1,1,x "$1" 6,C,1,,) >bad.csv && detent replay --virtual bad.csv; }
