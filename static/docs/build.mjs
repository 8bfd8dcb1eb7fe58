// Builds the files of the pages below /docs into dist/docs/. Fails when a size of `limits` is exceeded.
import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';
import { bundle } from '../bundle.mjs';

/** Bytes over the wire that each file may weigh at most. */
export const limits = {
  'reference.js': 290_000, 'reference.css': 3_000, 'library.js': 4_500, 'library.css': 2_000, 'icon.svg': 1_000,
  'inter.woff2': 50_000,
};

const here = fileURLToPath(new URL('.', import.meta.url));
const root = fileURLToPath(new URL('..', import.meta.url));
const dist = fileURLToPath(new URL('../dist/docs/', import.meta.url));

/** Builds everything and returns the bytes over the wire by name. */
export async function build(out = dist) {
  const { emit, finish } = await bundle('docs', out, limits);
  await emit(
    'inter.woff2',
    await readFile(`${root}node_modules/@fontsource-variable/inter/files/inter-latin-wght-normal.woff2`),
  );
  await emit('icon.svg', await readFile(`${root}portal/icon.svg`));
  await emit('reference.js', await compile('reference.js'));
  await emit('reference.css', await compile('reference.css'));
  // As it is written: the page shows the code that it runs.
  const parts = await Promise.all(['library-react.js', 'library.js'].map((name) => readFile(here + name, 'utf8')));
  await emit('library.js', parts.join(''));
  await emit('library.css', await readFile(`${here}library.css`));
  return finish();
}

/** One file with all that it imports, minified; license texts of others stand at its end. */
async function compile(name) {
  const { outputFiles } = await esbuild.build({
    entryPoints: [here + name],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    target: ['chrome99', 'firefox101', 'safari16.4'],
    legalComments: 'eof',
    charset: 'utf8',
    plugins: [redoc],
    footer: name === 'reference.js' ? { js: await licenses() } : {},
  });
  return Buffer.from(outputFiles[0].contents);
}

const licenses = async () => {
  const texts = await Promise.all(
    ['LICENSE', 'bundles/redoc.standalone.js.LICENSE.txt'].map((name) =>
      readFile(`${root}node_modules/redoc/${name}`, 'utf8'),
    ),
  );
  return `/*! redoc\n${texts.join('\n').replaceAll('*/', '* /').replaceAll('/*', '/ *')} */`;
};

/** What is changed in Redoc: it fetches nothing from elsewhere, and brings no styles that a policy must allow. */
const changes = [
  // its maker's picture next to its maker's name
  [
    /\w\.createElement\("img",\{alt:"redocly logo",onError:\(\)=>\w\(!1\),src:"https:\/\/cdn\.redoc\.ly\/redoc\/logo-mini\.svg"\}\)/g,
    'null',
  ],
  // the style sheet of scroll bars that we do not use
  [/for\(;t\.firstChild;\)t\.removeChild\(t\.firstChild\);t\.appendChild\(document\.createTextNode\(e\)\)/g, ''],
];

const redoc = {
  name: 'redoc',
  setup({ onLoad, onResolve }) {
    // what it leaves out in browsers
    onResolve({ filter: /^null$/ }, () => ({ path: 'nothing', namespace: 'nothing' }));
    onLoad({ filter: /./, namespace: 'nothing' }, () => ({ contents: 'module.exports = null' }));
    onLoad({ filter: /redoc\.standalone\.js$/ }, async ({ path }) => {
      let contents = await readFile(path, 'utf8');
      for (const [pattern, instead] of changes) {
        if (contents.match(pattern)?.length !== 1)
          throw new Error(`docs: Redoc has changed, this is not in it once: ${pattern}`);
        contents = contents.replace(pattern, instead);
      }
      return { contents };
    });
  },
};
