// A part of the front end whose files are served for good, each in a directory named by its content:
//   <hash>/portal.css, …, manifest.json (name → path)
// What gets smaller by it has a .br and a .gz next to it.
import { createHash } from 'node:crypto';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

/**
 * Empties the directory `out` and returns what fills it: `emit(name, content)` adds a file, `manifest` has the
 * paths so far, `finish()` returns the bytes over the wire by name and fails when one exceeds its limit.
 */
export async function bundle(part, out, limits) {
  await rm(out, { recursive: true, force: true });
  const manifest = {};
  const sizes = {};
  const emit = async (name, content) => {
    const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
    manifest[name] = `${hash}/${name}`;
    sizes[name] = await write(out + manifest[name], content);
  };
  const finish = async () => {
    await writeFile(`${out}manifest.json`, JSON.stringify(manifest, null, 2) + '\n');
    return check(part, sizes, limits);
  };
  return { emit, manifest, finish };
}

/** Writes a file with its compressed forms and returns what it weighs over the wire. */
export async function write(path, content) {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, content);
  if (path.endsWith('.woff2')) return content.length;
  const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
  await Promise.all([writeFile(`${path}.br`, brotli), writeFile(`${path}.gz`, gzipSync(content, { level: 9 }))]);
  return brotli.length;
}

/** Prints what each file weighs, and fails when one weighs more than it may. */
export function check(part, sizes, limits) {
  for (const [name, limit] of Object.entries(limits)) {
    console.log(`  ${name.padEnd(12)} ${String(sizes[name]).padStart(6)} of ${limit} bytes`);
    if (!(sizes[name] <= limit)) throw new Error(`${part}: ${name} weighs ${sizes[name]} bytes, more than ${limit}`);
  }
  return sizes;
}
