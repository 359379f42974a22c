// SPDX-License-Identifier: MIT
#include "script_texts.hpp"

#include <array>

namespace detent::durable::redis {

namespace {

// KEYS: meta. ARGV: shards, format, channel: nothing if the store only looks. Answers the shards of the store; 0, where
// there is none and none is wanted. Puts and cancels write before they publish, so the right to do that comes first:
// a listener takes no notice of an empty message.
constexpr char open_text[] = R"(
local had = redis.call('HMGET', KEYS[1], 'shards', 'format')
if had[2] and had[2] ~= ARGV[2] then return redis.error_reply('FOREIGN format ' .. had[2]) end
local said = ARGV[3] ~= '' and redis.pcall('PUBLISH', ARGV[3], '')
if type(said) == 'table' then
  return redis.error_reply('NOPERM the user needs the rights +publish, +subscribe and &' ..
                           string.sub(ARGV[3], 1, -17) .. '*: ' .. said.err)
end
if not had[1] and ARGV[1] ~= '0' then redis.call('HSET', KEYS[1], 'shards', ARGV[1], 'format', ARGV[2]) end
return tonumber(had[1] or ARGV[1]))";

// KEYS: nodes. ARGV: node, for how long it counts as alive. Answers Redis' time, then the nodes.
constexpr char roll_text[] = R"(
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
redis.call('ZADD', KEYS[1], now + ARGV[2], ARGV[1])
local nodes = redis.call('ZRANGE', KEYS[1], 0, -1)
table.insert(nodes, 1, string.format('%.0f', now))
return nodes)";

// KEYS: own, announced. ARGV: node, lease, format, channel, nonce. Answers the fence; or the node that has the shard,
// and for how long still. A take by the node that has had it is a new term as well: what the old one had read and not
// ended is read again. The fence follows the clock, as after a failover to a replica that had not heard of the last
// take, the last + 1 would be given out twice. The nonce is the caller's for this take, sent again after an answer that
// was lost. Of the writes DEL comes first. It needs no memory, and a script that has written goes on where memory is
// short: a full store refuses timers, and its owners keep their shards and make room.
constexpr char take_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'format', 'node', 'until', 'fence', 'nonce')
if own[1] and own[1] ~= ARGV[3] then return redis.error_reply('FOREIGN format ' .. own[1]) end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if own[2] and own[2] ~= '' and tonumber(own[3]) > now then
  if own[5] == ARGV[5] then return own[4] end
  return {own[2], string.format('%.0f', own[3] - now)}
end
local fence = string.format('%.0f', math.max(tonumber(own[4] or '0') + 1, now))
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'format', ARGV[3], 'node', ARGV[1], 'until', now + ARGV[2], 'fence', fence,
           'upto', '-9007199254740992', 'seen', 0, 'trimmed', 0, 'channel', ARGV[4], 'nonce', ARGV[5])
return fence)";

// KEYS: own, announced. ARGV: node, or nothing where the caller knows the fence alone; fence. Answers whether the term
// stood.
constexpr char give_back_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'node', 'fence', 'until')
local time = redis.call('TIME')
if (ARGV[1] ~= '' and own[1] ~= ARGV[1]) or own[2] ~= ARGV[2] or tonumber(own[3]) <= time[1] * 1000000 + time[2] then
  return 0
end
redis.call('DEL', KEYS[2])
redis.call('HSET', KEYS[1], 'node', '', 'until', '0', 'upto', '-9007199254740992')
return 1)";

// KEYS: own, announced, due, body. ARGV: node, fence, lease, level, upto, limit, seen. Reads what is due in (level,
// upto], and renews. `level` is how far the caller has got by the answers that it received, and `seen` how many lines
// of what was announced in this term: an answer that was lost is given again, and a call that is sent again trims
// nothing twice. Without a level, the one that the shard remembers, which never goes back. Where the limit cuts, all of
// the last instant is taken, as the next call goes on after that. Answers how far it got; the keys and due times, their
// bodies; what was announced, and the due times and bodies of the keys in it.
constexpr char read_on_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'node', 'fence', 'until', 'upto', 'seen', 'trimmed')
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
if (ARGV[1] ~= '' and own[1] ~= ARGV[1]) or own[2] ~= ARGV[2] or tonumber(own[3]) <= now then
  return redis.error_reply('FENCED the term is over')
end
local limit, level, seen = tonumber(ARGV[6]), ARGV[4], tonumber(ARGV[7])
if level == '' then level, seen = own[4], tonumber(own[5]) end
local trimmed = tonumber(own[6] or 0)
redis.call('LTRIM', KEYS[2], math.max(seen - trimmed, 0), -1)
trimmed = math.max(seen, trimmed)
local reached = ARGV[5]
if limit == 0 or tonumber(reached) < tonumber(level) then reached = level end
local found = {}
if limit > 0 then
  found = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. level, reached, 'LIMIT', 0, limit + 1)
  if #found > limit then
    local last = redis.call('ZSCORE', KEYS[3], found[limit])
    if redis.call('ZSCORE', KEYS[3], found[limit + 1]) ~= last then
      found[limit + 1] = nil
      reached = last
    else
      found = redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. level, last)
      if #redis.call('ZRANGEBYSCORE', KEYS[3], '(' .. last, reached, 'LIMIT', 0, 1) ~= 0 then reached = last end
    end
  end
end
local upto = own[4]
if tonumber(reached) > tonumber(upto) then upto = reached end
local announced = redis.call('LRANGE', KEYS[2], 0, 9999)
redis.call('HSET', KEYS[1], 'until', now + ARGV[3], 'upto', upto, 'seen', trimmed + #announced, 'trimmed', trimmed)
local bodies = {}
for from = 1, #found, 5000 do
  local some = redis.call('HMGET', KEYS[4], unpack(found, from, math.min(#found, from + 4999)))
  if from == 1 then
    bodies = some
  else
    for _, body in ipairs(some) do bodies[#bodies + 1] = body end
  end
end
local announced_bodies = {}
for i, line in ipairs(announced) do
  local is_put = string.sub(line, 1, 8) == '\0\0\0\0\0\0\0\0'
  announced_bodies[i] = is_put and redis.call('HGET', KEYS[4], string.sub(line, 9))
end
return {reached, found, bodies, announced, announced_bodies})";

constexpr std::array<const char*, scripts> texts = {open_text,    roll_text,   take_text, give_back_text,
                                                    read_on_text, put_text,    end_text,  cancel_text,
                                                    answers_text, revive_text, list_text, look_text};

}  // namespace

const char* text(script which) noexcept { return texts[static_cast<std::size_t>(which)]; }

bool writes(script which) noexcept {
  return which != script::answers && which != script::list && which != script::look;
}

}  // namespace detent::durable::redis
