/** A conversation goes on in another agent: as a new native session of that agent. The source is only read. */

import { statSync } from "node:fs";
import { isAbsolute, resolve } from "node:path";
import { AGENT_NAMES, type AgentName, ContinuoError } from "../../model/index.ts";
import {
  type Conversion,
  convertMessages,
  excessOf,
  linesOf,
  type MaxLoss,
  type Receipt,
  type ReceiptRecord,
  toReceipt,
} from "../converting/index.ts";
import {
  type LookupOptions,
  lookUpSession,
  placesOfThisUser,
  resumeCommandOf,
  type SessionRef,
} from "../lookup/index.ts";
import { shorten, toOneLine } from "../reader/index.ts";
import { type ComingBack, findReturn } from "./coming-back.ts";
import { makeSession, placeSession, verifySession } from "./made-session.ts";
import type { PartOptions } from "./part.ts";
import { originOf, withProvenance } from "./provenance.ts";
import { type HandOffSource, readSource } from "./source.ts";
import type { AgentPrograms, Verification } from "./verify.ts";

export interface HandOffOptions extends LookupOptions, PartOptions {
  readonly to: AgentName;
  /** Where the new session works; the source's own when left out. */
  readonly cwd?: string;
  /** How much of each kind may be noted or dropped; no limit where none is given. */
  readonly maxLoss?: MaxLoss;
  /** `receipt`: nothing is written. */
  readonly until?: "receipt" | "written";
  /** `agent`: by the target's own reader where it is installed, and by ours; `own`: by ours alone. */
  readonly verifyBy?: "agent" | "own";
  /** How agents are started, where not by their names. */
  readonly programs?: AgentPrograms;
}

export interface HandOff {
  readonly agent: AgentName;
  /** `null` where nothing was written; so are the next two. */
  readonly sessionId: string | null;
  readonly location: string | null;
  readonly resumeCommand: readonly string[] | null;
  /** The folder to resume in. */
  readonly cwd: string;
  readonly title: string;
  readonly receipt: Receipt;
  readonly verification: Verification | null;
  /** `null` where all was converted. */
  readonly broughtBack: BroughtBack | null;
}

/** The session of the target's own that came back. */
export interface BroughtBack {
  readonly agent: AgentName;
  readonly sessionId: string;
  /** How many of its messages. */
  readonly messages: number;
  /** `records`: all of them, as its own records; `messages`: those that are left, each written anew as it was. */
  readonly as: "records" | "messages";
}

/**
 * A conversation that came from the target before, and goes back whole, has its own records again. To the agent
 * that it is in already it goes as a copy.
 *
 * Errors: those of a lookup and of the store; `usage` without a folder, `not_found` for a folder or a message
 * that is not there, `invalid` for a session with nothing that a model reads, `fidelity` with
 * `details.lost` by kind, `verification_failed`, `unwritable`, `unsupported`. Nothing is written then.
 */
export async function handOff(ref: SessionRef, options: HandOffOptions): Promise<HandOff> {
  const places = options.places ?? placesOfThisUser();
  const { to, signal } = options;
  const lookup = await lookUpSession(ref, { ...options, places });
  const source = await readSource(lookup, places, options);
  const cwd = folderOf(source, options);
  const back = await findReturn(source, { to, cwd, places, signal });
  const { messages, records } = back === null ? convertMessages(source.messages, to) : convertBehind(back);
  const receipt = toReceipt([...source.left, ...(back === null ? [] : keptRecords(back)), ...records]);
  if (messages.length === 0 && (back?.kept.length ?? 0) === 0) {
    throw new ContinuoError("invalid", "the session holds nothing that a model reads", {
      hint: "`continuo session show ID` shows what it holds.",
      details: { receipt },
    });
  }
  const title = titleOf(source);
  const unwritten = { agent: to, cwd, title, receipt, verification: null, broughtBack: broughtBackOf(back) };
  const lost = excessOf(receipt, options.maxLoss ?? {});
  if (Object.keys(lost).length > 0) throw fidelityError(lost, receipt);
  if (options.until === "receipt") {
    return { ...unwritten, sessionId: null, location: null, resumeCommand: null };
  }
  const { gitBranch } = source;
  const begun = back?.begun ?? null;
  const made = await makeSession({ gitBranch, back: begun, messages, cwd, title, places, to });
  const { verifyBy: by = "agent", programs } = options;
  const { said: mark, ...verification } = await verifySession(made, { by, programs, places, signal });
  const { sessionId } = made.session;
  const location = made.writer.locationOf(made.file, sessionId);
  await withProvenance({ source, agent: to, sessionId, location, said: mark, receipt, signal }, places, () =>
    placeSession(made, { from: originOf(source), said: mark }),
  );
  const resumeCommand = resumeCommandOf({ agent: to, sessionId, location });
  return { ...unwritten, sessionId, location, resumeCommand, verification };
}

function convertBehind({ from, begun, messages, own, placeOf }: ComingBack): Conversion {
  return convertMessages(messages, from.agent, { before: begun?.history ?? [], own, placeOf });
}

/** What comes back in its own records. */
function keptRecords({ kept, placeOf }: ComingBack): ReceiptRecord[] {
  return kept.flatMap((message) =>
    linesOf(message.content, { place: placeOf(message), outcome: "kept", reason: "" }),
  );
}

function broughtBackOf(back: ComingBack | null): BroughtBack | null {
  if (back === null) return null;
  const { agent, sessionId } = back.from;
  return { agent, sessionId, messages: back.own.size, as: back.begun === null ? "messages" : "records" };
}

/** For what the receipt says is lost beyond the limits. */
export function fidelityError(lost: MaxLoss, receipt: Receipt): ContinuoError {
  const what = Object.entries(lost).map(([kind, count]) => `${count} ${kind}`);
  return new ContinuoError("fidelity", `more would be lost than is allowed: ${what.join(", ")}`, {
    hint: "`--dry-run` shows what, and why. Nothing was written.",
    details: { lost, receipt },
  });
}

const NAME_ONE = "name one: `continuo handoff ID --to AGENT --cwd DIR`.";

/** Errors: `not_found`, `usage`. */
function folderOf({ cwd: own }: HandOffSource, options: HandOffOptions): string {
  // What a session's own relative path was relative to nobody knows.
  if (options.cwd === undefined && (own === null || !isAbsolute(own))) {
    const what = own === null ? "does not tell its folder" : `tells no whole path of its folder: ${own}`;
    throw new ContinuoError("usage", `the session ${what}`, { hint: `Please ${NAME_ONE}` });
  }
  const cwd = resolve(options.cwd ?? own ?? "");
  const stat = statSync(cwd, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) return cwd;
  throw new ContinuoError(
    "not_found",
    `the folder ${cwd} is ${stat === undefined ? "not there" : "a file"}`,
    {
      hint: stat === undefined ? `Make it, or ${NAME_ONE}` : `Please ${NAME_ONE}`,
    },
  );
}

const MAX_TITLE_CHARS = 120;

/** A title of ours is not put in front of another one. */
function titleOf({ agent, title, sessionId }: HandOffSource): string {
  const own = toOneLine(title ?? sessionId).replace(OURS, "");
  return `from ${agent}: ${shorten(own === "" ? sessionId : own, MAX_TITLE_CHARS)}`;
}

const OURS = new RegExp(`^(?:from (?:${AGENT_NAMES.join("|")}): )+`, "u");
