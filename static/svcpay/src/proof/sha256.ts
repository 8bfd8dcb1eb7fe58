/** The constants of SHA-256, from the cube roots of the first 64 primes. */
const K = new Uint32Array(64);
/** Its start, from the square roots of the first eight. */
const START = new Uint32Array(8);

for (let n = 2, found = 0; found < 64; n++) {
  let prime = true;
  for (let d = 2; d * d <= n; d++) if (n % d === 0) prime = false;
  if (!prime) continue;
  if (found < 8) START[found] = fraction(Math.sqrt(n));
  K[found++] = fraction(Math.cbrt(n));
}

/** The first 32 bits of a number after its point. */
function fraction(x: number): number {
  return Math.floor((x - Math.floor(x)) * 0x100000000);
}

const w = new Uint32Array(64);

/** The first word of the SHA-256 of one block of 16 words, which is padded already. */
export function firstWord(block: Uint32Array): number {
  w.set(block);
  for (let i = 16; i < 64; i++) {
    const x = w[i - 15]!;
    const y = w[i - 2]!;
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3);
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10);
    w[i] = w[i - 16]! + s0 + w[i - 7]! + s1;
  }
  let a = START[0]! | 0;
  let b = START[1]! | 0;
  let c = START[2]! | 0;
  let d = START[3]! | 0;
  let e = START[4]! | 0;
  let f = START[5]! | 0;
  let g = START[6]! | 0;
  let h = START[7]! | 0;
  for (let i = 0; i < 64; i++) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7));
    const t = (h + s1 + ((e & f) ^ (~e & g)) + K[i]! + w[i]!) | 0;
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10));
    const u = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + t) | 0;
    d = c;
    c = b;
    b = a;
    a = (t + u) | 0;
  }
  return (a + START[0]!) >>> 0;
}
