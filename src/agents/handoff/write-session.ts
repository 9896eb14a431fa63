/** Messages as a new native session of an agent: what a replay is where we write the agent's files. */

import { statSync } from "node:fs";
import { type AgentName, ContinuoError, type Message, type ReadableRef } from "../../model/index.ts";
import { toModelOrder } from "../../transcript/index.ts";
import { type Conversion, convertMessages, type Receipt, toReceipt } from "../converting/index.ts";
import { placesOfThisUser } from "../lookup/index.ts";
import type { Places } from "../reader/index.ts";
import { makeSession, placeSession, verifySession } from "./made-session.ts";
import type { AgentPrograms, Verification } from "./verify.ts";

export interface WriteSessionOptions {
  readonly to: AgentName;
  /** An absolute path of a folder that is there. */
  readonly cwd: string;
  readonly title: string;
  readonly places?: Places;
  /** `agent`: by the target's own reader where it is installed, and by ours; `own`, the default: by ours alone. */
  readonly verifyBy?: "agent" | "own";
  readonly programs?: AgentPrograms;
  readonly signal?: AbortSignal;
}

export interface WrittenSession {
  readonly ref: ReadableRef;
  /** What was kept, rewritten, noted and dropped of each message. */
  readonly receipt: Receipt;
  readonly verification: Verification;
}

/**
 * The session is read back before it is placed. Messages of the role `system` become the user's: an agent has
 * instructions of its own.
 *
 * Errors: `not_found` for the folder, `invalid` for messages that no model reads, `verification_failed`,
 * `unwritable`, `unsupported`. Nothing is written then.
 */
export async function writeNativeSession(
  messages: readonly Message[],
  options: WriteSessionOptions,
): Promise<WrittenSession> {
  const converted = convertMessages(toModelOrder(messages).map(withoutSystem), options.to);
  return await writeConverted(converted, options);
}

/** As `writeNativeSession`, of messages that are converted already. */
export async function writeConverted(
  converted: Conversion,
  options: WriteSessionOptions,
): Promise<WrittenSession> {
  const { to, cwd, title, signal, programs } = options;
  const places = options.places ?? placesOfThisUser();
  if (statSync(cwd, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw new ContinuoError("not_found", `the folder ${cwd} is not there`);
  }
  if (converted.messages.length === 0) {
    throw new ContinuoError("invalid", "the messages hold nothing that a model reads");
  }
  const made = await makeSession({
    ...{ gitBranch: null, back: null, messages: converted.messages },
    ...{ cwd, title, places, to },
  });
  const by = options.verifyBy ?? "own";
  const { said: _, ...verification } = await verifySession(made, { by, programs, places, signal });
  await placeSession(made, null);
  const { sessionId } = made.session;
  const location = made.writer.locationOf(made.file, sessionId);
  return {
    ref: { agent: to, sessionId, location, cwd },
    receipt: toReceipt(converted.records),
    verification,
  };
}

function withoutSystem(message: Message): Message {
  return message.role === "system" ? { ...message, role: "user" } : message;
}
