// The kit in a real browser: everything of it by keyboard, in both themes, at every width, with and without a script.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { looks } from './support/env.mjs';
import { fits, open, sound } from './support/portal.mjs';

const pages = {
  kit: '/_kit',
  home: '/_kit/home',
  list: '/_kit/list',
  detail: '/_kit/detail',
  form: '/_kit/refund',
  drawer: '/_kit/drawer',
  search: '/_kit/search?q=a',
  keys: '/shortcuts',
};
const focused = (page) =>
  page.evaluate(
    () =>
      document.activeElement.textContent.trim() ||
      document.activeElement.getAttribute('aria-label') ||
      document.activeElement.name,
  );
const query = (page) => new URL(page.url()).search;

for (const { width, colorScheme, only } of looks) {
  test(`the kit is accessible: ${colorScheme}, ${width} pixels`, async (t) => {
    const page = await open(t, '/_kit', { width, colorScheme });
    await page.locator('#totals:not([aria-busy])').waitFor();
    for (const [name, path] of Object.entries(pages)) {
      await page.goto(page.url().replace(/\/portal.*/, '/portal') + path);
      await sound(page, name, { only });
    }
    await page.goto(page.url().replace(/\/portal.*/, '/portal/_kit/list?status=captured&amount_min=10'));
    await page.locator('#filter-status').click();
    await sound(page, 'filter', { covered: true, only });
    await page.keyboard.press('Escape');
    await page.getByRole('checkbox', { name: /^Select the charge/ }).first().check();
    await sound(page, 'selection', { covered: true, only });
    await page.locator('.account').click();
    await sound(page, 'account', { covered: true, only });
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    await page.getByRole('link', { name: 'Refunds' }).last().waitFor();
    await sound(page, 'palette', { covered: true, only });
    await page.keyboard.press('Escape');
    await page.getByRole('link', { name: 'Open a drawer' }).click();
    await page.getByRole('dialog').waitFor();
    await sound(page, 'drawer over a list', { covered: true, only });
    assert.deepEqual(page.complaints, []);
  });
}

test('no page scrolls sideways from 320 to 1440 pixels', async (t) => {
  const page = await open(t, '/_kit');
  const root = page.url().replace('/_kit', '');
  for (const [name, path] of Object.entries(pages)) {
    await page.goto(root + path);
    for (const width of [320, 390, 640, 768, 1024, 1180, 1440]) {
      await page.setViewportSize({ width, height: 800 });
      await fits(page, `${name} at ${width} pixels`);
      const cut = await page.evaluate(() =>
        [...document.querySelectorAll('.card td, .card dd, .stat > p')].filter((cell) => {
          const { right, width } = cell.getBoundingClientRect();
          return (
            width > 1 &&
            !cell.closest('.table-scroll') &&
            right > cell.closest('.card, .stat').getBoundingClientRect().right + 1
          );
        }).length);
      assert.equal(cut, 0, `${name} at ${width} pixels: ${cut} cells are cut off`);
    }
  }
});

test('the keyboard reaches everything, and shows where it is', async (t) => {
  const page = await open(t, '/_kit/detail');
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Skip to content');
  await page.keyboard.press('Enter');
  await keyboardIn(page.locator('#main'));
  await page.keyboard.press('Tab');
  assert.equal(await focused(page), 'Charges');
  const outline = () => page.evaluate(() => getComputedStyle(document.activeElement).outlineStyle);
  assert.equal(await outline(), 'solid');

  await page.locator('.account').focus();
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Keyboard shortcuts' }).waitFor();
  await page.keyboard.press('Tab');
  await page.keyboard.press('ArrowDown');
  assert.equal(await focused(page), 'Sign out');
  await page.keyboard.press('Escape');
  await keyboardIn(page.locator('.account')); // closing leads back
  assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0);
  await page.locator('.account').click();
  await page.getByRole('heading', { name: 'Timeline' }).click();
  assert.equal(await page.getByRole('button', { name: 'Sign out' }).count(), 0, 'a click elsewhere closes');
});

