/** Continues a conversation in another agent, as a new native session of that agent. The source is only read. */

import {
  AGENT_NAMES,
  type AgentName,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  type KnownOptions,
  shellWord,
  shorten,
} from "@continuo/core/model";
import { debugOf, inSpan, placesOfThisUser } from "@continuo/files";
import {
  LOOKUP_OPTIONS,
  type LookupOptions,
  lookUpSession,
  pick,
  resumeCommandOf,
  type SessionRef,
} from "@continuo/native";
import { settleUnfinished } from "@continuo/native/editing";
import { attemptKey, takeFirstAttempt } from "@continuo/native/editing/placing";
import { toOneLine } from "@continuo/native/kit";
import {
  type Conversion,
  convertMessages,
  kindOf,
  type MaxLoss,
  type Receipt,
  toldApart,
  toReceipt,
  withLines,
  withUnsentThoughts,
  wordsOfThought,
} from "./converting/index.ts";
import { assertWithinLoss } from "./fidelity.ts";
import { makeFirstFile } from "./first-start.ts";
import { folderOf } from "./folder.ts";
import { makeSession, placeMade, stageSession, verifySession } from "./made-session.ts";
import { findReturn, type SessionReturn } from "./returning/index.ts";
import {
  type HandOffSource,
  originOf,
  type PartOptions,
  readSource,
  type Shelf,
  takeBackProvenance,
  withProvenance,
} from "./source/index.ts";
import { bringSubagents } from "./subagents.ts";
import { type AgentPrograms, asideLines, type Verification } from "./verify.ts";

const debug = debugOf("handoff");

export interface HandOffOptions extends LookupOptions, PartOptions {
  readonly to: AgentName;
  /** The folder of the new session; the source's own by default. */
  readonly cwd?: string;
  /** The session comes from another machine, where it had this title. If the agent is the same, the title stays too. */
  readonly moved?: { readonly title: string | null };
  /** The largest number of blocks of each kind that may be noted or dropped; no limit by default. */
  readonly maxLoss?: MaxLoss;
  /** `receipt`: nothing is written. */
  readonly until?: "receipt" | "written";
  /** `agent`: by Continuo's reader, and by the target agent if it is installed; `own`: only by Continuo's reader. */
  readonly verifyBy?: "agent" | "own";
  /** The commands that start agents; by default their names. */
  readonly programs?: AgentPrograms;
}

export const HAND_OFF_OPTIONS: KnownOptions<HandOffOptions> = {
  ...LOOKUP_OPTIONS,
  to: true,
  moved: true,
  maxLoss: true,
  until: true,
  verifyBy: true,
  programs: true,
  fromMessage: true,
  strategy: true,
  maxMessages: true,
  maxTokens: true,
};

export interface HandOff {
  readonly agent: AgentName;
  /** `null` if nothing was written, like the next two fields. */
  readonly sessionId: string | null;
  readonly location: string | null;
  readonly resumeCommand: readonly string[] | null;
  /** The folder to resume in. */
  readonly cwd: string;
  readonly title: string;
  readonly receipt: Receipt;
  readonly verification: Verification | null;
  /** `null` if all was converted. */
  readonly broughtBack: HandOffReturn | null;
  /** The database that the installed agent made because it had never run; `null` if it existed, or is not needed. */
  readonly madeDatabase: string | null;
}

/** The earlier session of the target agent that came back. */
export interface HandOffReturn {
  readonly agent: AgentName;
  readonly sessionId: string;
  /** The number of its messages. */
  readonly messages: number;
  /** `records`: the whole session, as its own records; `messages`: the remaining messages, each rewritten as it was. */
  readonly as: "records" | "messages";
}

/**
 * If the whole conversation came from the target earlier, it gets its own records back. A hand-over to its present
 * agent makes a copy. Each call makes another session, except after a kill: the next call with the same options for the
 * unchanged conversation returns the session that the killed one made. Store the receipt if your program may ask twice.
 *
 * Errors: those of a lookup and of the store; `usage` for an unknown option, and without a folder, `not_found` for a
 * folder or a message that does not exist, `invalid` for a session with nothing that a model reads, `fidelity` with
 * `details.lost` by kind, `verification_failed`, `unwritable`, `unsupported`. After an error, no session was written.
 */
export async function handOff(ref: SessionRef, options: HandOffOptions): Promise<HandOff> {
  assertKnownOptions("handOff", options, HAND_OFF_OPTIONS);
  const { to, until = "written" } = options;
  const attributes = { "continuo.handoff.to": to, "continuo.handoff.until": until };
  return await inSpan(`handoff ${to}`, { attributes }, async (span) => {
    const done = await cancellable(options.signal, () => convertAndWrite(ref, options));
    const { kept, rewritten, noted, dropped } = done.receipt;
    span.setAttributes(
      Object.fromEntries(
        Object.entries({ kept, rewritten, noted, dropped }).map(([outcome, count]) => [
          `continuo.handoff.${outcome}`,
          count,
        ]),
      ),
    );
    return done;
  });
}

