// Builds the browser library into dist/svcpay/, laid out as it is served:
//   <version>/svcpay.js, <version>/integrity.json, <version>/frame/*.html, <version>/assets/*, <version>/modal.js
// Every file has a .br and a .gz next to it. Fails when a size of `limits` is exceeded. Published patches are in
// released/: see releases.mjs.
import { createHash } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import * as esbuild from 'esbuild';
import { ledger, patchesOf } from './releases.mjs';

/** Versions served. */
export const versions = ['1.1', '1.2', '3.0', '3.2'];

/** Bytes after brotli that each part may weigh at most. */
export const limits = {
  loader: 8192,
  controller: 4224,
  card: 13824,
  whole: 25600,
  button: 2048,
  modal: 1408,
  swiper: 1024,
  proof: 1024,
  bank: 4096,
  'part modal': 3584,
  'part walletA': 3712,
  'part walletB': 3072,
  'part bankform': 6400,
};

const here = fileURLToPath(new URL('.', import.meta.url));
const dist = fileURLToPath(new URL('../dist/svcpay/', import.meta.url));

/** Builds everything and returns the sizes of each version in bytes after brotli. */
export async function build(out = dist) {
  await rm(out, { recursive: true, force: true });
  const sizes = {};
  for (const version of versions) sizes[version] = check(version, await buildVersion(out, version));
  return sizes;
}

async function buildVersion(out, version) {
  const emit = emitter(out);
  const part = (entry) => bundle(entry, version);
  const { parts, sizes } = await partsOf(version, emit);
  const loader = await bundle('loader/index.ts', version, { SVCPAY_PARTS: JSON.stringify(parts) });
  sizes.loader = await emit(`${version}/svcpay.js`, loader);
  await emit(`${version}/integrity.json`, await integrity(version));
  // Pages of the service load this one, and find it by this name.
  sizes.modal = await emit(`${version}/modal.js`, await part('modal/index.ts'));

  const locales = await localesOf(version, emit);
  const swiper = hashed('field/swipe.ts', await bundle('field/swipe.ts', version, {}, 'esm'));
  sizes.swiper = await emit(`${version}/assets/swiper-${swiper.name}`, swiper.content);
  const proof = hashed('proof/index.ts', await bundle('proof/index.ts', version, {}, 'esm'));
  sizes.proof = await emit(`${version}/assets/${proof.name}`, proof.content);
  const assetsOf = (define, ...entries) =>
    Promise.all(entries.map(async (entry) => hashed(entry, await bundle(entry, version, define))));
  /** A script inside its page, which has one request less to wait for: the service's policy has its hash. */
  const inlined = async (entry, define) => {
    const content = await bundle(entry, version, define);
    if (/<\/script|<!--/.test(content)) throw new Error(`${entry} cannot be inside a page`);
    return `<script>${content}</script>`;
  };
  const frame = async (name, title, assets) => {
    const head = assets.map(tag).join('\n');
    const written = assets.map((asset) => emit(`${version}/assets/${asset.name}`, asset.content));
    return sum(await Promise.all([...written, emit(`${version}/frame/${name}.html`, await page(title, head))]));
  };
  const swiping = { SVCPAY_SWIPER: JSON.stringify(`/${version}/assets/swiper-${swiper.name}`) };
  const card = await assetsOf(swiping, 'field/field.css', 'field/index.ts');
  sizes.card = await frame('field', 'Secure payment field', card);
  // For the controller alone: every bundle that gets a list or an object grows by it, used or not.
  const controller = await inlined('controller/index.ts', {
    SVCPAY_PROOF: JSON.stringify(`/${version}/assets/${proof.name}`),
    SVCPAY_LOCALES: JSON.stringify(locales),
    SVCPAY_CARD: JSON.stringify(card.map(({ name }) => `/${version}/assets/${name}`)),
  });
  sizes.controller = await emit(`${version}/frame/controller.html`, await page('Payment service', controller));
  const button = await assetsOf({}, 'button/button.css', 'button/index.ts');
  sizes.button = await frame('button', 'Payment button', button);
  const bank = await assetsOf({}, 'bank/bank.css', 'bank/index.ts');
  sizes.bank = await frame('bank', 'Secure bank account field', bank);
  return sizes;
}

