/** Remarks of a person, from the moment at which they press the button until a note has them. Pure. */

import { LIMITS } from "../limits.ts";
import type { Remark, SessionView } from "./view.ts";

export interface ShownRemark extends Remark {
  /** True while the remark is not stored on the server. */
  readonly isWaiting: boolean;
}

/** The newest remarks on the tab's own video on which no note is based, in the order in which they were made. */
export function remarksOf({
  notes,
  evidence,
  remarks,
  session,
  videoId,
}: Pick<SessionView, "notes" | "evidence" | "remarks" | "session" | "videoId">): readonly ShownRemark[] {
  const sessionVideo = session?.videoId ?? videoId;
  const noted = new Set(notes.flatMap((note) => note.evidence));
  const stored = evidence.filter(
    (one) => one.type === "remark_added" && (one.videoId ?? sessionVideo) === videoId && !noted.has(one.id),
  );
  const shown = (isWaiting: boolean) => (one: Remark) => {
    const { id, mediaTimeMs, text } = one;
    return { id, mediaTimeMs, text, isWaiting };
  };
  return [...stored.map(shown(false)), ...remarks.map(shown(true))].slice(-LIMITS.shownRemarks);
}
