import type { Host } from './field';
import { LinkField } from './link';
import type { Options } from './options';

/** The button that opens the modal for pre-authorized debits in Canada. */
export class AcssField extends LinkField {
  constructor(host: Host, options: Options) {
    super(host, { type: 'acssDebit', method: 'acss', scheme: 'acss', authorized: 'acssAuthorized' }, options);
    this.reject(options);
  }

  override mount(target: string | Element): void {
    super.mount(target);
    this.prepare();
  }

  override updateField(options: Options): void {
    this.reject(options);
    super.updateField(options);
  }
}