test('a dialog keeps the keyboard, the input and the page below', async (t) => {
  const page = await open(t, '/_kit/detail');
  const opener = page.getByRole('link', { name: 'Refund', exact: true }).first();
  await opener.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('dialog', { name: 'Refund' });
  await dialog.waitFor();
  await keyboardIn(dialog.getByLabel('Amount'));
  assert.ok(page.url().endsWith('/_kit/detail'), 'it has no address of its own over a page');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'hidden' });
  assert.equal(await focused(page), 'Refund');

  await page.keyboard.press('Enter');
  await dialog.getByLabel('Amount').fill('999');
  await dialog.getByLabel(/^Note/).fill('for later');
  await dialog.getByRole('button', { name: 'Refund $100.00' }).click();
  await dialog.getByRole('alert').waitFor();
  await keyboardIn(dialog.getByRole('alert'));
  assert.equal(await dialog.getByLabel('Amount').inputValue(), '999');
  await page.mouse.click(5, 400);
  await dialog.waitFor({ state: 'hidden' });
  await opener.click();
  await dialog.getByLabel('Amount').fill('25');
  await page.mouse.click(5, 400);
  assert.ok(await dialog.isVisible(), 'what was typed is not lost by a click beside it');
  await dialog.getByRole('button', { name: 'Refund $100.00' }).click();
  await page.getByText('The refund is on its way.').first().waitFor();
  await page.getByRole('button', { name: 'Dismiss' }).click();
  assert.equal(await page.locator('.told').count(), 0);
  assert.deepEqual(page.complaints, []);
});

test('a dialog that opens again at once keeps what it shows', async (t) => {
  const page = await open(t, '/_kit/detail');
  await page.getByRole('link', { name: 'Refund', exact: true }).first().click();
  const amount = page.getByRole('dialog', { name: 'Refund' }).getByLabel('Amount');
  await amount.waitFor();
  await page.evaluate(() => new Promise((told) => {
    const dialog = document.getElementById('dialog');
    dialog.addEventListener('close', () => setTimeout(told), { once: true });
    dialog.close();
    dialog.showModal(); // before anybody hears that it was closed
  }));
  assert.ok(await amount.isVisible());
});

test('a form is sent once, however often its button is pressed', async (t) => {
  const page = await open(t, '/_kit/refund');
  let sent = 0;
  await page.route('**/_kit/refund', async (route) => {
    if (route.request().method() === 'POST') {
      sent++;
      await new Promise((done) => setTimeout(done, 300));
    }
    await route.continue();
  });
  const busy = await page.evaluate(() => {
    const { form } = document.querySelector('[name=amount]');
    const button = [...form.querySelectorAll('button')].find(({ textContent }) =>
      textContent.includes('Refund $100.00'),
    );
    button.click();
    button.click();
    form.requestSubmit(); // as Enter does
    return button.ariaBusy;
  });
  assert.equal(busy, 'true');
  await page.getByText('The refund is on its way.').first().waitFor();
  assert.equal(sent, 1);
});

test('without a script a dialog is a page, and a menu opens', async (t) => {
  const page = await open(t, '/_kit/detail', { javaScriptEnabled: false });
  await page.getByRole('link', { name: 'Refund', exact: true }).first().click();
  assert.ok(page.url().endsWith('/_kit/refund'));
  await page.getByLabel('Amount').fill('999');
  await page.getByRole('button', { name: 'Refund $100.00' }).click();
  await page.getByRole('alert').waitFor();
  await page.getByRole('link', { name: 'Cancel' }).click();
  assert.ok(page.url().endsWith('/_kit/detail'));
  await page.getByLabel('More', { exact: true }).click();
  await page.getByRole('button', { name: 'Void' }).click();
  await page.getByText('receipts are on their way').waitFor();
});

test('a narrow page has its navigation in a drawer, with and without a script', async (t) => {
  for (const javaScriptEnabled of [true, false]) {
    const page = await open(t, '/_kit/detail', { javaScriptEnabled, width: 390 });
    const charges = page.getByRole('navigation', { name: 'Portal' }).getByRole('link', { name: 'Charges' });
    assert.equal(await charges.count(), 0);
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await charges.waitFor();
    await page.keyboard.press('Escape');
    await charges.waitFor({ state: 'hidden' });
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await charges.click();
    assert.ok(page.url().endsWith('/_kit/list'));
  }
});

