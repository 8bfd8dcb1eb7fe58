// What a page keeps of buttons that come and go: nothing. Each has a part of the library's code for itself or its
// modal.
import { test } from './support/test.mjs';
import { endures } from './support/endurance.mjs';
import { credentials, startBrowser } from './support/env.mjs';
import { startSite } from './support/merchant.mjs';

const site = await startSite();
const newPage = await startBrowser();
const { us, us_q: q, ca } = credentials.merchants;

/** The buttons, whose they are, and how many frames stand in the page with one mounted. */
const BUTTONS = {
  'wallet A': { type: 'walletA', merchant: us, frames: 1 },
  'wallet B': { type: 'walletB', merchant: us, frames: 1 },
  'the button of a bank’s modal': { type: 'bankaccount', merchant: q, frames: 2 },
  'the DAF button': { type: 'daf', merchant: us, frames: 2 },
  'the button of pre-authorized debits': { type: 'acssDebit', merchant: ca, frames: 2 },
};

for (const [name, button] of Object.entries(BUTTONS)) {
  test(`a thousand times mounted and unmounted, ${name} leaves no frame, listener, port or memory`, async (t) => {
    await endures(await newPage(t), site, button);
  });
}
