# SPDX-License-Identifier: MIT
# Durable timers while everything around them fails.

# chaos [OPTION...]: what docs/durable-redis.md says of it.
cmd_chaos() {
  need build
  want examples  # redis-server and hiredis
  build gcc chaos_worker
  modules/durable/chaos/chaos build/gcc "$@"
}