test('the palette opens anywhere and finds while one types', async (t) => {
  const page = await open(t, '/_kit/detail');
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search or go to' });
  await palette.getByRole('link', { name: 'Disputes' }).waitFor();
  await page.keyboard.type('chen');
  await palette.getByRole('link', { name: /^Mei Chen/ }).first().waitFor();
  await page.waitForFunction(() => document.getElementById('said').textContent === '5 results');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('ArrowDown');
  assert.match(await focused(page), /^Mei Chen/);
  await page.keyboard.press('ArrowUp');
  await page.keyboard.press('ArrowUp');
  await keyboardIn(palette.locator('[name=q]'));
  await page.keyboard.type('zz');
  await palette.getByText('No results.').waitFor();
  await page.keyboard.press('Escape');
  await palette.waitFor({ state: 'hidden' });
  await page.keyboard.press('/');
  await palette.waitFor();
  await page.keyboard.type('Home');
  await palette.getByRole('link', { name: 'Home' }).waitFor();
  await page.waitForFunction(() => document.querySelectorAll('#palette .menu-item').length === 1);
  await page.keyboard.press('Enter');
  await page.waitForURL('**/_kit/home');
  assert.deepEqual(page.complaints, []);

  const bare = await open(t, '/_kit/detail', { javaScriptEnabled: false });
  await bare.getByRole('link', { name: 'Search' }).click();
  await bare.getByLabel('Search or go to').fill('chen');
  await bare.getByRole('button', { name: 'Search' }).click();
  await bare.getByRole('link', { name: /^Mei Chen/ }).first().waitFor();
  assert.equal(query(bare), '?q=chen');
});

test('filters live in the address', async (t) => {
  const page = await open(t, '/_kit/list');
  await page.locator('#filter-status').click();
  await page.getByRole('checkbox', { name: 'Failed' }).check();
  await page.getByRole('button', { name: 'Apply' }).first().click();
  await page.waitForURL('**/list?status=failed');
  await page.locator('.pill-value', { hasText: 'Failed' }).waitFor();
  const rows = page.locator('.list tbody tr');
  await keyboardIn(page.locator('#filter-status')); // it stays at the filter
  assert.deepEqual(
    [...new Set(await page.locator('td[data-place=state]').allTextContents())].map((s) => s.trim()),
    ['Failed'],
  );
  await page.waitForFunction(() => /of \d+ charges/.test(document.getElementById('said').textContent));
  await page.getByLabel('Payer, email, last four or id').fill('chen');
  await page.keyboard.press('Enter');
  await page.waitForURL('**/list?q=chen&status=failed');
  await page.getByRole('link', { name: 'Remove filter: Status' }).click();
  await page.waitForURL('**/list?q=chen');
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.waitForURL('**/_kit/list');
  await page.goBack();
  await page.waitForURL('**/list?q=chen');
  // the address moves before the page does
  await page.waitForFunction(() => document.querySelector('.filters input[name=q]').value === 'chen');
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.waitForFunction(() => document.querySelector('.filters input[name=q]').value === '');
  await page.getByRole('link', { name: 'Amount' }).click();
  await page.waitForURL('**/list?sort=-amount');
  await page.locator('th[aria-sort=descending]', { hasText: 'Amount' }).waitFor();
  assert.match(await focused(page), /^Amount/, 'the keyboard stays where it was');
  assert.match(await rows.first().textContent(), /\$12,500\.00/);
  await page.getByRole('link', { name: 'Next' }).click();
  await page.waitForURL(/after=/);
  await page.locator('.pager').getByText('21 – 40 of 64 charges').waitFor();
  await page.waitForFunction(() => document.getElementById('results').getBoundingClientRect().top > 40);
  await page.getByRole('link', { name: 'Previous' }).click();
  await page.locator('.pager').getByText('1 – 20 of 64 charges').waitFor();
  assert.deepEqual(page.complaints, []);
});

