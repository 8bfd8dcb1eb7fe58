/** What a payer hears of it, in English. */
export const ENGLISH = {
  swipe: 'Swipe the card now',
  swiped: 'The card was read.',
  swipe_unreadable: 'The card could not be read. Swipe it again.',
  swipe_tracks_disagree: 'We couldn’t read that card. Enter the number instead.',
  swipe_timeout: 'No card was swiped. Try again or type the number.',
};

/**
 * How long to wait for a card, how long a reader that has begun can pause, and how long the keyboard can be elsewhere,
 * as it is while a click on the page's button makes its way here; in milliseconds.
 */
const START = 20_000;
const PAUSE = 600;
const AWAY = 1_000;

/** What a card's stripe says: digits, and the expiry as "MMYY". */
export interface Swipe {
  number: string;
  expiry: string;
}

// ISO/IEC 7813: format code B, the number (some cards group it by spaces), the name, YYMM; and the number with YYMM
// alone.
const TRACK_1 = /%B([\d ]{12,24})\^[^^?]{0,30}\^(\d\d)(\d\d)[^?]*\?/i;
const TRACK_2 = /;(\d{12,19})=(\d\d)(\d\d)\d*\?/;

/** Reads what a swiper typed; an error code when it cannot be used. */
export function readTracks(text: string): Swipe | string {
  const swipes = [TRACK_1, TRACK_2].flatMap((track) => {
    const [, number, year, month] = track.exec(text) ?? [];
    return number ? [{ number: number.replaceAll(' ', ''), expiry: month! + year! }] : [];
  });
  const [first, second] = swipes;
  if (!first) return 'swipe_unreadable';
  if (second && (first.number !== second.number || first.expiry !== second.expiry)) return 'swipe_tracks_disagree';
  return first;
}

/** Listens to a swiper, which types into `input`, until it pauses; leaving the input ends it without a result. */
export function capture(input: HTMLInputElement, done: (result: Swipe | string) => void): void {
  const listening = new AbortController();
  const { signal } = listening;
  const end = () => {
    clearTimeout(timer);
    listening.abort();
    input.value = '';
  };
  const finish = (result: Swipe | string) => {
    end();
    done(result);
    input.remove();
  };
  const left = () => {
    if (signal.aborted || (document.hasFocus() && document.activeElement === input)) return;
    end();
    input.remove();
  };
  let timer = setTimeout(() => finish('swipe_timeout'), START);
  input.addEventListener('input', () => {
    clearTimeout(timer);
    timer = setTimeout(() => finish(readTracks(input.value)), PAUSE);
  }, { signal });
  input.addEventListener('blur', () => setTimeout(left, AWAY), { signal });
  if (document.hasFocus()) input.focus(); // else as soon as the frame has the focus: see onceFocused
  addEventListener('focus', () => input.focus(), { signal });
}
