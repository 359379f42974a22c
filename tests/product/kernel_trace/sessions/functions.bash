# SPDX-License-Identifier: MIT
# Lines as ftrace prints them, for the sessions.
A=00000000c0ffee01
B=00000000c0ffee02
J=4294892296 # a jiffy that begins at 7200 s
# at MICROSECONDS EVENT [CPU [TASK]]
at() { printf '%17s     [%03d] d.s2. %5d.%06d: %s\n' "${4:-swapper-0}" "${3:-0}" $((7200 + $1 / 1000000)) $(($1 % 1000000)) "$2"; }
# start TIMER EXPIRES NOW, in jiffies after J; expire TIMER NOW [FUNCTION]; cancel TIMER
start() { echo "timer_start: timer=$1 function=tcp_write_timer expires=$((J + $2)) [timeout=$(($2 - $3))] bucket_expiry=$((J + $2 + 1)) cpu=0 idx=17 flags="; }
expire() { echo "timer_expire_entry: timer=$1 function=${3:-tcp_write_timer} now=$((J + $2)) baseclk=$((J + $2))"; }
cancel() { echo "timer_cancel: timer=$1"; }
# hstart TIMER EXPIRES [SLACK]; hexpire TIMER NOW, in ns
hstart() { echo "hrtimer_start: hrtimer=$1 function=hrtimer_wakeup expires=$(($2 + ${3:-0})) softexpires=$2 mode=ABS"; }
hexpire() { echo "hrtimer_expire_entry: hrtimer=$1 function=hrtimer_wakeup now=$2"; }
# 250 jiffies a second, shown by a timer that was armed before. ticks [COUNT]
ticks() { for ((i = 0; i < ${1:-30}; i++)); do at $((i * 4000)) "$(expire 0000000000000abc $i ticking)"; done; }
# converted [OPTION...]: the rows of the trace of what comes; rows: of what comes among ticks, in its order.
converted() { cat >saved.txt && kernel-trace --from saved.txt -o - "$@"; }
rows() { (ticks && cat) | sort -s -k 4,4 | converted 2>&1 | grep -vE '^t_ns|^kernel-trace: [0-9]+ timers|left out: 30 ends'; }
# refused TEXT: of a file, which has to be left alone.
refused() { printf "$1" >saved.txt && kernel-trace --from saved.txt -o trace.csv; local status=$?; ls trace.csv 2>/dev/null; return $status; }
started() { at 100 "$(hstart $A 7200900000000)"; }
