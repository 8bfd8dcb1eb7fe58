import { fault } from '../shared/errors';
import type { Challenge } from './http';

/** What the part that finds proofs of work exports. */
interface Solver {
  solve(challenge: Challenge): Promise<number[]>;
}

/** Solves a challenge with a part of the library that is loaded only then. */
export async function proofOf(challenge: Challenge): Promise<{ seed: string; solution: number[] }> {
  let solver: Solver;
  try {
    const path = SVCPAY_PROOF; // esbuild adds a loader of modules to imports whose path it knows.
    solver = await import(path);
  } catch {
    throw fault(
      'network_error',
      'The payment service could not be reached. Check the connection and try again.',
      'api_connection_error',
    );
  }
  return { seed: challenge.seed, solution: await solver.solve(challenge) };
}
