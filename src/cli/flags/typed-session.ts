/** The session in the flags of `chat` and `repl`. The code that finds it is loaded only if a session is named. */

import type { TalkFlags } from "@continuo/agents/conversations";
import type { Shell } from "../terminal/index.ts";

/** The flags as they are typed: `--resume` and `--fork` without an id are `true`. */
export type TypedTalkFlags<T extends TalkFlags> = Omit<T, "resume" | "fork"> & {
  readonly resume?: string | true;
  readonly fork?: string | true;
};

/**
 * Includes the session that the person names by a title or a row, or chooses. Errors: as `sessionToResume` of the
 * notices.
 */
export async function withSession<T extends TalkFlags>(typed: TypedTalkFlags<T>, shell: Shell): Promise<T> {
  const { resume, fork, ...flags } = typed;
  const name = resume ?? fork;
  if (name === undefined) return flags as T;
  const { sessionToResume } = await import("../notices/index.ts");
  const session = await sessionToResume(name, resume === undefined ? "fork" : "continue", shell);
  return { ...flags, ...(resume === undefined ? { fork: session } : { resume: session }) } as T;
}
