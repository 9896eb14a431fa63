import type { PermissionDecision } from "@continuo/core/model";
import { expect, test } from "vitest";
import { assertGated, GATE_EXTENSION, isLasting, toGateDialog } from "./gate.ts";

type Handler = (event: unknown, context: unknown) => Promise<unknown>;
interface Extension {
  default(pi: unknown): void;
}

interface Loaded {
  readonly commands: readonly { readonly name: string }[];
  readonly onToolCall: Handler;
}

/** The extension as pi loads it, without pi. */
async function load(): Promise<Loaded> {
  const { default: extend }: Extension = await import(
    `data:text/javascript,${encodeURIComponent(GATE_EXTENSION)}`
  );
  const commands: { readonly name: string }[] = [];
  const handlers = new Map<string, Handler>();
  extend({
    registerCommand: (name: string) => commands.push({ name }),
    on: (event: string, handler: Handler) => handlers.set(event, handler),
  });
  const onToolCall = handlers.get("tool_call");
  if (onToolCall === undefined) throw new Error("the extension hears no call");
  return { commands, onToolCall };
}

const call = { toolCallId: "c1", toolName: "bash", input: { command: "rm -r ." } };

/** Returns the outcome of a call whose question is answered by this decision, and the question. */
async function decide(decision: PermissionDecision | null, event = call) {
  const { onToolCall } = await load();
  const asked: unknown[] = [];
  const ui = {
    async input(title: string, placeholder: string) {
      const dialog = toGateDialog({ id: "q1", method: "input", title, placeholder });
      if (dialog === null) throw new Error("the question is not recognised");
      asked.push(dialog.request);
      return decision === null ? undefined : dialog.answer(decision).value;
    },
  };
  return { outcome: await onToolCall(event, { ui }), asked };
}

test.each(["read", "grep", "find", "ls"])(
  "a call of %s, which only reads, needs no permission",
  async (toolName) => {
    expect(await decide(null, { ...call, toolName })).toEqual({ outcome: undefined, asked: [] });
  },
);

test("a question about a command shows all of it, and the command runs only if the person grants it", async () => {
  const { outcome, asked } = await decide({ outcome: "granted", by: "person" });
  expect(outcome).toBe(undefined);
  expect(asked).toEqual([
    {
      approvalId: "q1",
      toolCallId: "c1",
      toolName: "bash",
      title: "bash",
      toolInput: { command: "rm -r ." },
      readOnly: null,
      readsReason: true,
      options: [
        { id: "yes", name: "Yes", kind: "allow_once" },
        { id: "always", name: "every call of bash in this conversation", kind: "allow_always" },
        { id: "no", name: "No", kind: "reject_once" },
      ],
    },
  ]);
});

test.each([
  ["is denied", { outcome: "denied", by: "person" }, "The person said no."],
  ["is denied with a reason", { outcome: "denied", by: "person", reason: "use make" }, "use make"],
  [
    "is denied with the word that grants",
    { outcome: "denied", by: "person", reason: "granted" },
    "The person said no.",
  ],
  ["is taken back", { outcome: "cancelled", by: "agent" }, "The person said no."],
  ["has no answer", null, "The person said no."],
] as const)("a call whose question %s does not run", async (_, decision, reason) => {
  expect((await decide(decision)).outcome).toEqual({ block: true, reason });
});

test.each([
  ["yes", false],
  ["always", true],
  [undefined, false],
])("the answer %s is valid for later calls: %s", async (optionId, isLastingAnswer) => {
  const dialog = toGateDialog({ id: "q1", method: "input", title: "continuo:tool_call", placeholder: "{}" });
  const decision = {
    outcome: "granted",
    by: "person",
    ...(optionId === undefined ? {} : { optionId }),
  } as const;
  expect(dialog === null ? null : isLasting(dialog.request, decision)).toBe(isLastingAnswer);
});

test("a dialog of another extension is not taken for a question about a call", () => {
  expect(toGateDialog({ id: "q1", method: "input", title: "Your name?", placeholder: "" })).toBe(null);
  expect(toGateDialog({ id: "q1", method: "confirm", title: "continuo:tool_call" })).toBe(null);
});

test("pi without the extension is refused", async () => {
  const { commands } = await load();
  expect(() => assertGated([{ name: "other" }, ...commands])).not.toThrow();
  for (const without of [[{ name: "other" }], [], undefined]) {
    expect(() => assertGated(without)).toThrow(
      expect.objectContaining({ code: "unsupported", message: expect.stringContaining("ask") }),
    );
  }
});
