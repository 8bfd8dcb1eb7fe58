// Builds the front end into dist/: each part has a build.mjs of its own that exports build().
import { existsSync } from 'node:fs';

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
