/**
 * The conversation drawn for a terminal.
 *
 * Headings are at the left edge and all content is indented, so that no text of a session can look like a heading.
 * Consecutive messages of one agent, with the tool calls between them, have one heading.
 */

import type { CatalogSession } from "@continuo/agents/catalog";
import type { Message } from "@continuo/core/model";
import { type MessageKind, messageKind, type Part, toParts, visibleLine } from "@continuo/core/transcript";
import { drawMarkdown } from "../../markdown/index.ts";
import { clockTime, cutEnd, type Paint, type Style, wrap } from "../../terminal/index.ts";
import type { BranchStep } from "./branches.ts";
import { drawCall, drawResult } from "./draw-tools.ts";
import { describeHidden, headingOf, inView, nothingHidden } from "./heading.ts";
import type { View } from "./view.ts";

export interface ConversationOptions {
  readonly view: View;
  readonly columns: number;
  readonly paint: Paint;
  readonly home: string;
  /** One line about what happened; empty if that is not known. */
  readonly facts?: string;
}

export interface Conversation {
  readonly chunks: AsyncGenerator<string, void, void>;
  /** The line (1-based) of the person's last message in the text that was drawn so far. */
  newestTurnLine(): number;
}

/** The state of drawing that one message passes to the next. */
export interface Pen extends ConversationOptions {
  /** `kind model minute` of the present heading. */
  heading: string;
  /**
   * The kind of the last drawn part: tool calls and their results are drawn together, other parts with an empty line
   * between them.
   */
  above: "heading" | "tool" | "text";
  /** The call whose result needs no name, because the call is directly above. */
  lastCallId: string | null;
  /** The name of the agent. */
  readonly agent: string;
}

const INDENT = "  ";

export function drawConversation(
  session: CatalogSession,
  steps: AsyncIterable<BranchStep>,
  options: ConversationOptions,
): Conversation {
  let lines = 0;
  let newestTurn = 1;
  async function* draw(): AsyncGenerator<string, void, void> {
    const pen: Pen = {
      ...options,
      heading: "",
      above: "heading",
      lastCallId: null,
      agent: session.details.agent,
    };
    const hidden = nothingHidden();
    const chunk = (drawn: readonly string[]): string => {
      lines += drawn.length;
      return drawn.map((line) => `${line}\n`).join("");
    };
    yield chunk(drawHeading(session, options));
    for await (const { message, branch } of steps) {
      if (branch !== undefined) {
        pen.heading = "";
        const name = `branch ${branch.number} of ${branch.count}${branch.leaf.active ? ", active" : ""}`;
        yield chunk(["", rule(visibleLine(`${name}, ends at ${branch.leaf.id}`), pen)]);
      }
      const shown = inView(message, options.view, hidden);
      if (shown === null) continue;
      if (messageKind(shown) === "person") newestTurn = lines + 2;
      yield chunk(drawMessage(shown, pen));
    }
    const footer = describeHidden(hidden);
    if (footer.length > 0) yield chunk(["", ...footer.map((line) => options.paint(line, "dim"))]);
  }
  return { chunks: draw(), newestTurnLine: () => newestTurn };
}

function drawHeading(
  session: CatalogSession,
  { columns, paint, home, view, facts: happened = "" }: ConversationOptions,
): string[] {
  const { title, facts, notes } = headingOf(session, view);
  const shortFacts = facts.map((fact) =>
    fact.startsWith(`${home}/`) ? `~${fact.slice(home.length)}` : fact,
  );
  return [
    ...wrap([{ text: title, styles: ["bold"] }], columns, paint),
    ...wrap([{ text: shortFacts.join(" · "), styles: ["dim"] }], columns, paint),
    ...(happened === "" ? [] : wrap([{ text: happened, styles: ["dim"] }], columns, paint)),
    ...notes.flatMap((note) => wrap([{ text: note, styles: ["yellow"] }], columns, paint)),
  ];
}

