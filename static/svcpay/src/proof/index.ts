// Finds proofs of work. The controller loads this part only when the service asks for one.
import { firstWord } from './sha256';

/** How long the search runs before it lets the page's other work go on, in milliseconds. */
const SLICE = 12;
/** Hashes between two looks at the clock. */
const STEP = 512;

/**
 * For each of `puzzles` numbers i, a number n for which the SHA-256 of the seed, i and n begins with `bits` zero bits.
 * The seed has 36 characters; both numbers have four bytes. It works in slices: the policy of the frame allows no
 * worker, and its fields go on working.
 */
export async function solve({ seed, bits, puzzles }: { seed: string; bits: number; puzzles: number }) {
  const block = new Uint32Array(16);
  for (let i = 0; i < 36; i++) block[i >> 2]! |= seed.charCodeAt(i) << (24 - 8 * (i & 3));
  block[11] = 0x80000000;
  block[15] = 44 * 8;
  const limit = 2 ** (32 - bits);
  const solution: number[] = [];
  let n = 0;
  for (let until = performance.now() + SLICE; solution.length < puzzles; ) {
    block[9] = solution.length;
    for (let step = 0; step < STEP; step++, n++) {
      block[10] = n;
      if (firstWord(block) >= limit) continue;
      solution.push(n);
      n = 0;
      break;
    }
    if (performance.now() < until) continue;
    await pause();
    until = performance.now() + SLICE;
  }
  return solution;
}

/** Lets other work go on. Browsers slow down the timers of frames that can't be seen, but not messages. */
function pause(): Promise<void> {
  return new Promise((resolve) => {
    const { port1, port2 } = new MessageChannel();
    port1.onmessage = () => {
      port1.close();
      resolve();
    };
    port2.postMessage(0);
  });
}
