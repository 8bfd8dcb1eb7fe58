/** How long a frame waits for the browser's focus, in milliseconds: a window in the background never gives it. */
const PATIENCE = 300;

/** How long after the message the browser may still move its focus about, in milliseconds. */
const UNSETTLED = 1_000;

/** The keys that type something. */
export const TYPING = /^.$/u;

/**
 * Makes the handler of the page's message "focus", given what moves the focus inside this frame. The message may arrive
 * before the browser has given the frame the focus. Firefox then takes it from the frame as soon as an element's
 * `focus()` is called, so the handler waits. Safari gives the focus to the frame's body, and lets scripts move it only
 * after a click or a key in the frame: if there are `keys`, the first of them moves it, and arrives where it belongs.
 */
export function onceFocused(focus: () => void, keys?: RegExp): () => void {
  let asked = -Infinity;
  addEventListener('focus', () => performance.now() - asked < UNSETTLED && focus());
  addEventListener('keydown', ({ key }) => document.activeElement === document.body && keys?.test(key) && focus());
  return () => {
    asked = performance.now();
    if (document.hasFocus()) focus();
    else setTimeout(() => document.hasFocus() || focus(), PATIENCE);
  };
}
