let ahead = 0;

/** The time in milliseconds: the service's, as soon as the controller has told it, for a visitor's clock may be wrong. */
export const now = (): number => Date.now() + ahead;

export function setNow(time: number): void {
  ahead = time - Date.now();
}
