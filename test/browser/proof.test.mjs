// A payer pays while stolen cards are tested: the controller proves work, and the page notices nothing but the wait.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { EXPIRY, createToken, enter, open, typeCard } from './support/card.mjs';
import { accessible } from './support/axe.mjs';
import { startBrowser } from './support/env.mjs';
import { merchantPage, startSite } from './support/merchant.mjs';

/** The test card that always needs a proof. */
const PROVES = '4000000000000697';

const site = await startSite();
const newPage = await startBrowser();

/** Records the requests for tokens with their answers, and the files that the frames load. */
function watch(page) {
  const seen = { tokens: [], assets: [] };
  page.on('response', (response) => {
    const { pathname } = new URL(response.url());
    if (pathname === '/client/tokens') seen.tokens.push(response);
    if (pathname.includes('/assets/')) seen.assets.push(pathname);
  });
  return seen;
}

test('a payer is challenged: a token, with the keyboard alone, and nothing to see or hear', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage()));
  const seen = watch(page);
  const violations = [];
  page.on('console', (message) => {
    if (/Content Security Policy|Trusted/i.test(message.text())) violations.push(message.text());
  });
  await enter(page, 'number');
  await page.keyboard.type(`${PROVES}${EXPIRY}12397301`);
  const before = await page.content();
  const pending = createToken(page);
  await accessible(page, 'while the proof is searched');
  const result = await pending;
  assert.match(result.token ?? JSON.stringify(result), /^tok_/);
  assert.deepEqual(seen.tokens.map((response) => response.status()), [429, 201]);
  assert.equal(seen.assets.filter((path) => /proof-/.test(path)).length, 1);
  const challenge = (await seen.tokens[0].json()).error;
  assert.equal(challenge.code, 'card_testing_suspected');
  const sent = seen.tokens[1].request().postDataJSON().proof;
  assert.equal(sent.seed, challenge.challenge.seed);
  assert.equal(sent.solution.length, challenge.challenge.puzzles);
  assert.equal(await page.content(), before, 'the page changed');
  assert.equal(await page.frameLocator('#card iframe').getByRole('alert').filter({ hasText: /./ }).count(), 0);
  assert.deepEqual(violations, []);
});

test('cards that are not challenged load no solver', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage()));
  const seen = watch(page);
  await typeCard(page);
  assert.match((await createToken(page)).token, /^tok_/);
  assert.deepEqual(seen.assets.filter((path) => /proof-/.test(path)), []);
});

test('a challenge that never ends is a rate limit, in the payer’s language', async (t) => {
  const page = await newPage(t);
  await open(page, site.put(merchantPage({ instance: { locale: 'fr' } })));
  let asked = 0;
  await page.route('**/client/tokens', (route) => {
    asked++;
    const challenge = { seed: 'A'.repeat(36), bits: 4, puzzles: 16 };
    const error = { message: 'm', code: 'card_testing_suspected', type: 'rate_limit_error', doc_url: 'd', challenge };
    return route.fulfill({ status: 429, json: { error } });
  });
  await typeCard(page);
  const { error } = await createToken(page);
  assert.equal(error.code, 'rate_limited');
  assert.match(error.doc_url, /\/docs\/errors#rate_limited$/);
  assert.notEqual(error.message, 'm');
  assert.equal(error.challenge, undefined);
  assert.equal(asked, 4);
});
