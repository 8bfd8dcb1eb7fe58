import assert from 'node:assert/strict';
import { readFileSync, readdirSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { test } from 'node:test';

const root = resolve(import.meta.dirname, '../src');

/** The modules of the library, each with those that it imports, for types too. */
const modules = new Map(
  readdirSync(root, { recursive: true })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => {
      const text = readFileSync(join(root, file), 'utf8');
      const imports = [...text.matchAll(/\bfrom '(\.[^']+)'/g)].map(
        ([, path]) => `${relative(root, resolve(root, dirname(file), path))}.ts`,
      );
      return [file, imports];
    }),
);

/** The first circle of imports that a module leads to, as a list of modules; undefined if there is none. */
function circle(module, way, done) {
  if (way.includes(module)) return [...way.slice(way.indexOf(module)), module];
  if (done.has(module)) return undefined;
  done.add(module);
  for (const next of modules.get(module) ?? []) {
    const found = circle(next, [...way, module], done);
    if (found) return found;
  }
  return undefined;
}

test('modules import each other in no circle', () => {
  assert.ok(modules.size > 40, `${modules.size} modules`);
  const done = new Set();
  for (const module of modules.keys()) assert.equal(circle(module, [], done)?.join(' → '), undefined);
});
