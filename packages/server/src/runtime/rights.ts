/** The rights that a program gives a request, as scopes of the server: `*` at the end of a name stands for any rest. */

import type { NamedKind } from "@continuo/core/model";
import { coversName, type NamedScope, type Scope } from "@continuo/core/wire";
import type { Authorization, Names } from "./types.ts";

const HINT = 'give "*" for all, an array of exact names, or { beginsWith: "customer-" }';

export function scopesOf({ access, approve = false, ...names }: Authorization): readonly Scope[] {
  const sessions = patternsOf("sessions", names.sessions);
  if (access === "chat") assertOnlySessions(names);
  const both = access !== "read" ? (["read", "write"] as const) : (["read"] as const);
  const named = (
    kind: NamedKind,
    patterns: readonly string[],
    rights: NamedScope["access"] = both,
  ): Scope[] => patterns.map((name) => ({ kind, name, access: rights }));
  return [
    ...named(access === "chat" ? "chat" : "session", sessions),
    ...named("channel", patternsOf("channels", names.channels)),
    ...named("live", patternsOf("live", names.live)),
    ...named("stream", patternsOf("streams", names.streams)),
    ...named("approval", approve ? sessions : [], ["read", "write"]),
  ];
}

/** True if the second scopes allow everything that the first ones do. */
export function isCovered(scopes: readonly Scope[], by: readonly Scope[]): boolean {
  return scopes
    .filter(isNamed)
    .every(({ kind, name, access }) =>
      access.every((right) =>
        by
          .filter(isNamed)
          .some((one) => one.kind === kind && one.access.includes(right) && coversName(one.name, name)),
      ),
    );
}

function isNamed(scope: Scope): scope is NamedScope {
  return "name" in scope;
}

/** Throws a `TypeError`: a chat is a part of a session, and nothing else has one. */
function assertOnlySessions(names: Pick<Authorization, "channels" | "live" | "streams" | "logs">): void {
  for (const kind of ["channels", "live", "streams", "logs"] as const) {
    if (names[kind] === undefined || names[kind] === false) continue;
    throw new TypeError(`authorize returned access: "chat" with ${kind}; give "read" or "write" for them`);
  }
}

/**
 * An exact name may come from outside, such as the id of a user: one with a `*` covers nothing, not even itself.
 * Throws a `TypeError` for names of another form, which are a mistake in the program.
 */
export function patternsOf(kind: string, names: Names | undefined): readonly string[] {
  if (names === undefined) return [];
  if (names === "*") return ["*"];
  if (Array.isArray(names)) return names.filter((name) => !name.includes("*"));
  const beginnings = typeof names === "object" && "beginsWith" in names ? [names.beginsWith].flat() : [];
  if (
    beginnings.length > 0 &&
    beginnings.every((beginning) => typeof beginning === "string" && beginning !== "")
  )
    return beginnings.map((beginning) => `${beginning}*`);
  throw new TypeError(`authorize returned ${kind}: ${JSON.stringify(names)}; ${HINT}`);
}
