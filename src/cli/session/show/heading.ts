/** The lines above and below a conversation: its name and facts, and the number of hidden parts. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { type Block, type Message, shellWord } from "@continuo/core/model";
import { messageKind, visibleLine } from "@continuo/core/transcript";
import { formatSize, plural } from "../../terminal/index.ts";
import type { View } from "./view.ts";

export interface Heading {
  readonly title: string;
  readonly facts: readonly string[];
  /** Sentences about parts that are left out, and about problems. */
  readonly notes: readonly string[];
}

export function headingOf(session: CatalogSession, view: View): Heading {
  const { details, problems, partial } = session;
  const name = `${details.agent}:${details.sessionId}`;
  const facts = [name, details.cwd, details.gitBranch];
  if (!partial) facts.push(plural(details.messages.total, "message"));
  if (details.branches > 1) facts.push(`${plural(details.branches, "branch", "branches")} (--tree, --all)`);
  const notes: string[] = [];
  if (partial) {
    notes.push(
      `Earlier messages are left out: this is the end of ${formatSize(details.sizeBytes ?? 0)}. --from-start shows the whole session.`,
    );
  }
  if (view.isOfModel === true) {
    notes.push("The model view: what the agent sends to its model when the session is resumed.");
  }
  if (problems.length > 0) {
    notes.push(
      `${plural(problems.length, "problem")}: \`continuo session check ${shellWord(name)}\` explains.`,
    );
  }
  return {
    title: visibleLine(details.title ?? "Untitled session"),
    facts: facts.filter((fact) => fact !== null).map(visibleLine),
    notes: notes.map(visibleLine),
  };
}

/** The number of parts that are not shown. */
export interface HiddenCounts {
  injected: number;
  unknown: number;
  tools: number;
  /** Thinking blocks that have only the vendor's encrypted form. */
  thinking: number;
}

export function nothingHidden(): HiddenCounts {
  return { injected: 0, unknown: 0, tools: 0, thinking: 0 };
}

/** Lines about the hidden parts; none if nothing is hidden. */
export function describeHidden(hidden: HiddenCounts): string[] {
  const lines: string[] = [];
  if (hidden.injected > 0) {
    lines.push(`${plural(hidden.injected, "injected message")} not shown: --injected shows them.`);
  }
  if (hidden.unknown > 0) {
    lines.push(`${plural(hidden.unknown, "unknown block")} not shown: --injected shows them.`);
  }
  if (hidden.tools > 0) {
    lines.push(
      `${plural(hidden.tools, "tool call and result", "tool calls and results")} not shown: --tools short shows them.`,
    );
  }
  if (hidden.thinking > 0) {
    lines.push(`${plural(hidden.thinking, "thinking block")} without text: the vendor keeps it.`);
  }
  return lines;
}

/** The message as the view shows it; `null` if nothing is left. Hidden parts are counted in `hidden`. */
export function inView(message: Message, view: View, hidden: HiddenCounts): Message | null {
  if (view.injected === "hide" && messageKind(message) === "injected") {
    hidden.injected += 1;
    return null;
  }
  const content = message.content
    .map((block) => withInjected(block, view, hidden))
    .filter((block) => {
      const reason = reasonToHide(block, view);
      if (reason !== null) hidden[reason] += 1;
      return reason === null;
    });
  return content.length === 0 && message.content.length > 0 ? null : { ...message, content };
}

/**
 * The text of a skill is shown or hidden like an injected message. If it is hidden, the words that the person typed are
 * shown.
 */
function withInjected(block: Block, view: View, hidden: HiddenCounts): Block {
  if (block.type !== "text" || block.typed === undefined) return block;
  if (view.injected === "hide") {
    hidden.injected += 1;
    return block;
  }
  const { typed: _, ...whole } = block;
  return whole;
}

function reasonToHide(block: Block, view: View): keyof HiddenCounts | null {
  switch (block.type) {
    case "tool_call":
    case "tool_result":
      return view.tools === "none" ? "tools" : null;
    case "unknown":
      return view.injected === "hide" ? "unknown" : null;
    case "thinking":
      return block.text.trim() === "" ? "thinking" : null;
    default:
      return null;
  }
}
