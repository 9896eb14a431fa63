/** Errors of work that is done again and again: one that stays is reported once, and again only after it was away. */

/** `of` names the thing that an error is about, such as a session; none for the whole work. */
export type Report = (error: unknown, of?: string) => void;

/** Returns the work, whose errors are reported where its last pass did not have them. It never throws. */
export function reportNew(report: Report, work: (report: Report) => Promise<void>): () => Promise<void> {
  let before = new Set<string>();
  return async () => {
    const now = new Set<string>();
    const reportOnce: Report = (error, of = "") => {
      const key = `${of}\n${String(error)}`;
      if (!before.has(key) && !now.has(key)) report(error, of);
      now.add(key);
    };
    try {
      await work(reportOnce);
    } catch (error) {
      reportOnce(error);
    }
    before = now;
  };
}
