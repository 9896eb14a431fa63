/** Rules of version 2 about turns: prompts and states, cancelling, questions, and the updates that report them. */

import { expect } from "vitest";
import {
  areKnown,
  askingTurn,
  idleAfter,
  idles,
  messagesIn,
  newSession,
  notClaimed,
  oneTurn,
  promptOf,
  type Rule,
  running,
  say,
  statesOf,
  updatesNamed,
} from "./v2-kit.ts";
import type { Json, Wire } from "./wire.ts";

const STOP_REASONS = ["end_turn", "max_tokens", "max_turn_requests", "refusal", "cancelled", "error"];
/** A picture of one pixel. */
const PNG =
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

export function turnRules(rule: Rule): void {
  rule("PROMPT-201 a prompt is answered at once with the id of its message", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const { messageId } = await wire.get("session/prompt", promptOf(id, subject.endless));
    expect(messageId).toEqual(expect.stringMatching(/./u));
    expect(statesOf(wire, id)).not.toContain("idle");
  });
  rule("PROMPT-203 the person's message comes back with that id", async (wire, subject) => {
    const id = await newSession(wire, subject);
    const messageId = await say(wire, id, subject.prompt);
    const said = updatesNamed(wire, id, "user_message", "user_message_chunk");
    // A message can be one update, or several parts.
    expect(said.flatMap(({ content }) => content)).toEqual([{ type: "text", text: subject.prompt }]);
    expect(new Set(said.map((one) => one.messageId))).toEqual(new Set([messageId]));
  });
  rule("PROMPT-205 every update is of the session that was asked", async (wire, subject) => {
    const [id, other] = [await newSession(wire, subject), await newSession(wire, subject)];
    await say(wire, id, subject.asking);
    expect(messagesIn(wire.updatesOf(id)).length).toBeGreaterThan(5);
    expect(messagesIn(wire.updatesOf(other))).toEqual([]);
  });
  const blocks: readonly (readonly [rule: string, capability: string | null, block: Json])[] = [
    ["PROMPT-003", null, { type: "resource_link", uri: "file:///a.txt", name: "a.txt" }],
    ["PROMPTCAP-001", "image", { type: "image", mimeType: "image/png", data: PNG }],
    ["PROMPTCAP-002", "audio", { type: "audio", mimeType: "audio/wav", data: "UklGRg==" }],
    [
      "PROMPTCAP-003",
      "embeddedContext",
      { type: "resource", resource: { uri: "file:///a.txt", mimeType: "text/plain", text: "a" } },
    ],
  ];
  for (const [name, capability, block] of blocks) {
    rule(`${name} ${String(block.type)} is taken where it is claimed`, async (wire, subject, hello) => {
      if (capability !== null && !canPrompt(hello, capability)) return notClaimed(wire);
      const id = await newSession(wire, subject);
      await wire.get("session/prompt", {
        sessionId: id,
        prompt: [{ type: "text", text: subject.prompt }, block],
      });
      await idleAfter(wire, id);
      expect(idles(wire, id)).toMatchObject([{ stopReason: "end_turn" }]);
    });
  }
  stateRules(rule);
  questionRules(rule);
}

function stateRules(rule: Rule): void {
  rule("STATE-201 it runs before it is idle", async (wire, subject) => {
    expect(statesOf(wire, await oneTurn(wire, subject))).toEqual(["running", "idle"]);
  });
  rule("STATE-202 a turn that ran becomes idle, and nothing of it follows", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    await wire.get("session/list", {});
    const updates = wire.updatesOf(id);
    const after = updates.slice(updates.findLastIndex(({ state }) => state === "idle") + 1);
    expect(messagesIn(after)).toEqual([]);
  });
  rule("STATE-203 a turn ends for a reason that is known", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const reasons = idles(wire, id).map(({ stopReason }) => stopReason);
    expect(reasons).toHaveLength(1);
    expect(areKnown(reasons, STOP_REASONS)).toBe(true);
  });
  rule(
    "INFO-CONCURRENT-201 of two prompts at once both are answered, and their turns end",
    async (wire, subject) => {
      const id = await newSession(wire, subject);
      const ids = await Promise.all(
        [1, 2].map(() => wire.get("session/prompt", promptOf(id, subject.prompt))),
      );
      expect(new Set(ids.map(({ messageId }) => messageId)).size).toBe(2);
      await idleAfter(wire, id, 1);
      const said = updatesNamed(wire, id, "user_message", "user_message_chunk");
      expect(new Set(said.map(({ messageId }) => messageId)).size).toBe(2);
    },
  );
  rule("INFO-UNKNOWNSESSION-001 a prompt for no session is an error", async (wire, subject) => {
    const { error } = await wire.ask("session/prompt", promptOf("nobody", subject.prompt));
    expect(error?.code).toBe(-32_002);
  });
}

