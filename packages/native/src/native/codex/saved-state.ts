/**
 * The state of a scan as plain data: drafts refer to each other by number, and files belong to the session that
 * contains them.
 */

import type { MessageDraft } from "./drafts.ts";
import type { FileIndex, SessionIndex } from "./index-fold.ts";
import type { ScanState } from "./state.ts";

type NumberedDrafts<T> = { readonly [K in keyof T]: T[K] extends MessageDraft | null ? number : T[K] };

interface PlainState {
  readonly drafts: readonly NumberedDrafts<MessageDraft>[];
  readonly session: Omit<SessionIndex, "left"> & { readonly left: readonly NumberedDrafts<UnreadEntry>[] };
  readonly files: readonly PlainFile[];
  readonly origins: ScanState["origins"];
  readonly begun: number;
}

type UnreadEntry = SessionIndex["left"][number];
type WaitingMessage = FileIndex["shown"]["waiting"][number];

type PlainFile = Omit<FileIndex, "session" | "head" | "open" | "outputs" | "cuts" | "shown"> & {
  readonly head: number;
  readonly open: number;
  readonly outputs: readonly number[];
  readonly cuts: readonly NumberedDrafts<FileIndex["cuts"][number]>[];
  readonly shown: Omit<FileIndex["shown"], "waiting"> & {
    readonly waiting: readonly NumberedDrafts<WaitingMessage>[];
  };
};

export function toPlainState({ session, files, origins, begun }: ScanState): PlainState {
  const numbers = new Map<MessageDraft, number>();
  const numberOf = (draft: MessageDraft | null): number => {
    const unknown: MessageDraft[] = [];
    for (let at = draft; at !== null && !numbers.has(at); at = at.parent) unknown.push(at);
    for (const each of unknown.reverse()) numbers.set(each, numbers.size);
    return draft === null ? -1 : (numbers.get(draft) ?? -1);
  };
  const plainFiles = files.map(({ session: _, head, open, outputs, cuts, shown, ...rest }): PlainFile => {
    const waiting = shown.waiting.map((each) => ({ ...each, draft: numberOf(each.draft) }));
    return {
      ...rest,
      head: numberOf(head),
      open: numberOf(open),
      outputs: outputs.map(numberOf),
      cuts: cuts.map((cut) => ({ ...cut, at: numberOf(cut.at) })),
      shown: { ...shown, waiting },
    };
  });
  const left = session.left.map((each) => ({ ...each, leaf: numberOf(each.leaf) }));
  const drafts = [...numbers.keys()].map((draft) => ({ ...draft, parent: numberOf(draft.parent) }));
  return { drafts, session: { ...session, left }, files: plainFiles, origins, begun };
}

export function fromPlainState(plain: unknown): ScanState {
  const { drafts, session, files, origins, begun } = plain as PlainState;
  const made: MessageDraft[] = [];
  const draftAt: FindDraft = (number) => {
    const draft = made[number];
    if (draft === undefined) throw new Error(`a saved state has no draft ${number}`);
    return draft;
  };
  for (const { parent, ...draft } of drafts) made.push({ ...draft, parent: made[parent] ?? null });
  const left = session.left.map((each) => ({ ...each, leaf: draftAt(each.leaf) }));
  const whole: SessionIndex = { ...session, left };
  return { session: whole, files: files.map((file) => fromPlainFile(file, whole, draftAt)), origins, begun };
}

type FindDraft = (number: number) => MessageDraft;

function fromPlainFile(
  { head, open, outputs, cuts, shown, ...rest }: PlainFile,
  session: SessionIndex,
  draftAt: FindDraft,
): FileIndex {
  return {
    ...rest,
    session,
    head: head === -1 ? null : draftAt(head),
    open: open === -1 ? null : draftAt(open),
    outputs: outputs.map(draftAt),
    cuts: cuts.map((cut) => ({ ...cut, at: cut.at === -1 ? null : draftAt(cut.at) })),
    shown: { ...shown, waiting: shown.waiting.map((each) => ({ ...each, draft: draftAt(each.draft) })) },
  };
}
