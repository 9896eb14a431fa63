import {
  type AgentEvent,
  ContinuoError,
  type EditorPort,
  type PermissionDecision,
} from "@continuo/core/model";
import { expect, test } from "vitest";
import type { AskPermission } from "./permissions.ts";
import { type FormAnswer, Questions, showsForm } from "./questions.ts";
import { AgentTurn } from "./turn.ts";

const newTurn = (): AgentTurn => {
  const failed = () => new ContinuoError("agent_failed", "failed");
  const limits = { cancelMs: Number.POSITIVE_INFINITY, silenceMs: Number.POSITIVE_INFINITY };
  return new AgentTurn({ cancel: () => undefined, stuck: failed, silent: failed, ...limits });
};
const requestOf = (approvalId: string) => ({ approvalId, readOnly: null, options: [] });
const silence: AskPermission = () => new Promise(() => undefined);
const granted: PermissionDecision = { outcome: "granted", by: "person" };

interface Answer {
  readonly id: string;
  readonly outcome: string;
  readonly isTakenBack: boolean;
}

function asker() {
  const [questions, turn, answers] = [new Questions(), newTurn(), [] as Answer[]];
  const events = Array.fromAsync<AgentEvent>(turn.events());
  const ask = (id: string, onPermission: AskPermission): void =>
    questions.ask(id, {
      turn,
      request: requestOf(id),
      onPermission,
      answer: ({ outcome }, { aborted }) => void answers.push({ id, outcome, isTakenBack: aborted }),
    });
  return { questions, turn, events, answers, ask };
}

test("each question gets its own decision; if one is withdrawn, the others stay", async () => {
  const { questions, answers, ask } = asker();
  const person = Promise.withResolvers<PermissionDecision>();
  ask("a", silence);
  ask("b", () => person.promise);
  questions.takeBack("a");
  questions.takeBack("never asked");
  await expect.poll(() => answers).toEqual([{ id: "a", outcome: "cancelled", isTakenBack: true }]);
  person.resolve(granted);
  await expect.poll(() => answers.slice(1)).toEqual([{ id: "b", outcome: "granted", isTakenBack: false }]);
});

test("the end withdraws open questions, and waits until each outcome is reported and answered", async () => {
  const { questions, turn, events, answers, ask } = asker();
  ask("a", silence);
  ask("b", silence);
  await questions.end();
  expect(answers.map(({ id, outcome }) => [id, outcome])).toEqual([
    ["a", "cancelled"],
    ["b", "cancelled"],
  ]);
  turn.end("end_turn");
  expect((await events).map(({ type }) => type)).toEqual([
    "permission_request",
    "permission_request",
    "permission_decision",
    "permission_decision",
    "turn_completed",
  ]);
  await questions.end();
  expect(answers.length).toBe(2);
});

test("an answer that cannot be sent fails the turn", async () => {
  const [questions, turn] = [new Questions(), newTurn()];
  const answer = () => Promise.reject(new Error("broken pipe"));
  questions.ask("a", { turn, request: requestOf("a"), onPermission: async () => granted, answer });
  await expect(Array.fromAsync(turn.events())).rejects.toThrow("broken pipe");
  await questions.end();
});

const FORM = { mode: "form", message: "Where?", requestedSchema: {} } as const;

function showing(request: EditorPort["request"]) {
  const { questions, turn, events } = asker();
  const answers: (FormAnswer & { readonly isTakenBack: boolean })[] = [];
  const editor: EditorPort = { capabilities: {}, request, completed: async () => undefined };
  questions.show("a", {
    turn,
    form: FORM,
    editor,
    answer: (answer, { aborted }) => void answers.push({ ...answer, isTakenBack: aborted }),
  });
  return { questions, turn, events, answers };
}

test.each([
  [
    { action: "accept", content: { place: "here" } },
    { action: "accept", content: { place: "here" } },
  ],
  [{ action: "accept" }, { action: "accept", content: {} }],
  [
    { action: "decline", content: { place: "here" } },
    { action: "decline", content: {} },
  ],
  [{ action: "later" }, { action: "cancel", content: {} }],
  [null, { action: "cancel", content: {} }],
])("a form is shown in the editor, and the answer %j is %j for the agent", async (answer, expected) => {
  const asked: unknown[] = [];
  const { answers } = showing(async (method, params) => {
    asked.push([method, params]);
    return answer;
  });
  await expect.poll(() => answers).toEqual([{ ...expected, isTakenBack: false }]);
  expect(asked).toEqual([["elicitation/create", FORM]]);
});

test("a form that is open at the end of the turn is withdrawn from the editor and cancelled for the agent", async () => {
  let shown: AbortSignal | undefined;
  const { questions, answers } = showing((_method, _params, signal) => {
    shown = signal;
    return new Promise(() => undefined);
  });
  await questions.end();
  expect(answers).toEqual([{ action: "cancel", content: {}, isTakenBack: true }]);
  expect(shown?.aborted).toBe(true);
});

test("a form that the editor fails to show is cancelled, and the turn reports the reason", async () => {
  const { turn, events, answers } = showing(async () => {
    throw new Error("the window is closed");
  });
  await expect.poll(() => answers).toMatchObject([{ action: "cancel" }]);
  turn.end("end_turn");
  expect(await events).toContainEqual({
    type: "diagnostics",
    message: "The form could not be shown: the window is closed",
  });
});

test("an editor shows only the kinds of forms that it has", () => {
  const editorWith = (elicitation: unknown): EditorPort => ({
    capabilities: { elicitation },
    request: async () => null,
    completed: async () => undefined,
  });
  expect(showsForm(editorWith({ form: {} }), FORM)).toBe(true);
  expect(showsForm(editorWith({ form: {} }), { ...FORM, mode: "url" })).toBe(false);
  for (const none of [{ form: null }, {}, null, undefined])
    expect(showsForm(editorWith(none), FORM)).toBe(false);
  expect(showsForm(undefined, FORM)).toBe(false);
});
