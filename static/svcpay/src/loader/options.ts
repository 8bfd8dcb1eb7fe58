export type Options = Record<string, any>;

/** A copy that can cross a port: functions, elements and the like are left behind. */
export function clean(options: unknown): Options {
  return JSON.parse(JSON.stringify(options ?? {})) as Options;
}

/** `more` over `base`; nested objects are merged, everything else is replaced. */
export function merge(base: Options, more: Options): Options {
  const merged = { ...base };
  for (const [name, value] of Object.entries(more)) {
    merged[name] = isObject(merged[name]) && isObject(value) ? merge(merged[name], value) : value;
  }
  return merged;
}

function isObject(value: unknown): value is Options {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Submits the form around an element as Enter does in an input of it. */
export function submitForm(element: Element): void {
  const form = element.closest('form');
  const button = form?.querySelector<HTMLElement>('button:not([type]),[type=submit],[type=image]');
  if (button) button.click();
  else form?.requestSubmit();
}

/** The color scheme that the page uses at `element`, so that the frame's canvas stays transparent. */
export function schemeOf(element: Element): 'light' | 'dark' {
  const supported = getComputedStyle(element).colorScheme;
  const dark =
    supported.includes('dark') && (!supported.includes('light') || matchMedia('(prefers-color-scheme: dark)').matches);
  return dark ? 'dark' : 'light';
}
