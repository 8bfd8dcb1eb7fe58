// Processor accounts in the portal: connected, tested, changed, disabled and left by administrators; read by others.
import assert from 'node:assert/strict';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { flow } from './support/flows.mjs';
import { as, look, portal } from './support/portal.mjs';

const { us, ca } = credentials.merchants;
const secret = 'sk_test_violet_horse_9f2c';
let number = 700_000 + (Date.now() % 100_000) * 10; // other accounts than those of a run before

/**
 * Goes from a page with accounts through all that can be done with one: ACH of a merchant in Canada, which no payment
 * is made with.
 */
async function connects(page, external, seen) {
  await page.getByRole('link', { name: 'Connect account' }).click();
  assert.equal(await page.getByLabel('Credentials').getAttribute('type'), 'password');
  await page.getByLabel('External account').fill('acct_unknown');
  await page.getByLabel('Credentials').fill(secret);
  for (const method of ['Cards', 'ACSS', 'Payouts'])
    await page.getByRole('checkbox', { name: new RegExp(`^${method}`) }).uncheck();
  await page.getByLabel('Priority').fill('none');
  await page.getByRole('button', { name: 'Connect account' }).click();
  await page.getByRole('alert').getByRole('link', { name: 'Enter a number from 1 to 100.' }).click();
  if (seen) await look(page, 'an account with a mistake');
  await page.getByLabel('Priority').fill('3');
  await page.getByRole('button', { name: 'Connect account' }).click();
  await page.getByRole('alert').getByText('The processor has no such account').waitFor();
  assert.equal(await page.getByLabel('Credentials').inputValue(), '');
  await page.getByLabel('External account').fill(external);
  await page.getByLabel('Credentials').fill(secret);
  await page.getByRole('button', { name: 'Connect account' }).click();
  await page.getByText('Account connected').first().waitFor();
}

/** Tests, edits, disables and enables an account. */
async function changes(page, external, seen) {
  const account = page
    .getByRole('listitem')
    .filter({ has: page.getByRole('heading', { name: `sandbox ${external}` }) });
  await account.getByText('••••9f2c').waitFor();
  await account.getByRole('button', { name: 'Test' }).click();
  await page.getByText('Test passed. The account can take payments.').first().waitFor();
  await account.getByRole('link', { name: 'Edit' }).click();
  if (seen) await look(page, 'an account that is edited');
  await page.getByLabel('USD').check();
  await page.getByLabel('Priority').fill('9');
  await page.getByRole('button', { name: 'Save changes' }).click();
  await page.getByText('Account updated').first().waitFor();
  await account.getByText('USD', { exact: true }).waitFor();
  await account.getByRole('link', { name: 'Disable' }).click();
  await page.getByRole('button', { name: 'Disable account' }).waitFor();
  if (seen) await look(page, 'an account that is disabled');
  await page.getByRole('button', { name: 'Disable account' }).click();
  await account.getByText('Disabled', { exact: true }).waitFor();
  await account.getByRole('link', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove account' }).click();
  await page.getByText('wait a minute before you remove it').waitFor(); // a payment may have chosen it a moment ago
  if (seen) await look(page, 'an account that is removed');
  await page.goto(page.url().replace(/\/processing\/.*/, '/processing'));
  await account.getByRole('link', { name: 'Enable' }).click();
  await page.getByRole('button', { name: 'Enable account' }).click();
  await account.getByText('Active', { exact: true }).waitFor();
}

/** Moves the merchant from one new account to another: new payments go there once the first is disabled. */
async function moves(page, from, to, seen) {
  const goes = (external) =>
    page.locator('dl > div').filter({ hasText: /^ACH/ }).getByText(`sandbox ${external}`).waitFor();
  const connect = async (external, priority) => {
    await page.getByRole('link', { name: 'Connect account' }).click();
    await page.getByLabel('External account').fill(external);
    for (const method of ['Cards', 'ACSS', 'Payouts'])
      await page.getByRole('checkbox', { name: new RegExp(`^${method}`) }).uncheck();
    await page.getByLabel('Priority').fill(priority);
    await page.getByRole('button', { name: 'Connect account' }).click();
    await page.getByRole('heading', { name: `sandbox ${external}` }).waitFor();
  };
  const disable = async (external) => {
    const account = page
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: `sandbox ${external}` }) });
    await account.getByRole('link', { name: 'Disable' }).click();
    await page.getByRole('button', { name: 'Disable account' }).click();
    await account.getByText('Disabled', { exact: true }).waitFor();
  };
  await connect(from, '10');
  await goes(from);
  await connect(to, '20');
  await goes(from);
  await disable(from);
  await goes(to);
  if (seen) await look(page, 'a merchant that was moved');
  await disable(to);
}

/** Turns failover on and off. */
async function fails(page, seen) {
  await page.getByRole('link', { name: 'Turn on' }).click();
  await page.getByRole('button', { name: 'Turn on failover' }).waitFor();
  if (seen) await look(page, 'failover that is turned on');
  await page.getByRole('button', { name: 'Turn on failover' }).click();
  await page.getByText('Failover turned on').first().waitFor();
  await page.getByRole('link', { name: 'Turn off' }).click();
  await page.getByRole('button', { name: 'Turn off failover' }).click();
  await page.getByText('Failover turned off').first().waitFor();
}

flow('processor accounts', async (page, { role, scripted }) => {
  const seen = scripted && role === 'application_admin';
  for (const path of [`/merchants/${ca}/processing`, '/processing']) {
    const external = `app-${credentials.app_id}/own-${number++}`;
    await page.goto(portal + path);
    if (seen) await look(page, `${path} without an account`);
    await connects(page, external, seen);
    await changes(page, external, seen);
    if (path === '/processing') await fails(page, seen);
    else
      await moves(page, `app-${credentials.app_id}/own-${number++}`, `app-${credentials.app_id}/own-${number++}`, seen);
    if (seen) await look(page, `${path} with accounts`);
  }
});

test('others read where payments go', async (t) => {
  const support = await as(t, 'support_staff', `/merchants/${us}/processing`);
  await support.getByText(`sandbox app-${credentials.app_id}/merchant-${us}`).first().waitFor();
  await support.getByText('Managed by: System administrator, Application administrator.').waitFor();
  await support.getByRole('heading', { name: 'The application’s defaults' }).waitFor();
  assert.equal(await support.getByRole('link', { name: /Connect|Disable/ }).count(), 0);
  await look(support, 'what support staff see');
  await support.goto(`${portal}/processing`);
  await support.getByRole('heading', { name: 'Default accounts' }).waitFor();
  assert.equal(await support.getByRole('button', { name: 'Test' }).count(), 0);

  const organization = await as(t, 'organization_admin', `/merchants/${us}/processing`);
  await organization.getByText(`sandbox app-${credentials.app_id}/merchant-${us}`).first().waitFor();
  assert.equal(await organization.getByRole('heading', { name: 'The application’s defaults' }).count(), 0);
  assert.equal(await organization.getByRole('link', { name: /Connect|Disable/ }).count(), 0);
  await look(organization, 'what an organization sees');
  assert.equal((await organization.goto(`${portal}/processing`)).status(), 404);

  const staff = await as(t, 'organization_staff', `/merchants/${us}`);
  assert.equal(await staff.getByRole('link', { name: 'Processing' }).count(), 0);
  assert.deepEqual([support.complaints, organization.complaints, staff.complaints], [[], [], []]);
});
