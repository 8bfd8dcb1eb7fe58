// Publishes the next patch of each version of the browser library whose files changed: see releases.mjs.
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build, versions } from './build.mjs';
import { publish } from './releases.mjs';

const built = join(await mkdtemp(join(tmpdir(), 'svcpay-release-')), '/');
try {
  await build(built);
  const patches = await publish(built, versions);
  console.log(patches.length ? `published ${patches.join(', ')}: commit static/svcpay/released` : 'nothing changed');
} finally {
  await rm(built, { recursive: true });
}
