'use client';
import {
  createContext, createElement, forwardRef, useCallback, useContext, useEffect, useImperativeHandle, useMemo, useRef,
  useState,
} from 'react';
import { loadSvcPay } from '@svcpay/js';

/** The events of every field, each with the property that handles it. */
const COMMON = { ready: 'onReady', focus: 'onFocus', blur: 'onBlur', change: 'onChange' };
const CARD = { ...COMMON, cardbrand: 'onCardBrand' };

/** The handlers of events after which a field works that had a problem. */
const WORKING = ['onReady', 'onButtonClick', 'onAuthorized'];

/** Each field type with its payment method, for each of which the library needs an instance, and its events. */
const TYPES = {
  card: ['cc', CARD],
  cardNumber: ['cc', CARD],
  cardExpiration: ['cc', CARD],
  cardCvc: ['cc', CARD],
  bankaccount: ['ach', { ...COMMON, achAuthorized: 'onAuthorized' }],
  acssDebit: ['acss', { ...COMMON, acssAuthorized: 'onAuthorized' }],
  daf: ['daf', { ...COMMON, dafAuthorized: 'onAuthorized', dafCanceled: 'onCanceled' }],
  walletA: ['wallet_a', {
    ...COMMON,
    walletAButtonClick: 'onButtonClick',
    walletAAuthorized: 'onAuthorized',
    walletACanceled: 'onCanceled',
    walletAIncompatible: 'onIncompatible',
  }],
  walletB: ['wallet_b', {
    ...COMMON,
    walletBReady: 'onLoaded',
    walletBButtonReady: 'onButtonReady',
    walletBButtonClick: 'onButtonClick',
    walletBAuthorized: 'onAuthorized',
    walletBIncompatible: 'onIncompatible',
  }],
};

const failure = (code, message, type = 'integration_error') => ({ code, message, type });
const LOADING = failure('not_ready', 'The payment field is still loading.');
const UNMOUNTED = failure('field_not_mounted', 'The payment field is not in the page.');

/** What was thrown, as an error of the library. */
function asError(thrown) {
  const { code, message = String(thrown) } = thrown ?? {};
  return typeof code === 'string' ? { ...thrown, message } : failure('internal_error', message, 'api_error');
}

const Payments = createContext(undefined);

/** The state of a provider that has no session yet, as on a server. */
const NONE = { status: 'loading', session: null, can: null, error: null };

/**
 * The instances of the library of one provider, as {pay, outcome}, two promises; `outcome` is that of its
 * canMakePayments. The payment method that asks first gets the first instance.
 */
function openSession({ publicKey, merchant, locale, swipe, ...source }) {
  const instances = new Map();
  const opened = new Set();
  let closed = false;
  const open = () => {
    const pay = loadSvcPay(source).then((SvcPay) => {
      if (closed || !SvcPay) return undefined;
      const made = new SvcPay(publicKey, merchant, { locale, swipe });
      opened.add(made);
      return made;
    });
    // Later than the fields that wait for it are made: then the library loads their files while it asks.
    const ask = async (made) => {
      await new Promise((resolve) => setTimeout(resolve));
      const can = await made?.canMakePayments();
      return can ? { can } : { error: made?.lastError };
    };
    return { pay, outcome: pay.then(ask).catch((thrown) => ({ error: asError(thrown) })) };
  };
  const first = open();
  return {
    first: first.outcome,
    get closed() {
      return closed;
    },
    instance(method) {
      if (!instances.has(method)) instances.set(method, instances.size ? open() : first);
      return instances.get(method);
    },
    close() {
      closed = true;
      for (const pay of opened) pay.destroy();
    },
  };
}

