# SPDX-License-Identifier: MIT
# Durable timers while everything around them fails.

# chaos [OPTION...]: what docs/durable.md says of it.
cmd_chaos() {
  need build
  want examples  # redis-server and hiredis
  want postgres
  build gcc detent_chaos
  modules/durable/chaos/chaos build/gcc "$@"
}
