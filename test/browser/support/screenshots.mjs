// Takes a picture of every page of the portal, in both themes and two widths: `make screenshots`.
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { readFileSync } from 'node:fs';
import { walk } from './walk.mjs';

const require = createRequire(new URL('../../../static/package.json', import.meta.url));
const { chromium } = require('playwright-core');
const { users, portal_url: portal } = JSON.parse(readFileSync(process.env.SVCPAY_CREDENTIALS, 'utf8'));
const out = process.argv[2];

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM_SHELL,
  args: process.getuid() === 0 ? ['--no-sandbox'] : [],
});
const known = new Set();
for (const user of users) {
  await mkdir(`${out}/${user.role}`, { recursive: true });
  const page = await (await browser.newContext({ reducedMotion: 'reduce' })).newPage();
  await page.goto(`${portal}/login`);
  await page.getByLabel('Email address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.waitForURL(portal);
  await walk(page, portal, async (_, kind) => {
    const name = kind.replace('/portal', '').replaceAll('/:id', '/one').replaceAll('/', '.').slice(1) || 'home';
    for (const width of [390, 1280]) {
      for (const colorScheme of ['light', 'dark']) {
        await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
        await page.emulateMedia({ colorScheme });
        await page.screenshot({ path: `${out}/${user.role}/${name}-${width}-${colorScheme}.png`, fullPage: true });
      }
    }
  }, { known });
}
await browser.close();
console.log(`${known.size} pages, in both themes and two widths, are in ${out}`);