function questionRules(rule: Rule): void {
  rule(
    "PERM-201 a question has a title and options, and its answer lets the turn end",
    async (wire, subject) => {
      const id = await askingTurn(wire, subject);
      const questions = wire.asked.map(({ method, params }) => ({ method, ...params }));
      expect(questions).toMatchObject([
        { method: "session/request_permission", sessionId: id, title: expect.stringMatching(/./u) },
      ]);
      for (const { options } of questions as readonly { readonly options?: readonly Json[] }[]) {
        expect(options?.length).toBeGreaterThan(0);
        for (const { optionId, name, kind } of options ?? []) {
          expect([optionId, name, kind].every((word) => typeof word === "string" && word !== "")).toBe(true);
        }
      }
      expect(idles(wire, id)).toHaveLength(1);
    },
  );
  rule("CLIENTCAP-201 nobody is shown a form who has none", async (wire, subject) => {
    await askingTurn(wire, subject);
    expect(wire.asked.filter(({ method }) => method?.startsWith("elicitation/"))).toEqual([]);
  });
  rule("CLIENTCAP-202 only methods of the protocol are asked of the client", async (wire, subject) => {
    await askingTurn(wire, subject);
    const methods = wire.messages.flatMap(({ method }) => (method === undefined ? [] : [method]));
    const known = [
      "session/update",
      "session/request_permission",
      "elicitation/create",
      "elicitation/complete",
    ];
    expect(methods.length).toBeGreaterThan(5);
    expect(methods.filter((method) => !known.includes(method) && !/^(?:_|\$\/)/u.test(method))).toEqual([]);
  });
}

export function cancelRules(rule: Rule): void {
  const cancelled = async (wire: Wire, id: string, params: Json = {}): Promise<void> => {
    wire.notify("session/cancel", { sessionId: id, ...params });
    await idleAfter(wire, id);
  };
  rule("CANCEL-201 a cancelled turn becomes idle, cancelled", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id);
    expect(idles(wire, id)).toMatchObject([{ sessionUpdate: "state_update", stopReason: "cancelled" }]);
  });
  rule("CANCEL-202 nothing of a cancelled turn follows its end", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id);
    const before = wire.updatesOf(id).length;
    await wire.get("session/list", {});
    const after = wire.updatesOf(id).slice(before);
    expect([messagesIn(after), after.filter(({ state }) => state !== undefined)]).toEqual([[], []]);
  });
  rule("CANCEL-203 cancelling is no error", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id);
    expect(wire.messages.filter(({ error }) => error !== undefined)).toEqual([]);
    expect(idles(wire, id)[0]).not.toHaveProperty("error");
  });
  rule("CANCEL-204 a cancelled agent does what is asked next", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id);
    await say(wire, id, subject.prompt);
    expect(idles(wire, id).map(({ stopReason }) => stopReason)).toEqual(["cancelled", "end_turn"]);
  });
  rule("CANCEL-205 to cancel has no answer", async (wire, subject) => {
    const id = await running(wire, subject);
    const before = wire.messages.length;
    await cancelled(wire, id);
    expect(wire.messages.slice(before).filter(({ method }) => method === undefined)).toEqual([]);
  });
  rule("CANCEL-206 to cancel may carry _meta", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id, { _meta: { "example.org/why": "done" } });
    expect(idles(wire, id)).toMatchObject([{ stopReason: "cancelled" }]);
  });
  rule("CANCEL-207 the reason of a cancelled turn has no other name", async (wire, subject) => {
    const id = await running(wire, subject);
    await cancelled(wire, id);
    expect(idles(wire, id).map(({ stopReason }) => stopReason)).toEqual(["cancelled"]);
  });
  rule("CANCEL-208 to close a session cancels its turn", async (wire, subject) => {
    const id = await running(wire, subject);
    await wire.get("session/close", { sessionId: id });
    await idleAfter(wire, id);
    expect(idles(wire, id)).toMatchObject([{ stopReason: "cancelled" }]);
  });
  rule("INFO-CANCEL-201 to cancel what does not run changes nothing", async (wire, subject) => {
    const id = await oneTurn(wire, subject);
    const before = wire.messages.length;
    for (const sessionId of [id, "nobody"]) wire.notify("session/cancel", { sessionId });
    await wire.get("session/list", {});
    expect(wire.messages.slice(before)).toHaveLength(1);
  });
  rule("INFO-CANCEL-202 a question of a cancelled turn is taken back", async (wire, subject) => {
    wire.choose = null;
    const id = await newSession(wire, subject);
    await wire.get("session/prompt", promptOf(id, subject.asking));
    await expect.poll(() => wire.asked.length, { timeout: 60_000 }).toBe(1);
    await cancelled(wire, id);
    const taken = wire.messages.filter(({ method }) => method === "$/cancel_request");
    expect(taken.map(({ params }) => params?.requestId)).toEqual([wire.asked[0]?.id]);
  });
}

