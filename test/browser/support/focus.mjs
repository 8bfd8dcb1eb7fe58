// Where the keyboard is.

/**
 * Waits for an element to have the keyboard, for `limit` milliseconds: a browser gives it to an element with `autofocus`
 * only when it draws the page, and crosses processes to reach a frame.
 */
export function keyboardIn(element, limit = 5_000) {
  return element.evaluate((wanted, milliseconds) => new Promise((done, failed) => {
    const end = performance.now() + milliseconds;
    const where = () =>
      document.activeElement.id || document.activeElement.getAttribute('name') || document.activeElement.localName;
    const look = () => {
      if (document.hasFocus() && document.activeElement === wanted) done();
      else if (performance.now() < end) setTimeout(look, 5);
      else failed(new Error(`the keyboard is at ${document.hasFocus() ? where() : 'another document'}`));
    };
    look();
  }), limit);
}
