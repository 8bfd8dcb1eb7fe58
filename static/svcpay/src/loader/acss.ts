import type { Host } from './field';
import { LinkField } from './link';
import type { Options } from './options';

/** The button that opens the modal for pre-authorized debits in Canada. */
export class AcssField extends LinkField {
  constructor(host: Host, options: Options) {
    super(host, 'acssDebit', 'acss', options);
    this.reject(options);
  }

  override updateField(options: Options): void {
    this.reject(options);
    super.updateField(options);
  }
}
