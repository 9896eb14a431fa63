/** `session show --tree`: one line per message; side branches are indented where they begin. */

import type { CatalogSession } from "@continuo/agents/catalog";
import { type Leaf, type Message, textOf, typedTextOf } from "@continuo/core/model";
import { type MessageKind, mainArgument, messageKind, visibleLine } from "@continuo/core/transcript";
import { clockTime, cutEnd, type Paint, widthOf } from "../../terminal/index.ts";
import { shortIds } from "../list/index.ts";

interface TreeOptions {
  readonly paint: Paint;
  /** Lines are cut to this width; they are not cut if it is left out. */
  readonly columns?: number;
}

interface Node {
  readonly kind: MessageKind;
  readonly time: string;
  readonly label: string;
  readonly children: Node[];
  leaf: Leaf | null;
}

const MAX_LABEL_CHARS = 200;
/** Deeper branches are drawn at this depth. */
const MAX_DEPTH = 20;

/** Yields lines, each with its line feed. Leaves out injected messages, and branches that differ only in them. */
export async function* drawTree(
  session: CatalogSession,
  options: TreeOptions,
): AsyncGenerator<string, void, void> {
  const root = await readTree(session);
  const ids = session.leaves.map(({ id }) => id);
  const drawing = { ...options, short: shortIds(ids, ids) };
  const stack = root.children.toReversed().map((node) => ({ node, prefix: "", mark: "" }));
  for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
    const { node, prefix, mark } = next;
    yield `${drawNode(node, prefix + mark, drawing)}\n`;
    // The active branch is read first, and continues without indentation; the others are indented before it.
    const [main, ...side] = node.children;
    const inner = mark === "" ? prefix : `${prefix}│ `;
    if (main !== undefined) stack.push({ node: main, prefix: inner, mark: "" });
    for (const child of side.toReversed()) {
      const isTooDeep = inner.length >= 2 * MAX_DEPTH;
      stack.push({ node: child, prefix: isTooDeep ? inner.slice(2) : inner, mark: "├─" });
    }
  }
}

/** Branches with the same first messages share them. */
async function readTree(session: CatalogSession): Promise<Node> {
  const root: Node = { kind: "injected", time: "", label: "", children: [], leaf: null };
  const nodes = new Map<string, Node>();
  for (const leaf of session.leaves) {
    let parent = root;
    for await (const message of session.history({ leaf: leaf.id })) {
      if (messageKind(message) === "injected") continue;
      let node = nodes.get(message.id);
      if (node === undefined) {
        node = toNode(message);
        nodes.set(message.id, node);
        parent.children.push(node);
      }
      parent = node;
    }
    if (parent !== root) parent.leaf ??= leaf;
  }
  return root;
}

function toNode(message: Message): Node {
  const time = clockTime(message.timestamp ?? null);
  return { kind: messageKind(message), time, label: labelOf(message), children: [], leaf: null };
}

/** The text, then the calls, or the beginning of a result. */
function labelOf(message: Message): string {
  const words: string[] = [];
  const text = typedTextOf(message.content).slice(0, 4 * MAX_LABEL_CHARS);
  if (text.trim() !== "") words.push(text);
  for (const block of message.content) {
    if (block.type === "tool_call") words.push(`▸ ${block.name} ${mainArgument(block.args) ?? ""}`);
    else if (block.type === "tool_result") words.push(textOf(block.content).slice(0, 4 * MAX_LABEL_CHARS));
    else if (block.type !== "text" && words.length === 0) words.push(`[${block.type}]`);
    if (words.join(" ").length > MAX_LABEL_CHARS) break;
  }
  return visibleLine(words.join("  ").replace(/\s+/gu, " ").trim().slice(0, MAX_LABEL_CHARS));
}

const NAMES: Readonly<Record<MessageKind, string>> = {
  person: "you",
  agent: "agent",
  tool: "result",
  summary: "summary",
  error: "error",
  injected: "injected",
};

function drawNode(
  node: Node,
  prefix: string,
  { paint, columns, short }: TreeOptions & { readonly short: ReadonlyMap<string, string> },
): string {
  const end =
    node.leaf === null
      ? ""
      : `  ◂ ${visibleLine(short.get(node.leaf.id) ?? node.leaf.id)}${node.leaf.active ? " (active)" : ""}`;
  const head = `${prefix}${node.time.slice(11).padEnd(5)} ${NAMES[node.kind].padEnd(7)} `;
  const room = columns === undefined ? MAX_LABEL_CHARS : Math.max(10, columns - widthOf(head) - widthOf(end));
  const name = paint(NAMES[node.kind].padEnd(7), node.kind === "person" ? "green" : "dim");
  const time = paint(node.time.slice(11).padEnd(5), "dim");
  const label = cutEnd(node.label, room);
  return `${prefix}${time} ${name} ${node.kind === "tool" ? paint(label, "dim") : label}${paint(end, "yellow")}`;
}
