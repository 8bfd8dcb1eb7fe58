// Behaves as Chariot's component does for a page: the element, its events, and a window of its own on phones. Its
// donor's pages are those of the fake.
(() => {
  const origin = new URL(document.currentScript.src).origin;
  const STYLE = `
    button { min-height: 48px; padding: 10px 28px; border: 0; border-radius: 24px; background: #1d3d8f; color: #fff;
      font: 600 16px/1.3 system-ui, sans-serif; cursor: pointer; }
    button:focus-visible { outline: 3px solid #6d8df0; outline-offset: 2px; }
    .pages { position: fixed; inset: 0; z-index: 9; background: #fff; }
    iframe { width: 100%; height: 100%; border: 0; }`;

  class ChariotConnect extends HTMLElement {
    #ask = async () => false;
    #root = this.attachShadow({ mode: 'open' });
    #over = () => {};

    connectedCallback() {
      const style = document.createElement('style');
      style.textContent = STYLE;
      const button = document.createElement('button');
      button.textContent = 'Give with DAFpay';
      button.onclick = () => void this.#open();
      this.#root.replaceChildren(style, button);
      this.#emit('CHARIOT_INIT', {});
    }

    onDonationRequest(ask) {
      this.#ask = ask;
    }

    registerTheme() {}

    async #open() {
      this.#over();
      // A window opens only within a second of the click.
      const phone = matchMedia('(pointer: coarse)').matches;
      const popup = phone ? window.open(origin + '/donate/wait', 'chariot', 'popup,width=440,height=760') : null;
      const gift = await this.#ask();
      if (!gift) return popup?.close();
      const query = new URLSearchParams({ cid: this.getAttribute('cid') ?? '', origin: location.origin });
      query.set('gift', JSON.stringify(gift));
      const address = `${origin}/donate?${query}`;
      if (popup) popup.location = address;
      this.#listen(popup ?? this.#embed(address), popup);
    }

    #embed(src) {
      const box = document.createElement('div');
      box.className = 'pages';
      const frame = Object.assign(document.createElement('iframe'), { src, title: 'DAFpay' });
      box.append(frame);
      this.#root.append(box);
      return frame.contentWindow;
    }

    /** Waits for the outcome, or for the donor to close the window. */
    #listen(pages, popup) {
      const heard = ({ source, origin: from, data }) => {
        if (source !== pages || from !== origin || typeof data?.name !== 'string') return;
        this.#over();
        this.#emit(data.name, data.detail);
      };
      const watch = setInterval(() => {
        if (!popup?.closed) return;
        this.#over();
        this.#emit('CHARIOT_EXIT', { reason: 'USER_EXIT' });
      }, 300);
      addEventListener('message', heard);
      this.#over = () => {
        this.#over = () => {};
        clearInterval(watch);
        removeEventListener('message', heard);
        popup?.close();
        this.#root.querySelector('.pages')?.remove();
      };
    }

    #emit(name, detail) {
      this.dispatchEvent(new CustomEvent(name, { detail, bubbles: true, composed: true }));
    }
  }
  customElements.define('chariot-connect', ChariotConnect);
})();