async function convertAndWrite(ref: SessionRef, options: HandOffOptions): Promise<HandOff> {
  const places = options.places ?? placesOfThisUser();
  const { to, signal } = options;
  if (options.until !== "receipt") await settleUnfinished({ places, signal });
  const lookup = await lookUpSession(ref, { ...pick(options, "cwd", "signal"), places });
  using stack = new DisposableStack();
  const copies = options.until !== "receipt" && { copies: true as const };
  const source = stack.use(await readSource(lookup, places, { ...options, ...copies }));
  const cwd = folderOf(source, options.cwd);
  const back = await findReturn(source, { to, cwd, places, signal, opened: stack });
  const { keep } = stack.use(source.openShelf());
  const { messages, records, thoughts } =
    back === null ? convertMessages(source.messages, to, { keep }) : convertBehind(back, keep);
  const kept = back === null ? { records: [], thoughts: [] } : keptRecords(back);
  if (messages.length === 0 && (back?.kept.length ?? 0) === 0) {
    throw new ContinuoError("invalid", "cannot hand over the session: it has no message for a model", {
      hint: `Run \`continuo session show ${shellWord(`${source.agent}:${source.sessionId}`)}\` to see its content.`,
      details: { receipt: toReceipt([...source.left, ...kept.records, ...records]) },
    });
  }
  const title = titleOf(source, options);
  const { gitBranch } = source;
  const begun = back?.begun ?? null;
  const made = await makeSession({ gitBranch, back: begun, messages, cwd, title, places, to });
  using staged = await stageSession(made, source.openShelf);
  const isMoved = options.moved !== undefined;
  const subagents = await bringSubagents(
    source.subagents,
    isMoved && to === source.agent ? made : null,
    isMoved ? "in the bundle" : "with the source",
  );
  const planned = toReceipt([
    ...source.left,
    ...subagents.records,
    ...withUnsentThoughts([...kept.records, ...records], [...kept.thoughts, ...thoughts], staged),
  ]);
  debug("planned", () => ({
    from: source.agent,
    to,
    messages: messages.length,
    records: planned.records.length,
  }));
  assertWithinLoss(planned, options.maxLoss);
  const unwritten = {
    agent: to,
    cwd,
    title,
    receipt: planned,
    broughtBack: broughtBackOf(back),
    verification: null,
    madeDatabase: null,
  };
  if (options.until === "receipt") {
    return { ...unwritten, sessionId: null, location: null, resumeCommand: null };
  }
  const key = keyOf(source, cwd, options);
  const { placed, unplaced } = await takeFirstAttempt(key, places);
  await takeBackProvenance(to, unplaced, { places, signal });
  if (placed !== null) return { ...unwritten, ...placed, resumeCommand: resumeCommandOf(placed) };
  const { verifyBy: by = "agent", programs } = options;
  const verification = await verifySession(staged, { by, programs, places, signal });
  debug("verified", () => ({ to, by: verification.by, outcome: verification.outcome }));
  const receipt = withLines(planned, asideLines(verification));
  assertWithinLoss(receipt, options.maxLoss);
  const { said: mark } = staged;
  const { sessionId } = made.session;
  const location = made.writer.locationOf(made.file, sessionId);
  const madeDatabase = await makeFirstFile(made, { programs, places, signal });
  const handed = { source, agent: to, sessionId, location, said: mark, receipt, signal };
  await placeMade(made, {
    provenance: { from: originOf(source), said: mark },
    key,
    subagents: subagents.placed,
    around: (place) => withProvenance(handed, places, place),
  });
  const resumeCommand = resumeCommandOf({ agent: to, sessionId, location });
  return { ...unwritten, receipt, sessionId, location, resumeCommand, verification, madeDatabase };
}

/** Returns the same key for the same records that are handed over in the same way. */
function keyOf(source: HandOffSource, cwd: string, options: HandOffOptions): string {
  const { to, fromMessage, strategy, maxMessages, maxTokens } = options;
  const part = { fromMessage, strategy, maxMessages, maxTokens };
  return attemptKey("handoff", source.agent, source.sessionId, source.sha256, to, cwd, part);
}

function convertBehind(
  { from, begun, messages, own, placeOf }: SessionReturn,
  keep: Shelf["keep"],
): Conversion {
  return convertMessages(messages, from.agent, { before: begun?.history ?? [], own, placeOf, keep });
}

/** Returns the records that come back. */
function keptRecords({ kept, placeOf }: SessionReturn): Pick<Conversion, "records" | "thoughts"> {
  const lines = kept.flatMap((message) => {
    const place = placeOf(message);
    return toldApart(message.content).map((block) => ({
      block,
      record: { place, kind: kindOf(block), outcome: "kept", reason: "" } as const,
    }));
  });
  return {
    records: lines.map(({ record }) => record),
    thoughts: lines.flatMap(({ block, record }) =>
      block.type === "thinking" ? [{ record, words: wordsOfThought(block) }] : [],
    ),
  };
}

function broughtBackOf(back: SessionReturn | null): HandOffReturn | null {
  if (back === null) return null;
  const { agent, sessionId } = back.from;
  return { agent, sessionId, messages: back.own.size, as: back.begun === null ? "messages" : "records" };
}

const MAX_TITLE_CHARS = 120;

/** The words that Continuo puts before a title are not repeated. */
function titleOf({ agent, title, sessionId }: HandOffSource, { to, moved }: HandOffOptions): string {
  const whole = toOneLine(moved?.title ?? title ?? sessionId);
  if (moved !== undefined && to === agent && whole !== "") return shorten(whole, MAX_TITLE_CHARS);
  const own = whole.replace(OURS, "");
  return `from ${agent}: ${shorten(own === "" ? sessionId : own, MAX_TITLE_CHARS)}`;
}

const OURS = new RegExp(`^(?:from (?:${AGENT_NAMES.join("|")}): )+`, "u");
