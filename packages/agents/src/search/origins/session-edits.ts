/** The edits that sessions made, with the turns that made them: each session is read once, the newest first. */

import { type Message, present, shorten, type ToolCallBlock, typedTextOf } from "@continuo/core/model";
import { createTurnStarts, messageKind, visibleLine } from "@continuo/core/transcript";
import { type Commit, commitsOf, type FileEdit, fileEditsOf } from "@continuo/core/transcript/work";
import type { PlacesAt } from "@continuo/files";
import type { CatalogSession } from "../../catalog/index.ts";
import { ORIGIN_LIMITS } from "./limits.ts";
import { compareText, createSessionReader, type ReadSession, type SessionReader } from "./session-reader.ts";

/** The turn of a session that did something. */
export interface WorkPlace {
  readonly session: ReadSession;
  /** The folder to which relative paths belong. */
  readonly cwd: string | null;
  /** True if the session began as a copy of another one. */
  readonly isFork: boolean;
  readonly branch: string | null;
  readonly turn: number;
  readonly messageId: string;
  readonly callId: string;
  readonly at: string | null;
  readonly prompt: string | null;
}

export interface PlacedEdit extends WorkPlace {
  readonly edit: FileEdit;
}

export interface PlacedCommit extends WorkPlace {
  readonly commit: Commit;
}

export interface SessionEdits extends SessionReader {
  /** All edits so far, the oldest first. */
  edits(): readonly PlacedEdit[];
  commits(): readonly PlacedCommit[];
}

export function editsOfSessions({
  places,
  signal,
}: {
  readonly places: PlacesAt;
  readonly signal?: AbortSignal;
}): SessionEdits {
  const edits: PlacedEdit[] = [];
  const commits: PlacedCommit[] = [];
  let chars = 0;
  const reader = createSessionReader(
    async (opened, session) => {
      for await (const done of workIn(opened, session, signal)) {
        if ("commit" in done) commits.push(done);
        else {
          edits.push(done);
          chars += charsOf(done.edit);
        }
      }
    },
    { places, isFull: () => chars > ORIGIN_LIMITS.editChars, ...present({ signal }) },
  );
  return {
    add: reader.add,
    edits: () => inOrder(edits),
    commits: () => commits,
    counts: reader.counts,
  };
}

async function* workIn(
  opened: CatalogSession,
  session: ReadSession,
  signal: AbortSignal | undefined,
): AsyncGenerator<PlacedEdit | PlacedCommit, void, void> {
  const seen = new Set<string>();
  const leaves = opened.leaves.length > 1 ? opened.leaves.slice(0, ORIGIN_LIMITS.branches) : [null];
  for (const leaf of leaves) {
    const history = opened.history({ ...(leaf !== null && { leaf: leaf.id }), ...(signal && { signal }) });
    const open = new Map<string, WorkPlace & { readonly call: ToolCallBlock }>();
    const beginsTurn = createTurnStarts();
    let [turn, prompt] = [0, null as string | null];
    for await (const message of history) {
      if (beginsTurn(message)) turn += 1;
      if (messageKind(message) === "person") prompt = promptOf(message);
      if (seen.has(message.id)) continue;
      seen.add(message.id);
      for (const block of message.content) {
        if (block.type === "tool_call") {
          open.set(block.id, {
            call: block,
            session,
            turn,
            prompt,
            cwd: opened.details.cwd,
            isFork: opened.details.forkedFrom !== null,
            branch: leaf === null || leaf.active ? null : leaf.id,
            messageId: message.id,
            callId: block.id,
            at: message.timestamp ?? null,
          });
        } else if (block.type === "tool_result") {
          const made = open.get(block.toolCallId);
          open.delete(block.toolCallId);
          if (made === undefined) continue;
          const { call, ...place } = made;
          for (const edit of fileEditsOf(call, block)) yield { ...place, edit };
          for (const commit of commitsOf(call, block)) yield { ...place, commit };
        }
      }
    }
  }
}

function promptOf({ content }: Message): string | null {
  const text = typedTextOf(content).slice(0, 10_000).replace(/\s+/gu, " ").trim();
  return text === "" ? null : visibleLine(shorten(text, ORIGIN_LIMITS.promptChars));
}

function charsOf({ hunks }: FileEdit): number {
  return hunks.reduce((sum, { lines }) => lines.reduce((all, { text }) => all + text.length, sum), 0);
}

/** Sorted by time. An edit that several sessions hold, as after a fork or a hand-over, belongs to the first of them. */
function inOrder(edits: readonly PlacedEdit[]): readonly PlacedEdit[] {
  const timeOf = ({ at, session }: PlacedEdit): string => at ?? session.updatedAt ?? "";
  const byText = Map.groupBy(edits, ({ at, edit }) => JSON.stringify([at, edit]));
  return [...byText.values()]
    .flatMap((same) => {
      const { session } = same.toSorted(byBeginning)[0] as PlacedEdit;
      return same.filter((one) => one.session === session);
    })
    .sort((a, b) => compareText(timeOf(a), timeOf(b)));
}

function byBeginning(a: PlacedEdit, b: PlacedEdit): number {
  const keyOf = ({ isFork, session }: PlacedEdit): string =>
    JSON.stringify([isFork, session.createdAt ?? "", session.updatedAt ?? "", session.location]);
  return compareText(keyOf(a), keyOf(b));
}
