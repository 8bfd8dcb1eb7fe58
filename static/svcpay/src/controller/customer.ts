import { isObject, type Members } from '../shared/members';

type Plain = 'string' | 'number' | 'boolean';
type Shape = Plain | 'pairs' | { [name: string]: Shape };

const CUSTOMER: Shape = {
  amount: 'number',
  firstName: 'string',
  lastName: 'string',
  email: 'string',
  phone: 'string',
  note: 'string',
  address: { line1: 'string', line2: 'string', city: 'string', state: 'string', postalCode: 'string' },
  metadata: 'pairs',
  anonymous: 'boolean',
};

/**
 * The customerDetail of a DAF field as the service takes it. It only fills in what the donor can
 * change, so a member that is wrong is left out with a warning and does not stop anybody from giving.
 */
export function customerOf(detail: unknown): Members {
  return (pick(detail, CUSTOMER, 'customerDetail') ?? {}) as Members;
}

function pick(value: unknown, shape: Shape, path: string): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof shape === 'string' && shape !== 'pairs') return typeof value === shape ? value : ignore(path, `must be a ${shape}`);
  if (!isObject(value)) return ignore(path, 'must be an object');
  const members = Object.entries(value).map(([name, member]) => [name, memberOf(shape, name, member, `${path}.${name}`)]);
  return Object.fromEntries(members.filter(([, member]) => member !== undefined));
}

function memberOf(shape: Shape, name: string, value: unknown, path: string): unknown {
  if (shape === 'pairs') return pick(typeof value === 'number' || typeof value === 'boolean' ? String(value) : value, 'string', path);
  return Object.hasOwn(shape as object, name) ? pick(value, (shape as Record<string, Shape>)[name]!, path) : ignore(path, 'is not known');
}

function ignore(path: string, why: string): undefined {
  console.warn(`[SvcPay] ${path} is ignored: it ${why}.`);
}
