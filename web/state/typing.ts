/** The time for which a search waits for the next key. The server answers within the time of a few keys. */

/** A text of one or two characters is in nearly every session, so its search is the slowest and the least useful. */
const SHORT_CHARS = 2;
const SHORT_MS = 180;
/** The time between two keys of a person who types. */
const PAUSE_MS = 80;
const ALONE_MS = 400;

/**
 * Returns a function that takes each typed text and returns the milliseconds to wait before the search. A text that
 * comes after a pause, such as a pasted one, is searched immediately.
 *
 * @param now a clock of milliseconds, given by tests
 */
export function createTypingWait(now: () => number = () => performance.now()): (text: string) => number {
  let typedAt = Number.NEGATIVE_INFINITY;
  return (text) => {
    const isAlone = now() - typedAt > ALONE_MS;
    typedAt = now();
    const { length } = text.trim();
    return length > 0 && length <= SHORT_CHARS ? SHORT_MS : isAlone ? 0 : PAUSE_MS;
  };
}
