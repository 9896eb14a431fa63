/**
 * The note below an answer that was cut off. It is a separate file, because the viewer needs it for its first session,
 * and Markdown only later.
 */

import type { Message } from "../../model/index.ts";

export const CUT_OFF_NOTE = "The answer was cut off here";

/** The stop reasons of agents that mean an incomplete answer. */
const CUT_OFF: ReadonlySet<string | undefined> = new Set(["interrupted", "aborted", "cancelled"]);

/** True for an answer whose last text is incomplete. */
export function isCutOff({ stopReason, content }: Pick<Message, "stopReason" | "content">): boolean {
  return CUT_OFF.has(stopReason) && content.at(-1)?.type === "text";
}