export function patchRules(rule: Rule): void {
  rule("PATCH-201 every message and every part of one has an id", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const told = wire
      .updatesOf(id)
      .filter(({ sessionUpdate }) => /^(?:user|agent)_(?:message|thought)/u.test(String(sessionUpdate)));
    expect(told.length).toBeGreaterThan(3);
    expect(told.filter(({ messageId }) => typeof messageId !== "string" || messageId === "")).toEqual([]);
  });
  rule("PATCH-203 two prompts have two ids", async (wire, subject) => {
    const id = await newSession(wire, subject);
    expect(await say(wire, id, subject.prompt)).not.toBe(await say(wire, id, subject.prompt));
  });
  rule(
    "PATCH-204 every update of a call has its id, and there is no other way to begin one",
    async (wire, subject) => {
      const id = await askingTurn(wire, subject);
      const calls = updatesNamed(wire, id, "tool_call_update", "tool_call_content_chunk");
      expect(calls.length).toBeGreaterThan(1);
      expect(calls.filter(({ toolCallId }) => typeof toolCallId !== "string" || toolCallId === "")).toEqual(
        [],
      );
      expect(updatesNamed(wire, id, "tool_call")).toEqual([]);
    },
  );
  rule("PATCH-205 a plan has an id", async (wire, subject) => {
    const plans = updatesNamed(wire, await askingTurn(wire, subject), "plan_update");
    if (plans.length === 0) notClaimed(wire);
    for (const { plan } of plans) expect((plan as Json).planId).toEqual(expect.stringMatching(/./u));
  });
  rule("PATCH-206 a terminal has one folder, an absolute one", async (wire, subject) => {
    const folders = new Map<unknown, Set<unknown>>();
    const terminals = updatesNamed(wire, await askingTurn(wire, subject), "terminal_update");
    if (terminals.length === 0) notClaimed(wire);
    for (const { terminalId, cwd } of terminals) {
      if (cwd === undefined || cwd === null) continue;
      expect(cwd).toMatch(/^\//u);
      folders.set(terminalId, (folders.get(terminalId) ?? new Set()).add(cwd));
    }
    expect([...folders.values()].filter(({ size }) => size > 1)).toEqual([]);
  });
  rule("PATCH-207 each part of a terminal's output is base64 by itself", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const parts = updatesNamed(wire, id, "terminal_output_chunk");
    if (parts.length === 0) notClaimed(wire);
    for (const { data } of parts) {
      expect(Buffer.from(String(data), "base64").toString("base64")).toBe(data);
    }
  });
  rule("PATCH-208 a call begins with a title, and keeps the name of its tool", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const names = new Map<unknown, unknown>();
    for (const { toolCallId, title, name } of updatesNamed(wire, id, "tool_call_update")) {
      if (!names.has(toolCallId)) expect(title).toEqual(expect.stringMatching(/./u));
      if (name !== undefined) expect([undefined, name]).toContain(names.get(toolCallId));
      names.set(toolCallId, name ?? names.get(toolCallId));
    }
    expect(names.size).toBeGreaterThan(1);
  });
  rule("PATCH-209 the state says that it waits for an answer, and that it goes on", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    expect(statesOf(wire, id)).toEqual(["running", "requires_action", "running", "idle"]);
  });
  kindRules(rule);
}

