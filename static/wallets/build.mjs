// Builds the scripts and sheets of the sandbox's wallets into dist/wallets/. Fails when a size of `limits` is exceeded.
import { readFile, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { check, write } from '../bundle.mjs';

/** Bytes over the wire that each file may weigh at most. */
export const limits = { 'pay.js': 4_000, 'session.js': 4_000, 'sheet.js': 1_500, 'sheet.css': 1_500 };

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('../dist/wallets/', import.meta.url));

/** Builds everything and returns the bytes over the wire by name. */
export async function build(out = dist) {
  await rm(out, { recursive: true, force: true });
  const sizes = {};
  for (const name of Object.keys(limits)) {
    sizes[name] = await write(out + name, name.endsWith('.css') ? await styles(name) : await script(name));
  }
  return check('wallets', sizes, limits);
}

async function styles(name) {
  const { code } = await esbuild.transform(await readFile(here + name, 'utf8'), { minify: true, loader: 'css' });
  return Buffer.from(code);
}

async function script(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [here + name.replace('.js', '.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome99', 'firefox101', 'safari16.4'],
    legalComments: 'none',
    charset: 'utf8',
  });
  return Buffer.from(outputFiles[0].contents);
}
