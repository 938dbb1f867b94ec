// measure.mjs PEER SECONDS: all figures of one peer at one place (PEER_DIR and so on), one a line. Started by `run`.
import { spawn } from 'node:child_process';
import { openSync, readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { counts, figure, percentile, placeFromEnvironment } from './work.mjs';

const [peer, secondsText] = process.argv.slice(2);
const seconds = Number(secondsText);
const adapter = await import(`./${peer}.mjs`);
const place = placeFromEnvironment();
const kKilledRuns = 100;
const kPatienceMs = 150_000;
const log = openSync(`${place.dir}/worker.log`, 'a');
let next = 0;

function startWorker(role) {
  const child = spawn(process.execPath, [new URL('worker.mjs', import.meta.url).pathname, peer, role, String(kKilledRuns)], {
    stdio: ['ignore', 'pipe', log],
  });
  let text = '';
  child.stdout.on('data', (bytes) => { text += bytes; });
  child.ended = new Promise((resolve) => child.on('exit', resolve));
  child.said = async (word) => {
    for (const began = Date.now(); !text.split('\n').includes(word); await sleep(2)) {
      if (child.exitCode !== null) throw new Error(`the worker ended; see ${place.dir}/worker.log`);
      if (Date.now() - began > kPatienceMs) throw new Error(`the worker does not say ${word} within ${kPatienceMs / 1000} s`);
    }
  };
  return child;
}

// Starts runs for so many seconds, `concurrent` at a time, and waits until all have ended.
async function runFor(starter, kind, concurrent, span, runMs) {
  const began = performance.now();
  const loop = async () => {
    do {
      const since = performance.now();
      await starter.run(kind, `${kind}-${process.pid}-${next++}`);
      runMs.push(performance.now() - since);
    } while (performance.now() - began < span * 1000);
  };
  await Promise.all(Array.from({ length: concurrent }, loop));
  await starter.settle?.();
  return (performance.now() - began) / 1000;
}

async function rates(starter) {
  for (const concurrent of [1, 8, 64, 512]) {
    const runMs = [];
    await runFor(starter, 'ten', Math.min(concurrent, 64), seconds / 10, runMs); // connections, compiled code
    runMs.length = 0;
    const took = await runFor(starter, 'ten', concurrent, seconds, runMs);
    const name = `10 steps, ${concurrent} runs at a time`;
    figure(name, (runMs.length * counts.ten) / took, 'steps/s');
    figure(`${name}: run p50`, percentile(runMs, 0.5), 'ms');
    figure(`${name}: run p99`, percentile(runMs, 0.99), 'ms');
  }
  const runMs = [];
  await runFor(starter, 'three', 1, seconds, runMs);
  figure('3 steps: run p50', percentile(runMs, 0.5), 'ms');
  figure('3 steps: run p99', percentile(runMs, 0.99), 'ms');
  figure('1,000 steps in one run', counts.thousand / (await runFor(starter, 'thousand', 1, 0.001, [])), 'steps/s');
}

const stepsBegun = () => readFileSync(place.stepsFile, 'utf8').split('\n').filter(Boolean);

// The worker dies when half of the steps have begun, and another one is started at once, as a service manager does. A step is
// repeated where it began twice.
async function killed(starter) {
  writeFileSync(place.stepsFile, '');
  const first = startWorker('first');
  await first.said('READY');
  const calls = starter && Promise.all(Array.from({ length: kKilledRuns }, (_, i) => starter.run('napping', `nap-${i}`)));
  calls?.catch(() => {}); // awaited below
  const all = kKilledRuns * counts.napping;
  for (const began = Date.now(); stepsBegun().length < all / 2; await sleep(5))
    if (Date.now() - began > kPatienceMs) throw new Error('the runs do not get under way');
  first.kill('SIGKILL');
  const since = performance.now();
  await first.ended;
  const again = startWorker('again');
  if (calls) await calls;
  else await again.said('DONE');
  figure('kill with 100 runs: all ended after', (performance.now() - since) / 1000, 's');
  const begun = stepsBegun();
  if (new Set(begun).size !== all) throw new Error(`${new Set(begun).size} of ${all} steps were done`);
  figure('kill with 100 runs: steps repeated', begun.length - all, 'steps');
  again.kill('SIGKILL');
  await again.ended;
}

const server = await adapter.serve?.(place);
try {
  const apart = adapter.call && startWorker('first');
  await apart?.said('READY');
  const starter = apart ? await adapter.call(place) : await adapter.open(place);
  await rates(starter);
  await starter.close?.();
  apart?.kill('SIGKILL');
  await apart?.ended;
  await killed(apart && starter);
} finally {
  await server?.stop();
}
process.exit(0);
