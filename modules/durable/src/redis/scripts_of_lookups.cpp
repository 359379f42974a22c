// SPDX-License-Identifier: MIT
// The scripts that look at timers, and the one that erases dead ones in the same way.
#include "scripts.hpp"

namespace detent::durable::redis {

// KEYS: the body, dead and grave of a shard. ARGV: a key. Answers the body of the live timer; or the grave of the dead
// one and the time at which it died; or nothing.
const char find_text[] = R"(
local body = redis.call('HGET', KEYS[1], ARGV[1])
if body then return {body} end
body = redis.call('HGET', KEYS[3], ARGV[1])
if body then return {body, redis.call('ZSCORE', KEYS[2], ARGV[1]) or '0'} end
return {})";

// KEYS of each shard: names, body or grave, dead. ARGV of each: how the entries in `names` begin, at most how many are
// wanted, and 1 if they are dead, otherwise nothing. Answers, for each shard, the names, bodies and times of death.
const char by_key_text[] = R"(
local answers = {}
for n = 0, #KEYS / 3 - 1 do
  local set, bodies, dead = unpack(KEYS, 3 * n + 1, 3 * n + 3)
  local entry, limit, is_dead = ARGV[3 * n + 1], tonumber(ARGV[3 * n + 2]), ARGV[3 * n + 3] ~= ''
  local found, from, entries = {}, 0, nil
  repeat
    entries = redis.call('ZRANGEBYLEX', set, '[' .. entry, '(' .. entry .. string.rep('\255', 129), 'LIMIT', from, 100)
    from = from + #entries
    for _, one in ipairs(entries) do
      local partition = string.sub(one, #entry + 1)
      local name = string.char(#partition) .. partition .. string.sub(entry, 2)
      local body = #found < 3 * limit and redis.call('HGET', bodies, name)
      if body then
        found[#found + 1], found[#found + 2] = name, body
        found[#found + 1] = is_dead and redis.call('ZSCORE', dead, name) or '0'
      end
    end
  until #entries == 0 or #found >= 3 * limit
  answers[n + 1] = found
end
return answers)";

// KEYS: a set by time, and its bodies; the set has the live timers, those that recur, or the dead. ARGV: from, until,
// after; at most how many to find, how many to look at, and how many bytes; whether they are dead and whether they
// recur, each as 1 or nothing; the handler, or nothing; p and the partition, or nothing; how the key begins. Walks in
// the order of times, then of keys, as far as it may look. `after` is the key at the time `from` where the last page
// ended, or empty. Finds keys, times and bodies. `time` and `key` say where to continue, if something is left.
const char walk_text[] = R"(
local from, till, after, limit, most, bytes, is_dead, recurs, handler, partition, prefix = unpack(ARGV)
till, limit, most, bytes = tonumber(till), tonumber(limit), tonumber(most), tonumber(bytes)
local some
if after == '' then
  some = redis.call('ZRANGEBYSCORE', KEYS[1], from, '(' .. ARGV[2], 'WITHSCORES', 'LIMIT', 0, most + 1)
else
  local first = rank_after(KEYS[1], from, after)
  some = redis.call('ZRANGE', KEYS[1], first, first + most, 'WITHSCORES')
end
local function has_name(name)
  local length = string.byte(name, 1) or 255
  if length > 128 or #name <= 1 + length then length = -1 end
  local its_partition, key = string.sub(name, 2, math.max(1 + length, 1)), string.sub(name, 2 + length)
  return (partition == '' or 'p' .. its_partition == partition) and string.sub(key, 1, #prefix) == prefix
end
local function has_words(body, from)
  local size = string.byte(body, from + 22) or 0
  return (handler == '' or string.sub(body, from + 25, from + 24 + size) == handler) and
         (recurs == '' or string.sub(body, from + 23, from + 24) ~= '\0\0')
end
local keys, times, bodies, time, key = {}, {}, {}, '', ''
local is_over, size = true, 0
for n = 1, #some, 2 do
  if tonumber(some[n + 1]) >= till then break end
  if n > 2 * most or #keys >= limit or size > bytes then
    is_over = false
    break
  end
  key, time = some[n], some[n + 1]
  local body = has_name(key) and redis.call('HGET', KEYS[2], key)
  if body and has_words(body, is_dead == '' and 0 or 2 + struct.unpack('<H', body)) then
    keys[#keys + 1], times[#times + 1], bodies[#bodies + 1] = key, time, body
    size = size + #body
  end
end
if is_over then time, key = '', '' end
)";

const char list_text[] = R"(
return {time, key, keys, times, bodies})";

// The third key is `names`. Answers how many were erased, and where to continue.
const char purge_text[] = R"(
if #keys > 0 then
  redis.call('ZREM', KEYS[1], unpack(keys))
  redis.call('HDEL', KEYS[2], unpack(keys))
  change_names('ZREM', KEYS[3], keys)
end
return {#keys, time, key})";

// KEYS: due of each shard. ARGV: a time for each. Answers how many timers are due by that time.
const char count_due_text[] = R"(
local counts = {}
for n = 1, #KEYS do counts[n] = redis.call('ZCOUNT', KEYS[n], '-inf', ARGV[n]) end
return counts)";

// KEYS: dead of each shard. ARGV: a number for each, counted from 0. Answers when the dead timer of that number died,
// or nothing.
const char deaths_text[] = R"(
local times = {}
for n = 1, #KEYS do times[n] = redis.call('ZRANGE', KEYS[n], ARGV[n], ARGV[n], 'WITHSCORES')[2] or '' end
return times)";

// KEYS of each shard: own, announced, due, body, dead. Answers, for each shard, the fence; the node whose term stands,
// or none; the read level; the number of timers, and of dead ones.
const char look_text[] = R"(
local time = redis.call('TIME')
local answers = {}
for n = 1, #KEYS, 5 do
  local own = redis.call('HMGET', KEYS[n], 'node', 'until', 'fence', 'upto')
  local stands = own[1] and own[1] ~= '' and tonumber(own[2]) > time[1] * 1000000 + time[2]
  answers[#answers + 1] = {own[3] or '0', stands and own[1] or '', own[4] or '-9007199254740992',
                           redis.call('ZCARD', KEYS[n + 2]), redis.call('ZCARD', KEYS[n + 4])}
end
return answers)";

// KEYS: nodes. Answers Redis' time, then each entry and the time until which it counts.
const char look_roll_text[] = R"(
local time = redis.call('TIME')
local roll = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
table.insert(roll, 1, string.format('%.0f', time[1] * 1000000 + time[2]))
return roll)";

}  // namespace detent::durable::redis
