// Every list of the portal with long names: what stays whole, what the keyboard reaches, what the frame leaves room
// for.
import assert from 'node:assert/strict';
import { test } from '../support/test.mjs';
import { credentials } from '../support/env.mjs';
import { as, open, portal, signIn } from '../support/portal.mjs';
import { walk } from '../support/walk.mjs';

const widths = process.env.EVERY_LOOK
  ? [320, 390, 640, 768, 1024, 1170, 1262, 1360, 1440, 1920]
  : [320, 390, 768, 1170, 1440];

/** Puts long names and addresses into every cell of the lists that has one. */
const lengthen = () => {
  for (const cell of document.querySelectorAll('.list tbody td')) {
    const { place, right, whole } = cell.dataset;
    if (['state', 'amount', 'time'].includes(place) || right !== undefined || whole !== undefined) continue;
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { currentNode: text, currentNode: { parentElement: holder } } = texts;
      if (!text.data.trim() || holder.closest('.money, .time, .status, .btn, .mono')) continue;
      const address = 'bartholomew.featherstonehaugh-montgomery@conservation.example.org';
      text.data = holder.matches('.hint')
        ? address
        : 'The Philanthropic Society of Massachusetts Conservationists (Northeast)';
    }
  }
};

/** What is broken, cut off or too wide in the lists of a page. */
const broken = () => {
  const wrong = new Set();
  const lines = (element) => {
    const range = document.createRange();
    range.selectNodeContents(element);
    const tops = [];
    for (const { width, top } of range.getClientRects())
      if (width > 1 && !tops.some((one) => Math.abs(one - top) < 6)) tops.push(top);
    return tops.length;
  };
  for (const table of document.querySelectorAll('.list')) {
    const card = table.closest('.card').getBoundingClientRect();
    const name = table.caption.textContent;
    if (!table.closest('.table-scroll') && table.getBoundingClientRect().right > card.right + 1)
      wrong.add(`${name} is wider than its card`);
    // Second lines break between words or within addresses, but for those next to amounts and times.
    const whole = ':is([data-place=amount], [data-place=time], [data-whole], [data-right]) .two > *';
    const parts = `tbody :is(.status, .money, .time), tbody td${whole}, tbody td[data-place=state] .two > :not(.hint)`;
    for (const hint of table.querySelectorAll('tbody .two > .hint')) {
      if (hint.checkVisibility() && hint.scrollWidth > hint.clientWidth + 1 && hint.clientWidth)
        wrong.add(`${name}, ${hint.closest('td').dataset.label}: ${hint.textContent.trim()} is cut off`);
    }
    for (const part of table.querySelectorAll(parts)) {
      if (!part.checkVisibility()) continue;
      const cell = part.closest('td');
      if (lines(part) > 1) wrong.add(`${name}, ${cell.dataset.label}: ${part.textContent.trim()} is broken`);
      if (part.getBoundingClientRect().right > cell.getBoundingClientRect().right + 4)
        wrong.add(`${name}, ${cell.dataset.label}: ${part.textContent.trim()} sticks out`);
    }
  }
  if (document.documentElement.scrollWidth > innerWidth) wrong.add('the page scrolls sideways');
  return [...wrong];
};

/** The texts that are drawn with contextual alternates, in which 789x0 becomes 789×0. */
const alternated = () => {
  const probe = document.body.appendChild(document.createElement('span'));
  const seen = new Set();
  const wrong = [];
  const wide = (text) => ((probe.textContent = text), probe.getBoundingClientRect().width);
  for (const element of document.querySelectorAll('body *')) {
    if (![...element.childNodes].some((node) => node.nodeType === Node.TEXT_NODE && node.data.trim())) continue;
    const { fontFamily, fontFeatureSettings, fontVariantLigatures } = getComputedStyle(element);
    const key = [fontFamily, fontFeatureSettings, fontVariantLigatures].join('|');
    if (seen.has(key)) continue;
    seen.add(key);
    Object.assign(probe.style, {
      fontFamily, fontFeatureSettings, fontVariantLigatures, fontSize: '64px', fontKerning: 'none',
      position: 'absolute', whiteSpace: 'pre',
    });
    const apart = [...'789x0'].reduce((sum, letter) => sum + wide(letter), 0);
    if (Math.abs(wide('789x0') - apart) > 0.5) wrong.push(`${element.tagName}.${element.className}: ${key}`);
  }
  probe.remove();
  return wrong;
};

/** Goes through a page by Tab, ten keys at a time, and returns the stops that cannot be seen. */
async function unseenStops(page) {
  await page.evaluate(() => {
    document.activeElement.blur();
    window.stops = { all: new Set(), unseen: [], over: false };
    document.addEventListener('focusin', ({ target }) => {
      const { all, unseen } = window.stops;
      if (all.has(target)) window.stops.over = true;
      all.add(target);
      const { width, height } = target.getBoundingClientRect();
      const looks = { opacityProperty: true, visibilityProperty: true };
      if (width <= 6 || height <= 6 || !target.checkVisibility(looks)) unseen.push(target.outerHTML.slice(0, 120));
    });
  });
  for (let keys = 0; keys < 400; keys += 10) {
    await Promise.all(Array.from({ length: 10 }, () => page.keyboard.press('Tab')));
    const { over, unseen } = await page.evaluate(() => window.stops);
    if (over) return unseen;
  }
  return ['the stops have no end'];
}

