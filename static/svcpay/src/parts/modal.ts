import { Modal } from '../loader/modal';
import { exportPart } from '../loader/part';

const part = { Modal };

/** What fields that open a modal get of this part. */
export type ModalPart = typeof part;

exportPart(part);
