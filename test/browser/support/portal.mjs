// A visitor of the portal: opens its pages, signs in, and looks whether a page is sound.
import assert from 'node:assert/strict';
import { axeSource, credentials, looks, startBrowser } from './env.mjs';

/** The portal's address in this run. */
export const portal = credentials.portal_url;

const newPage = await startBrowser();

/** A page that collects what the browser complains of; pages about errors have their status on purpose. */
export async function open(t, path = '', { width = 1280, ...options } = {}) {
  const page = await newPage(t, { viewport: { width, height: 800 }, reducedMotion: 'reduce', ...options });
  page.complaints = [];
  page.on('pageerror', (error) => page.complaints.push(error.message));
  page.on('console', (message) => {
    const expected = message.location().url.startsWith(portal) && /status of (401|404|409|422)/.test(message.text());
    if (['error', 'warning'].includes(message.type()) && !expected) page.complaints.push(message.text());
  });
  await page.goto(portal + path);
  return page;
}

export async function submit(page, email, password) {
  await page.getByLabel('Email address').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

export async function signIn(page, { email, password } = credentials.users[0]) {
  await submit(page, email, password);
  await page.getByRole('heading', { name: /^Hello/ }).waitFor();
}

const sessions = new Map();
const kept = 240_000; // ms: well below the ten minutes that a proof of who one is lasts

/** A page of someone with a role, who signs in once for several tests of a file; it shows `path`. */
export async function as(t, role, path = '', options) {
  const known = sessions.get(role);
  const page = await open(t, known?.until > Date.now() ? path : '/login', {
    ...(known?.until > Date.now() && { storageState: known.state }),
    ...options,
  });
  if (page.url().startsWith(`${portal}/login`)) {
    await signIn(page, credentials.users.find((user) => user.role === role));
    sessions.set(role, { state: await page.context().storageState(), until: Date.now() + kept });
    await page.goto(portal + path);
  }
  return page;
}

/** A part of a page that is still on its way. Without a script nothing fetches it: there a link takes its place. */
const coming = '.lazy[aria-busy]:not(:has(noscript a))';

/**
 * Fails on what axe finds and on a page that is wider than its window, once the page has all its parts: one that
 * comes while axe measures moves what is below it. Targets count by their size unless something that is open covers
 * a part of them.
 */
export async function sound(page, name, { covered = false, only } = {}) {
  await page.locator(coming).first().waitFor({ state: 'detached' });
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(axeSource);
  const { violations } = await page.evaluate((options) => window.axe.run(options), {
    resultTypes: ['violations'],
    ...(only ? { runOnly: only } : { rules: { 'target-size': { enabled: !covered } } }),
  });
  const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
  assert.deepEqual(found, [], name);
  await fits(page, name);
}

/** Fails on a page that is not sound in each of the windows that pages are looked at in; it tells all that is wrong. */
export async function look(page, name) {
  const wrong = [];
  for (const { width, colorScheme, only } of looks) {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    await page.evaluate(() => scrollTo(0, 0)); // what lies half behind the bar at the top would seem too small
    await sound(page, `${name}, ${width} pixels, ${colorScheme}`, { only }).catch((error) =>
      wrong.push(error.message.split('\n').slice(0, 12).join(' ')),
    );
  }
  assert.deepEqual(wrong, []);
}

/** Fails on a page that scrolls sideways. */
export async function fits(page, name) {
  assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), `${name} scrolls sideways`);
}

/** What a first visit of a page weighs over the wire, in bytes. */
export async function weigh(t, path) {
  const page = await newPage(t, { viewport: { width: 1280, height: 800 } });
  const session = await page.context().newCDPSession(page);
  await session.send('Network.enable');
  let bytes = 0;
  session.on('Network.loadingFinished', ({ encodedDataLength }) => (bytes += encodedDataLength));
  await page.goto(portal + path);
  await page.waitForLoadState('networkidle');
  assert.ok(await page.evaluate(() => document.fonts.check('16px Inter')), 'the font is there');
  return bytes;
}
