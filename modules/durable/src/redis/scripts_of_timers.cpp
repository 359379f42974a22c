// SPDX-License-Identifier: MIT
// The scripts that change timers. In scripts.cpp are those about shards and terms, in scripts_of_lookups.cpp those that
// look.
#include "scripts.hpp"

namespace detent::durable::redis {

// KEYS: own, announced, due, body, dead, grave, next, recurring, names, then the answer of each cancel and of each end
// that has one. The last key has the caller's last turn and its answer.
// ARGV: format; shard; kinds, a letter for each change; node and fence of the ends; the earliest due time if all
// changes are puts of new timers that run once, otherwise nothing; in one word, the id and the due time that ran of
// each end; in one word, an answer for each end, or - for none, or nothing; then the key of each change, after its due
// time if there is an earliest one; then, in order, the bodies of puts, the heads of moves and revivals, the questions,
// the payloads of (P), and the reasons of kills. The last two words are the turn that must have been the caller's last
// one in this shard, or nothing; and the turn of this call, or nothing. A turn that was carried out before gives its
// answer again. If another turn was the last one, a promoted replica has not heard of all turns, or an answer was lost.
// Then nothing is carried out, and the answer is an array of that turn and its answer.
//
// Answers to questions and turns are needed for a while. They have no time to live, because a server with a volatile-*
// policy may evict keys that have one, and a turn that is evicted would be carried out twice. `passing` has the times
// at which they are erased.
//
// Kinds of puts, and what becomes of them: (k)eep, (r)eplace, (x) exists, (m)ove, re(v)ive; otherwise (s)tored or
// (g)one. (n)othing, for a WAIT to count. (c)ancel: (c)ancelled; (a)sked; (w)ithdrawn, which also asks the owner: it is
// not known whether the owner has read that the timer was put or moved, because that is known only once the
// announcement is trimmed. If a question's answer is there before the question, it is about something that a promoted
// replica has not heard of, so it is erased. Ends: (E)rase, (M)ove, (P) move with a payload, (K)ill, (L)eave, (U)nkeep:
// (e)nded, (g)one, (f)enced. Any change: (u)nanswered, if the server is full.
//
// Most batches are new timers beyond the read level, or ends of timers that have not changed; these take a short way.
// ZADD NX changes no timer that is there already. On the long way, tables hold each key as the changes so far have left
// it. A full server refuses a script only before its first write: so timers are refused as a whole, and ends continue.
// A timer that replaces another keeps the other's due time if rules have set both and that one is earlier.
const char apply_text[] = R"(
local passing = string.sub(KEYS[1], 1, -4) .. 'passing'
local function carry_out()
local own = redis.call('HMGET', KEYS[1], 'format', 'upto', 'at', 'channel', 'node', 'fence', 'until')
if own[1] and own[1] ~= ARGV[1] then return redis.error_reply('FOREIGN format ' .. own[1]) end
local kinds, upto, at = ARGV[3], tonumber(own[2] or '-9007199254740992'), own[3] or ''
local count, step = #kinds, 1
local find, sub, rep, read = string.find, string.sub, string.rep, struct.unpack
if ARGV[6] ~= '' then
  step = 2
  if tonumber(ARGV[6]) > upto and redis.call('EXISTS', KEYS[5]) == 0 and
     redis.call('ZADD', KEYS[3], 'NX', unpack(ARGV, 9, 8 + 2 * count)) == count then
    local bodies, names = {}, {}
    for n = 1, count do
      local name = ARGV[8 + 2 * n]
      bodies[2 * n - 1], bodies[2 * n] = name, ARGV[8 + 2 * count + n]
      if string.byte(name) ~= 0 then names[#names + 1] = name end
    end
    redis.call('HSET', KEYS[4], unpack(bodies))
    change_names('ZADD', KEYS[9], names)
    return rep('s', count)
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]
local stands = own[7] and tonumber(own[7]) > now
local is_owner = stands and own[6] == ARGV[5] and (ARGV[4] == '' or own[5] == ARGV[4])
local keys = step == 1 and {unpack(ARGV, 9, 8 + count)} or {}
for n = #keys + 1, count do keys[n] = ARGV[8 + 2 * n] end
local bodies = redis.call('HMGET', KEYS[4], unpack(keys))
local has_next = redis.call('EXISTS', KEYS[7]) == 1
if is_owner and not has_next and ARGV[8] == '' and kinds == rep('E', count) then
  local heads = {}
  for n = 1, count do heads[n] = sub(bodies[n] or '', 1, 16) end
  if table.concat(heads) == ARGV[7] then
    local letters, ended = rep('e', count), {}
    if redis.call('ZREM', KEYS[3], unpack(keys)) ~= count then
      for n, key in ipairs(keys) do ended[n], ended[key] = ended[key] or 'e', 'g' end
      letters = table.concat(ended)
    end
    redis.call('HDEL', KEYS[4], unpack(keys))
    if redis.call('EXISTS', KEYS[8]) == 1 then redis.call('ZREM', KEYS[8], unpack(keys)) end
    if redis.call('EXISTS', KEYS[9]) == 1 then change_names('ZREM', KEYS[9], keys) end
    return letters
  end
end
local is_full = false
if find(kinds, '[^krxmv]') then
  if find(kinds, '[nkrxmv]') then
    local refused = redis.pcall('HSET', KEYS[1], 'format', ARGV[1])
    if type(refused) == 'table' and not find(refused.err, 'OOM', 1, true) then return refused end
    is_full = type(refused) == 'table'
  end
  redis.call('LTRIM', KEYS[2], 0, -1)
  if is_full and find(kinds, 'n', 1, true) then redis.call('HSET', KEYS[1], 'format', ARGV[1]) end
end

local was, live, was_next, next, was_dead, dead = {}, {}, {}, {}, {}, {}
local function load(hash, from, to)
  for n, body in ipairs(redis.call('HMGET', hash, unpack(keys))) do from[keys[n]], to[keys[n]] = body, body end
end
for n = 1, count do was[keys[n]], live[keys[n]] = bodies[n], bodies[n] end
if has_next then load(KEYS[7], was_next, next) end
if redis.call('EXISTS', KEYS[5]) == 1 then load(KEYS[6], was_dead, dead) end

local changed = 'p\0\0\0\0\0\0\0\0'
local announced, told, unread = {}, {}, nil
local function announce(what, key)
  announced[#announced + 1] = what .. key
  if what == changed then told[key] = true end
end
local function is_unread(key)
  if stands and not unread then
    unread = {}
    for _, line in ipairs(redis.call('LRANGE', KEYS[2], 0, -1)) do
      if sub(line, 1, 9) == changed then unread[sub(line, 10)] = true end
    end
  end
  return stands and (told[key] or unread[key])
end
local function is_below(body, key)
  local due = read('<i8', body, 9)
  return due < upto or due == upto and (at == '' or not is_after(key, at))
end
local function set(key, body, before)
  if is_below(body, key) or before and is_below(before, key) then announce(changed, key) end
  live[key], next[key], dead[key] = body, false, false
end
local function put(kind, key, body)
  local before = live[key]
  if before and sub(before, 1, 8) == sub(body, 1, 8) then return kind == 'm' and kind or 's' end
  if kind == 'v' then
    if before or not dead[key] then return 'g' end
    body = body .. sub(dead[key], 24 + read('<H', dead[key]))
  elseif kind == 'm' then
    if not before then return 'g' end
    body = body .. sub(before, 22)
  elseif before and kind ~= 'r' then
    if kind == 'k' and not next[key] and is_below(before, key) then
      next[key] = body
      announce('k' .. sub(body, 1, 8), key)
    end
    return kind
  elseif before and sub(before, 21, 21) == '\1' and sub(body, 21, 21) == '\1' and
         read('<i8', before, 9) < read('<i8', body, 9) then
    body = sub(body, 1, 8) .. sub(before, 9, 16) .. sub(body, 17)
  end
  set(key, body, before)
  return before and kind or 's'
end
local function cancel(key, question)
  local body = live[key]
  if body and is_below(body, key) then
    next[key] = false
    announce('q' .. question, key)
    return 'a'
  elseif body then
    live[key], next[key] = false, false
    if not is_unread(key) then return 'c' end
    announce('q' .. question, key)
    return 'w'
  end
  if not dead[key] then return 'g' end
  dead[key] = false
  return 'c'
end
local function finish(kind, key, ran, extra, payload)
  local body, successor = live[key], next[key]
  local fits = body and sub(body, 1, 16) == ran
  if kind == 'U' then
    if not successor or sub(successor, 1, 8) ~= sub(ran, 1, 8) then return 'g' end
    next[key] = false
  elseif kind == 'M' or kind == 'P' then
    if not fits then return body and sub(body, 1, 20) == sub(extra, 1, 20) and 'e' or 'g' end
    local rest = sub(body, 22)
    if payload then rest = sub(rest, 1, 3 + read('B', rest) + read('<H', rest, 2)) .. payload end
    live[key] = extra .. rest
    if sub(extra, 17, 20) == '\1\0\0\0' and sub(extra, 9, 16) ~= sub(ran, 9, 16) then next[key] = false end
    if at ~= '' and read('<i8', extra, 9) == upto and is_below(extra, key) then announce(changed, key) end
  elseif not fits then
    local before = extra and extra .. ran
    return before and dead[key] and sub(dead[key], 1, #before) == before and 'e' or 'g'
  elseif kind ~= 'L' then
    live[key] = false
    if kind == 'K' then dead[key] = extra .. body end
    if successor then set(key, successor) end
  end
  return 'e'
end

local answers, refused = {}, {}
local word, ends, asked = 9 + step * count, 0, 9
local puts = {k = true, r = true, x = true, m = true, v = true}
local takes = {c = true, M = true, P = true, K = true}
for n = 1, count do
  local kind, key = sub(kinds, n, n), keys[n]
  local extra, payload
  if puts[kind] or takes[kind] then extra, word = ARGV[word], word + 1 end
  if kind == 'P' then payload, word = ARGV[word], word + 1 end
  if is_full and puts[kind] then refused[key] = true end
  if puts[kind] then
    answers[n] = refused[key] and 'u' or put(kind, key, extra)
  elseif kind == 'c' then
    asked = asked + 1
    answers[n] = refused[key] and 'u' or cancel(key, extra)
    if find('aw', answers[n], 1, true) then redis.call('DEL', KEYS[asked]) end
  elseif kind == 'n' then
    answers[n] = kind
  else
    local reply = sub(ARGV[8], ends + 1, ends + 1)
    local has_reply = reply ~= '' and reply ~= '-'
    ends = ends + 1
    if has_reply then asked = asked + 1 end
    if refused[key] then
      answers[n] = 'u'
    elseif is_owner then
      answers[n] = finish(kind, key, sub(ARGV[7], 16 * ends - 15, 16 * ends), extra, payload)
      if has_reply then redis.call('SET', KEYS[asked], reply) end
      if has_reply then redis.call('ZADD', passing, now + 120000000, KEYS[asked]) end
    else
      answers[n] = 'f'
    end
  end
end

local function repeats(body) return body and sub(body, 23, 24) ~= '\0\0' end
local function add(to, a, b) to[#to + 1], to[#to + 2] = a, b end
local placed, written, kept, buried, graves, recurring = {}, {}, {}, {}, {}, {}
local gone, unkept, risen, once, named, unnamed = {}, {}, {}, {}, {}, {}
for key, body in pairs(live) do
  local has, had = body or dead[key], was[key] or was_dead[key]
  if has and not had then named[#named + 1] = key end
  if had and not has then unnamed[#unnamed + 1] = key end
  if body ~= was[key] then
    if body then
      add(placed, read('<i8', body, 9), key)
      add(written, key, body)
    else
      gone[#gone + 1] = key
    end
    if repeats(body) then
      add(recurring, read('<i8', body, 9), key)
    elseif repeats(was[key]) then
      once[#once + 1] = key
    end
  end
end
for key, body in pairs(next) do
  if body and body ~= was_next[key] then add(kept, key, body) end
  if not body and was_next[key] then unkept[#unkept + 1] = key end
end
for key, body in pairs(dead) do
  if body and body ~= was_dead[key] then
    add(buried, time[1] * 1000000 + time[2], key)
    add(graves, key, body)
  end
  if not body and was_dead[key] then risen[#risen + 1] = key end
end
for _, change in ipairs({{'ZADD', KEYS[3], placed}, {'HSET', KEYS[4], written}, {'HSET', KEYS[7], kept},
                         {'ZADD', KEYS[5], buried}, {'HSET', KEYS[6], graves}, {'ZADD', KEYS[8], recurring},
                         {'ZREM', KEYS[3], gone}, {'HDEL', KEYS[4], gone}, {'HDEL', KEYS[7], unkept},
                         {'ZREM', KEYS[5], risen}, {'HDEL', KEYS[6], risen}, {'ZREM', KEYS[8], once},
                         {'RPUSH', KEYS[2], announced}}) do
  if #change[3] > 0 then redis.call(change[1], change[2], unpack(change[3])) end
end
change_names('ZADD', KEYS[9], named)
change_names('ZREM', KEYS[9], unnamed)
if #announced > 0 then redis.call('PUBLISH', own[4], ARGV[2]) end
return table.concat(answers)
end
local turn, before = ARGV[#ARGV], ARGV[#ARGV - 1]
local last, answer = '0', ''
if turn ~= '' then
  last, answer = string.match(redis.call('MGET', KEYS[#KEYS])[1] or '0 ', '(%d+) (.*)')
end
if turn == '' or last ~= turn then
  if before ~= '' and last ~= before then return {last, answer} end
  answer = carry_out()
end
if turn == '' or type(answer) == 'table' then return answer end
redis.call('LTRIM', KEYS[2], 0, -1)  -- a full server lets a script go on that has written
redis.call('SET', KEYS[#KEYS], turn .. ' ' .. answer)
local time = redis.call('TIME')
redis.call('ZADD', passing, (time[1] + 3600) * 1000000, KEYS[#KEYS])
local over = redis.call('ZRANGEBYSCORE', passing, '-inf', time[1] * 1000000, 'LIMIT', 0, 2000)
if #over > 0 then redis.call('DEL', unpack(over)) redis.call('ZREM', passing, unpack(over)) end
return answer)";

// KEYS: of answers, all of one shard. Answers what they hold.
const char answers_text[] = R"(return redis.call('MGET', unpack(KEYS)))";

}  // namespace detent::durable::redis
