// DBOS: workflows and their starter in one process, state in PostgreSQL. Its own defaults, but for the log.
import { DBOS } from '@dbos-inc/dbos-sdk';
import { counts, placeFromEnvironment, step } from './work.mjs';

export const backends = ['postgres'];
const place = placeFromEnvironment();
const workflows = {};
for (const [kind, steps] of Object.entries(counts))
  workflows[kind] = DBOS.registerWorkflow(
    async (id) => {
      for (let i = 0; i < steps; ++i) await DBOS.runStep(() => step(place, kind, id, i), { name: `s${i}` });
    },
    { name: kind },
  );

export async function open() {
  // A host is asked for beside the socket's folder, which is in the query.
  DBOS.setConfig({ name: 'cairn-bench', systemDatabaseUrl: place.url.replace(':///', '://cairn@localhost/'), logLevel: 'error' });
  await DBOS.launch(); // takes up what a process of this name had left
  return {
    async run(kind, id) {
      const handle = await DBOS.startWorkflow(workflows[kind], { workflowID: id })(id);
      await handle.getResult();
    },
    async resume(ids) {
      await Promise.all(ids.map((id) => DBOS.retrieveWorkflow(id).getResult({ pollingIntervalMs: 50 })));
    },
    close: () => DBOS.shutdown(),
  };
}
