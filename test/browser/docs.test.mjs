// The pages below /docs in a real browser: the reference under its policy, guides and errors.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { axeSource, credentials, looks, startBrowser } from './support/env.mjs';

const base = credentials.base_url;
const newPage = await startBrowser();

/** A page that collects what the browser complains of and every address that it asks for. */
async function open(t, path, { width = 1280, ...options } = {}) {
  const page = await newPage(t, { viewport: { width, height: 900 }, reducedMotion: 'reduce', ...options });
  page.complaints = [];
  page.asked = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on(
    'console',
    (message) => ['error', 'warning'].includes(message.type()) && page.complaints.push(message.text()),
  );
  page.on('request', (request) => page.asked.push(request.url()));
  await page.goto(base + path);
  return page;
}

/** Opens the reference and waits until Redoc has drawn it, which takes it as long as a machine is busy. */
async function openReference(t, path, options) {
  const page = await open(t, path, options);
  await page.locator('[data-section-id^="operation/"]').last().waitFor({ state: 'attached', timeout: 60_000 });
  return page;
}

/** What axe finds, without what Redoc draws. */
async function found(page, only) {
  const options = only ? { runOnly: only } : {};
  const { violations } = await page.evaluate((o) => window.axe.run({ exclude: ['#reference'] }, o), options);
  return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

const isAsWide = (page) => page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);

for (const { only, ...look } of looks) {
  test(`the reference shows every operation, ${look.width} ${look.colorScheme}`, async (t) => {
    const page = await openReference(t, '/docs', look);
    const contract = await (await fetch(`${base}/api/openapi.json`)).json();
    const operations = Object.values(contract.paths)
      .flatMap((path) => Object.values(path))
      .map(({ operationId }) => operationId)
      .filter(Boolean);
    const shown = await page.evaluate(() =>
      [...document.querySelectorAll('[data-section-id^="operation/"]')].map((section) =>
        section.dataset.sectionId.slice('operation/'.length),
      ),
    );
    assert.ok(operations.length > 20);
    assert.deepEqual(operations.filter((id) => !shown.includes(id)), []);
    assert.ok(await isAsWide(page));
    const elsewhere = page.asked.filter(
      (url) =>
        !url.startsWith(`${base}/docs`) &&
        url !== `${base}/api/openapi.json` &&
        !url.startsWith(`blob:${base}/`) &&
        !url.startsWith('data:'),
    );
    assert.deepEqual(elsewhere, []);
    assert.deepEqual(page.complaints, []);
    await page.evaluate(() => { // axe would walk all of it, although it is excluded
      const reference = document.getElementById('reference');
      reference.replaceChildren(reference.querySelector('h1'));
    });
    await page.evaluate(axeSource);
    assert.deepEqual(await found(page, only), []);
  });
}

test('the reference can be searched, and an address leads to an operation', async (t) => {
  const page = await openReference(t, '/docs#tag/refunds/operation/createRefund');
  await page.waitForFunction(() => {
    const { top } = document.querySelector('[data-section-id="operation/createRefund"] h2').getBoundingClientRect();
    return top > document.querySelector('.top').offsetHeight && top < innerHeight / 3; // not below the page's head
  });
  await page.locator('#reference input').fill('void');
  await page.locator('#reference [data-role="search:results"]').getByText('Void a charge').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('the policy of the reference lets no script of others, none in the page and no eval run', async (t) => {
  const page = await openReference(t, '/docs');
  const ran = await page.evaluate(async () => {
    const inline = document.createElement('script');
    inline.textContent = 'window.ran = true';
    document.head.append(inline);
    setTimeout('window.evaluated = true'); // what tests run themselves may be evaluated
    await new Promise((done) => setTimeout(done, 100));
    const reached = await fetch('http://elsewhere.localhost:1/').then(() => true, (error) => error.message);
    return { inline: window.ran, evaluated: window.evaluated, reached };
  });
  assert.deepEqual([ran.inline, ran.evaluated], [undefined, undefined]);
  assert.notEqual(ran.reached, true);
  assert.ok(page.complaints.some((text) => /connect-src/.test(text)), page.complaints.join('\n'));
});

test('without a script the reference still leads to the contract', async (t) => {
  const page = await open(t, '/docs', { javaScriptEnabled: false });
  await page.locator('main').getByRole('link', { name: 'openapi.yaml' }).waitFor();
});

for (const { only, ...look } of looks) {
  test(`guides and errors are sound, ${look.width} ${look.colorScheme}`, async (t) => {
    const page = await open(t, '/docs/guides', look);
    const paths = await page
      .locator('.guides a')
      .evaluateAll((links) => links.map((link) => link.getAttribute('href')));
    assert.equal(paths.length, 10);
    for (const path of ['/docs/guides', ...paths, '/docs/events', '/docs/errors']) {
      await page.goto(base + path);
      await page.evaluate(axeSource);
      assert.deepEqual(await found(page, only), [], path);
      assert.ok(await isAsWide(page), `${path} scrolls sideways`);
      assert.equal(await page.locator('h1').count(), 1, path);
    }
    assert.deepEqual(page.asked.filter((url) => !url.startsWith(`${base}/docs`)), []);
    assert.deepEqual(page.complaints, []);
  });
}

test('the keyboard reaches the content first, and the navigation says where one is', async (t) => {
  const page = await open(t, '/docs/errors');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/docs/errors#content');
  assert.equal(await page.locator('header [aria-current=page]').innerText(), 'Errors');
});
