// OpenWorkflow: a worker and its caller in one process. A caller polls for a result once a second, which would be all that is
// measured: so here the workflow's own end counts, and at the end of each figure all are stored.
import { OpenWorkflow } from 'openworkflow';
import { setTimeout as sleep } from 'node:timers/promises';
import { counts, step } from './work.mjs';

export const backends = ['postgres', 'sqlite'];

async function connect(place) {
  if (place.url) {
    const { BackendPostgres } = await import('openworkflow/postgres');
    return BackendPostgres.connect('postgresql:///cairn'); // PGHOST, PGPORT and PGUSER are set
  }
  const { BackendSqlite } = await import('openworkflow/sqlite');
  const backend = BackendSqlite.connect(`${place.dir}/openworkflow.db`);
  backend.db.exec('PRAGMA synchronous = FULL'); // as the others; whatever its library was built with
  return backend;
}

export async function open(place) {
  const backend = await connect(place);
  const client = new OpenWorkflow({ backend });
  const ends = new Map();
  const workflows = {};
  for (const [kind, steps] of Object.entries(counts))
    workflows[kind] = client.defineWorkflow({ name: kind }, async ({ input, step: durable }) => {
      for (let i = 0; i < steps; ++i) await durable.run({ name: `s${i}` }, () => step(place, kind, input.id, i));
      ends.get(input.id)?.();
      ends.delete(input.id);
    });
  const unfinished = async () => {
    const all = await backend.countWorkflowRuns();
    return (all.pending ?? 0) + (all.running ?? 0) + (all.sleeping ?? 0);
  };
  const settle = async () => { while ((await unfinished()) > 0) await sleep(5); };
  const worker = client.newWorker({ concurrency: 512 });
  await worker.start();
  return {
    async run(kind, id) {
      const ended = new Promise((resolve) => ends.set(id, resolve));
      await workflows[kind].run({ id });
      await ended;
    },
    settle,
    resume: settle,
    async close() {
      await worker.stop();
      await backend.stop();
    },
  };
}
