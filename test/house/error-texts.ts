/** The texts of errors and hints in the source: literals that reach a `ContinuoError`, directly or as an argument. */

import { parseAst } from "rolldown/parseAst";
import type { SourceFile } from "./imports.ts";

type Role = "message" | "hint";

export interface ErrorText {
  /** `packages/store/src/store/open-store.ts:94` */
  readonly place: string;
  readonly role: Role;
  /** The text, with `…` for each computed part. */
  readonly text: string;
  /** The literal in the file. */
  readonly start: number;
  readonly end: number;
}

interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [key: string]: unknown;
}

/** A place whose expression becomes a text, or the call of a function that may turn an argument into one. */
interface Site {
  readonly file: SourceFile;
  readonly constants: Constants;
  readonly functions: readonly NamedFunction[];
  readonly given: { readonly role: Role; readonly node: Node } | null;
  readonly call: Node | null;
}

/** Constants of this file, by name: each is a text, or a choice between texts. */
type Constants = ReadonlyMap<string, Node>;

interface NamedFunction {
  readonly name: string;
  readonly params: readonly string[];
}

/** Functions by name: the parameters that become a text of an error, and which text. */
type Passing = Map<string, Map<number, Role>>;

/** Returns every text that reaches an error, directly or through functions. */
export function errorTextsOf(files: readonly SourceFile[]): ErrorText[] {
  const sites = files.flatMap((file) => {
    const found: Omit<Site, "file" | "constants">[] = [];
    const constants = new Map<string, Node>();
    const root = parseAst(file.text, { lang: "ts" }, file.path) as unknown as Node;
    visit(root, "", [], {
      onSite: (site) => found.push(site),
      onConstant: (name, node) => constants.set(name, node),
    });
    return found.map((site) => ({ ...site, file, constants }));
  });
  const passing: Passing = new Map();
  for (let known = -1; known !== sizeOf(passing); ) {
    known = sizeOf(passing);
    for (const site of sites)
      for (const given of givenAt(site, passing)) learn(passing, given, site.functions);
  }
  return sites.flatMap((site) =>
    givenAt(site, passing).flatMap(({ role, node }) =>
      literalsIn(node, site.constants).map((literal) => ({ ...toText(literal, site.file), role })),
    ),
  );
}

interface Visitor {
  readonly onSite: (site: Omit<Site, "file" | "constants">) => void;
  readonly onConstant: (name: string, node: Node) => void;
}

function visit(node: Node, name: string, outer: readonly NamedFunction[], visitor: Visitor): void {
  const functions = Array.isArray(node.params)
    ? [...outer, { name: nameOf(node.id) || name, params: node.params.map(nameOf) }]
    : outer;
  const given = givenIn(node);
  const call = node.type === "CallExpression" && nameOf(node.callee) !== "" ? node : null;
  if (given !== null || call !== null) visitor.onSite({ functions, given, call });
  // A function that is the value of a constant is known by the name of the constant.
  const inner = node.type === "VariableDeclarator" ? nameOf(node.id) : "";
  if (inner !== "" && isNode(node.init) && literalsIn(node.init).length > 0)
    visitor.onConstant(inner, node.init);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value])
      if (isNode(child)) visit(child, inner, functions, visitor);
  }
}

function givenIn(node: Node): Site["given"] {
  if (node.type === "NewExpression" && nameOf(node.callee) === "ContinuoError") {
    const message = (node.arguments as Node[])[1];
    return message === undefined ? null : { role: "message", node: message };
  }
  return node.type === "Property" && nameOf(node.key) === "hint"
    ? { role: "hint", node: node.value as Node }
    : null;
}

function givenAt(
  { given, call }: Site,
  passing: Passing,
): readonly { readonly role: Role; readonly node: Node }[] {
  if (given !== null) return [given];
  if (call === null) return [];
  return [...(passing.get(nameOf(call.callee)) ?? [])].flatMap(([index, role]) => {
    const node = (call.arguments as Node[])[index];
    return node === undefined ? [] : [{ role, node }];
  });
}

/** If a text is a parameter, it comes from the callers of the function. */
function learn(
  passing: Passing,
  { role, node }: { role: Role; node: Node },
  functions: readonly NamedFunction[],
): void {
  for (const { name, params } of functions) {
    const index = params.indexOf(nameOf(node));
    if (name === "" || nameOf(node) === "" || index === -1) continue;
    passing.set(name, (passing.get(name) ?? new Map()).set(index, role));
  }
}

/** The parts from which a text is chosen. */
const PARTS: Readonly<Record<string, readonly string[]>> = {
  ConditionalExpression: ["consequent", "alternate"],
  LogicalExpression: ["right"],
};

function sizeOf(passing: Passing): number {
  return [...passing.values()].reduce((sum, indexes) => sum + indexes.size, 0);
}

function literalsIn(node: Node, constants: Constants = new Map()): Node[] {
  const parts = PARTS[node.type];
  if (parts !== undefined) return parts.flatMap((part) => literalsIn(node[part] as Node, constants));
  const constant = constants.get(nameOf(node));
  if (constant !== undefined) return literalsIn(constant);
  const isText =
    node.type === "TemplateLiteral" || (node.type === "Literal" && typeof node.value === "string");
  return isText ? [node] : [];
}

function toText(node: Node, { file, text }: SourceFile): Omit<ErrorText, "role"> {
  const line = text.slice(0, node.start).split("\n").length;
  const { start, end } = node;
  return { place: `${file}:${line}`, text: textOf(node), start, end };
}

function textOf(node: Node): string {
  if (node.type === "Literal") return String(node.value);
  return (node.quasis as { readonly value: { readonly cooked: string } }[])
    .map(({ value }) => value.cooked)
    .join("…");
}

function nameOf(node: unknown): string {
  return isNode(node) && node.type === "Identifier" ? String(node.name) : "";
}

function isNode(value: unknown): value is Node {
  return typeof value === "object" && value !== null && "type" in value;
}
