/** The time for which a search waits for the next key: the server answers within the time of a few keys. */

/** A word of one or two characters is in nearly every session: its search is the slowest, and hardly anybody wants it. */
const SHORT_CHARS = 2;
const SHORT_MS = 180;
/** Between two keys of a person who types. */
const PAUSE_MS = 80;
const ALONE_MS = 400;

/**
 * Returns a function that is called with each text that was typed, and returns the milliseconds after which it is searched. A text
 * that comes after a pause, such as one that was pasted, is searched at once.
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
