// The list of all events, options and error codes, each with the browser test that provokes it, against the sources.
// null: none of our code has it yet. {"reason": …}: it has, and no browser test provokes it.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { test } from 'node:test';

const root = new URL('../../../', import.meta.url);
const read = (path) => readFile(new URL(path, root), 'utf8');
const surface = JSON.parse(await read('test/browser/support/surface.json'));

const sources = new URL('static/svcpay/src/', root);
const names = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.ts'));
const typescript = await Promise.all(names.map((name) => readFile(new URL(name, sources), 'utf8')));
/** What answers the controller: the codes of its answers are those of the library. */
const go = await Promise.all(
  [
    'api/browser/client.go',
    'api/browser/answer.go',
    'api/browser/daf.go',
    'internal/token/session.go',
    'internal/token/card.go',
    'internal/token/create.go',
    'internal/token/velocity.go',
    'internal/token/wallet.go',
    'internal/wallet/wallet.go',
  ].map(read),
);
const link = await Promise.all(['internal/banklink/account.go', 'views/bank/text_en.go'].map(read));
const [, keys] = /func \(s \*Service\) AuthenticatePublic\(([^]*?)\n}/.exec(
  await read('internal/apikey/authenticate.go'),
);

const matches = (texts, ...patterns) =>
  new Set(texts.flatMap((text) => patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => name))));

/** Those of the list that the code writes in another way than by the usual calls. */
const quoted = (listed) => Object.keys(listed).filter((name) => typescript.some((text) => text.includes(`'${name}'`)));

const found = {
  codes: new Set([
    ...matches(
      typescript,
      /\b(?:fault|raise|not)\(\s*'([a-z_]+)'/g,
      /'(swipe_[a-z]+(?:_[a-z]+)*)'/g,
      /'((?:incomplete|invalid)_(?!request_error)[a-z]+(?:_[a-z]+)*)'/g,
    ),
    ...matches(
      go,
      /fault\.(?:Invalid|Refused)\("([a-z_]+)"/g,
      /fault\.New\(fault\.Kind\w+,\s*"([a-z_]+)"/g,
      /fs\.Add\([^,]+, "([a-z_]+)"/g,
    ),
    ...quoted(surface.codes),
    ...matches(
      link,
      /fault\.(?:Refused\(|New\(fault\.KindForbidden, )"([a-z_]+)"/g,
      /"((?:incomplete|invalid)_[a-z]+_number)":/g,
    ),
    ...matches([keys], /refuse\("([a-z_]+)"/g),
  ]),
  events: new Set([...matches(typescript, /emit\('(\w+)'/g), ...quoted(surface.events)]),
  options: matches(
    [
      ...(await read('static/svcpay/svcpay.d.ts')).matchAll(
        /interface \w*Options(?: extends \w+)? \{\n([^]*?)\n {2}\}/g,
      ),
    ].map(([, body]) => body),
    /^ {4}(\w+)\??:/gm,
  ),
};

for (const [kind, listed] of Object.entries(surface)) {
  test(`the list of ${kind} is that of the sources`, () => {
    const missing = [...found[kind]].filter((name) => !(name in listed));
    assert.deepEqual(missing, [], `test/browser/support/surface.json does not have these ${kind}`);
    for (const [name, where] of Object.entries(listed)) {
      if (where === null) assert.ok(!found[kind].has(name), `${name} has come: name the browser test that provokes it`);
      else assert.ok(found[kind].has(name), `${name} is in no source any more`);
    }
  });
}

test('the published types list the codes', async () => {
  const [, union] = /type ErrorCode =([^;]*);/.exec(await read('static/svcpay/svcpay.d.ts'));
  const typed = [...union.matchAll(/'(\w+)'/g)].map(([, code]) => code);
  const listed = Object.keys(surface.codes).filter((code) => surface.codes[code] !== null);
  assert.deepEqual(typed.sort(), listed.sort());
});

test('the tests that the list names are there', async () => {
  for (const where of new Set(
    Object.values(surface)
      .flatMap(Object.values)
      .filter((each) => typeof each === 'string'),
  )) {
    const [file, ...title] = where.split(': ');
    assert.ok((await read(`test/browser/${file}`)).includes(title.join(': ')), where);
  }
});

test('at most three are not provoked, each with its reason', () => {
  const reasons = Object.values(surface)
    .flatMap(Object.values)
    .filter((where) => typeof where === 'object' && where !== null);
  assert.ok(reasons.length <= 3);
  for (const { reason } of reasons) assert.ok(reason.length > 20);
});

test('the reference has 18 events, all of which are listed', () =>
  assert.equal(Object.keys(surface.events).length, 18));
