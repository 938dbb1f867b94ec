// What every peer does, and how it is counted: workflows of n trivial steps, whose step i gives i; and "napping" ones, whose
// steps say in a file that they began, and then wait. An adapter (dbos.mjs and so on) exports
//   backends          what it can store into: "postgres", "sqlite" or "own"
//   open(place)       a worker in this process: { run(kind, id): ends when that workflow has ended,
//                     settle?(): until what it began is stored, resume?(ids): until those that a dead worker left have ended,
//                     close() }
//   serve?(place)     what has to run beside the workers and lives on when one dies: { stop() }
//   call?(place)      workers only answer calls, and callers are elsewhere: { run(kind, id) }, in the place of open().run
// place: { url (PostgreSQL), dir (a folder of its own), stepsFile, port (a free one, and the nine after it) }.
import { appendFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const counts = { ten: 10, three: 3, thousand: 1000, napping: 10 };
export const kNapMs = 100;

// The body of step i of a workflow.
export async function step(place, kind, id, i) {
  if (kind === 'napping') {
    appendFileSync(place.stepsFile, `${id} ${i}\n`);
    await sleep(kNapMs);
  }
  return i;
}

export function placeFromEnvironment() {
  const { PEER_DIR: dir, PEER_URL: url = '', PEER_PORT: port = '0' } = process.env;
  if (!dir) throw new Error('PEER_DIR is not set: this is started by tests/bench/peers/run');
  return { dir, url, port: Number(port), stepsFile: `${dir}/steps` };
}

export function percentile(values, p) {
  if (values.length === 0) return 0;
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.floor(p * (sorted.length - 1) + 0.5)];
}

// As the other benches print it, so that one reader (table.mjs) knows all.
export function figure(name, value, unit) {
  process.stdout.write(`${name.padEnd(62)} ${value.toFixed(2).padStart(12)} ${unit}\n`);
}
