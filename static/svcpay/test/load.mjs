// Runs TypeScript modules of the library in Node: bundled as for the browser, then imported.
import { fileURLToPath } from 'node:url';
import * as esbuild from 'esbuild';

const here = fileURLToPath(new URL('../src/', import.meta.url));

/** Imports a module of src/ as a version of the library has it, each time again. */
export async function load(path, version = '3.2') {
  const { outputFiles } = await esbuild.build({
    stdin: { contents: `export * from './${path}'; // ${Math.random()}`, resolveDir: here },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    define: { SVCPAY_VERSION: JSON.stringify(version) },
  });
  return import(
    `data:text/javascript;base64,${Buffer.from(outputFiles[0].contents).toString('base64')}#${Math.random()}`
  );
}
