// Prepares the package in the current directory for npm: its CommonJS form, the types, the license. With "clean",
// removes these files again.
import { copyFile, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, resolve } from 'node:path';
import { transform } from 'esbuild';

const root = new URL('../../../', import.meta.url);
const library = basename(resolve()) === 'js' ? ['svcpay.d.ts'] : [];
const made = ['index.cjs', 'index.d.cts', 'LICENSE', 'NOTICE', ...library];

if (process.argv[2] === 'clean') {
  await Promise.all(made.map((name) => rm(name, { force: true })));
} else {
  const { code } = await transform(await readFile('index.js', 'utf8'), { format: 'cjs', target: 'es2020' });
  await writeFile('index.cjs', code);
  await copyFile('index.d.ts', 'index.d.cts');
  for (const name of ['LICENSE', 'NOTICE']) await copyFile(new URL(name, root), name);
  for (const name of library) await copyFile(new URL(`../${name}`, import.meta.url), name);
}
