// Builds the portal's files into dist/portal/. Fails when a size of `limits` is exceeded.
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import * as esbuild from 'esbuild';
import { bundle } from '../bundle.mjs';

/** Bytes over the wire that each file may weigh at most; with its HTML a page has all of them in 150 KB. */
export const limits = { 'portal.css': 35_000, 'portal.js': 22_000, 'icon.svg': 1_000, 'inter.woff2': 50_000 };

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist/portal/', import.meta.url));

/** Builds everything and returns the bytes over the wire by name. */
export async function build(out = dist) {
  const { emit, manifest, finish } = await bundle('portal', out, limits);
  await emit(
    'inter.woff2',
    await readFile(`${root}node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2`),
  );
  await emit('icon.svg', await readFile(`${here}icon.svg`));
  await emit('portal.js', await script());
  await emit('portal.css', await styles(manifest));
  return finish();
}

/** The script and htmx in one file. */
async function script() {
  const { outputFiles } = await esbuild.build({
    entryPoints: [`${here}portal.js`],
    bundle: true,
    minify: true,
    write: false,
    format: 'esm',
    target: ['chrome111', 'firefox128', 'safari16.4'],
    charset: 'utf8',
  });
  return Buffer.from(outputFiles[0].contents);
}

/** The style sheet, with the addresses of the files that it names as asset:name. */
async function styles(manifest) {
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [`${root}node_modules/@tailwindcss/cli/dist/index.mjs`, '--input', `${here}portal.css`, '--minify'],
    { cwd: root, maxBuffer: 16 << 20 },
  );
  return Buffer.from(stdout.replace(/asset:([\w.]+)/g, (_, name) => `../${manifest[name]}`));
}
