// A browser's distance from all servers: a proxy that holds each request for the time of a round trip.
import { createServer, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { after } from './test.mjs';

/**
 * Starts a proxy at a distance of `roundTrip` ms, for the tests of one file. `flags` make a browser use it; `log` has
 * every request with the times at which it began and ended.
 */
export async function startDistance(roundTrip) {
  const log = [];
  const proxy = createServer(async (incoming, outgoing) => {
    const entry = { url: incoming.url, began: performance.now() };
    log.push(entry);
    await sleep(roundTrip);
    const { port, pathname, search } = new URL(incoming.url);
    const { method, headers } = incoming;
    const onward = request({ host: '127.0.0.1', port, path: pathname + search, method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode, answer.headers);
      answer.pipe(outgoing);
      answer.on('end', () => (entry.ended = performance.now()));
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  });
  await new Promise((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  after(() => new Promise((done) => (proxy.closeAllConnections(), proxy.close(done))));
  const flags = [`--proxy-server=127.0.0.1:${proxy.address().port}`, '--proxy-bypass-list=<-loopback>'];
  return { log, flags };
}

/** The longest row of requests of which each began after the one before had ended. */
export function longestRow(log) {
  const rows = [];
  for (const entry of log.filter(({ ended }) => ended).sort((one, other) => one.began - other.began)) {
    const before = rows.filter((row) => row.at(-1).ended <= entry.began);
    const longest = before.reduce((best, row) => (row.length > best.length ? row : best), []);
    rows.push([...longest, entry]);
  }
  return rows.reduce((best, row) => (row.length > best.length ? row : best), []);
}
