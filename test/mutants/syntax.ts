/** The syntax of a source file without its types and imports. */

import { parseAst } from "rolldown/parseAst";

export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** Nodes that never run, or whose change would only be refused when the file is loaded. */
const NOT_ENTERED = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"]);
/** Nodes of TypeScript that hold an expression; all others are types. */
const WITH_EXPRESSION = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

export function parse(source: string): Node {
  return parseAst(source, { lang: "ts" }) as unknown as Node;
}

/** Visits each node, outer nodes first. */
export function visit(node: Node, look: (node: Node) => void): void {
  if (NOT_ENTERED.has(node.type) || (node.type.startsWith("TS") && !WITH_EXPRESSION.has(node.type))) return;
  look(node);
  for (const [key, child] of Object.entries(node)) {
    if (isKeyOf(node, key)) continue;
    for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, look);
  }
}

/** Returns true for a name before a colon or after `from`, which is not a value. */
function isKeyOf(node: Node, key: string): boolean {
  if (key === "key") return node.computed !== true;
  return key === "source" && node.type.startsWith("Export");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}
