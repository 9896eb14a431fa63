/** Errors of repeated work: a lasting error is reported once, and again only after it was gone. */

import { messageOf } from "@continuo/core/model";

/** `of` names the subject of an error, such as a session; left out for the whole work. */
export type Report = (error: unknown, of?: string) => void;

/** Returns the work; it reports each error that its last pass did not have. It never throws. */
export function reportNew(report: Report, work: (report: Report) => Promise<void>): () => Promise<void> {
  let before = new Set<string>();
  return async () => {
    const now = new Set<string>();
    const reportOnce: Report = (error, of = "") => {
      const key = `${of}\n${messageOf(error)}`;
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
