// Merchants in the portal: what they pay, the websites of wallet A, their enrollment for donations.
import assert from 'node:assert/strict';
import { keyboardIn } from './support/focus.mjs';
import { test } from './support/test.mjs';
import { credentials } from './support/env.mjs';
import { flow } from './support/flows.mjs';
import { as, portal, sound } from './support/portal.mjs';

const { us, us_q: usQ, ca } = credentials.merchants;
const conflicts = (page) => page.complaints.filter((words) => !/status of 409/.test(words));
const show = (page, path) => page.goto(portal + path);

let cents = 30 + (Date.now() % 40); // other fees than the demo's, and than those of a run before

flow('fee change', async (page, { role, scripted }) => {
  const reason = `A contract of ${role} ${scripted}`;
  await show(page, `/merchants/${ca}/fees`);
  await page.getByRole('link', { name: 'Change fees' }).click();
  await page.getByLabel('Capture').fill('x');
  await page.getByLabel('Reason').fill(reason);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('alert').getByRole('link', { name: /^Capture: Enter an amount/ }).click();
  const wanted = `0.${cents++}`;
  await page.getByLabel('Capture').fill(wanted);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('heading', { name: 'Review change' }).waitFor();
  await page.getByRole('heading', { name: 'Impact on the last 30 days' }).waitFor();
  assert.equal(await page.locator('.split section h3').count(), 3, 'three examples');
  await page.getByRole('button', { name: 'Edit' }).click();
  assert.equal(await page.getByLabel('Capture').inputValue(), wanted);
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Change fees' }).click();
  await page.getByText('Fees updated').first().waitFor();
  await page.getByRole('cell', { name: `$${wanted}` }).first().waitFor();
  await page.getByText(reason).first().waitFor();

  await page.getByRole('link', { name: 'Change fees' }).click();
  await page.getByLabel('Chargeback').fill('17.00');
  await page.getByLabel('On a date').check();
  await page.getByLabel('Day').fill('2029-01-02');
  await page.getByLabel('Reason').fill('Next year');
  await page.getByRole('button', { name: 'Review' }).click();
  await page.getByRole('button', { name: 'Schedule change' }).click();
  await page.getByText('Change scheduled for').first().waitFor();
  await page.getByRole('button', { name: 'Cancel change' }).click();
  await page.getByText('Scheduled change canceled').first().waitFor();
  assert.equal(await page.getByRole('button', { name: 'Cancel change' }).count(), 0);
});

flow('enrollment', async (page) => {
  await show(page, `/merchants/${usQ}/daf`);
  await page.getByLabel('EIN').fill('12');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('An EIN is written as 04-3567500').first().waitFor();
  await page.getByLabel('EIN').fill('13-1313130');
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByRole('alert').getByText('The merchant has another EIN.').waitFor();
  await page.getByRole('link', { name: 'No, use another EIN' }).click();
  await page.getByRole('button', { name: 'Look up' }).click();
  await page.getByText('Is this the organization?').waitFor();
  await page.getByRole('button', { name: /^Yes, enroll/ }).click();
  await page.getByText(/is enrolled in DAF Pay/).first().waitFor();
  await page.getByRole('link', { name: 'Opt out' }).click();
  await page.getByRole('heading', { name: 'Opt out of DAF Pay' }).waitFor();
  await page.getByRole('button', { name: 'Opt out' }).click();
  await page.getByText('The organization has opted out').waitFor();
});

flow('domains', async (page, { scripted }) => {
  await show(page, `/merchants/${us}/wallets`);
  const before = await page.getByLabel('Domains, one per line').inputValue();
  await page.getByLabel('Domains, one per line').fill(`${before}\nhttps://give.example.org/`);
  await page.getByRole('button', { name: 'Save and verify' }).click();
  await page.getByRole('alert').getByRole('link', { name: /Leave the scheme out/ }).waitFor();
  await page.getByLabel('Domains, one per line').fill(`${before}\nsecond.localhost`);
  await page.getByRole('button', { name: 'Save and verify' }).click();
  const row = page.getByRole('row', { name: /second.localhost/ });
  await row.getByText('File verified').waitFor();
  await row.getByText(/wallet-a-developer-merchantid-domain-association/).waitFor();
  if (scripted) await page.evaluate(() => document.getElementById('said').replaceChildren());
  await row.getByRole('button', { name: 'Verify' }).click();
  if (scripted) {
    await page.locator('#said').getByText(/domains? (verified|failed)/).waitFor();
    await keyboardIn(page.locator('[id="verify-second.localhost"]')); // it stays where it was
  }
  await row.getByText('File verified').waitFor();
  await page.getByLabel('Domains, one per line').fill(before);
  await page.getByRole('button', { name: 'Save and verify' }).click();
  await row.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /shop.localhost/ }).getByText('Verified', { exact: true }).waitFor();
});

flow('wallet A', async (page) => {
  await show(page, `/merchants/${ca}/wallets`);
  const on = (await page.getByRole('button', { name: 'Turn off' }).count()) === 1;
  await page.getByRole('button', { name: on ? 'Turn off' : 'Turn on' }).click();
  await page.getByText(`Wallet A is ${on ? 'off' : 'on'}.`).first().waitFor();
  await page.getByRole('button', { name: 'Undo' }).first().click();
  await page.getByRole('button', { name: on ? 'Turn off' : 'Turn on' }).waitFor();
});

test('two editors of the same fees see both versions', async (t) => {
  const path = `/merchants/${usQ}/fees/change`;
  cents++;
  const first = await as(t, 'application_admin', path);
  const second = await as(t, 'system_admin', path);
  for (const [page, capture, retrieval, reason] of [
    [first, `0.${cents}`, '', 'The first'],
    [second, `0.${cents + 1}`, `3.${cents}`, 'The second'],
  ]) {
    await page.getByLabel('Capture').fill(capture);
    if (retrieval) await page.getByLabel('Retrieval').fill(retrieval);
    await page.getByLabel('Reason').fill(reason);
    await page.getByRole('button', { name: 'Review' }).click();
    await page.getByRole('heading', { name: 'Review change' }).waitFor();
  }
  await first.getByRole('button', { name: 'Change fees' }).click();
  await first.getByText('Fees updated').first().waitFor();
  await second.getByRole('button', { name: 'Change fees' }).click();
  await second.getByText('Someone else just changed these fees').waitFor();
  await second.getByText('The first').first().waitFor();
  await second.getByText('Both of you changed this.').first().waitFor();
  await sound(second, 'conflict');
  await second.getByRole('button', { name: 'Apply my changes too' }).click();
  assert.equal(await second.getByLabel('Retrieval').inputValue(), `3.${cents}`);
  await second.getByRole('button', { name: 'Review' }).click();
  await second.getByRole('button', { name: 'Change fees' }).click();
  await second.getByText('Fees updated').first().waitFor();
  await second.getByText('The first').first().waitFor();
  assert.deepEqual([first.complaints, conflicts(second)], [[], []]);
});

test('who may not is told who may', async (t) => {
  const staff = await as(t, 'organization_staff', `/merchants/${us}/wallets`);
  await staff.getByText('Managed by: System administrator, Support staff.').waitFor();
  assert.equal(await staff.getByRole('button', { name: /Turn|Save|Verify/ }).count(), 0);
  await staff.goto(`${portal}/merchants/${us}/daf`);
  await staff.getByText('Available to: Organization administrator.').waitFor();
  await staff.goto(`${portal}/merchants/${us}/fees`);
  assert.equal(await staff.getByRole('link', { name: 'Change fees' }).count(), 0);
  assert.deepEqual(staff.complaints, []);
});