/** Gives the fields inside it the key and the merchant: one payment form. See index.d.ts. */
export function SvcPayProvider({
  children, publicKey, merchant, origin, version, integrity, nonce, retries, locale, swipe,
}) {
  const [state, setState] = useState(NONE);
  const [attempt, setAttempt] = useState(0);
  const retry = useCallback(() => setAttempt((before) => before + 1), []);
  useEffect(() => {
    let gone = false;
    const session = openSession({ publicKey, merchant, origin, version, integrity, nonce, retries, locale, swipe });
    setState({ ...NONE, session });
    session.first.then(({ can = null, error = null }) => {
      if (!gone) setState({ status: can ? 'ready' : 'unavailable', session, can, error });
    });
    return () => {
      gone = true;
      session.close();
    };
  }, [publicKey, String(merchant), origin, version, integrity, nonce, retries, locale, swipe, attempt]);
  const value = useMemo(() => ({ ...state, retry }), [state, retry]);
  return createElement(Payments.Provider, { value }, children);
}

function usePayments() {
  const payments = useContext(Payments);
  if (!payments) throw new Error('Payment fields need a <SvcPayProvider> around them.');
  return payments;
}

/** What the merchant accepts, once it is known. See index.d.ts. */
export function useSvcPay() {
  const { status, can, error, retry } = usePayments();
  return useMemo(() => ({ status, can, error, retry }), [status, can, error, retry]);
}

/**
 * What to pass to updateField so that a field with the options `before` has those of `after`; undefined if it has to
 * begin again, because an option that only a new field can do without is gone.
 */
function changesOf(before, after) {
  const changes = {};
  for (const name of Object.keys({ ...before, ...after })) {
    const [was, is] = [before[name], after[name]];
    if (JSON.stringify(was) === JSON.stringify(is)) continue;
    if (is === undefined) changes[name] = typeof was === 'boolean' ? name === 'submitOnEnter' : undefined;
    else changes[name] = isObject(was) && isObject(is) ? changesOf(was, is) : is;
    if (changes[name] === undefined) return undefined;
  }
  return changes;
}

const isObject = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** A field for an element of your own. See index.d.ts. */
export function useField(type, { options, ...handlers } = {}) {
  const [method, events] = TYPES[type];
  const { session } = usePayments();
  const [element, ref] = useState(null);
  const [ready, setReady] = useState(false);
  const [error, setError] = useState(null);
  const [beginning, setBeginning] = useState(0);
  const wanted = JSON.stringify(options ?? {});
  const latest = useRef();
  /** The field: {pay, field, options}, with `error` if there is none or it is not mounted yet. */
  const current = useRef({ error: LOADING });
  /** What setPrice was called with last, which a new field gets, too. */
  const price = useRef();
  /** The error of the options or the price. */
  const rejected = useRef();

  useEffect(() => {
    latest.current = { handlers, wanted };
  });

  const accepted = useCallback(() => setError((problem) => (problem === rejected.current ? null : problem)), []);

  const handle = useMemo(() => ({
    async createToken(tokenData) {
      const mounted = current.current;
      if (mounted.error) return { error: mounted.error };
      const result = await mounted.pay.createToken(mounted.field, tokenData);
      return result.error && current.current !== mounted ? { error: UNMOUNTED } : result;
    },
    focus: () => current.current.field?.focus(),
    clear: () => current.current.field?.clear?.(),
    setPrice(wantedPrice) {
      price.current = wantedPrice;
      current.current.field?.setPrice?.(wantedPrice);
      accepted();
    },
    get lastError() {
      return current.current.error ?? current.current.pay.lastError;
    },
  }), [accepted]);

  const fail = useCallback((problem) => {
    setError(problem);
    latest.current.handlers.onError?.(problem, handle);
  }, [handle]);

  /** Changes the field; an error of one change is over with the next that succeeds. */
  const change = useCallback((action) => {
    try {
      action();
      accepted();
    } catch (thrown) {
      rejected.current = asError(thrown);
      fail(rejected.current);
    }
  }, [accepted, fail]);

  useEffect(() => {
    if (!session || !element) return undefined;
    let gone = false;
    const over = () => gone || session.closed; // A closed one has a successor, which is on its way here.
    current.current = { error: LOADING };
    const make = (pay) => {
      if (over() || !pay) return;
      const { wanted: first } = latest.current;
      try {
        const field = pay.createField(type, JSON.parse(first));
        for (const [name, handler] of Object.entries(events)) {
          field.on(name, (event) => {
            if (gone) return;
            if (name === 'ready') setReady(true);
            if (WORKING.includes(handler)) setError((problem) => (problem === rejected.current ? problem : null));
            latest.current.handlers[handler]?.(event, handle);
          });
        }
        current.current = { pay, field, options: first, error: LOADING };
        if (price.current !== undefined) change(() => field.setPrice?.(price.current));
      } catch (thrown) {
        current.current = { options: first, error: asError(thrown) };
        fail(current.current.error);
      }
    };
    const mount = ({ error: obstacle }) => {
      const { pay, field } = current.current;
      if (over() || !(field || obstacle)) return;
      if (!obstacle) {
        pay.lastError = null;
        field.mount(element);
        field.onfailure = (problem) => gone || fail(problem);
        current.current.error = undefined;
        if (!pay.lastError) return;
        field.unmountField();
      }
      current.current = { error: obstacle ?? pay.lastError };
      fail(current.current.error);
    };
    const instance = session.instance(method);
    instance.pay.then(make, () => {}); // Why there is none, its outcome says.
    instance.outcome.then(mount);
    return () => {
      gone = true;
      current.current.field?.unmountField();
      current.current = { error: UNMOUNTED };
      setReady(false);
      setError(null);
    };
  }, [session, element, type, method, events, handle, fail, change, beginning]);

  useEffect(() => {
    const { field, options: before } = current.current;
    if (before === undefined || before === wanted) return;
    const [was, is] = [before, wanted].map((options) => JSON.parse(options));
    if (was.price !== is.price) price.current = undefined;
    const changes = field && changesOf(was, is);
    if (!changes) {
      setBeginning((times) => times + 1);
      return;
    }
    current.current.options = wanted;
    change(() => field.updateField(changes));
  }, [wanted, change]);

  return useMemo(() => ({ ref, ready, error, field: handle }), [ready, error, handle]);
}

