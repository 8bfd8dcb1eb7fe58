// Someone who opens every page of the portal that their role leads to, some of each kind.

/** The kind of an address: its path, with what names an object left out. */
export const kindOf = (address) =>
  new URL(address).pathname
    .split('/')
    .map((part) => (/^(\d+|[a-z]{2,5}_[0-9a-z]{20,}|[0-9a-f-]{36})$/.test(part) ? ':id' : part))
    .join('/');

/** Addresses that are no pages: files, the kit, and what ends the session. */
const noPage = /\.csv$|\.pdf$|\/file$|\/_kit|\/_inbox\/|\/logout|\/files?\/|\/download|\/statement$|\/daf_invoice$/;

/** What a page is built of, whatever it says, apart from its frame: pages of one make are equally sound. */
const makeOf = (page) =>
  page.evaluate(() => {
    const named = (e) =>
      [
        e.tagName,
        e.className.baseVal ?? e.className,
        e.getAttribute('role'),
        e.getAttribute('type'),
        e.dataset.tone,
      ].join(' ');
    return [...new Set([...document.querySelectorAll('main *:not(svg *)')].map(named))].sort().join('\n');
  });

/**
 * Follows every link from the home page on, at most `each` pages of a kind, and calls `visit(page, kind)` on each that
 * is not made like one of its kind that was visited before. Returns the kinds, and the links that lead nowhere.
 * `known` are the makes that others have visited; `opened(page, kind)` is called on every page.
 */
export async function walk(page, start, visit, { known = new Set(), each = 1, opened = async () => {} } = {}) {
  const queue = [[start, 'the home page']];
  const broken = [];
  const seen = new Map([[kindOf(start), new Set([new URL(start).pathname])]]);
  while (queue.length) {
    const [address, from] = queue.shift();
    const answer = await page.goto(address);
    const kind = kindOf(address);
    if (answer.status() !== 200) broken.push(`${from} leads to ${kind}: ${answer.status()}`);
    const links = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map(({ href }) => href));
    await opened(page, kind);
    const make = `${kind}\n${await makeOf(page)}`;
    if (!known.has(make)) {
      known.add(make);
      await visit(page, kind);
    }
    for (const link of links) {
      const url = new URL(link);
      if (url.origin !== new URL(start).origin || !url.pathname.startsWith('/portal') || noPage.test(url.pathname))
        continue;
      const found = seen.get(kindOf(link)) ?? new Set();
      if (found.has(url.pathname) || found.size >= each) continue;
      seen.set(kindOf(link), found.add(url.pathname));
      queue.push([url.origin + url.pathname, kind]);
    }
  }
  return { seen, broken };
}
