import type { WalletSeat } from '../loader/wallet';

/** The least that a button measures, and the most that wallet A's may be high. */
const SHEET = `
:host { display: block; }
:host(.fill) { width: 100%; height: 100%; }
.place { display: block; width: max-content; min-width: 186px; max-width: 100%; height: 40px; min-height: 40px; }
.place.fill { width: auto; min-width: 0; height: 100%; }
.place.walletA { max-height: 64px; }
.place > * { width: 100%; height: 100%; }
.place[inert] { opacity: 0.55; }
`.replace(/\n\s*/g, '');

/** The box of a wallet's button in its shadow tree, as large as buttonSizeMode says. */
export class Place {
  readonly element = document.createElement('div');
  #seat: WalletSeat;

  constructor(seat: WalletSeat, ...sheets: string[]) {
    this.#seat = seat;
    seat.root.adoptedStyleSheets = [SHEET, ...sheets].map((text) => {
      const sheet = new CSSStyleSheet();
      sheet.replaceSync(text);
      return sheet;
    });
    seat.root.append(this.element);
    this.element.addEventListener('focusin', () => seat.focused(true));
    this.element.addEventListener('focusout', () => seat.focused(false));
    this.update();
  }

  get fills(): boolean {
    return this.#seat.options().buttonSizeMode === 'fill';
  }

  update(): void {
    const { disabled } = this.#seat.options();
    this.element.className = `place ${this.#seat.type}${this.fills ? ' fill' : ''}`;
    this.element.inert = !!disabled;
    (this.#seat.root.host as HTMLElement).classList.toggle('fill', this.fills);
  }

  focus(): void {
    this.element.querySelector<HTMLElement>('button, [tabindex="0"]')?.focus();
  }
}