/** Keeps the classes that React and the library each give an element: React would write all of them. */
function useClasses(className) {
  const first = useRef(className);
  const element = useRef(null);
  const given = useRef(className);
  useEffect(() => {
    const words = (text) => (text ?? '').split(/\s+/).filter(Boolean);
    if (given.current === className) return;
    element.current?.classList.remove(...words(given.current));
    element.current?.classList.add(...words(className));
    given.current = className;
  }, [className]);
  return [first.current, element];
}

function component(type, name) {
  const handled = new Set(['options', 'onError', ...Object.values(TYPES[type][1])]);
  const Component = forwardRef(({ className, ...props }, outer) => {
    const mine = {};
    const rest = {};
    for (const [key, value] of Object.entries(props)) (handled.has(key) ? mine : rest)[key] = value;
    const { ref, field } = useField(type, mine);
    const [classes, element] = useClasses(className);
    useImperativeHandle(outer, () => field, [field]);
    const place = useCallback((node) => {
      element.current = node;
      ref(node);
    }, [element, ref]);
    return createElement('div', { ...rest, className: classes, ref: place });
  });
  Component.displayName = name;
  return Component;
}

export const CardField = /* @__PURE__ */ component('card', 'CardField');
export const CardNumberField = /* @__PURE__ */ component('cardNumber', 'CardNumberField');
export const CardExpirationField = /* @__PURE__ */ component('cardExpiration', 'CardExpirationField');
export const CardCvcField = /* @__PURE__ */ component('cardCvc', 'CardCvcField');
export const BankAccountField = /* @__PURE__ */ component('bankaccount', 'BankAccountField');
export const AcssDebitField = /* @__PURE__ */ component('acssDebit', 'AcssDebitField');
export const DafField = /* @__PURE__ */ component('daf', 'DafField');
export const WalletAField = /* @__PURE__ */ component('walletA', 'WalletAField');
export const WalletBField = /* @__PURE__ */ component('walletB', 'WalletBField');
