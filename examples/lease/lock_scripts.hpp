// SPDX-License-Identifier: MIT
// What redis does as one step. KEYS: the lock, its fence. ARGV: the token, the lease in milliseconds.
#pragma once

namespace lease {

// {fence, 0}: granted. {0, wait}: another has it, for so many milliseconds at most.
// A redis that does not know the fence is new, or has lost its memory: the last holder may still believe in its lock,
// so nobody gets it for one lease. The fence starts at the time of day, which is above all that was given out before.
inline constexpr auto acquire_script = R"(
if redis.call('EXISTS', KEYS[2]) == 0 then
  local time = redis.call('TIME')
  redis.call('SET', KEYS[2], string.format('%d%06d', time[1], time[2]))
  redis.call('SET', KEYS[1], 'nobody', 'PX', ARGV[2])
end
if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) then
  return {redis.call('INCR', KEYS[2]), 0}
end
return {0, math.max(redis.call('PTTL', KEYS[1]), 1)}
)";

// 1: renewed. 0: it is no longer ours.
inline constexpr auto renew_script = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('PEXPIRE', KEYS[1], ARGV[2])
)";

// 1: released. 0: it was no longer ours, and stays whose it is.
inline constexpr auto release_script = R"(
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return 0 end
return redis.call('DEL', KEYS[1])
)";

}  // namespace lease
