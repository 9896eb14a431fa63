/** A conversation that is no agent's goes on in one: its messages as a new native session of that agent. */

import { ContinuoError, type Message } from "../../model/index.ts";
import { toModelOrder } from "../../transcript/index.ts";
import { convertMessages, excessOf, toReceipt } from "../converting/index.ts";
import { pick, resumeCommandOf } from "../lookup/index.ts";
import { toOneLine } from "../reader/index.ts";
import { fidelityError, type HandOff, type HandOffOptions } from "./hand-off.ts";
import { fromMessage, withinLimits } from "./part.ts";
import { writeConverted } from "./write-session.ts";

/** What was said, and what the new session is to be called and where it is to work. */
export interface SaidElsewhere {
  readonly messages: readonly Message[];
  readonly title: string;
  /** An absolute path. */
  readonly cwd: string;
}

/**
 * As `handOff`, of messages. Where they came from is not kept: there are no records to come back to.
 *
 * Errors: as `handOff`, those of a lookup left out.
 */
export async function handOffMessages(
  { messages, title: given, cwd }: SaidElsewhere,
  options: Omit<HandOffOptions, "cwd">,
): Promise<HandOff> {
  const { to, until } = options;
  const title = toOneLine(given);
  // An agent has instructions of its own.
  const said = messages.map((one): Message => (one.role === "system" ? { ...one, role: "user" } : one));
  const later = fromMessage(said, options.fromMessage);
  const chosen = withinLimits(later.messages, options);
  const left = [...later.left, ...chosen.left];
  const converted = convertMessages(toModelOrder(chosen.messages), to);
  const receipt = toReceipt([...left, ...converted.records]);
  if (chosen.messages.length === 0) {
    throw new ContinuoError("invalid", "the session holds nothing that a model reads", {
      hint: "`continuo session show ID` shows what it holds.",
      details: { receipt },
    });
  }
  const lost = excessOf(receipt, options.maxLoss ?? {});
  if (Object.keys(lost).length > 0) throw fidelityError(lost, receipt);
  const unwritten = { agent: to, cwd, title, broughtBack: null };
  if (until === "receipt") {
    const nothing = { sessionId: null, location: null, resumeCommand: null, verification: null };
    return { ...unwritten, ...nothing, receipt };
  }
  const { ref, verification } = await writeConverted(converted, {
    ...{ to, cwd, title, verifyBy: options.verifyBy ?? "agent" },
    ...pick(options, "places", "programs", "signal"),
  });
  const { sessionId, location } = ref;
  const resumeCommand = resumeCommandOf(ref);
  return { ...unwritten, ...{ sessionId, location, resumeCommand, verification, receipt } };
}
