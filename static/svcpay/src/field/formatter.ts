import { AndroidChromeStrategy } from 'restricted-input/dist/lib/strategies/android-chrome';
import { BaseStrategy } from 'restricted-input/dist/lib/strategies/base';
import { IosStrategy } from 'restricted-input/dist/lib/strategies/ios';

const { userAgent, maxTouchPoints } = navigator;
const IOS = /iP(hone|od|ad)/.test(userAgent) || (/Macintosh/.test(userAgent) && maxTouchPoints > 1);
const ANDROID_CHROME = /(?=.*(Android|CrOS))(?=.*Chrome)(?!.*(Edge|Samsung|DuckDuckGo))/.test(userAgent);

/**
 * Formats an input as it is typed. Chooses like restricted-input, whose other strategies are for browsers in which this
 * library doesn't run.
 */
export function formatter(element: HTMLInputElement, pattern: string): BaseStrategy {
  const Strategy = IOS ? IosStrategy : ANDROID_CHROME ? AndroidChromeStrategy : BaseStrategy;
  return new Strategy({ element, pattern });
}
