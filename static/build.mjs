// Builds the front end into dist/: each part has a build.mjs of its own that exports build().
import { existsSync } from 'node:fs';
import { readdir, rm } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { pack } from './svcpay/releases.mjs';

const parts = ['svcpay', 'wallets', 'modal', 'portal', 'docs'];

for (const part of parts) {
  const script = new URL(`./${part}/build.mjs`, import.meta.url);
  if (!existsSync(script)) continue;
  const started = performance.now();
  console.log(`front end: ${part} …`);
  const { build } = await import(script.href);
  await build();
  console.log(`front end: ${part} built in ${Math.round(performance.now() - started)} ms`);
}

const dist = new URL('dist/', import.meta.url);
await pack(fileURLToPath(new URL('released/', dist)), fileURLToPath(new URL('svcpay/', dist)));

// The program holds a file in its compressed forms alone: anyone who takes neither gets it unpacked.
for (const name of await readdir(dist, { recursive: true })) {
  if (name.endsWith('.gz')) await rm(new URL(name.slice(0, -'.gz'.length), dist), { force: true });
}
