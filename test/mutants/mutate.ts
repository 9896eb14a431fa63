/** All small mistakes that can be planted in one source file: pure, in the order of the text. */

import { parseAst } from "rolldown/parseAst";

export interface Mutant {
  /** Of what is replaced, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** What was done, such as `< becomes <=`. */
  readonly description: string;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

const OPERATORS: Readonly<Record<string, string>> = {
  "<": "<=",
  "<=": "<",
  ">": ">=",
  ">=": ">",
  "===": "!==",
  "!==": "===",
  "+": "-",
  "-": "+",
  "*": "/",
  "/": "*",
  "%": "*",
  "&&": "||",
  "||": "&&",
  "??": "&&",
};

/** What is not run, or would only be refused when the file is loaded. */
const NOT_ENTERED = new Set(["ImportDeclaration", "ExportAllDeclaration", "ImportExpression"]);
/** Nodes of TypeScript that hold an expression; all others are types. */
const WITH_EXPRESSION = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);

const MAX_SHOWN = 60;

/** Every mutant of the file. Two mutants of one file may lie inside each other; only one is planted at a time. */
export function mutantsOf(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  visit(parseAst(source, { lang: "ts" }) as unknown as Node, (node) => {
    found.push(...mutantsAt(node, source));
  });
  return found.sort((a, b) => a.start - b.start || a.end - b.end);
}

export function plant(source: string, { start, end, replacement }: Mutant): string {
  return source.slice(0, start) + replacement + source.slice(end);
}

function mutantsAt(node: Node, source: string): readonly Mutant[] {
  const textOf = ({ start, end }: Node): string => source.slice(start, end);
  const replace = (what: Node, replacement: string): Mutant => ({
    start: what.start,
    end: what.end,
    replacement,
    description: `${shown(textOf(what))} becomes ${shown(replacement)}`,
  });
  switch (node.type) {
    case "BinaryExpression":
    case "LogicalExpression":
      return operatorMutants(node, source);
    case "IfStatement":
    case "ConditionalExpression":
      return ["true", "false"].map((value) => replace(node.test as Node, value));
    case "WhileStatement":
      return [replace(node.test as Node, "false")];
    case "UnaryExpression":
      return node.operator === "!" ? [replace(node, textOf(node.argument as Node))] : [];
    case "ExpressionStatement":
      // A directive such as "use strict" is no statement that could be missed.
      return "directive" in node && node.directive !== null ? [] : [replace(node, ";")];
    case "Literal":
      return literalMutants(node).map((value) => replace(node, value));
    case "ArrayExpression":
      return (node.elements as readonly unknown[]).length === 0 ? [] : [replace(node, "[]")];
    case "SpreadElement":
      return [replace(node, `...[]`)];
    case "TemplateLiteral":
      return textOf(node) === "``" ? [] : [replace(node, "``")];
    case "ReturnStatement":
      return node.argument === null ? [] : [replace(node.argument as Node, "undefined as never")];
    default:
      return [];
  }
}

function operatorMutants(node: Node, source: string): readonly Mutant[] {
  const operator = String(node.operator);
  const replacement = OPERATORS[operator];
  if (replacement === undefined) return [];
  const { end: from } = node.left as Node;
  const at = source.indexOf(operator, from);
  const description = `${operator} becomes ${replacement} in ${shown(source.slice(node.start, node.end))}`;
  return [{ start: at, end: at + operator.length, replacement, description }];
}

function literalMutants({ value }: Node): readonly string[] {
  if (typeof value === "boolean") return [String(!value)];
  if (typeof value === "number") return [String(value + 1)];
  if (typeof value === "string") return [value === "" ? '"mutant"' : '""'];
  return [];
}

function visit(node: Node, look: (node: Node) => void): void {
  if (NOT_ENTERED.has(node.type) || (node.type.startsWith("TS") && !WITH_EXPRESSION.has(node.type))) return;
  look(node);
  for (const [key, child] of Object.entries(node)) {
    if (isKeyOf(node, key)) continue;
    for (const one of Array.isArray(child) ? child : [child]) if (isNode(one)) visit(one, look);
  }
}

/** A name that stands before a colon or after `from` is no value. */
function isKeyOf(node: Node, key: string): boolean {
  if (key === "key") return node.computed !== true;
  return key === "source" && node.type.startsWith("Export");
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value && "start" in value;
}

function shown(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
