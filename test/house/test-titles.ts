/** The titles of the tests in a file: literals that name a `test`, an `it` or a `describe`. */

import { parseAst } from "rolldown/parseAst";

export interface TestTitle {
  readonly of: "test" | "describe";
  readonly line: number;
  /** The text, with `…` for each computed part. */
  readonly text: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly [key: string]: unknown;
}

export function testTitlesOf({ path, text }: { readonly path: string; readonly text: string }): TestTitle[] {
  const found: TestTitle[] = [];
  const visit = (node: Node): void => {
    const title = titleIn(node);
    if (title !== null) found.push({ ...title, line: text.slice(0, node.start).split("\n").length });
    for (const child of Object.values(node).flat()) if (isNode(child)) visit(child);
  };
  const lang = path.endsWith("x") ? "tsx" : "ts";
  visit(parseAst(text, { lang }, path) as unknown as Node);
  return found;
}

function titleIn(node: Node): Pick<TestTitle, "of" | "text"> | null {
  if (node.type !== "CallExpression") return null;
  const name = rootOf(node.callee);
  const [first, second] = node.arguments as readonly Node[];
  if (!/^(?:test|it|describe)$/u.test(name) || first === undefined || second === undefined) return null;
  const text = textOf(first);
  return text === null ? null : { of: name === "describe" ? "describe" : "test", text };
}

/** The function that a call begins with: `test` in `test.each([…])`. */
function rootOf(node: unknown): string {
  if (!isNode(node)) return "";
  if (node.type === "Identifier") return String(node.name);
  return rootOf(node.object ?? node.callee ?? node.tag);
}

function textOf(node: Node): string | null {
  if (node.type === "Literal") return typeof node.value === "string" ? node.value : null;
  if (node.type !== "TemplateLiteral") return null;
  const parts = node.quasis as readonly { readonly value: { readonly cooked: string } }[];
  return parts.map(({ value }) => value.cooked).join("…");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
