// Builds what the pages of modals load into dist/modal/. Fails when a size of `limits` is exceeded.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundle } from '../bundle.mjs';

/** Bytes over the wire that each file may weigh at most. */
export const limits = { 'modal.css': 4_000, 'htmx.js': 17_000, 'visit.js': 1_500 };

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist/modal/', import.meta.url));

/** Builds everything and returns the bytes over the wire by name. */
export async function build(out = dist) {
  const { emit, finish } = await bundle('modal', out, limits);
  const { code } = await esbuild.transform(await readFile(`${here}modal.css`, 'utf8'), { minify: true, loader: 'css' });
  await emit('modal.css', Buffer.from(code));
  await emit('htmx.js', await readFile(`${root}node_modules/htmx.org/dist/htmx.min.js`));
  const visit = await esbuild.build({
    entryPoints: [`${here}visit.ts`],
    bundle: true,
    minify: true,
    write: false,
    target: 'es2022',
  });
  await emit('visit.js', Buffer.from(visit.outputFiles[0].contents));
  return finish();
}
