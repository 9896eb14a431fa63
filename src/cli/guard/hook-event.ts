/** An event that an agent sends to a hook on standard input. */

import { isJson, type Json, parseJson } from "@continuo/files";
import type { NamedSession } from "@continuo/native/editing/guard";
import type { Shell } from "../terminal/index.ts";

export interface HookEvent {
  readonly name: string;
  readonly sessionId: string;
  /** The file of the session, if the agent names it. */
  readonly file: string | null;
}

/** An event of an agent has only a few lines. */
const MAX_INPUT_CHARS = 1_048_576;

/** Claude Code, Codex and Gemini CLI send the same fields. `null` for a value that is not an event. */
export async function readEvent({ stdin }: Pick<Shell, "stdin">): Promise<HookEvent | null> {
  if (stdin.isTTY) return null;
  let text = "";
  for await (const chunk of stdin) {
    text += String(chunk);
    if (text.length > MAX_INPUT_CHARS) return null;
  }
  const record = recordOf(text);
  const { session_id: sessionId, transcript_path: path, hook_event_name: name } = record ?? {};
  if (typeof sessionId !== "string" || sessionId === "") return null;
  return {
    name: typeof name === "string" ? name : "",
    sessionId,
    file: typeof path === "string" && path !== "" ? path : null,
  };
}

/** The longest wait for the end of the input, because a program may keep the pipe open. */
const MAX_WAIT_MS = 1_000;

/** The session of the event, with its file; `null` if the event does not name both. */
export async function namedSession(shell: Pick<Shell, "stdin">): Promise<NamedSession | null> {
  const { stdin } = shell;
  const timer = setTimeout(() => stdin.destroy(), MAX_WAIT_MS);
  try {
    const event = await readEvent(shell);
    return event === null || event.file === null
      ? null
      : { sessionId: event.sessionId, location: event.file };
  } catch {
    // The event was not complete in time.
    return null;
  } finally {
    clearTimeout(timer);
  }
}

function recordOf(text: string): Json | null {
  try {
    const value: unknown = parseJson(text);
    return isJson(value) ? value : null;
  } catch {
    return null;
  }
}
