// LangGraph: a graph of n nodes, one after another, with a checkpoint before each next one ("sync"). It has no worker: who
// had invoked a graph must invoke it again after a death.
import { Annotation, END, START, StateGraph } from '@langchain/langgraph';
import { counts, step } from './work.mjs';

export const backends = ['postgres', 'sqlite'];

async function saver(place) {
  if (place.url) {
    const { PostgresSaver } = await import('@langchain/langgraph-checkpoint-postgres');
    const postgres = PostgresSaver.fromConnString(place.url.replace(':///', '://cairn@localhost/'));
    await postgres.setup();
    return postgres;
  }
  const { SqliteSaver } = await import('@langchain/langgraph-checkpoint-sqlite');
  const sqlite = SqliteSaver.fromConnString(`${place.dir}/langgraph.db`);
  sqlite.setup();
  sqlite.db.pragma('synchronous = FULL'); // its default in WAL mode loses commits in a power cut
  return sqlite;
}

const State = Annotation.Root({ id: Annotation(), at: Annotation() });

// A chain of nodes; for a thousand steps one node that is entered a thousand times, which is far cheaper here.
function graph(place, kind, checkpointer) {
  const steps = counts[kind];
  const builder = new StateGraph(State);
  if (steps > 100) {
    builder.addNode('s', async ({ id, at }) => ({ at: (await step(place, kind, id, at)) + 1 }));
    builder.addEdge(START, 's');
    builder.addConditionalEdges('s', ({ at }) => (at < steps ? 's' : END), ['s', END]);
  } else {
    for (let i = 0; i < steps; ++i)
      builder.addNode(`s${i}`, async ({ id }) => ({ at: await step(place, kind, id, i) }));
    builder.addEdge(START, 's0');
    for (let i = 1; i < steps; ++i) builder.addEdge(`s${i - 1}`, `s${i}`);
    builder.addEdge(`s${steps - 1}`, END);
  }
  return builder.compile({ checkpointer });
}

export async function open(place) {
  const checkpointer = await saver(place);
  const graphs = Object.fromEntries(Object.keys(counts).map((kind) => [kind, graph(place, kind, checkpointer)]));
  const how = (id) => ({ configurable: { thread_id: id }, durability: 'sync', recursionLimit: 2000 });
  return {
    run: (kind, id) => graphs[kind].invoke({ id, at: 0 }, how(id)),
    async resume(ids) {
      await Promise.all(ids.map(async (id) => {
        // (What `next` says is no guide: it leaves out a node whose writes are stored and whose checkpoint is not.)
        const { values } = await graphs.napping.getState(how(id));
        await graphs.napping.invoke(values.id === undefined ? { id, at: 0 } : null, how(id));
      }));
    },
    close: async () => { if (place.url) await checkpointer.end(); },
  };
}
