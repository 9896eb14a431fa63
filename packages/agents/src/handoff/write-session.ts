/** Writes messages as a new native session of an agent; a replay uses it if Continuo can write the agent's files. */

import {
  type AgentName,
  assertKnownOptions,
  ContinuoError,
  cancellable,
  type KnownOptions,
  type Message,
  type ReadableRef,
} from "@continuo/core/model";
import { toModelOrder } from "@continuo/core/transcript";
import { isFolder, type Places, placesOfThisUser } from "@continuo/files";
import { settleUnfinished } from "@continuo/native/editing";
import {
  type Conversion,
  convertMessages,
  type MaxLoss,
  type Receipt,
  type ReceiptRecord,
  toReceipt,
  withLines,
  withUnsentThoughts,
} from "./converting/index.ts";
import { assertWithinLoss } from "./fidelity.ts";
import { makeFirstFile } from "./first-start.ts";

import { makeSession, placeMade, stageSession, verifySession } from "./made-session.ts";
import { type AgentPrograms, asideLines, type Verification } from "./verify.ts";

export interface WriteSessionOptions {
  readonly to: AgentName;
  /** An absolute path of a folder that exists. */
  readonly cwd: string;
  readonly title: string;
  readonly places?: Places;
  /**
   * `agent`: by Continuo's reader, and by the target agent if it is installed; `own`, the default: only by Continuo's
   * reader.
   */
  readonly verifyBy?: "agent" | "own";
  readonly programs?: AgentPrograms;
  readonly signal?: AbortSignal;
}

const OPTIONS: KnownOptions<WriteSessionOptions> = {
  to: true,
  cwd: true,
  title: true,
  places: true,
  verifyBy: true,
  programs: true,
  signal: true,
};

export interface WrittenSession {
  readonly ref: ReadableRef;
  /** The blocks of each message that were kept, rewritten, noted and dropped. */
  readonly receipt: Receipt;
  readonly verification: Verification;
  /** The database that the installed agent made because it had never run; `null` if it existed, or is not needed. */
  readonly madeDatabase: string | null;
}

/**
 * The session is read back before it is placed. Messages of the role `system` become the user's, because an agent has
 * instructions of its own.
 *
 * Errors: `not_found` for the folder, `invalid` for messages that no model reads, `verification_failed`, `unwritable`,
 * `unsupported`. After an error, nothing was written.
 */
export async function writeNativeSession(
  messages: readonly Message[],
  options: WriteSessionOptions,
): Promise<WrittenSession> {
  assertKnownOptions("writeNativeSession", options, OPTIONS);
  const converted = convertMessages(toModelOrder(messages).map(withoutSystem), options.to);
  const { receipt, written } = await cancellable(options.signal, () => writeConverted(converted, options));
  if (written === null) throw new Error("it was not asked for the receipt alone");
  return { receipt, ...written };
}

export interface ConvertedOptions extends WriteSessionOptions {
  /** Lines of the receipt for content that was not converted. */
  readonly left?: readonly ReceiptRecord[];
  readonly maxLoss?: MaxLoss | undefined;
  /** `receipt`: nothing is written. */
  readonly until?: "receipt" | "written" | undefined;
}

export interface ConvertedSession {
  readonly receipt: Receipt;
  /** `null` if only the receipt was requested. */
  readonly written: Omit<WrittenSession, "receipt"> | null;
}

/** Writes converted messages like `writeNativeSession`. Errors: also `fidelity`. */
export async function writeConverted(
  { messages, records, thoughts }: Conversion,
  options: ConvertedOptions,
): Promise<ConvertedSession> {
  const { to, cwd, title, signal, programs } = options;
  const places = options.places ?? placesOfThisUser();
  if (!isFolder(cwd)) {
    throw new ContinuoError("not_found", `there is no folder ${cwd}`);
  }
  if (options.until !== "receipt") await settleUnfinished({ places, signal });
  if (messages.length === 0) {
    throw new ContinuoError("invalid", "cannot write a session: there is no message for a model");
  }
  const made = await makeSession({
    gitBranch: null,
    back: null,
    messages,
    cwd,
    title,
    places,
    to,
  });
  using staged = await stageSession(made);
  const told = withUnsentThoughts(records, thoughts, staged);
  const planned = toReceipt([...(options.left ?? []), ...told]);
  assertWithinLoss(planned, options.maxLoss);
  if (options.until === "receipt") return { receipt: planned, written: null };
  const by = options.verifyBy ?? "own";
  const verification = await verifySession(staged, { by, programs, places, signal });
  const receipt = withLines(planned, asideLines(verification));
  assertWithinLoss(receipt, options.maxLoss);
  const madeDatabase = await makeFirstFile(made, { programs, places, signal });
  await placeMade(made, { provenance: null, key: null });
  const { sessionId } = made.session;
  const location = made.writer.locationOf(made.file, sessionId);
  return { receipt, written: { ref: { agent: to, sessionId, location, cwd }, verification, madeDatabase } };
}

function withoutSystem(message: Message): Message {
  return message.role === "system" ? { ...message, role: "user" } : message;
}