const NAMES: Readonly<Record<MessageKind, { readonly name: string; readonly styles: readonly Style[] }>> = {
  person: { name: "❯ you", styles: ["bold", "green"] },
  agent: { name: "● ", styles: ["bold", "magenta"] },
  tool: { name: "", styles: [] },
  summary: { name: "", styles: [] },
  error: { name: "✗ error", styles: ["bold", "red"] },
  injected: { name: "· injected", styles: ["dim"] },
};

function drawMessage(message: Message, pen: Pen): string[] {
  const kind = messageKind(message);
  const lines: string[] = [];
  if (kind === "summary") {
    lines.push(
      "",
      rule(
        `compacted: the earlier messages were summarised ${clockTime(message.timestamp ?? null)}`.trim(),
        pen,
      ),
    );
    pen.heading = "";
    pen.above = "heading";
  } else if (kind !== "tool") {
    lines.push(...drawName(message, kind, pen));
  }
  for (const part of toParts(message)) {
    const drawn = drawPart(part, kind, pen);
    if (drawn.length === 0) continue;
    const isTool = part.type === "call" || part.type === "result";
    if (pen.above !== "heading" && !(isTool && pen.above === "tool")) lines.push("");
    lines.push(...drawn);
    pen.above = isTool ? "tool" : "text";
    pen.lastCallId = part.type === "call" ? part.id : null;
  }
  return lines;
}

/** A heading, unless the present one is the same. */
function drawName(message: Message, kind: MessageKind, pen: Pen): string[] {
  const { name, styles } = NAMES[kind];
  const time = clockTime(message.timestamp ?? null);
  const said = `${kind} ${message.model ?? ""} ${time}`;
  if (kind === "agent" && said === pen.heading) return [];
  pen.heading = kind === "agent" ? said : "";
  pen.above = "heading";
  const facts = [kind === "injected" ? message.role : null, message.model ?? null, time || null];
  const text = facts.filter((fact) => fact !== null).map((fact) => ` · ${visibleLine(fact)}`);
  const { paint } = pen;
  const speaker = kind === "agent" ? name + pen.agent : name;
  return ["", `${paint(speaker, ...styles)}${paint(cutEnd(text.join(""), pen.columns - 12), "dim")}`];
}

function drawPart(part: Part, kind: MessageKind, pen: Pen): string[] {
  const { paint } = pen;
  const columns = Math.max(10, pen.columns - INDENT.length);
  switch (part.type) {
    case "text":
      return indented(drawText(part.text, kind, { columns, paint }));
    case "thinking":
      return indented(wrap([{ text: part.text.trim(), styles: ["dim", "italic"] }], columns, paint));
    case "media": {
      const label = paint(cutEnd(`[${part.label}]`, columns), "yellow");
      return indented([
        label,
        ...(part.text === null ? [] : wrap([{ text: part.text, styles: ["dim"] }], columns, paint)),
      ]);
    }
    case "call":
      return indented(drawCall(part, { ...pen, columns }));
    case "result":
      return indented(drawResult(part, { ...pen, columns }));
    case "unknown":
      return indented(wrap([{ text: part.text, styles: ["dim"] }], columns, paint));
  }
}

/** A person's text is shown unchanged; an agent's text is Markdown. */
function drawText(
  text: string,
  kind: MessageKind,
  drawing: { readonly columns: number; readonly paint: Paint },
): string[] {
  if (text.trim() === "") return [];
  if (kind === "agent" || kind === "summary") return drawMarkdown(text, drawing);
  const styles: readonly Style[] = kind === "error" ? ["red"] : kind === "injected" ? ["dim"] : [];
  return wrap([{ text: text.trimEnd(), styles }], drawing.columns, drawing.paint);
}

function rule(text: string, { columns, paint }: Pen): string {
  const title = cutEnd(`── ${text} `, columns);
  return paint(`${title}${"─".repeat(Math.max(0, columns - title.length))}`, "yellow");
}

function indented(lines: readonly string[]): string[] {
  return lines.map((line) => (line === "" ? "" : INDENT + line));
}
