// Restate: its server (own log and state on the disk) calls a worker, which is a process of its own; callers call the server.
import * as restate from '@restatedev/restate-sdk';
import { spawn } from 'node:child_process';
import { openSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { counts, step } from './work.mjs';

export const backends = ['own'];
const ports = ({ port }) => ({ ingress: port, admin: port + 1, node: port + 2, worker: port + 3 });
const at = (port) => `127.0.0.1:${port}`;

function serverProgram() {
  const require = createRequire(import.meta.url);
  const name = `@restatedev/restate-server-${process.platform}-${process.arch}`;
  return `${dirname(require.resolve(`${name}/package.json`))}/bin/restate-server`;
}

async function until(what, url) {
  for (let i = 0; i < 600; ++i, await sleep(100))
    if (await fetch(url).then((answer) => answer.ok, () => false)) return;
  throw new Error(`${what} does not answer`);
}

export async function serve(place) {
  const { ingress, admin, node } = ports(place);
  const log = openSync(`${place.dir}/restate-server.log`, 'a');
  const server = spawn(serverProgram(), ['--base-dir', `${place.dir}/restate`], {
    stdio: ['ignore', log, log],
    env: {
      ...process.env,
      RESTATE_DISABLE_TELEMETRY: 'true',
      RESTATE_LOG_FILTER: 'warn',
      RESTATE_BIND_ADDRESS: at(node),
      RESTATE_ADVERTISED_ADDRESS: `http://${at(node)}`,
      RESTATE_INGRESS__BIND_ADDRESS: at(ingress),
      RESTATE_ADMIN__BIND_ADDRESS: at(admin),
    },
  });
  const ended = new Promise((resolve) => server.on('exit', resolve));
  await until('the admin port of restate-server', `http://${at(admin)}/health`);
  return {
    async stop() {
      server.kill('SIGKILL');
      await ended;
    },
  };
}

export async function open(place) {
  const handlers = {};
  for (const [kind, steps] of Object.entries(counts))
    handlers[kind] = async (ctx, id) => {
      for (let i = 0; i < steps; ++i) await ctx.run(`s${i}`, () => step(place, kind, id, i));
      return id;
    };
  await restate.serve({ services: [restate.service({ name: 'bench', handlers })], port: ports(place).worker });
  return {};
}

export async function call(place) {
  const { ingress, admin, worker } = ports(place);
  const made = await fetch(`http://${at(admin)}/deployments`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ uri: `http://${at(worker)}` }),
  });
  if (!made.ok) throw new Error(`restate-server takes no deployment: ${made.status} ${await made.text()}`);
  await until('the ingress port of restate-server', `http://${at(ingress)}/restate/health`);
  return {
    async run(kind, id) {
      const answer = await fetch(`http://${at(ingress)}/bench/${kind}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(id),
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(`restate-server: ${answer.status} ${text}`);
    },
  };
}