test('the last click is what a list shows, however late the answers come', async (t) => {
  const page = await open(t, '/_kit/list?q=chen');
  const late = new Promise((resolve) => {
    page.route(/_kit\/list$/, async (route) => {
      await new Promise((wait) => setTimeout(wait, 1000));
      await route.continue().catch(() => {}); // given up in the meantime
      resolve();
    });
  });
  await page.getByRole('link', { name: 'Clear filters' }).click();
  await page.getByRole('link', { name: 'Amount' }).click();
  await page.waitForURL('**/list?q=chen&sort=-amount');
  await late;
  await page.waitForTimeout(500); // in which the answer would come
  assert.equal(query(page), '?q=chen&sort=-amount');
  assert.equal(await page.locator('.filters input[name=q]').inputValue(), 'chen');
  await page.locator('th[aria-sort=descending]', { hasText: 'Amount' }).waitFor();
  assert.deepEqual(
    page.complaints.filter((one) => !/^htmx:(sendAbort|afterRequest)/.test(one)),
    [],
    'nothing but that a request was given up',
  );
});

test('filters need no script', async (t) => {
  const page = await open(t, '/_kit/list', { javaScriptEnabled: false });
  await page.locator('#filter-amount').click();
  await page.getByLabel('At least').fill('2000');
  await page.getByRole('button', { name: 'Apply' }).first().click();
  assert.equal(query(page), '?amount_min=2000', 'what was not filled in is not in the address');
  await page.getByText('$2000 or more').waitFor();
  await page.getByRole('link', { name: 'Remove filter: Amount' }).click();
  assert.equal(query(page), '');
  await page.getByRole('link', { name: 'Created' }).click();
  assert.equal(query(page), '?sort=created');
  await page.locator('#filter-created').click();
  await page.getByRole('link', { name: 'Last 7 days' }).click();
  assert.equal(query(page), '?created_from=2026-02-24&created_until=2026-03-02&sort=created');
});

test('rows are selected one by one, in a row, and all', async (t) => {
  const page = await open(t, '/_kit/list');
  const boxes = page.getByRole('checkbox', { name: /^Select the charge/ });
  const bar = page.getByRole('group', { name: 'Bulk actions' });
  assert.equal(await bar.count(), 0);
  await boxes.nth(1).click();
  await bar.getByText('1 selected').waitFor();
  await boxes.nth(4).click({ modifiers: ['Shift'] });
  await bar.getByText('4 selected').waitFor();
  const all = page.getByRole('checkbox', { name: 'Select all on this page' });
  assert.equal(await all.evaluate((box) => box.indeterminate), true);
  await all.click();
  await bar.getByText('20 selected').waitFor();
  await all.click();
  await bar.waitFor({ state: 'hidden' });
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('x');
  await bar.getByText('1 selected').waitFor();
  await bar.getByRole('button', { name: 'Send receipts' }).click();
  await page.getByText('1 receipts are on their way.').first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).waitFor();
  assert.deepEqual(page.complaints, []);

  const bare = await open(t, '/_kit/list', { javaScriptEnabled: false });
  assert.equal(await bare.getByRole('checkbox', { name: 'Select all on this page' }).count(), 0);
  await bare.getByRole('checkbox', { name: /^Select the charge/ }).nth(2).check();
  await bare.getByRole('button', { name: 'Send receipts' }).click();
  await bare.getByText('1 receipts are on their way.').waitFor();
});

test('keys lead to pages, rest while somebody types, and can be turned off', async (t) => {
  const page = await open(t, '/_kit/detail');
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.waitForURL('**/_kit/list');
  await page.getByLabel('Payer, email, last four or id').focus();
  await page.keyboard.type('g h?');
  assert.equal(await page.getByRole('dialog').count(), 0);
  await page.locator('main').focus();
  await page.keyboard.press('?');
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' });
  await sheet.waitFor();
  await sheet.getByRole('button', { name: 'Turn them off' }).click();
  await page.waitForURL('**/portal/login');
  await page.goBack();
  await page.reload();
  await page.keyboard.press('?');
  await page.keyboard.press('g');
  await page.keyboard.press('h');
  await page.keyboard.press('Control+k');
  await page.getByRole('dialog', { name: 'Search or go to' }).waitFor();
  assert.equal(await sheet.count(), 0);
  assert.ok(page.url().includes('/_kit/list'));
});
