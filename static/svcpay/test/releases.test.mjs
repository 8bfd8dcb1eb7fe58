import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { test } from 'node:test';
import { gunzipSync, gzipSync } from 'node:zlib';
import { faultsOf, ledger, pack, patchesOf, publish, removedLines, unpublished } from '../releases.mjs';

/** Directories of a build and of published patches, the first of which is of the build. */
async function published(t) {
  const root = await mkdtemp(join(tmpdir(), 'svcpay-releases-'));
  t.after(() => rm(root, { recursive: true }));
  const built = join(root, 'built');
  const dir = join(root, 'released');
  await put(built, {
    '3.0/svcpay.js': 'loader 3.0', '3.0/frame/field.html': 'field-a', '3.0/assets/field-a.js': 'a',
    '3.2/svcpay.js': 'loader 3.2', '3.2/frame/field.html': 'field-a', '3.2/assets/field-a.js': 'a',
    '3.2/integrity.json': '{}', '3.2/svcpay.js.br': 'packed',
  });
  assert.deepEqual(await publish(built, ['3.0', '3.2'], dir), ['3.0.0', '3.2.0']);
  return { root, built, dir };
}

async function put(dir, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}

test('the published files are those of the ledger, none of whose lines was ever removed', async () => {
  assert.deepEqual(await faultsOf(), []);
  assert.deepEqual(await removedLines(), []);
});

test('a patch has the files of its build; sha384sum agrees with the ledger', async (t) => {
  const { built, dir } = await published(t);
  assert.deepEqual(
    [...(await ledger(dir)).keys()],
    [
      '3.0.0/frame/field.html', '3.0.0/svcpay.js', '3.0/assets/field-a.js',
      '3.2.0/frame/field.html', '3.2.0/svcpay.js', '3.2/assets/field-a.js',
    ],
  );
  execFileSync('sha384sum', ['--check', '--strict', '--status', 'SHA384SUMS'], { cwd: dir });
  assert.deepEqual([await unpublished(built, ['3.0', '3.2'], dir), await faultsOf(dir)], [[], []]);
  assert.deepEqual(await publish(built, ['3.0', '3.2'], dir), [], 'nothing changed');
});

test('a changed source needs the next patch of its version, which keeps the files of the one before', async (t) => {
  const { built, dir } = await published(t);
  await rm(join(built, '3.2/assets/field-a.js'));
  await put(built, { '3.2/frame/field.html': 'field-b', '3.2/assets/field-b.js': 'b' });
  assert.deepEqual(await unpublished(built, ['3.0', '3.2'], dir), ['3.2']);
  assert.deepEqual(await publish(built, ['3.0', '3.2'], dir), ['3.2.1']);
  assert.deepEqual(await unpublished(built, ['3.0', '3.2'], dir), []);
  const texts = ['3.2/assets/field-a.js', '3.2/assets/field-b.js', '3.2.0/frame/field.html', '3.2.1/frame/field.html'];
  assert.deepEqual(
    await Promise.all(texts.map((name) => readFile(join(dir, name), 'utf8'))),
    ['a', 'b', 'field-a', 'field-b'],
  );
});

test('a published file that changed, is gone or is not listed is named, and no patch is added to it', async (t) => {
  const { built, dir } = await published(t);
  await put(dir, { '3.2.0/svcpay.js': 'another', '3.2/assets/more.js': 'not listed' });
  await rm(join(dir, '3.0.0/svcpay.js'));
  assert.deepEqual((await faultsOf(dir)).sort(), [
    '3.0.0/svcpay.js is missing', '3.2.0/svcpay.js has changed', '3.2/assets/more.js is not in SHA384SUMS',
  ]);
  await assert.rejects(publish(built, ['3.2'], dir), /published files may not change/);
});

test('a sum that a commit published stays, also if its file changed with it', async (t) => {
  const { root, dir } = await published(t);
  assert.deepEqual(await removedLines(dir), [], 'outside a repository');
  const git = (...args) => execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@t', ...args], { cwd: root });
  git('init', '-q');
  git('add', 'released');
  git('commit', '-qm', 'publish');
  await appendFile(join(dir, 'SHA384SUMS'), `${'0'.repeat(96)}  3.2.1/svcpay.js\n`);
  assert.deepEqual(await removedLines(dir), []);
  const text = await readFile(join(dir, 'SHA384SUMS'), 'utf8');
  await writeFile(join(dir, 'SHA384SUMS'), text.replace(/.*3\.2\.0\/svcpay.*/, `${'1'.repeat(96)}  3.2.0/svcpay.js`));
  assert.match((await removedLines(dir)).join(), /^[0-9a-f]{96} {2}3\.2\.0\/svcpay\.js$/);
  git('commit', '-qam', 'change');
  assert.equal((await removedLines(dir)).length, 1, 'after a commit, too');
});

test('the service gets the loaders and assets that its build no longer has, each compressed once', async (t) => {
  const { root, built, dir } = await published(t);
  const out = join(root, 'out');
  await put(built, { '3.2/assets/field-a.js.gz': 'the build has it' });
  await put(out, {
    '3.2.0/svcpay.js.gz': gzipSync('loader 3.2', { level: 1 }),
    '3.0.0/svcpay.js.gz': gzipSync('of another branch'),
    '3.9/assets/gone.js.gz': 'of another branch',
  });
  await pack(out, built, dir);
  const files = await readdir(out, { recursive: true, withFileTypes: true });
  assert.deepEqual(
    files
      .filter((entry) => entry.isFile() && entry.name.endsWith('.gz'))
      .map((e) => join(e.parentPath ?? e.path, e.name).slice(out.length + 1))
      .sort(),
    ['3.0.0/svcpay.js.gz', '3.0/assets/field-a.js.gz', '3.2.0/svcpay.js.gz'],
  );
  assert.equal(gunzipSync(await readFile(join(out, '3.0.0/svcpay.js.gz'))).toString(), 'loader 3.0');
  const kept = await readFile(join(out, '3.2.0/svcpay.js.gz'));
  assert.deepEqual(kept, gzipSync('loader 3.2', { level: 1 }), 'not compressed again');
});

test('patches are in the order of their numbers', () => {
  assert.deepEqual(
    patchesOf('3.2', ['3.2.10/svcpay.js', '3.2.9/svcpay.js', '3.2/assets/a.js', '3.20.1/svcpay.js', '3.2.9/modal.js']),
    ['3.2.9', '3.2.10'],
  );
});
