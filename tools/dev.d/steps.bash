# SPDX-License-Identifier: MIT
# The steps of a long command: how long each took, and which failed. .ci/run has them as well.

step_rows=()
failed_steps=()

# The CPU seconds, user and system, of the commands that this shell has waited for.
cpu_seconds() { awk -v ticks="$(getconf CLK_TCK)" '{ print int(($16 + $17) / ticks) }' "/proc/$$/stat"; }

# step NAME COMMAND...: runs it with `set -e`, and notes how it ended. The status is 0 whatever happens, and the caller looks
# at failed_steps; as a condition, in `if` or beside `||`, it would turn `set -e` off in the command.
step() {
  local name=$1 began=$SECONDS cpu result=passed code=0
  shift
  cpu=$(cpu_seconds)
  set +e
  (
    set -e
    "$@"
  )
  code=$?
  set -e
  if [ $code -ne 0 ]; then
    result=FAILED
    failed_steps+=("$name")
  fi
  step_rows+=("$(printf 'step: %-16s %s, %d min %02d s, %d s of CPU' "$name" "$result" \
    $(((SECONDS - began) / 60)) $(((SECONDS - began) % 60)) $(($(cpu_seconds) - cpu)))")
}

# end_of_steps: the table. The status is 1 if a step failed.
end_of_steps() {
  printf '%s\n' "${step_rows[@]}"
  [ ${#failed_steps[@]} -eq 0 ] || printf 'failed: %s\n' "${failed_steps[*]}"
  [ ${#failed_steps[@]} -eq 0 ]
}
