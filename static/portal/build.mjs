// Builds the portal's files into dist/portal/, each in a directory named by its content:
//   <hash>/portal.css, <hash>/portal.js, <hash>/icon.svg, <hash>/inter.woff2, manifest.json (name → path)
// What gets smaller by it has a .br and a .gz beside it. Fails when a size of `limits` is exceeded.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';

/** Bytes over the wire that each file may weigh at most; a page has all of them in 150 KB. */
export const limits = { 'portal.css': 35_000, 'portal.js': 4_000, 'icon.svg': 1_000, 'inter.woff2': 50_000 };

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist/portal/', import.meta.url));

/** Builds everything and returns the bytes over the wire by name. */
export async function build(out = dist) {
  await rm(out, { recursive: true, force: true });
  const manifest = {};
  const sizes = {};
  const emit = async (name, content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    manifest[name] = `${hash}/${name}`;
    sizes[name] = await write(out + manifest[name], content);
  };
  await emit('inter.woff2', await readFile(`${root}node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2`));
  await emit('icon.svg', await readFile(`${here}icon.svg`));
  await emit('portal.js', await script());
  await emit('portal.css', await styles(manifest));
  await writeFile(`${out}manifest.json`, JSON.stringify(manifest, null, 2) + '\n');
  return check(sizes);
}

async function script() {
  const { code } = await esbuild.transform(await readFile(`${here}portal.js`, 'utf8'), { minify: true, format: 'esm' });
  return Buffer.from(code);
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

/** Writes a file with its compressed forms and returns what it weighs over the wire. */
async function write(path, content) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  if (path.endsWith('.woff2')) return content.length;
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipSync(content, { level: 9 }))]);
  return brotli.length;
}

function check(sizes) {
  for (const [name, limit] of Object.entries(limits)) {
    console.log(`  ${name.padEnd(12)} ${String(sizes[name]).padStart(6)} of ${limit} bytes`);
    if (!(sizes[name] <= limit)) throw new Error(`portal: ${name} weighs ${sizes[name]} bytes, more than ${limit}`);
  }
  return sizes;
}
