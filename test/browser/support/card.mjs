// A payer's hands: finds the inputs inside the frames, types a card, waits for what the page saw.
import { keyboardIn } from './focus.mjs';

/** Cards that the sandbox processor approves. */
export const VISA = '4242424242424242';
export const AMEX = '378282246310005';

/** A month and year far enough ahead, as typed ("MMYY"). */
export const EXPIRY = `08${String(new Date().getFullYear() + 4).slice(2)}`;

/** One input of a mounted field, by the id of its container. */
export function input(page, name, container = '#card') {
  return page.frameLocator(`${container} iframe`).locator(`input[name=${name}]`);
}

/** Opens a page of the site and waits until every field on it is ready. */
export async function open(page, address) {
  await page.goto(address);
  await page.waitForFunction(() => {
    const ready = window.seen.filter(([, name]) => name === 'ready').length;
    return ready && ready === Object.keys(window.fields).length;
  });
}

/**
 * Clicks into an input until the keyboard is there: focus crosses processes, and once in thousands the browser loses
 * the click, upon which a payer would click again.
 */
export async function enter(page, name, container) {
  const target = input(page, name, container);
  for (let tries = 3; ; tries--) {
    await target.click();
    try {
      return await keyboardIn(target);
    } catch (error) {
      if (tries === 1) throw error;
      console.error(`${name} clicked once more: ${error.message}`);
    }
  }
}

/** Types a whole card into a combined field, as a payer would: focus moves on on its own. */
export async function typeCard(page, { number = VISA, expiry = EXPIRY, cvc = '123', zip = '94107' } = {}) {
  await enter(page, 'number');
  await page.keyboard.type(number + expiry + cvc + zip);
}

/** Leaves the field for the page's own button. */
export async function leave(page) {
  await page.locator('#after').focus();
  await page.waitForFunction(() => !document.querySelector('.SvcPayField--focus'));
}

/** What the page recorded of one event; waits until there are `count` of them at least. */
export async function eventsOf(page, name, count = 0) {
  const recorded = await page.waitForFunction(
    ([wanted, least]) => {
      const events = window.seen.filter(([, name]) => name === wanted).map(([, , event]) => event);
      return events.length >= least && events;
    },
    [name, count],
  );
  return recorded.jsonValue();
}

/** createToken with the first field of the page. */
export function createToken(page, tokenData) {
  return page.evaluate((data) => window.pay.createToken(Object.values(window.fields)[0], data), tokenData);
}
