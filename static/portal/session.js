// Before a session ends a dialog asks whether one stays; after that another says that it ended. What is asked for in
// any tab keeps all of them: they tell each other.
const box = document.getElementById('session');
const EARLY = 120_000; // milliseconds, of which the dialogs speak
const OFTEN = 20_000; // a device that slept wakes with its timers late

const dialogs = Object.fromEntries(
  ['soon', 'last', 'over'].map((name) => [name, document.getElementById(`session-${name}`)]),
);
const tabs = new BroadcastChannel('portal-session');
let ends; // if nothing more is asked for
let last; // whatever is asked for
let shown;
let timer;

/** Opens the dialog that is due. One that someone closed stays closed. */
function look() {
  clearTimeout(timer);
  const left = Math.min(ends, last) - Date.now();
  let due;
  if (left <= 0) due = 'over';
  else if (left <= EARLY) due = last <= ends ? 'last' : 'soon';
  if (due !== shown) {
    const before = shown;
    shown = due;
    dialogs[before]?.close();
    dialogs[due]?.showModal();
  }
  if (left > 0) timer = setTimeout(look, Math.min(left > EARLY ? left - EARLY : left, OFTEN));
}

/** Takes what an answer says: in how many seconds the session ends, and in how many at the latest. */
function learn(said) {
  if (!said) return;
  [ends, last] = said.split(' ').map((seconds) => Date.now() + seconds * 1000);
  tabs.postMessage([ends, last]);
  look();
}

async function stay() {
  const answer = await fetch(box.dataset.stay, { method: 'POST', redirect: 'manual' }).catch(() => null);
  if (answer?.ok) return learn(answer.headers.get('Portal-Session'));
  if (answer?.type === 'opaqueredirect') ends = 0; // to sign in
  shown = undefined; // else it is asked again
  look();
}

if (box) {
  learn(box.dataset.lasts);
  tabs.addEventListener('message', ({ data }) => {
    [ends, last] = data;
    look();
  });
  document.addEventListener('htmx:afterRequest', ({ detail }) => learn(detail.xhr.getResponseHeader('Portal-Session')));
  document.addEventListener('visibilitychange', look);
  // Closed by its button, with Escape or by a click next to it: someone is there.
  dialogs.soon.addEventListener('close', () => shown === 'soon' && stay());
}
