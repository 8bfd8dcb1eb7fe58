// Runs in the page of a visit at Chariot: it loads Chariot's component, passes the gift to it, and posts what the
// component reports to the service. None of it is believed there before Chariot has taken the grant.

/** What the page passes to the component. */
interface Gift {
  script: string;
  connectId: string;
  fundId: string;
  amount: number;
  reference: string;
  firstName?: string;
  lastName?: string;
  email?: string;
  phone?: string;
  note?: string;
  anonymous: boolean;
}

/** What the script says, in the donor's language. */
interface Words {
  unreached: string;
  unsaved: string;
  unrepeated: string;
  unloaded: string;
  /** About a report that was refused, by code. */
  refused: Record<string, string>;
}

/** The parts of Chariot's element that are used here. */
interface Connect extends HTMLElement {
  onDonationRequest(ask: () => Promise<object>): void;
}

interface Success {
  workflowSessionId?: string;
  grantIntent?: { amount?: number; fundId?: string };
}

interface Exit {
  workflowSessionId?: string;
  reason?: string;
}

const ELEMENT = 'chariot-connect';
/** How long the component may take to load, in ms. */
const PATIENCE = 20_000;
/** How long an authorization is good for, in ms. A report is repeated no longer. */
const GOOD_FOR = 15 * 60_000;

const box = document.querySelector<HTMLElement>('[data-visit]')!;
const state = box.querySelector<HTMLElement>('[data-state]')!;
const problem = document.querySelector<HTMLElement>('[data-problem]')!;
const again = document.querySelector<HTMLButtonElement>('[data-again]')!;
const leave = document.querySelector<HTMLButtonElement>('[data-leave]')!;
const gift = JSON.parse(box.dataset.component!) as Gift;
const words = JSON.parse(box.dataset.said!) as Words;
const base = box.dataset.visit!;
let reporting = false;

function show(text: string, retry?: () => void): void {
  const notice = Object.assign(document.createElement('p'), { className: 'notice', textContent: text });
  notice.dataset.tone = 'warning';
  problem.replaceChildren(...(text ? [notice] : []));
  again.hidden = !retry;
  again.onclick = retry ?? null;
}

/** Posts a report until the service answers, and goes where it says. */
async function report(path: string, body: () => object): Promise<void> {
  if (reporting) return;
  reporting = true;
  leave.hidden = true;
  const began = Date.now();
  for (let pause = 1000; ; pause = Math.min(2 * pause, 10_000)) {
    const answer = await post(path, body());
    if (answer?.next) return location.replace(answer.next);
    if (answer?.error) {
      show(words.refused[answer.error.code] ?? answer.error.message);
      break;
    }
    const authorized = path === '/authorized';
    if (Date.now() - began > GOOD_FOR) {
      show(words.unrepeated);
      break;
    }
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, pause);
      show(authorized ? words.unsaved : words.unreached, () => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  reporting = false;
  leave.hidden = false;
}

interface Answer {
  next?: string;
  error?: { code: string; message: string };
}

/** The service's answer; undefined if there is none, or if it is a failure of the service. */
async function post(path: string, body: object): Promise<Answer | undefined> {
  try {
    const response = await fetch(base + path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(20_000),
    });
    if (response.status >= 500 || response.status === 429) return undefined;
    return (await response.json()) as Answer;
  } catch {
    return undefined;
  }
}

function exited(reason: string, session = ''): void {
  void report('/exit', () => ({ reason, session }));
}

function succeeded({ workflowSessionId: session = '', grantIntent }: Success): void {
  if (!grantIntent) return exited('RECURRING_NOT_SUPPORTED');
  const at = Date.now();
  void report('/authorized', () => ({
    session,
    amount: grantIntent.amount ?? 0,
    fundId: grantIntent.fundId ?? '',
    age: Math.max(0, Math.round((Date.now() - at) / 1000)),
  }));
}

function load(): void {
  show('');
  state.hidden = false;
  const script = Object.assign(document.createElement('script'), { src: gift.script, async: true });
  let settled = false;
  const failed = () => {
    if (settled) return;
    settled = true;
    script.remove();
    state.hidden = true;
    show(words.unloaded, load);
  };
  script.onerror = failed;
  setTimeout(failed, PATIENCE);
  void customElements.whenDefined(ELEMENT).then(() => {
    if (settled) return;
    settled = true;
    state.hidden = true;
    ready();
  });
  document.head.append(script);
}

function ready(): void {
  const connect = document.createElement(ELEMENT) as Connect;
  connect.setAttribute('cid', gift.connectId);
  connect.addEventListener('CHARIOT_SUCCESS', (event) => succeeded((event as CustomEvent<Success>).detail ?? {}));
  connect.addEventListener('CHARIOT_EXIT', (event) => {
    const { reason, workflowSessionId } = (event as CustomEvent<Exit>).detail ?? {};
    exited(reason ?? 'USER_EXIT', workflowSessionId);
  });
  box.append(connect);
  const { amount, fundId, firstName, lastName, email, phone, note, anonymous, reference } = gift;
  connect.onDonationRequest(async () => {
    show('');
    const donor = { firstName, lastName, email, phone, note, anonymous };
    return { amount, fundId, frequency: 'ONE_TIME', ...donor, metadata: { reference } };
  });
}

leave.onclick = () => exited('USER_EXIT');
load();