const known = new Set();
for (const role of ['system_admin', 'application_admin', 'organization_admin']) {
  test(`every list of ${role} keeps states, amounts and times whole`, async (t) => {
    const page = await open(t, '/login');
    await signIn(page, credentials.users.find((user) => user.role === role));
    const wrong = [];
    let lists = 0;
    await walk(page, portal, async (_, kind) => {
      await page.setViewportSize({ width: 1280, height: 800 });
      await page.evaluate(() => document.fonts.ready);
      wrong.push(...(await page.evaluate(alternated)).map((one) => `${kind}: ${one} has contextual alternates`));
      const foot = await page.evaluate(() => document.querySelector('.side-foot')?.getBoundingClientRect().bottom ?? 0);
      if (foot > 800) wrong.push(`${kind}: the sidebar is cut off at its foot`);
      if (!(await page.locator('.list').count())) return;
      lists++;
      wrong.push(...(await unseenStops(page)).map((one) => `${kind}: nothing is seen of ${one}`));
      await page.evaluate(lengthen);
      for (const width of widths) {
        await page.setViewportSize({ width, height: 800 });
        wrong.push(...(await page.evaluate(broken)).map((one) => `${kind} at ${width} pixels: ${one}`));
      }
    }, { known });
    assert.deepEqual(wrong, []);
    assert.ok(lists > 2, `${lists} lists`);
  });
}

test('sums of any size stand apart from each other', async (t) => {
  const page = await as(t, 'organization_admin', '/charges');
  await page.evaluate(() =>
    document.querySelectorAll('.totals .money').forEach((money) => (money.textContent = '−$99,999,999,999.99')),
  );
  for (const width of widths) {
    await page.setViewportSize({ width, height: 800 });
    const overlaps = await page.evaluate(() => {
      const boxes = [...document.querySelectorAll('.totals dd')].map((dd) => {
        const range = document.createRange();
        range.selectNodeContents(dd);
        return range.getBoundingClientRect();
      });
      return boxes.filter((a, i) =>
        boxes.some((b, k) => k > i && a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
      ).length;
    });
    assert.equal(overlaps, 0, `${width} pixels`);
  }
});

test('ids keep their characters', async (t) => {
  const page = await as(t, 'organization_admin', '/charges');
  await page.locator('.list tbody a').first().click();
  await page.waitForURL(/\/charges\/ch_/);
  const changed = await page.evaluate(() =>
    [...document.querySelectorAll('body *')]
      .map((element) => [element.tagName, getComputedStyle(element)])
      .filter(
        ([, { fontFamily, fontFeatureSettings }]) =>
          fontFamily.startsWith('Inter') && !fontFeatureSettings.includes('"calt" 0'),
      )
      .map(([name]) => name),
  );
  assert.match(await page.evaluate(() => getComputedStyle(document.body).fontFamily), /^Inter/);
  assert.deepEqual(changed, [], 'Inter draws 789x0 as 789×0 unless contextual alternates are off');
});

test('a short page does not scroll below the strips, and the theme is chosen at the foot of the sidebar', async (t) => {
  const page = await as(t, 'organization_staff', '/search?q=zzzzzz');
  for (const strips of [1, 2]) {
    assert.equal(await page.locator('.strip').count(), strips);
    const { scrolls, foot } = await page.evaluate(() => ({
      scrolls: document.documentElement.scrollHeight > innerHeight,
      foot: document.querySelector('.themes').getBoundingClientRect().bottom,
    }));
    assert.ok(!scrolls && foot <= 800, `with ${strips} strips: ${scrolls}, ${foot}`);
    await page.evaluate(() =>
      document.querySelector('.strip').before(document.querySelector('.strip').cloneNode(true)),
    );
  }
});

test('a message with a way back leaves the bar of a selection free', async (t) => {
  const page = await as(t, 'organization_admin', '/donations');
  await page.evaluate(() => {
    document.querySelector('#toasts').innerHTML =
      '<div class="told" data-stays><p>The status is set for 12 donations.</p><form><button class="btn" data-size="sm" type="button">Undo</button></form></div>';
  });
  await page.locator('tbody .pick input:enabled').first().check();
  for (const width of [320, 390, 768, 1280]) {
    await page.setViewportSize({ width, height: 800 });
    for (const button of ['.bulk-bar .btn', '.told .btn']) {
      const free = await page.locator(button).first().evaluate((one) => {
        const { left, right, top, bottom } = one.getBoundingClientRect();
        return one.contains(document.elementFromPoint((left + right) / 2, (top + bottom) / 2));
      });
      assert.ok(free, `${button} at ${width} pixels`);
    }
  }
});

test('without a script, a list is filtered by Enter and by a button that shows where the keyboard is', async (t) => {
  const page = await as(t, 'organization_admin', '/charges', { javaScriptEnabled: false });
  await page.locator('form[data-filters] input[type=search]').fill('4242');
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=4242/);
  const apply = page.locator('.filters .unseen');
  await apply.focus();
  const { width, height } = await apply.boundingBox();
  assert.ok(width > 20 && height > 20);
  await page.keyboard.press('Enter');
  await page.waitForURL(/q=4242/);
});