function kindRules(rule: Rule): void {
  rule("ENUM-201 the kinds and states of calls and plans are known ones", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const given = (values: readonly unknown[]): readonly unknown[] =>
      values.filter((one) => one !== undefined);
    const calls = updatesNamed(wire, id, "tool_call_update");
    const entries = updatesNamed(wire, id, "plan_update").flatMap(
      ({ plan }) => (plan as Json).entries as Json[],
    );
    const kinds = given(calls.map(({ kind }) => kind));
    expect(kinds.length).toBeGreaterThan(0);
    if (entries.length === 0) notClaimed(wire);
    expect(areKnown(kinds, KINDS)).toBe(true);
    expect(areKnown(given(calls.map(({ status }) => status)), [...STATES, "paused", "failed"])).toBe(true);
    expect(
      areKnown(
        entries.map(({ status }) => status),
        STATES,
      ),
    ).toBe(true);
    expect(
      areKnown(
        entries.map(({ priority }) => priority),
        ["high", "medium", "low"],
      ),
    ).toBe(true);
  });
  rule("ENUM-202 the kinds of updates, states and contents are known ones", async (wire, subject) => {
    const id = await askingTurn(wire, subject);
    const contents = updatesNamed(wire, id, "tool_call_update").flatMap(
      ({ content }) => (content ?? []) as Json[],
    );
    expect(contents.length).toBeGreaterThan(0);
    expect(
      areKnown(
        contents.map(({ type }) => type),
        ["content", "diff", "terminal"],
      ),
    ).toBe(true);
    expect(areKnown(statesOf(wire, id), ["running", "idle", "requires_action"])).toBe(true);
    // The schema accepts updates of any other kind too, so each name is checked here.
    expect(
      areKnown(
        wire.updatesOf(id).map(({ sessionUpdate }) => sessionUpdate),
        UPDATES,
      ),
    ).toBe(true);
  });
  rule("ENUM-203 an answer of an unknown kind grants nothing, and the turn ends", async (wire, subject) => {
    wire.choose = () => ({ outcome: { outcome: "_later" } });
    const id = await askingTurn(wire, subject);
    expect(idles(wire, id)).toHaveLength(1);
    const { subject: asked } = (wire.asked[0]?.params ?? {}) as { readonly subject?: { toolCall?: Json } };
    const states = updatesNamed(wire, id, "tool_call_update")
      .filter(({ toolCallId }) => toolCallId === asked?.toolCall?.toolCallId)
      .flatMap(({ status }) => status ?? []);
    expect(states.length).toBeGreaterThan(0);
    // The gateway's script completes the call in any case, and repeats the answer that it received.
    const isCancelled = JSON.stringify(wire.updatesOf(id)).includes("cancelled");
    expect(isCancelled || !states.includes("completed")).toBe(true);
  });
}

const STATES = ["pending", "in_progress", "completed", "cancelled"];
const KINDS = [
  "read",
  "edit",
  "delete",
  "move",
  "search",
  "execute",
  "think",
  "fetch",
  "switch_mode",
  "other",
];
const UPDATES = [
  ...["user_message", "agent_message", "agent_thought"].flatMap((kind) => [kind, `${kind}_chunk`]),
  ...[
    "state_update",
    "tool_call_update",
    "tool_call_content_chunk",
    "terminal_update",
    "terminal_output_chunk",
  ],
  ...["plan_update", "available_commands_update", "config_option_update", "session_info_update"],
  ...["usage_update", "notice", "compaction_update", "compaction_summary_chunk"],
];

function canPrompt({ capabilities }: Json, what: string): boolean {
  const { session } = capabilities as { readonly session?: { readonly prompt?: Json } };
  return session?.prompt?.[what] !== undefined;
}
