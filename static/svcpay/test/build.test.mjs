import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { build, limits, versions } from '../build.mjs';
import { released, unpublished } from '../releases.mjs';

const out = join(await mkdtemp(join(tmpdir(), 'svcpay-build-')), '/');
after(() => rm(out, { recursive: true }));
const sizes = await build(out);
const files = (await readdir(out, { recursive: true, withFileTypes: true }))
  .filter((entry) => entry.isFile())
  .map(({ parentPath, path, name }) => join(parentPath ?? path, name));
const plain = files.filter((name) => !/\.(br|gz)$/.test(name));
const texts = await Promise.all(plain.map(async (name) => [name.slice(out.length), await readFile(name, 'utf8')]));

test('every part is within its size', () => {
  for (const [version, parts] of Object.entries(sizes)) {
    for (const [part, limit] of Object.entries(limits)) {
      assert.ok(parts[part] > 0 && parts[part] <= limit, `${version} ${part}: ${parts[part]} of ${limit}`);
    }
  }
});

test('no bundle posts to any origin, stores, or reads an identity from where a page can put it', () => {
  for (const [name, text] of texts.filter(([name]) => name.endsWith('.js'))) {
    assert.doesNotMatch(text, /postMessage\([^;]{0,80}["'`]\*["'`]/, name);
    assert.doesNotMatch(
      text,
      /localStorage|sessionStorage|indexedDB|\.cookie|document\.referrer|window\.name|sendBeacon|\beval\(|new Function/,
      name,
    );
    assert.doesNotMatch(text, /\.innerHTML|insertAdjacentHTML|document\.write/, name);
  }
});

test('the loader alone makes a policy of Trusted Types: a page lets it do so once', () => {
  const makers = texts.filter(([, text]) => text.includes('createPolicy')).map(([name]) => name);
  assert.deepEqual(
    makers.sort(),
    plain
      .map((name) => name.slice(out.length))
      .filter((name) => name.endsWith('/svcpay.js'))
      .sort(),
  );
});

test('frames hold no inline style, and no inline script but the controller’s one', () => {
  const pages = texts.filter(([name]) => name.endsWith('.html'));
  assert.equal(pages.length, 4 * 4);
  for (const [name, text] of pages) {
    assert.doesNotMatch(text, /<style|style=|\son\w+=|javascript:/, name);
    const scripts = [...text.matchAll(/<script([^>]*)>([^]*?)<\/script>/g)];
    if (name.endsWith('/controller.html')) {
      assert.equal(scripts.length, 1, name);
      assert.equal(scripts[0][1], '', 'as the service looks for it');
      continue;
    }
    for (const [, attributes, content] of scripts) {
      assert.match(attributes, /src="\.\.\/assets\//, name);
      assert.equal(content, '', name);
    }
  }
});

test('compressed forms hold the same content', async () => {
  for (const name of plain) {
    const content = await readFile(name);
    assert.deepEqual(brotliDecompressSync(await readFile(`${name}.br`)), content, name);
    assert.deepEqual(gunzipSync(await readFile(`${name}.gz`)), content, name);
  }
});

test('the sources are the newest patch of each version: `make release-library` publishes the next one', async () => {
  assert.deepEqual(await unpublished(out, versions), []);
});

test('the published integrity is that of the newest patch', async () => {
  for (const version of versions) {
    const { path, integrity } = JSON.parse(await readFile(`${out}${version}/integrity.json`, 'utf8'));
    const hash = createHash('sha384').update(await readFile(released + path.slice(1))).digest('base64');
    assert.equal(integrity, `sha384-${hash}`);
    assert.deepEqual(await readFile(released + path.slice(1)), await readFile(`${out}${version}/svcpay.js`));
  }
});

test('two builds make the same bytes', async () => {
  const before = Object.fromEntries(texts);
  await build(out);
  for (const [name, text] of Object.entries(before)) assert.equal(await readFile(out + name, 'utf8'), text, name);
});

test('the library and its published types hold together', () => {
  const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
  const project = fileURLToPath(new URL('..', import.meta.url));
  try {
    execFileSync(process.execPath, [tsc, '--noEmit', '-p', project], { encoding: 'utf8' });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
