// The accessibility checker over a document and every frame in it.
import assert from 'node:assert/strict';
import { axeSource } from './env.mjs';

const within = (frame) => [frame, ...frame.childFrames().flatMap(within)];

/** Fails with what is wrong with a page or frame, its own frames included, in the state that it is in. */
export async function accessible(target, state, only) {
  const top = target.mainFrame?.() ?? target;
  for (const frame of within(top)) {
    await frame.evaluate(axeSource);
    await frame.evaluate(() => window.axe.configure({ allowedOrigins: ['<unsafe_all_origins>'] }));
  }
  await top.waitForFunction(() =>
    document
      .getAnimations()
      .every(({ playState, effect }) => playState !== 'running' || effect.getTiming().iterations === Infinity),
  );
  const violations = await top.evaluate(async (runOnly) => {
    // On a busy machine a frame can take longer to answer than the half second that axe waits.
    const { violations } = await window.axe.run(document, { pingWaitTime: 10_000, ...(runOnly && { runOnly }) });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 120)).join(' | ')}`);
  }, only);
  assert.deepEqual(violations, [], state);
}
