// SPDX-License-Identifier: MIT
// The drain of due timers beside graphile-worker's and Quartz's, by turns, each in a database of its own on one PostgreSQL
// server that syncs each commit: how many a second one process runs, of those that were due before it began.
//
// usage: node beside_postgres.mjs BENCH_DURABLE_POSTGRES [JOBS [ROUNDS [CLASS_PATH]]]
//
// BENCH_DURABLE_POSTGRES is that program of a build tree. graphile-worker is looked for from the working directory:
// `npm install graphile-worker` in an empty one. Quartz takes part where there is a class path, as docs/durable-postgres.md
// has it.
import { execFileSync, spawn } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";

const require = createRequire(join(process.cwd(), "package.json"));
const { makeWorkerUtils, run } = require("graphile-worker");
const { Pool } = require("pg");
const [program, jobs = "5000", rounds = "3", classPath] = process.argv.slice(2);
const count = Number(jobs);
const concurrency = [1, 10, 100];

const freePort = () => new Promise((done) => {
  const found = createServer().listen(0, "127.0.0.1", () => {
    const { port } = found.address();
    found.close(() => done(port));
  });
});

// initdb and postgres refuse to be root's.
async function withServer(work) {
  const bin = readdirSync("/usr/lib/postgresql").map((version) => `/usr/lib/postgresql/${version}/bin`)
    .filter((its) => existsSync(`${its}/initdb`)).at(-1);
  const place = mkdtempSync(join(tmpdir(), "drain-"));
  const port = await freePort();
  const as = { stdio: "ignore", cwd: place };
  if (process.getuid() === 0) {
    [as.uid, as.gid] = ["-u", "-g"].map((which) => Number(execFileSync("id", [which, "postgres"])));
    chownSync(place, as.uid, as.gid);
  }
  execFileSync(`${bin}/initdb`, ["-D", `${place}/data`, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--no-locale"], as);
  const server = spawn(`${bin}/postgres`, ["-D", `${place}/data`, "-k", place, "-p", port, "-c", "listen_addresses=127.0.0.1",
    "-c", "max_connections=250", "-c", "shared_buffers=256MB"], as);
  const admin = new Pool({ connectionString: `postgresql://postgres@127.0.0.1:${port}/postgres` });
  try {
    for (;;) {
      try {
        await admin.query("select 1");
        break;
      } catch (why) {
        if (server.exitCode !== null) throw why;
        await setTimeout(20);
      }
    }
    let databases = 0;
    return await work(async () => {
      await admin.query(`create database d${++databases}`);
      return `postgresql://postgres@127.0.0.1:${port}/d${databases}`;
    });
  } finally {
    await admin.end();
    server.kill("SIGQUIT");
    rmSync(place, { recursive: true, force: true, maxRetries: 50, retryDelay: 100 });
  }
}

async function drainOfGraphile(url, at) {
  const pool = new Pool({ connectionString: url, max: at + 5 });
  pool.on("error", console.error);
  pool.on("connect", (client) => client.on("error", console.error));
  const logger = new (require("graphile-worker").Logger)(() => () => {});
  const utils = await makeWorkerUtils({ pgPool: pool, logger });
  await utils.migrate();
  await pool.query("select graphile_worker.add_job('due', json_build_object('n', n), run_at => now()) from generate_series(1, $1::int) n",
    [count]);
  let left = count;
  let tell;
  const done = new Promise((tells) => (tell = tells));
  const begin = process.hrtime.bigint();
  const runner = await run({ pgPool: pool, logger, concurrency: at, noHandleSignals: true, taskList: { due: () => --left === 0 && tell() } });
  await done;
  const seconds = Number(process.hrtime.bigint() - begin) / 1e9;
  await runner.stop();
  await utils.release();
  await pool.end();
  return count / seconds;
}

const printedBy = (file, words, env = {}) => execFileSync(file, words, { encoding: "utf8", env: { ...process.env, ...env } });

function drainOfQuartz(url, at) {
  const quiet = ["-Dcom.mchange.v2.log.MLog=com.mchange.v2.log.FallbackMLog",
    "-Dcom.mchange.v2.log.FallbackMLog.DEFAULT_CUTOFF_LEVEL=WARNING"];
  const place = `jdbc:${url.replace("postgres@", "")}?user=postgres`;
  return Number(printedBy("java", [...quiet, "-cp", classPath, "BesideQuartz", "--drain", place, jobs, `${at}`]));
}

function drainOfDetent(url) {
  const printed = printedBy(program, ["--benchmark_filter=^drain", "--benchmark_format=json"], { DETENT_BENCH_POSTGRES: url });
  return JSON.parse(printed).benchmarks[0]["run_and_ended/s"];
}

const median = (of) => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)];
await withServer(async (database) => {
  const detent = [];
  const others = new Map([["graphile-worker", drainOfGraphile], ...(classPath ? [["Quartz", drainOfQuartz]] : [])]);
  const figures = new Map();
  for (let round = 0; round < Number(rounds); ++round) {
    detent.push(drainOfDetent(await database()));
    for (const [name, drain] of others) {
      for (const at of concurrency) {
        const which = `${name}, ${at} at a time`;
        figures.set(which, [...(figures.get(which) ?? []), await drain(await database(), at)]);
      }
    }
  }
  console.log(`detent: ${Math.round(median(detent))}/s`);
  for (const [which, all] of figures) {
    console.log(`${which}: ${Math.round(median(all))}/s; detent runs ${(median(detent) / median(all)).toFixed(1)} x as many`);
  }
});
