import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, test } from 'node:test';
import { fileURLToPath } from 'node:url';

const source = fileURLToPath(new URL('../npm/js/', import.meta.url));
const tsc = fileURLToPath(new URL('../../node_modules/typescript/bin/tsc', import.meta.url));
const folder = await mkdtemp(join(tmpdir(), 'svcpay-pack-'));
after(() => rm(folder, { recursive: true }));
execFileSync('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: source });
execFileSync('tar', ['-xf', join(folder, (await readdir(folder)).find((name) => name.endsWith('.tgz'))), '-C', folder]);
const packed = join(folder, 'package');

test('the package holds the loader, the types and nothing else', async () => {
  assert.deepEqual((await readdir(packed)).sort(), [
    'LICENSE', 'NOTICE', 'README.md', 'index.cjs', 'index.d.cts', 'index.d.ts', 'index.js', 'package.json',
    'svcpay.d.ts',
  ]);
  assert.equal(
    await readFile(join(packed, 'svcpay.d.ts'), 'utf8'),
    await readFile(join(source, '../../svcpay.d.ts'), 'utf8'),
  );
  assert.deepEqual(
    (await readdir(source)).sort(),
    ['README.md', 'index.d.ts', 'index.js', 'package.json'],
    'packing leaves nothing behind',
  );
});

test('where there is no page it gives null', async () => {
  const { loadSvcPay } = await import(join(packed, 'index.js'));
  assert.equal(await loadSvcPay({ origin: 'https://pay.example.com' }), null);
  assert.equal(await loadSvcPay(), null);
  const common = createRequire(import.meta.url)(join(packed, 'index.cjs'));
  assert.equal(await common.loadSvcPay(), null);
});

test('its types hold together with the library’s', async () => {
  await writeFile(join(packed, 'use.ts'), `import { loadSvcPay } from './index.js';
    export async function use(): Promise<string> {
      const SvcPay = await loadSvcPay({ origin: 'https://pay.example.com', version: '3.0', retries: 1 });
      if (!SvcPay) return 'no page';
      const field = new SvcPay('pk', 1).createField('card', { hidePostalCode: true });
      field.on('change', ({ error }) => error?.code);
      const result = await new SvcPay('pk', 1).createToken(field);
      if (result.token) return result.token;
      else if (result.error.code === 'invalid_number') return result.error.message;
      // @ts-expect-error a version is text
      await loadSvcPay({ version: 3.2 });
      // @ts-expect-error on a server there is none
      (await loadSvcPay()).version;
      return SvcPay.version;
    }`);
  const compilerOptions = {
    noEmit: true,
    strict: true,
    target: 'es2022',
    module: 'esnext',
    moduleResolution: 'bundler',
    lib: ['es2022', 'dom'],
    types: [],
  };
  await writeFile(join(packed, 'tsconfig.json'), JSON.stringify({ compilerOptions, files: ['use.ts'] }));
  try {
    execFileSync(process.execPath, [tsc, '-p', packed], { encoding: 'utf8' });
  } catch (error) {
    assert.fail(error.stdout);
  }
});
