// Somebody who opens every page of the portal that their role leads to, one of each kind.

/** The kind of an address: its path, with what names an object left out. */
export const kindOf = (address) =>
  new URL(address).pathname
    .split('/')
    .map((part) => (/^(\d+|[a-z]{2,5}_[0-9a-z]{20,}|[0-9a-f-]{36})$/.test(part) ? ':id' : part))
    .join('/');

/** Addresses that are no pages: files, the kit, and what ends the session. */
const noPage = /\.csv$|\.pdf$|\/file$|\/_kit|\/_inbox\/|\/logout|\/files?\/|\/download/;

/**
 * Follows every link from the home page on, each kind of page once, and calls `visit(page, kind)` on each. Returns
 * the kinds, and the links that lead nowhere. `known` are kinds that others have been to; they are gone through, but not visited.
 */
export async function walk(page, start, visit, known = new Set()) {
  const queue = [[start, 'the home page']];
  const broken = [];
  const seen = new Set([kindOf(start)]);
  while (queue.length) {
    const [address, from] = queue.shift();
    const answer = await page.goto(address);
    const kind = kindOf(address);
    if (answer.status() !== 200) broken.push(`${from} leads to ${kind}: ${answer.status()}`);
    const links = await page.evaluate(() => [...document.querySelectorAll('a[href]')].map(({ href }) => href));
    if (!known.has(kind)) {
      known.add(kind);
      await visit(page, kind);
    }
    for (const link of links) {
      const url = new URL(link);
      if (url.origin !== new URL(start).origin || !url.pathname.startsWith('/portal') || noPage.test(url.pathname)) continue;
      if (seen.has(kindOf(link))) continue;
      seen.add(kindOf(link));
      queue.push([url.origin + url.pathname, kind]);
    }
  }
  return { seen, broken };
}
