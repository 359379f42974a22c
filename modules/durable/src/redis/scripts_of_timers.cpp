// SPDX-License-Identifier: MIT
// The scripts about timers. In scripts.cpp are those about shards and terms.
#include "script_texts.hpp"

namespace detent::durable::redis {

// KEYS: own, announced, due, body, dead, grave. ARGV: format, shard, modes: a letter for each; the earliest due time;
// then due time and key of each; then the bodies. Answers a letter for each: (s)tored, or (S) that was before,
// (r)eplaced, (k)ept, (e)xists, (m)oved, or (M) that was before, (g)one. The first eight bytes of a body are its id:
// the same one once more, after an answer that was lost, finds itself and is content. What is due within the owner's
// read level, or was, is announced to the owner in the same step. The time comes before the body, which it would
// otherwise not be found without. Most batches are new and beyond the read level: then ZADD NX adds each, and no timer
// is looked at by itself. Where it adds fewer, it has changed none of those that were there. Without any, something is
// written all the same, for a WAIT to count.
const char put_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'format', 'upto', 'channel')
if own[1] and own[1] ~= ARGV[1] then return redis.error_reply('FOREIGN format ' .. own[1]) end
local upto = tonumber(own[2] or '-9007199254740992')
local modes = ARGV[3]
local count = #modes
if count == 0 then
  redis.call('HSET', KEYS[1], 'format', ARGV[1])
  return ''
end
local times, bodies = {}, {}
if tonumber(ARGV[4]) > upto and not string.find(modes, 'm', 1, true) and redis.call('EXISTS', KEYS[5]) == 0 and
   redis.call('ZADD', KEYS[3], 'NX', unpack(ARGV, 5, 4 + 2 * count)) == count then
  for n = 1, count do bodies[2 * n - 1], bodies[2 * n] = ARGV[4 + 2 * n], ARGV[4 + 2 * count + n] end
  redis.call('HSET', KEYS[4], unpack(bodies))
  return string.rep('s', count)
end
local keys = {}
for n = 1, count do keys[n] = ARGV[4 + 2 * n] end
local was = redis.call('HMGET', KEYS[4], unpack(keys))
local had, due_of, announced, answers = {}, {}, {}, {}
local uniform = modes == string.rep(string.sub(modes, 1, 1), count) and string.sub(modes, 1, 1)
local placed = 0
for n = 1, count do
  local key, due, body = keys[n], ARGV[3 + 2 * n], ARGV[4 + 2 * count + n]
  local mode = uniform or string.sub(modes, n, n)
  local before = had[key] or was[n]
  local answer = 's'
  if not before then
    if mode == 'm' then answer = 'g' end
  elseif string.sub(before, 1, 8) == string.sub(body, 1, 8) then
    answer = mode == 'm' and 'M' or 'S'
  else
    answer = mode
    if mode == 'm' then body = string.sub(body, 1, 20) .. string.sub(before, 21) end
  end
  answers[n] = answer
  if answer == 's' or answer == 'r' or answer == 'm' then
    if tonumber(due) <= upto or
       (before and tonumber(due_of[key] or redis.call('ZSCORE', KEYS[3], key)) <= upto) then
      announced[#announced + 1] = '\0\0\0\0\0\0\0\0' .. key
    end
    had[key], due_of[key] = body, due
    times[placed + 1], times[placed + 2] = due, key
    bodies[placed + 1], bodies[placed + 2] = key, body
    placed = placed + 2
  end
end
if #times > 0 then
  redis.call('ZADD', KEYS[3], unpack(times))
  redis.call('HSET', KEYS[4], unpack(bodies))
  if redis.call('EXISTS', KEYS[5]) == 1 then
    for key in pairs(had) do
      redis.call('ZREM', KEYS[5], key)
      redis.call('HDEL', KEYS[6], key)
    end
  end
end
if #announced > 0 then
  redis.call('RPUSH', KEYS[2], unpack(announced))
  redis.call('PUBLISH', own[3], ARGV[2])
end
return table.concat(answers))";

// KEYS: own, announced, due, body, dead, grave, then of the answers. ARGV: node, fence, kinds: a letter for each; the
// keys; in one word the id and due time that ran of each, as a body begins. Kinds: (e)rase; (m)ove; (k)ill; (l)eave.
// Then in their order, for a move its new due time and the new head of its body, for a kill the reason; and last the
// words of the answers. Answers a letter for each: (e)nded or (g)one. One whose id or time is another by now has been
// replaced or moved, and stays; but a move that finds its new head, or a kill its grave, has been carried out before,
// and is (e)nded.
const char end_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'node', 'fence', 'until')
local time = redis.call('TIME')
if (ARGV[1] ~= '' and own[1] ~= ARGV[1]) or own[2] ~= ARGV[2] or tonumber(own[3]) <= time[1] * 1000000 + time[2] then
  return redis.error_reply('FENCED the term is over')