/**
 * Emits what the loader loads only where it is needed, a file for each of src/parts; says where and what they are, and
 * their sizes.
 */
async function partsOf(version, emit) {
  const parts = {};
  const sizes = {};
  for (const file of await readdir(`${here}src/parts`)) {
    const asset = hashed(`parts/${file}`, await bundle(`parts/${file}`, version));
    const name = file.replace('.ts', '');
    const path = `${version}/assets/${asset.name.replace('parts-', `${name}-`)}`;
    sizes[`part ${name}`] = await emit(path, asset.content);
    parts[name] = { path: `/${path}`, integrity: shortIntegrityOf(asset.content) };
  }
  return { parts, sizes };
}

/** What the loader checks a part against: the shortest hash that browsers take. */
function shortIntegrityOf(content) {
  return `sha256-${createHash('sha256').update(content).digest('base64')}`;
}

/** Emits the words of each language but English, which is in the code; a regional one adds to its language. */
async function localesOf(version, emit) {
  const locales = {};
  for (const file of (await readdir(`${here}src/locales`)).filter((name) => name !== 'en.json')) {
    const name = file.replace('.json', '');
    const words = await Promise.all(
      [...new Set([name.split('-')[0], name])].map(async (each) =>
        JSON.parse(await readFile(`${here}src/locales/${each}.json`, 'utf8')),
      ),
    );
    const content = Buffer.from(JSON.stringify(Object.assign({}, ...words)));
    locales[name] = `/${version}/assets/locale-${name}-${digest(content)}.json`;
    await emit(locales[name].slice(1), content);
  }
  return locales;
}

async function bundle(entry, version, define = {}, format = 'iife') {
  const { outputFiles } = await esbuild.build({
    entryPoints: [`${here}src/${entry}`],
    bundle: true,
    minify: true,
    write: false,
    format,
    target: ['chrome99', 'firefox101', 'safari16.4'],
    define: { SVCPAY_VERSION: JSON.stringify(version), ...define },
    legalComments: 'none',
    charset: 'utf8',
  });
  return Buffer.from(outputFiles[0].contents);
}

async function page(title, head) {
  const template = await readFile(`${here}src/frame.html`, 'utf8');
  return Buffer.from(template.replace('{{title}}', title).replace('{{head}}', () => head));
}

/** An asset whose name, that of its directory, changes with its content. */
function hashed(entry, content) {
  return { name: `${dirname(entry)}-${digest(content)}.${entry.endsWith('.css') ? 'css' : 'js'}`, content };
}

function digest(content) {
  return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

function tag({ name }) {
  return name.endsWith('.css')
    ? `<link rel="stylesheet" href="../assets/${name}">`
    : `<script src="../assets/${name}"></script>`;
}

/** What a page needs to pin the newest patch: `<script src integrity crossorigin>`. */
async function integrity(version) {
  const sums = await ledger();
  const patch = patchesOf(version, sums.keys()).at(-1);
  if (!patch) return Buffer.from('{}\n'); // before a version's first patch
  const path = `/${patch}/svcpay.js`;
  const sum = Buffer.from(sums.get(path.slice(1)), 'hex').toString('base64');
  return Buffer.from(`${JSON.stringify({ version: patch, path, integrity: `sha384-${sum}` })}\n`);
}

/** Writes a file with its compressed forms and returns its size after brotli. */
function emitter(out) {
  return async (path, content) => {
    const brotli = brotliCompressSync(content, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: content.length } });
    await mkdir(dirname(out + path), { recursive: true });
    await Promise.all([
      writeFile(out + path, content),
      writeFile(`${out + path}.br`, brotli),
      writeFile(`${out + path}.gz`, gzipSync(content, { level: 9 })),
    ]);
    return brotli.length;
  };
}

function check(version, parts) {
  const sizes = { ...parts, whole: parts.loader + parts.controller + parts.card };
  for (const [part, limit] of Object.entries(limits)) {
    console.log(`  ${version} ${part.padEnd(12)} ${String(sizes[part]).padStart(6)} of ${limit} bytes (brotli)`);
    if (sizes[part] > limit)
      throw new Error(`svcpay ${version}: ${part} weighs ${sizes[part]} bytes, more than ${limit}`);
  }
  return sizes;
}

function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}
