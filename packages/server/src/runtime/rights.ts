/** The rights that a program gives a request, as scopes of the server: `*` at the end of a name stands for any rest. */

import type { NamedKind } from "@continuo/core/model";
import type { NamedScope, Scope } from "@continuo/core/wire";
import type { Authorization, Names } from "./types.ts";

const HINT = 'give "*" for all, an array of exact names, or { beginsWith: "customer-" }';

export function scopesOf({ access, approve = false, ...names }: Authorization): readonly Scope[] {
  const both = access === "write" ? (["read", "write"] as const) : (["read"] as const);
  const named = (
    kind: NamedKind,
    patterns: readonly string[],
    rights: NamedScope["access"] = both,
  ): Scope[] => patterns.map((name) => ({ kind, name, access: rights }));
  const sessions = patternsOf("sessions", names.sessions);
  return [
    ...named("session", sessions),
    ...named("channel", patternsOf("channels", names.channels)),
    ...named("live", patternsOf("live", names.live)),
    ...named("stream", patternsOf("streams", names.streams)),
    ...named("approval", approve ? sessions : [], ["read", "write"]),
  ];
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
