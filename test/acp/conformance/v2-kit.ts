/** The parts that the rules of version 2 share: a rule with a process of its own, a turn, and its updates. */

import { expect, test } from "vitest";
import type { Subject } from "./v1.ts";
import { type Json, Wire } from "./wire.ts";

const TIMEOUT_MS = 120_000;

export const HELLO: Json = {
  protocolVersion: 2,
  info: { name: "conformance", version: "1" },
  capabilities: {},
};

export type Rule = (
  title: string,
  check: (wire: Wire, subject: Subject, answer: Json) => Promise<void>,
  hello?: Json,
) => void;

/** Processes whose agent does not claim the capability that the rule is about. */
const withoutClaim = new WeakSet<Wire>();

export const isUnclaimed = (wire: Wire): boolean => withoutClaim.has(wire);

/** Records that the agent does not claim the capability of the rule, so that the rule checks nothing. */
export function notClaimed(wire: Wire): void {
  withoutClaim.add(wire);
}

/**
 * Each rule starts a process of its own, and at the end checks every message by the protocol's schema.
 * @param unclaimed the ids of the rules about capabilities that the agent does not claim
 */
export function ruleOf(make: () => Subject | Promise<Subject>, unclaimed: readonly string[]): Rule {
  return (title, check, hello = HELLO) =>
    test(title, { timeout: TIMEOUT_MS }, async () => {
      using subject = await make();
      await using wire = new Wire(subject.program, 2);
      const answer = await wire.get("initialize", hello);
      await check(wire, subject, answer);
      expect(wire.violations).toEqual([]);
      expect(isUnclaimed(wire)).toBe(unclaimed.includes(title.split(" ")[0] ?? title));
    });
}

export async function newSession(wire: Wire, { cwd }: Subject): Promise<string> {
  return String((await wire.get("session/new", { cwd })).sessionId);
}

export function promptOf(sessionId: unknown, text: string): Json {
  return { sessionId, prompt: [{ type: "text", text }] };
}

/** Sends a prompt, and waits until the turn has ended. Returns the id of the person's message. */
export async function say(wire: Wire, id: string, text: string): Promise<unknown> {
  const before = idles(wire, id).length;
  const { messageId } = await wire.get("session/prompt", promptOf(id, text));
  await idleAfter(wire, id, before);
  return messageId;
}

export async function oneTurn(wire: Wire, subject: Subject): Promise<string> {
  const id = await newSession(wire, subject);
  await say(wire, id, subject.prompt);
  return id;
}

/** A turn that calls a tool, asks for a permission and makes a plan. Returns its session. */
export async function askingTurn(wire: Wire, subject: Subject): Promise<string> {
  const id = await newSession(wire, subject);
  await say(wire, id, subject.asking);
  return id;
}

/** Starts a turn that runs until it is cancelled, and waits for its first text. Returns its session. */
export async function running(wire: Wire, subject: Subject): Promise<string> {
  const id = await newSession(wire, subject);
  await wire.get("session/prompt", promptOf(id, subject.endless));
  await expect.poll(() => messagesIn(wire.updatesOf(id)).length, { timeout: 60_000 }).toBeGreaterThan(2);
  return id;
}

export async function idleAfter(wire: Wire, id: string, before = 0): Promise<void> {
  await expect.poll(() => idles(wire, id).length, { timeout: 60_000 }).toBeGreaterThan(before);
}

/** The updates that report the end of a turn. */
export function idles(wire: Wire, id: string): readonly Json[] {
  return wire.updatesOf(id).filter(({ state }) => state === "idle");
}

export function statesOf(wire: Wire, id: string): readonly unknown[] {
  return wire
    .updatesOf(id)
    .flatMap(({ sessionUpdate, state }) => (sessionUpdate === "state_update" ? [state] : []));
}

/** The kind and the id of each message and call. */
export function messagesIn(updates: readonly Json[]): readonly (readonly [kind: unknown, id: unknown])[] {
  return updates.flatMap(({ sessionUpdate, messageId, toolCallId }) =>
    /message|thought|tool_call/u.test(String(sessionUpdate))
      ? [[sessionUpdate, messageId ?? toolCallId] as const]
      : [],
  );
}

export function updatesNamed(wire: Wire, id: string, ...names: readonly string[]): readonly Json[] {
  return wire.updatesOf(id).filter(({ sessionUpdate }) => names.includes(String(sessionUpdate)));
}

/** True if all values are known or custom; custom values begin with an underscore. */
export function areKnown(values: readonly unknown[], known: readonly string[]): boolean {
  return values.every((value) => known.includes(String(value)) || String(value).startsWith("_"));
}
