// table.mjs FOLDER: the results in it, a file a system, as tables: those on one PostgreSQL server, and those on the disk itself.
// Behind each figure stands its ratio to Cairn's with a real engine, where that was measured.
import { existsSync, readFileSync } from 'node:fs';

const folder = process.argv[2];
const tables = [
  ['PostgreSQL', 'cairn-postgres', ['cairn-steps-postgres', 'dbos', 'langgraph-postgres', 'openworkflow-postgres']],
  ['on the disk, without a server of a database', 'cairn-sqlite', ['cairn-steps-sqlite', 'restate', 'langgraph-sqlite', 'openworkflow-sqlite']],
];
const kLine = /^(.{62}) +(-?[0-9.]+) (.*)$/;

// The other benches of Cairn name the same work in words of their own.
const renamed = [
  [/^read-only, engines 1, concurrent runs (\d+)$/, '10 steps, $1 runs at a time'],
  [/^read-only, (\d+) concurrent runs$/, '10 steps, $1 runs at a time'],
  [/^one run of 1,000 steps, one after another$/, '1,000 steps in one run'],
  [/^run of 3 steps, start to closed: (p50|p99)$/, '3 steps: run $1'],
];

function read(system) {
  const figures = new Map();
  const file = `${folder}/${system}`;
  if (!existsSync(file)) return figures;
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    const found = kLine.exec(line);
    if (!found) continue;
    let name = found[1].trim();
    for (const [was, is] of renamed) name = name.replace(was, is);
    figures.set(name, { value: Number(found[2]), unit: found[3] });
  }
  return figures;
}

function shown(figure, ours) {
  if (!figure) return '';
  const digits = figure.value >= 100 || Number.isInteger(figure.value) ? 0 : figure.value >= 10 ? 1 : 2;
  const text = figure.value.toLocaleString('en', { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return ours && ours !== figure && ours.value > 0 ? `${text} (${(figure.value / ours.value).toPrecision(2)})` : text;
}

console.log('\nIn brackets: by how much of Cairn\'s. For steps/s less than 1, for ms and s more than 1 is to Cairn\'s advantage.');
for (const [title, first, rest] of tables) {
  const base = read(first);
  const systems = [[first, base], ...rest.map((system) => [system, read(system)])].filter(([, figures]) => figures.size > 0);
  if (systems.length === 0) continue;
  const names = [...(systems.find(([system]) => !system.startsWith('cairn-steps'))?.[1] ?? systems[0][1]).keys()];
  console.log(`\n| ${title} | ${systems.map(([system]) => system).join(' | ')} |\n|${' --- |'.repeat(systems.length + 1)}`);
  for (const name of names) {
    const unit = systems.map(([, figures]) => figures.get(name)?.unit).find(Boolean);
    console.log(`| ${name}, ${unit} | ${systems.map(([, figures]) => shown(figures.get(name), base.get(name))).join(' | ')} |`);
  }
}
