import { accept } from '../shared/accept';
import { channel, type Channel } from '../shared/channel';
import { TYPING, onceFocused } from '../shared/focus';
import { joinController } from '../shared/join';
import { CARD_INPUTS, type CardType, type FieldState, type Fill, type Joined } from '../shared/protocol';
import { CardForm, type Settings } from './form';
import { setNow } from './now';
import { learn, speak, word } from './words';

const query = new URLSearchParams(location.search);
const wanted = query.get('t') ?? '';
const type: CardType = Object.hasOwn(CARD_INPUTS, wanted) ? (wanted as CardType) : 'card';

/** Joins the controller over a port of their own, on which alone card data travels; `joined` runs with each. */
async function join(form: CardForm, joined: (link: Channel) => void): Promise<void> {
  const handlers = {
    collect: (country?: string) => form.collect(country),
    brand: (brand: string) => (form.brand = brand),
    fill: (fill: Fill) => form.fill(fill),
  };
  const { country, without, brand, locale, words, now } = await new Promise<Joined>((told) => {
    joinController(handlers, (link) => {
      joined(link);
      void link.call('hello').then(told);
    });
  });
  if (now) setNow(now);
  speak(locale, words);
  form.localize(country, without);
  // Where the number is, the brand comes from what is typed.
  if (type === 'cardCvc') form.brand = brand;
}

accept((port) => {
  let link: Channel | undefined;
  // A page that comes back from the browser's cache has no card of the person before.
  addEventListener('pagehide', ({ persisted }) => persisted && form.clear());
  let swiper: typeof import('./swipe') | undefined;
  /** The card can be typed without it; the next swipe asks for it again. */
  const loadSwiper = async () => {
    const path = SVCPAY_SWIPER; // esbuild adds a loader of modules to imports whose path it knows.
    swiper ??= await import(path).catch(() => undefined);
    if (swiper) learn(swiper.ENGLISH);
  };
  const form = new CardForm(type, {
    changed: (state: FieldState) => page.send('change', state),
    focused: (focus) => page.send(focus ? 'focus' : 'blur'),
    branded: (brand) => page.send('brand', brand),
    detected: (brand) => link?.send('brand', brand),
    filled: (fill) => link?.send('fill', fill),
    entered: () => page.send('enter'),
  });
  const page = channel(port, {
    async init(settings: Settings) {
      await join(form, (joined) => (link = joined));
      // Ahead of the swipe, whose keys would not wait for it.
      if (settings.swipe) await loadSwiper();
      page.send('title', word(`title_${type}`));
      document.body.replaceChildren(form.element);
      form.apply(settings);
      new ResizeObserver(() => page.send('height', form.element.offsetHeight)).observe(form.element);
      return form.state;
    },
    update: (settings: Settings) => form.apply(settings),
    focus: onceFocused(() => form.focus(), TYPING),
    clear: () => form.clear(),
    async swipe() {
      await loadSwiper();
      if (swiper) form.swipe(swiper.capture);
    },
  });
});
