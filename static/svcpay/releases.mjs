// The published patches of the browser library, in released/:
//   <patch>/svcpay.js, <patch>/modal.js, <patch>/frame/*.html, <version>/assets/*, SHA384SUMS
// They are kept as they are, not compressed, so that Git stores a patch as its difference from the one before. The
// build compresses those that the service serves. `make release-library` publishes the next patch: see decision 0042.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { copyFile, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { write } from '../bundle.mjs';

export const released = fileURLToPath(new URL('released/', import.meta.url));

/** The sums of all published files, a line each, as `sha384sum --check` reads them. */
const LEDGER = 'SHA384SUMS';

/** What the service serves of a patch for good. The rest is what older patches are tested against. */
const SERVED = /^\d+\.\d+\.\d+\/svcpay\.js$|^\d+\.\d+\/assets\//;

/** The published paths, each with its sum in hexadecimal. */
export async function ledger(dir = released) {
  const text = await readFile(join(dir, LEDGER), 'utf8').catch(() => '');
  return new Map(text.split('\n').filter(Boolean).map((line) => line.split('  ').reverse()));
}

/** The patches of a version, the oldest first. */
export function patchesOf(version, paths) {
  const patches = [...paths].filter((path) => path.startsWith(`${version}.`)).map((path) => path.split('/')[0]);
  const number = (patch) => Number(patch.split('.')[2]);
  return [...new Set(patches)].sort((a, b) => number(a) - number(b));
}

/** What is wrong with the published files: each that is missing, changed, or not in the ledger. */
export async function faultsOf(dir = released) {
  const sums = await ledger(dir);
  const faults = [];
  for (const path of new Set([
    ...sums.keys(),
    ...(await filesOf(dir).catch(() => [])).filter((name) => name !== LEDGER),
  ])) {
    if (!sums.has(path)) faults.push(`${path} is not in ${LEDGER}`);
    else if (!existsSync(join(dir, path))) faults.push(`${path} is missing`);
    else if (sha384(await readFile(join(dir, path)), 'hex') !== sums.get(path)) faults.push(`${path} has changed`);
  }
  return faults;
}

/** The lines of the ledger that a commit of the repository had and that are gone. A published sum stays for good. */
export async function removedLines(dir = released) {
  const history = historyOf(dir);
  const now = new Set((await readFile(join(dir, LEDGER), 'utf8')).split('\n'));
  const published = history.split('\n').filter((line) => /^\+[0-9a-f]{96} /.test(line));
  return [...new Set(published.map((line) => line.slice(1)))].filter((line) => !now.has(line));
}

/** The versions of a build that differ from their newest patch. */
export async function unpublished(built, versions, dir = released) {
  const paths = [...(await ledger(dir)).keys()];
  const changed = [];
  for (const version of versions) {
    const newest = patchesOf(version, paths).at(-1);
    const same = await Promise.all(
      (await filesOf(join(built, version))).filter(isKept).map(async (name) => {
        const kept = join(dir, isAsset(name) ? version : `${newest}`, name);
        return existsSync(kept) && (await readFile(kept)).equals(await readFile(join(built, version, name)));
      }),
    );
    if (same.includes(false)) changed.push(version);
  }
  return changed;
}

/** Publishes the next patch of each version whose build differs from its newest one. Returns these patches. */
export async function publish(built, versions, dir = released) {
  const faults = await faultsOf(dir);
  if (faults.length) throw new Error(`published files may not change: ${faults.join(', ')}`);
  const sums = await ledger(dir);
  const patches = [];
  for (const version of await unpublished(built, versions, dir)) {
    const newest = patchesOf(version, sums.keys()).at(-1);
    const patch = `${version}.${newest ? Number(newest.split('.')[2]) + 1 : 0}`;
    for (const name of (await filesOf(join(built, version))).filter(isKept)) {
      const path = join(isAsset(name) ? version : patch, name);
      if (sums.has(path)) continue;
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await copyFile(join(built, version, name), join(dir, path));
      sums.set(path, sha384(await readFile(join(dir, path)), 'hex'));
    }
    patches.push(patch);
  }
  const lines = [...sums].sort(([a], [b]) => (a < b ? -1 : 1)).map(([path, sum]) => `${sum}  ${path}\n`);
  await writeFile(join(dir, LEDGER), lines.join(''));
  return patches;
}

/**
 * Writes the compressed forms of what the service serves, except for what the build `current` has. Those that an
 * earlier build wrote stay.
 */
export async function pack(out, current, dir = released) {
  const served = [...(await ledger(dir)).keys()].filter(
    (path) => SERVED.test(path) && !existsSync(join(current, `${path}.gz`)),
  );
  for (const name of await filesOf(out).catch(() => [])) {
    if (!served.includes(name.replace(/\.(br|gz)$/, ''))) await rm(join(out, name));
  }
  for (const path of served) {
    const content = await readFile(join(dir, path));
    const packed = await readFile(join(out, `${path}.gz`)).catch(() => undefined);
    if (!packed || !gunzipSync(packed).equals(content)) await write(join(out, path), content);
  }
}

/** What a page writes into `integrity`. */
export const integrityOf = (content) => `sha384-${sha384(content, 'base64')}`;

const sha384 = (content, encoding) => createHash('sha384').update(content).digest(encoding);

const isAsset = (name) => name.startsWith('assets/');

/** Whether a file of a version's build belongs to a patch. */
const isKept = (name) => !/\.(br|gz)$|^integrity\.json$/.test(name);

async function filesOf(dir) {
  const entries = await readdir(dir, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map(({ parentPath, path, name }) => join(parentPath ?? path, name).slice(join(dir, '/').length));
}

/** The commits of the ledger as patches; "" in an archive without a repository. */
function historyOf(cwd) {
  try {
    const args = ['log', '--format=', '--patch', '--no-color', '--', LEDGER];
    return execFileSync('git', args, { cwd, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] });
  } catch {
    return '';
  }
}
