/** All small mistakes that can be planted in one source file, in the order of the text. Pure. */

import { type Node, parse, visit } from "./syntax.ts";

export interface Mutant {
  /** The place of the replaced text, in UTF-16 units. */
  readonly start: number;
  readonly end: number;
  readonly replacement: string;
  /** A description of the mistake, such as `< becomes <=`. */
  readonly description: string;
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

const MAX_SHOWN = 60;

/** Every mutant of the file. Two mutants may be inside each other; only one is planted at a time. */
export function mutantsOf(source: string): readonly Mutant[] {
  const found: Mutant[] = [];
  visit(parse(source), (node) => {
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

function shown(text: string): string {
  const line = text.replaceAll(/\s+/gu, " ");
  return line.length <= MAX_SHOWN ? line : `${line.slice(0, MAX_SHOWN)}…`;
}
