/**
 * Scopes: the rights of a token. They are written `channel:NAME:read,write`, `session:ID:read`, `chat:ID:read,write`,
 * `live:NAME:write`, `stream:PATH:read`, `approval:ID:write`, `machine:read`, `machine:answer`, `machine:write`,
 * `metrics` or `admin`. A name that ends with `*` is a prefix; `*` by itself means every name.
 */

import { ContinuoError, type NamedKind } from "../model/index.ts";

export type Access = "read" | "write";
/**
 * `answer`: may answer an agent's question for permission, but cannot give a permission that lasts. `write` includes
 * `answer`.
 */
export type MachinePermission = Access | "answer";

export interface NamedScope {
  readonly kind: NamedKind;
  /** A name, or a prefix that ends with `*`. */
  readonly name: string;
  readonly access: readonly Access[];
}

export type Scope =
  | NamedScope
  | { readonly kind: "machine"; readonly access: readonly MachinePermission[] }
  | { readonly kind: "metrics" }
  | { readonly kind: "admin" };

/** The permission that a request needs. */
export type RequiredPermission =
  | { readonly kind: NamedKind; readonly name: string; readonly access: Access }
  | { readonly kind: "machine"; readonly access: MachinePermission }
  | { readonly kind: "metrics" }
  | { readonly kind: "admin" };

const NAMED: readonly NamedKind[] = ["channel", "session", "chat", "live", "stream", "approval"];

/** Errors: `usage`. */
export function parseScope(text: string): Scope {
  if (text === "admin" || text === "metrics") return { kind: text };
  const first = text.indexOf(":");
  const last = text.lastIndexOf(":");
  const kind = text.slice(0, Math.max(0, first));
  const words = text.slice(last + 1).split(",");
  if (kind === "machine" && first === last) {
    const ofMachine = parseAccess(words, ["read", "answer", "write"]);
    if (ofMachine !== null) return { kind, access: ofMachine };
  }
  const access = parseAccess(words, ["read", "write"]);
  const name = text.slice(first + 1, last);
  if (access !== null && (NAMED as readonly string[]).includes(kind) && isScopeName(name)) {
    return { kind: kind as NamedKind, name, access };
  }
  throw new ContinuoError("usage", `${JSON.stringify(text)} is not a scope`, {
    hint: "Write channel:NAME:read,write, session:ID:read, chat:ID:read,write, live:NAME:write, stream:PATH:read, approval:ID:write, machine:read, metrics or admin.",
    details: { scope: text },
  });
}

export function formatScope(scope: Scope): string {
  switch (scope.kind) {
    case "admin":
    case "metrics":
      return scope.kind;
    case "machine":
      return `machine:${scope.access.join(",")}`;
    default:
      return `${scope.kind}:${scope.name}:${scope.access.join(",")}`;
  }
}

/** `admin` allows everything except access to the machine: native sessions and programs need a scope of their own. */
export function allows(scopes: readonly Scope[], need: RequiredPermission): boolean {
  return scopes.some((scope) => {
    if (need.kind === "machine") return scope.kind === "machine" && allowsAccess(scope.access, need.access);
    if (scope.kind === "admin") return true;
    if (need.kind === "metrics") return scope.kind === "metrics";
    if (need.kind === "admin" || scope.kind !== need.kind) return false;
    return scope.access.includes(need.access) && coversName(scope.name, need.name);
  });
}

function allowsAccess(given: readonly MachinePermission[], needed: MachinePermission): boolean {
  return given.includes(needed) || (needed === "answer" && given.includes("write"));
}

/** The scopes without the right to write; `admin` becomes the right to read every log. */
export function readOnly(scopes: readonly Scope[]): readonly Scope[] {
  return scopes.flatMap((scope): readonly Scope[] => {
    if (scope.kind === "admin") return NAMED.map((kind) => ({ kind, name: "*", access: ["read"] }));
    if (scope.kind === "metrics") return [scope];
    return scope.access.includes("read") ? [{ ...scope, access: ["read"] }] : [];
  });
}

/** True if the pattern covers a name, or all names of another pattern. */
export function coversName(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

/** True for a name that has no control characters, and no `*` except at its end. */
function isScopeName(name: string): boolean {
  return name.length > 0 && name.length <= 512 && /^[^\p{Cc}*]*\*?$/u.test(name);
}

/** The words in the order of `known`; `null` if one of them is unknown. */
function parseAccess<Word extends string>(
  words: readonly string[],
  known: readonly Word[],
): readonly Word[] | null {
  if (!words.every((word) => known.some((one) => one === word))) return null;
  return known.filter((word) => words.includes(word));
}
