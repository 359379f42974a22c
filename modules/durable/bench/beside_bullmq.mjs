// SPDX-License-Identifier: MIT
// The drain of due timers beside BullMQ's, by turns, each on a Redis server of its own: how many a second one worker runs
// and ends, of so many that were due before it began.
//
// usage: node beside_bullmq.mjs BENCH_DURABLE_REDIS [JOBS [ROUNDS]]
//
// BENCH_DURABLE_REDIS is that program of a build tree. bullmq and ioredis are looked for from the working directory:
// `npm install bullmq ioredis` in an empty one.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const { Queue, Worker } = createRequire(join(process.cwd(), "package.json"))("bullmq");
const [program, jobs = "20000", rounds = "3"] = process.argv.slice(2);
const concurrency = [1, 100, 1000];

async function withServer(work) {
  const place = mkdtempSync(join(tmpdir(), "drain-"));
  const path = join(place, "socket");
  const server = spawn("redis-server", ["--port", "0", "--unixsocket", path, "--save", "", "--dir", place], { stdio: "ignore" });
  try {
    while (!existsSync(path) && server.exitCode === null) await setTimeout(10);
    return await work({ path, maxRetriesPerRequest: null });
  } finally {
    server.kill();
    rmSync(place, { recursive: true, force: true });
  }
}

// Delayed ones, as timers are, and due at once: the worker moves them to its list and runs them.
function drainOfBull(count, at) {
  return withServer(async (connection) => {
    const queue = new Queue("due", { connection });
    const job = { name: "due", data: {}, opts: { delay: 1, removeOnComplete: true } };
    for (let left = count; left > 0; left -= 1000) await queue.addBulk(Array(Math.min(left, 1000)).fill(job));
    const begin = process.hrtime.bigint();
    let ended = 0;
    const worker = new Worker("due", async () => {}, { connection, concurrency: at });
    await new Promise((done) => worker.on("completed", () => ++ended === count && done()));
    const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
    await worker.close();
    await queue.close();
    return count / seconds;
  });
}

// Timers that are spread over the shards, and timers of one partition; BullMQ's queue is one either way.
const kinds = new Map([["spread", "spread/s"], ["of one partition", "one_partition/s"]]);

function drainsOfDetent() {
  const printed = execFileSync(program, ["--benchmark_filter=^backlogs", "--benchmark_format=json"], { encoding: "utf8" });
  return JSON.parse(printed).benchmarks[0];
}

const median = (of) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
const detent = [];
const bull = new Map(concurrency.map((at) => [at, []]));
for (let round = 0; round < Number(rounds); ++round) {
  detent.push(drainsOfDetent());
  for (const at of concurrency) bull.get(at).push(await drainOfBull(Number(jobs), at));
}
const best = Math.max(...[...bull.values()].map(median));
for (const [at, figures] of bull) console.log(`BullMQ, ${at} at a time: ${Math.round(median(figures))}/s`);
for (const [kind, counter] of kinds) {
  const its = median(detent.map((one) => one[counter]));
  console.log(`detent, timers ${kind}: ${Math.round(its)}/s, ${(its / best).toFixed(1)} x as many as BullMQ at its best`);
}
