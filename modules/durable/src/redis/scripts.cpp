// SPDX-License-Identifier: MIT
#include "scripts.hpp"

#include <array>

namespace detent::durable::redis {

namespace {

// KEYS: meta. ARGV: shards, format, and the channel, or nothing if the store only looks. Answers the shards of the
// store, or 0 if there is no store and none is wanted. Puts and cancels write before they publish, so the right to
// publish is tried first; listeners ignore an empty message.
constexpr char open_text[] = R"(
local had = redis.call('HMGET', KEYS[1], 'shards', 'format')
if had[2] and had[2] ~= ARGV[2] then return redis.error_reply('FOREIGN format ' .. had[2]) end
local said = ARGV[3] ~= '' and redis.pcall('PUBLISH', ARGV[3], '')
if type(said) == 'table' then
  return redis.error_reply('NOPERM the user needs the rights +publish, +subscribe and &' ..
                           string.sub(ARGV[3], 1, -17) .. '*: ' .. said.err)
end
if had[1] or ARGV[1] == '0' then return had[1] or '0' end
redis.call('HSET', KEYS[1], 'shards', ARGV[1], 'format', ARGV[2])
return ARGV[1])";

// KEYS: nodes. ARGV: node, and for how long it counts as alive. Answers Redis' time, then the nodes.
constexpr char roll_text[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
local nodes = redis.call('ZRANGE', KEYS[1], 0, -1)
table.insert(nodes, 1, string.format('%.0f', now))
return nodes)";

// KEYS: own, announced. ARGV: node, lease, format, channel, nonce. Answers 1, the fence, 1 if the former term was not
// given back, and its fence if another node had it; or 0, and for how long the shard is still held. A take by the node
// that had the shard begins a new term as well: timers that the old term had read and not ended are read again. The
// fence follows the clock: after a failover to a replica that had not heard of the last take, the last fence + 1 would
// be given out twice. The caller chooses a nonce for each take and sends it again if the answer was lost. DEL is the
// first write because it needs no memory, and once a script has written it may continue when memory is short. So a full
// store refuses timers, but its owners keep their shards and make room.
constexpr char take_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'format', 'node', 'until', 'fence', 'nonce', 'abandoned', 'former')
if own[1] and own[1] ~= ARGV[3] then return redis.error_reply('FOREIGN format ' .. own[1]) end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local has_owner = own[2] and own[2] ~= ''
if has_owner and tonumber(own[3]) > now then
  if own[5] == ARGV[5] then return {1, own[4], own[6], own[7] or '0'} end
  return {0, string.format('%.0f', own[3] - now)}
end
local fence = string.format('%.0f', math.max(tonumber(own[4] or '0') + 1, now))
local abandoned = has_owner and '1' or '0'
local former = own[2] ~= ARGV[1] and own[4] or '0'
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'format', ARGV[3], 'node', ARGV[1], 'until', now + ARGV[2], 'fence', fence, 'upto',
           '-9007199254740992', 'at', '', 'seen', 0, 'trimmed', 0, 'channel', ARGV[4], 'nonce', ARGV[5], 'abandoned',
           abandoned, 'former', former)
return {1, fence, abandoned, former})";

// KEYS: own, announced. ARGV: node (empty if the caller knows only the fence), fence. Answers whether the term stood.
constexpr char give_back_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'node', 'fence', 'until')
local time = redis.call('TIME')
if (ARGV[1] ~= '' and own[1] ~= ARGV[1]) or own[2] ~= ARGV[2] or tonumber(own[3]) <= time[1] * 1000000 + time[2] then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'node', '', 'until', '0', 'upto', '-9007199254740992', 'at', '')
return 1)";

