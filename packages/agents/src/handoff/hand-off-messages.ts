/**
 * Hands over a conversation that does not come from an agent: writes its messages as a new native session of an agent.
 */

import { assertKnownOptions, ContinuoError, cancellable, type Message } from "@continuo/core/model";
import { toModelOrder } from "@continuo/core/transcript";
import { pick, resumeCommandOf } from "@continuo/native";
import { toOneLine } from "@continuo/native/kit";
import { convertMessages, toReceipt } from "./converting/index.ts";
import { HAND_OFF_OPTIONS, type HandOff, type HandOffOptions } from "./hand-off.ts";
import { fromMessage, withinLimits } from "./source/index.ts";
import { writeConverted } from "./write-session.ts";

/** The messages, and the title and the folder of the new session. */
export interface HandOffContent {
  readonly messages: readonly Message[];
  readonly title: string;
  /** An absolute path. */
  readonly cwd: string;
}

/**
 * Hands over messages like `handOff`. Their origin is not recorded, because there is no session to which the messages
 * could be brought back.
 *
 * Errors: as `handOff`, except those of a lookup.
 */
export async function handOffMessages(
  said: HandOffContent,
  options: Omit<HandOffOptions, "cwd">,
): Promise<HandOff> {
  const { cwd: _, ...known } = HAND_OFF_OPTIONS;
  assertKnownOptions("handOffMessages", options, known);
  return await cancellable(options.signal, () => handOffSaid(said, options));
}

async function handOffSaid(
  { messages, title: given, cwd }: HandOffContent,
  options: Omit<HandOffOptions, "cwd">,
): Promise<HandOff> {
  const { to, until } = options;
  const title = toOneLine(given);
  // The target agent has instructions of its own, so system messages become user messages.
  const said = messages.map((one): Message => (one.role === "system" ? { ...one, role: "user" } : one));
  const later = fromMessage(said, options.fromMessage);
  const chosen = withinLimits(later.messages, options);
  const left = [...later.left, ...chosen.left];
  const converted = convertMessages(toModelOrder(chosen.messages), to);
  if (chosen.messages.length === 0) {
    throw new ContinuoError("invalid", "cannot hand over the session: it has no message for a model", {
      hint: "Run `continuo session show ID` to see its content.",
      details: { receipt: toReceipt([...left, ...converted.records]) },
    });
  }
  const { receipt, written } = await writeConverted(converted, {
    to,
    cwd,
    title,
    left,
    maxLoss: options.maxLoss,
    until,
    verifyBy: options.verifyBy ?? "agent",
    ...pick(options, "places", "programs", "signal"),
  });
  const common = { agent: to, cwd, title, receipt, broughtBack: null };
  if (written === null) {
    return {
      ...common,
      sessionId: null,
      location: null,
      resumeCommand: null,
      verification: null,
      madeDatabase: null,
    };
  }
  const { ref, verification, madeDatabase } = written;
  const { sessionId, location } = ref;
  return { ...common, sessionId, location, resumeCommand: resumeCommandOf(ref), verification, madeDatabase };
}
