// worker.mjs PEER first|again: a worker process that is killed, and the one that is started in its place.
// "first" begins the workflows, where they are not called from elsewhere; "again" waits for what was left. Says READY and DONE.
import { placeFromEnvironment } from './work.mjs';

const [peer, role, amount] = process.argv.slice(2);
const adapter = await import(`./${peer}.mjs`);
const place = placeFromEnvironment();
const worker = await adapter.open(place);
console.log('READY');
if (!adapter.call) {
  const ids = Array.from({ length: Number(amount) }, (_, i) => `nap-${i}`);
  if (role === 'first') await Promise.all(ids.map((id) => worker.run('napping', id)));
  else await worker.resume(ids);
  console.log('DONE');
  process.exit(0);
}
