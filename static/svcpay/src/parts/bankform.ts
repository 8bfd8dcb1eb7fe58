import { BankForm } from '../bankform/form';
import { exportPart } from '../loader/part';

const part = { BankForm };

/** What the field of a bank account gets of this part. */
export type BankFormPart = typeof part;

exportPart(part);