end
local kinds = ARGV[3]
local count = #kinds
local bodies = redis.call('HMGET', KEYS[4], unpack(ARGV, 4, 3 + count))
if kinds == string.rep('e', count) and #KEYS == 6 then
  local sub, heads = string.sub, {}
  for n = 1, count do heads[n] = sub(bodies[n] or '', 1, 16) end
  if table.concat(heads) == ARGV[4 + count] then
    redis.call('ZREM', KEYS[3], unpack(ARGV, 4, 3 + count))
    redis.call('HDEL', KEYS[4], unpack(ARGV, 4, 3 + count))
    return kinds
  end
end
redis.call('LTRIM', KEYS[2], 0, -1)
local extra = 5 + count
local now, due_of, answers = {}, {}, {}
local buried, graves = {}, {}
for n = 1, count do
  local kind, key = string.sub(kinds, n, n), ARGV[3 + n]
  local body = now[key]
  if body == nil then body = bodies[n] end
  local ran = string.sub(ARGV[4 + count], 16 * n - 15, 16 * n)
  local fits = body and string.sub(body, 1, 16) == ran
  answers[n] = fits and 'e' or 'g'
  if kind == 'm' then
    if body and string.sub(body, 1, 20) == ARGV[extra + 1] then answers[n] = 'e' end
    if fits then now[key], due_of[key] = ARGV[extra + 1] .. string.sub(body, 21), ARGV[extra] end
    extra = extra + 2
  elseif kind == 'k' then
    if fits then
      now[key] = false
      buried[#buried + 1] = redis.call('ZSCORE', KEYS[3], key)
      buried[#buried + 1] = key
      graves[#graves + 1] = key
      graves[#graves + 1] = ARGV[extra] .. body
    else
      local before = ARGV[extra] .. ran
      local grave = redis.call('HGET', KEYS[6], key)
      if grave and string.sub(grave, 1, #before) == before then answers[n] = 'e' end
    end
    extra = extra + 1
  elseif kind == 'e' and fits then
    now[key] = false
  end
end
for n = 7, #KEYS do redis.call('SET', KEYS[n], ARGV[extra + n - 7], 'EX', 120) end
local gone, moved, rewritten = {}, {}, {}
for key, body in pairs(now) do
  if body then
    moved[#moved + 1] = due_of[key]
    moved[#moved + 1] = key
    rewritten[#rewritten + 1] = key
    rewritten[#rewritten + 1] = body
  else
    gone[#gone + 1] = key
  end
end
if #gone > 0 then
  redis.call('ZREM', KEYS[3], unpack(gone))
  redis.call('HDEL', KEYS[4], unpack(gone))
end
if #moved > 0 then
  redis.call('ZADD', KEYS[3], unpack(moved))
  redis.call('HSET', KEYS[4], unpack(rewritten))
end
if #buried > 0 then
  redis.call('ZADD', KEYS[5], unpack(buried))
  redis.call('HSET', KEYS[6], unpack(graves))
end
return table.concat(answers))";

// KEYS: own, announced, due, body, dead, grave. ARGV: format, shard; then key and question of each. Answers a letter
// for each: (c)ancelled, no node will start it; (g)one; (a)sked, it is in the owner's hands, to whom it is announced;
// (w)ithdrawn, and asked as well, as it is not known that the owner has read that it was put or moved: it is where that
// is trimmed.
const char cancel_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'upto', 'channel', 'format', 'until')
if own[3] and own[3] ~= ARGV[1] then return redis.error_reply('FOREIGN format ' .. own[3]) end
local upto = tonumber(own[1] or '-9007199254740992')
local answers, announced, unread = {}, {}, {}
local time = redis.call('TIME')
local stands = own[4] and tonumber(own[4]) > time[1] * 1000000 + time[2]
for _, line in ipairs(stands and redis.call('LRANGE', KEYS[2], 0, -1) or {}) do
  if string.sub(line, 1, 8) == '\0\0\0\0\0\0\0\0' then unread[string.sub(line, 9)] = true end
end
for i = 3, #ARGV, 2 do
  local key = ARGV[i]
  local due = redis.call('ZSCORE', KEYS[3], key)
  if due and tonumber(due) <= upto then
    announced[#announced + 1] = ARGV[i + 1] .. key
    answers[#answers + 1] = 'a'
  elseif due then
    redis.call('ZREM', KEYS[3], key)
    redis.call('HDEL', KEYS[4], key)
    answers[#answers + 1] = unread[key] and 'w' or 'c'
    if unread[key] then announced[#announced + 1] = ARGV[i + 1] .. key end
  elseif redis.call('ZREM', KEYS[5], key) == 1 then
    redis.call('HDEL', KEYS[6], key)
    answers[#answers + 1] = 'c'
  else
    answers[#answers + 1] = 'g'
  end
end
if #announced > 0 then
  redis.call('RPUSH', KEYS[2], unpack(announced))
  redis.call('PUBLISH', own[2], ARGV[2])
end
return table.concat(answers))";

// KEYS: of answers, all of one shard. What they hold.
const char answers_text[] = R"(return redis.call('MGET', unpack(KEYS)))";

// KEYS: own, announced, due, body, dead, grave. ARGV: format, shard; then key, due time and head of each. Answers a
// letter for each: (s)tored or (g)one.
const char revive_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'upto', 'channel', 'format')
if own[3] and own[3] ~= ARGV[1] then return redis.error_reply('FOREIGN format ' .. own[3]) end
local upto = tonumber(own[1] or '-9007199254740992')
local answers, announced = {}, {}
for i = 3, #ARGV, 3 do
  local key, due, head = ARGV[i], ARGV[i + 1], ARGV[i + 2]
  local grave = redis.call('HGET', KEYS[6], key)
  if grave then
    local body = string.sub(grave, 3 + string.byte(grave, 1) + 256 * string.byte(grave, 2))
    redis.call('ZREM', KEYS[5], key)
    redis.call('HDEL', KEYS[6], key)
    redis.call('ZADD', KEYS[3], due, key)
    redis.call('HSET', KEYS[4], key, head .. string.sub(body, 21))
    if tonumber(due) <= upto then announced[#announced + 1] = '\0\0\0\0\0\0\0\0' .. key end
    answers[#answers + 1] = 's'
  else
    local body = redis.call('HGET', KEYS[4], key)
    answers[#answers + 1] = body and string.sub(body, 1, 8) == string.sub(head, 1, 8) and 's' or 'g'
  end
end
if #announced > 0 then
  redis.call('RPUSH', KEYS[2], unpack(announced))
  redis.call('PUBLISH', own[2], ARGV[2])
end
return table.concat(answers))";

// KEYS: a set by time and its bodies, of the live ones or the dead. ARGV: from, until, after, limit: in the order of
// time, then of keys. `after` is the key at the time `from` where the last page ended, or empty. If it has gone since,
// its place is found by halves, byte by byte: Lua compares as the server's locale does. Answers keys and times, and
// bodies.
const char list_text[] = R"(
local function is_after(key, other)
  for i = 1, math.min(#key, #other) do
    local mine, its = string.byte(key, i), string.byte(other, i)
    if mine ~= its then return mine > its end
  end
  return #key > #other
end
local found
if ARGV[3] == '' then
  found = redis.call('ZRANGEBYSCORE', KEYS[1], ARGV[1], ARGV[2], 'WITHSCORES', 'LIMIT', 0, ARGV[4])
else
  local low = redis.call('ZCOUNT', KEYS[1], '-inf', '(' .. ARGV[1])
  local high = low + redis.call('ZCOUNT', KEYS[1], ARGV[1], ARGV[1])
  while low < high do
    local middle = math.floor((low + high) / 2)
    if is_after(redis.call('ZRANGE', KEYS[1], middle, middle)[1], ARGV[3]) then high = middle else low = middle + 1 end
  end
  found = redis.call('ZRANGE', KEYS[1], low, low + ARGV[4] - 1, 'WITHSCORES')
end
local bodies = {}
for i = 1, #found, 2 do bodies[#bodies + 1] = redis.call('HGET', KEYS[2], found[i]) end
return {found, bodies})";

// KEYS: own, announced, due, body, dead. Answers the fence; the node whose term stands, or none; the read level; how
// many timers, how many dead.
const char look_text[] = R"(
local own = redis.call('HMGET', KEYS[1], 'node', 'until', 'fence', 'upto')
local time = redis.call('TIME')
local stands = own[1] and own[1] ~= '' and tonumber(own[2]) > time[1] * 1000000 + time[2]
return {own[3] or '0', stands and own[1] or '', own[4] or '-9007199254740992', redis.call('ZCARD', KEYS[3]),
        redis.call('ZCARD', KEYS[5])})";

}  // namespace detent::durable::redis
