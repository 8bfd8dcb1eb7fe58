// Applications with the packages of React: packed as for npm, and built by Vite.
import { execFile, execFileSync } from 'node:child_process';
import {
  cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { after } from './test.mjs';

const run = promisify(execFile);
const here = fileURLToPath(new URL('../react/', import.meta.url));
const packages = fileURLToPath(new URL('../../../static/svcpay/npm/', import.meta.url));
const { resolve } = createRequire(`${here}package.json`);

/** Installs Vite, React and Turbo, unless they are there. */
function install() {
  const installed = join(here, 'node_modules/.package-lock.json');
  if (existsSync(installed) && statSync(installed).mtimeMs >= statSync(`${here}package-lock.json`).mtimeMs) return;
  execFileSync('npm', ['ci', '--no-progress', '--loglevel=error'], { cwd: here });
}

/** The main file of one of the packages that the tests in browsers have from npm. */
export function fileOf(name) {
  install();
  return resolve(name);
}

/** Packs both packages into a folder, and unpacks them into `node_modules` as npm would. */
async function packInto(folder) {
  await Promise.all(['js', 'react'].map(async (name) => {
    await run('npm', ['pack', '--silent', '--pack-destination', folder], { cwd: join(packages, name) });
    const to = join(folder, 'node_modules/@svcpay', name);
    mkdirSync(to, { recursive: true });
    const archive = readdirSync(folder).find((file) => file.startsWith(`svcpay-${name}-`));
    await run('tar', ['-xf', join(folder, archive), '-C', to, '--strip-components=1']);
  }));
}

/** Folders of applications with some versions of React, by these. Gone after the tests of the file. */
export async function makeApps(versions) {
  install();
  const folder = mkdtempSync(join(tmpdir(), 'svcpay-react-'));
  after(() => rmSync(folder, { recursive: true }));
  await packInto(folder);
  return Object.fromEntries(versions.map((version) => [version, makeApp(folder, version)]));
}

function makeApp(folder, version) {
  const app = join(folder, version);
  cpSync(`${here}app`, app, { recursive: true });
  cpSync(join(folder, 'node_modules'), join(app, 'node_modules'), { recursive: true });
  const suffix = version === '18' ? '-18' : '';
  const from = (name) => dirname(resolve(`${name}/package.json`));
  const put = (source, name) => cpSync(source, join(app, 'node_modules', name), { recursive: true });
  put(from(`react${suffix}`), 'react');
  put(from(`react-dom${suffix}`), 'react-dom');
  put(from(`@types/react${suffix}`), '@types/react');
  put(from('csstype'), 'csstype');
  const dom = createRequire(resolve(`react-dom${suffix}/package.json`));
  for (const name of ['scheduler', 'loose-envify', 'js-tokens', 'prop-types', '@types/prop-types']) {
    const at = [dom, { resolve }].map((each) => tried(() => dirname(each.resolve(`${name}/package.json`)))).find(Boolean);
    if (at) put(at, name);
  }
  return app;
}

function tried(action) {
  try {
    return action();
  } catch {
    return undefined;
  }
}

/** Builds an application with Vite and gives the text of its script. */
export async function buildApp(app) {
  const { build } = await import(pathToFileURL(resolve('vite')));
  const outDir = join(app, 'dist');
  await build({
    root: app,
    configFile: false,
    logLevel: 'error',
    esbuild: { jsx: 'automatic' },
    build: { outDir, minify: false, reportCompressedSize: false, modulePreload: false },
  });
  const assets = join(outDir, 'assets');
  const script = readdirSync(assets).find((name) => name.endsWith('.js'));
  return readFileSync(join(assets, script), 'utf8');
}

/** What the compiler says of files in an application. */
export function compile(app, files, options) {
  const typescript = createRequire(join(packages, 'pack.mjs')).resolve('typescript/bin/tsc');
  const compilerOptions = {
    noEmit: true,
    strict: true,
    skipDefaultLibCheck: true,
    target: 'es2022',
    lib: ['es2022', 'dom'],
    jsx: 'react-jsx',
    types: [],
    module: 'esnext',
    moduleResolution: 'bundler',
    ...options,
  };
  writeFileSync(join(app, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }));
  try {
    return execFileSync(process.execPath, [typescript, '-p', app], { encoding: 'utf8' });
  } catch (error) {
    return error.stdout;
  }
}