// KEYS of each shard: own, announced, due, body. ARGV of each: node, fence, lease, level, the level's key, upto, limit,
// bytes, seen. Renews each term, and reads what lies between the level and upto. The caller passes how far it has read
// by the answers that it has received: the level, and in `seen` the number of lines announced in this term. So a lost
// answer is given again, and a call that is sent again trims nothing twice. If no level is passed, the shard's own
// counts, which never goes back. A level is a due time and the last key of that instant that was read; no key means
// that all of the instant was read. Answers, for each shard, nothing if the term is over; otherwise the new level and
// its key; the keys that were found, and their bodies; the announcements, and the bodies of the keys that these say
// were put or moved.
constexpr char read_on_text[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local function read_bodies(hash, found, bytes)
  local count, step, all = 16, 1, math.min(#found, 7000)
  while true do
    count = math.min(count, all)
    local bodies, size = redis.call('HMGET', hash, unpack(found, 1, count)), 0
    for n = 1, count do size = size + #(bodies[n] or '') end
    if size > bytes then
      size = 0
      for n, body in ipairs(bodies) do
        if body then size = size + #body - 24 - string.byte(body, 22) - struct.unpack('<H', body, 23) end
        if size > bytes and n > 1 then
          for last = count, n, -1 do bodies[last] = nil end
          return bodies
        end
      end
    end
    if count == all then return bodies end
    -- The first few show how large they are.
    count, step = count + math.max(step, math.floor((bytes - size) / (size + 1) * count)), 2 * step
  end
end
local function read_on(own_key, list, due, hash, node, fence, lease, level, at, upto, limit, bytes, seen)
  local own = redis.call('HMGET', own_key, 'node', 'fence', 'until', 'upto', 'at', 'seen', 'trimmed')
  if (node ~= '' and own[1] ~= node) or own[2] ~= fence or tonumber(own[3]) <= now then return false end
  if level == '' then level, at, seen = own[4], own[5], own[6] end
  local trimmed = math.max(tonumber(seen), tonumber(own[7]))
  redis.call('LTRIM', list, trimmed - own[7], -1)
  local found, bodies = {}, {}
  local way = tonumber(upto) - tonumber(level)
  if tonumber(limit) > 0 and (way > 0 or (way == 0 and at ~= '')) then
    local first = at == '' and redis.call('ZCOUNT', due, '-inf', level) or rank_after(due, level, at)
    local all = redis.call('ZCOUNT', due, '-inf', upto) - first
    if all > 0 then
      found = redis.call('ZRANGE', due, first, first + math.min(limit, all) - 1)
      bodies = read_bodies(hash, found, tonumber(bytes))
      for n = #found, #bodies + 1, -1 do found[n] = nil end
    end
    if #found < all then
      at = found[#found]
      level = redis.call('ZSCORE', due, at)
    else
      level, at = upto, ''
    end
  end
  local further = tonumber(level) - tonumber(own[4])
  local is_further = further > 0 or (further == 0 and own[5] ~= '' and (at == '' or is_after(at, own[5])))
  local announced = redis.call('LRANGE', list, 0, 4999)
  redis.call('HSET', own_key, 'until', now + lease, 'upto', is_further and level or own[4],
             'at', is_further and at or own[5], 'seen', trimmed + #announced, 'trimmed', trimmed)
  local changed = {}
  for _, line in ipairs(announced) do
    if string.sub(line, 1, 1) == 'p' then changed[#changed + 1] = string.sub(line, 10) end
  end
  local now_bodies = #changed > 0 and redis.call('HMGET', hash, unpack(changed)) or {}
  return {level, at, found, bodies, announced, now_bodies}
end
local answers = {}
for n = 0, #KEYS / 4 - 1 do
  local its = {unpack(KEYS, 4 * n + 1, 4 * n + 4)}
  for i = 9 * n + 1, 9 * n + 9 do its[#its + 1] = ARGV[i] end
  answers[n + 1] = read_on(unpack(its))
end
return answers)";

// Compares bytes as a sorted set does, because Lua compares by the server's locale. Also counts how many members of a
// set are not after a key within the instant of its score; if the key has gone since, its place is found by bisection.
constexpr char order_text[] = R"(
local function is_after(key, other)
  for i = 1, math.min(#key, #other) do
    local mine, its = string.byte(key, i), string.byte(other, i)
    if mine ~= its then return mine > its end
  end
  return #key > #other
end
local function rank_after(set, score, key)
  local now = redis.call('ZSCORE', set, key)
  if now and tonumber(now) == tonumber(score) then return redis.call('ZRANK', set, key) + 1 end
  local low = redis.call('ZCOUNT', set, '-inf', '(' .. score)
  local high = low + redis.call('ZCOUNT', set, score, score)
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_after(redis.call('ZRANGE', set, middle, middle)[1], key) then high = middle else low = middle + 1 end
  end
  return low
end)";

// `names` has the timers in a partition by their keys. An entry is the length of the key, the key, and the partition.
constexpr char names_text[] = R"(
local function change_names(change, set, names)
  local changed = {}
  for _, name in ipairs(names) do
    local size = string.byte(name) or 0
    local rest = #name - 1 - size
    if size > 0 and size <= 128 and rest > 0 and rest <= 128 then
      if change == 'ZADD' then changed[#changed + 1] = 0 end
      changed[#changed + 1] = string.char(rest) .. string.sub(name, 2 + size) .. string.sub(name, 2, 1 + size)
    end
  end
  if #changed > 0 then redis.call(change, set, unpack(changed)) end
end)";

struct known_script {
  std::string text;
  bool writes;
};

const known_script& known(script which) noexcept {
  static const std::string order = order_text, names = names_text, walk = order + walk_text;
  static const std::array<known_script, scripts> all = {{{open_text, true},
                                                         {roll_text, true},
                                                         {take_text, true},
                                                         {give_back_text, true},
                                                         {order + read_on_text, true},
                                                         {order + names + apply_text, true},
                                                         {answers_text, false},
                                                         {find_text, false},
                                                         {by_key_text, false},
                                                         {walk + list_text, false},
                                                         {names + walk + purge_text, true},
                                                         {look_text, false},
                                                         {count_due_text, false},
                                                         {deaths_text, false},
                                                         {look_roll_text, false}}};
  return all[static_cast<std::size_t>(which)];
}

}  // namespace

const std::string& text(script which) noexcept { return known(which).text; }
bool writes(script which) noexcept { return known(which).writes; }

}  // namespace detent::durable::redis
