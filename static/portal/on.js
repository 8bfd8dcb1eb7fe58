/** Calls `act(element, event)` when `type` happens in an element that matches, now or later. */
export function on(type, selector, act, options) {
  document.addEventListener(
    type,
    (event) => {
      const found = event.target.closest?.(selector);
      if (found) act(found, event);
    },
    options,
  );
}

/** Calls `act(root)` with the page, and with every part of it that is put in later. */
export function appear(act) {
  act(document);
  document.addEventListener('htmx:load', ({ detail }) => act(detail.elt));
}

/** All elements of a part that match, the part itself among them. */
export function all(root, selector) {
  const inside = [...root.querySelectorAll(selector)];
  return root.matches?.(selector) ? [root, ...inside] : inside;
}

/**
 * Reports whether it was the page that asked for something, as it does time and again; `detail` is of an event of htmx.
 */
export function polled({ requestConfig }) {
  return Boolean(requestConfig?.headers['Portal-Poll']);
}

/** Says something to those who do not see it appear; unless `again`, not what was said last. */
export function say(words, again = true) {
  const said = document.getElementById('said');
  if (again || said.textContent !== words) said.textContent = words;
}
