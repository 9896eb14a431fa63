/** One session as an HTML page, a message at a time, with the conversations of its sub-agents where they were called. */

import type { CatalogSession } from "@continuo/agents/catalog";
import type { Message, SubagentInfo } from "@continuo/core/model";
import { visibleLine } from "@continuo/core/transcript";
import {
  branchToHtml,
  type ContentsLine,
  messageToHtml,
  pageEnd,
  pageStart,
  subagentEnd,
  subagentStart,
  turnTitle,
} from "@continuo/core/transcript/html";
import {
  type BranchStep,
  describeHidden,
  type HiddenCounts,
  headingOf,
  inView,
  nothingHidden,
  type View,
} from "../show/index.ts";
import type { Subagents } from "./subagents.ts";

interface HtmlSource {
  readonly session: CatalogSession;
  readonly steps: AsyncIterable<BranchStep>;
  readonly subagents: Subagents;
}

/** The state of writing one page: the omissions, the contents, and the shown sub-agents. */
interface Sheet {
  readonly view: View;
  readonly hidden: HiddenCounts;
  readonly contents: ContentsLine[];
  readonly shown: Set<string>;
}

/** Sub-agents of sub-agents of …; those below are named, and not opened. */
const MAX_DEPTH = 4;

/** Injected text is folded unless it is asked for; everything else that is left out is counted at the end. */
export async function* htmlOf(
  { session, steps, subagents }: HtmlSource,
  view: View,
): AsyncGenerator<string, void, void> {
  const { details } = session;
  const sheet: Sheet = { view, hidden: nothingHidden(), contents: [], shown: new Set() };
  // The model is not sent what its sub-agents said, and without calls nothing says where they belong.
  const isNested = view.isOfModel !== true && view.tools !== "none";
  const unplaced = new Set(isNested ? details.subagents.map(({ id }) => id) : []);
  yield pageStart({ details, notes: headingOf(session, view).notes });
  for await (const { message, branch } of steps) {
    if (branch !== undefined) {
      sheet.contents.push({
        id: `b${branch.number}`,
        text: visibleLine(`Branch ${branch.number}: ${branch.leaf.label ?? branch.leaf.id}`),
        isBranch: true,
      });
      yield branchToHtml({ ...branch, label: branch.leaf.label });
    }
    yield messageOf(message, sheet, "in contents");
    if (!isNested) continue;
    for (const each of subagentsOf(message, details.subagents)) {
      unplaced.delete(each.id);
      yield* subagentOf(each, { subagents, sheet, depth: 1 });
    }
  }
  for (const each of details.subagents.filter(({ id }) => unplaced.has(id))) {
    yield* subagentOf(each, { subagents, sheet, depth: 1 });
  }
  yield pageEnd({ details, notes: describeHidden(sheet.hidden), contents: sheet.contents });
}

function messageOf(
  message: Message,
  { view, hidden, contents }: Sheet,
  place: "in contents" | "nested",
): string {
  const shown = inView(message, { ...view, injected: "show" }, hidden);
  if (shown === null) return "";
  const injected = view.injected === "show" ? "open" : "folded";
  const title = place === "nested" ? null : turnTitle(shown);
  if (title === null)
    return messageToHtml(shown, { injected, place: place === "nested" ? "sub-agent" : "session" });
  const id = `m${contents.length + 1}`;
  contents.push({ id, text: title });
  return messageToHtml(shown, { injected, id });
}

/** Those that a call of this message started. */
function subagentsOf(message: Message, all: readonly SubagentInfo[]): readonly SubagentInfo[] {
  return message.content.flatMap((block) => {
    if (block.type !== "tool_call") return [];
    return all.filter(({ id, toolCallId }) => toolCallId === block.id || id === block.childSessionId);
  });
}

interface Nesting {
  readonly subagents: Subagents;
  readonly sheet: Sheet;
  readonly depth: number;
}

async function* subagentOf(
  info: SubagentInfo,
  { subagents, sheet, depth }: Nesting,
): AsyncGenerator<string, void, void> {
  if (sheet.shown.has(info.location)) return;
  sheet.shown.add(info.location);
  using session = depth > MAX_DEPTH ? null : await subagents.open(info);
  const { id, type, description } = subagents.tell(info);
  yield subagentStart({
    id,
    type,
    description,
    messages: session === null ? null : session.details.messages.total,
  });
  if (session !== null) {
    for await (const message of session.history()) {
      yield messageOf(message, sheet, "nested");
      for (const each of subagentsOf(message, session.details.subagents)) {
        yield* subagentOf(each, { subagents, sheet, depth: depth + 1 });
      }
    }
  }
  yield subagentEnd;
}
