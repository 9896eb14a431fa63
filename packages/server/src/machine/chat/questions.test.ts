import type { PermissionRequest } from "@continuo/core/model";
import { CHAT_LIMITS } from "@continuo/core/wire/machine";
import { expect, test } from "vitest";
import { createQuestions, type Questions } from "./questions.ts";

const OPTIONS = [
  { id: "yes", kind: "allow_once", name: "Yes" },
  { id: "no", kind: "reject_once", name: "No" },
] as const;

function asked(more: Partial<PermissionRequest> = {}): {
  readonly questions: Questions;
  readonly decision: Promise<unknown>;
  readonly stop: AbortController;
} {
  const stop = new AbortController();
  const questions = createQuestions({ timeLimitMs: () => 60_000, onChange: () => undefined });
  const request = { approvalId: "q", readOnly: null, options: OPTIONS, title: "Run it", ...more };
  const decision = questions.ask(request as unknown as PermissionRequest, { signal: stop.signal });
  decision.catch(() => undefined);
  return { questions, decision, stop };
}

const page = (name: string) => ({ id: name, name });
const GRANTED = { approvalId: "q", outcome: "granted", page: page("one") } as const;

test("only the first answer counts, and a page that answers later learns who answered", async () => {
  const { questions, decision } = asked();
  expect(questions.open.map(({ approvalId }) => approvalId)).toEqual(["q"]);
  questions.answer(GRANTED, "allowed");
  expect(questions.open).toEqual([]);
  expect(() => questions.answer({ ...GRANTED, outcome: "denied", page: page("two") }, "allowed")).toThrow(
    expect.objectContaining({ code: "conflict", message: expect.stringContaining("one") }),
  );
  expect(questions.answered).toEqual([{ approvalId: "q", outcome: "granted", page: page("one") }]);
  expect(await decision).toEqual({ outcome: "granted", by: "person", optionId: "yes" });
});

test("an option that the question does not have, or that does not fit the answer, is refused", () => {
  const { questions } = asked();
  const invalid = expect.objectContaining({ code: "invalid" });
  expect(() => questions.answer({ ...GRANTED, optionId: "no" }, "allowed")).toThrow(invalid);
  expect(() => questions.answer({ ...GRANTED, optionId: "other" }, "allowed")).toThrow(invalid);
  expect(questions.open).toHaveLength(1);
});

test("a request whose title is cut on the page can be denied there, and not granted", async () => {
  const { questions, decision } = asked({ title: `Run it${" and more".repeat(300)}` });
  expect(questions.open[0]).toMatchObject({ content: null, input: null });
  expect(() => questions.answer(GRANTED, "allowed")).toThrow(expect.objectContaining({ code: "invalid" }));
  questions.answer({ ...GRANTED, outcome: "denied" }, "allowed");
  expect(await decision).toMatchObject({ outcome: "denied" });
});

test("an answer that names no option counts once, whatever the agent offers first", async () => {
  const always = { id: "ever", kind: "allow_always", name: "Always" } as const;
  const never = { id: "never", kind: "reject_always", name: "Never" } as const;
  const options = [always, never, ...OPTIONS];
  const [granted, denied] = [asked({ options }), asked({ options })];
  granted.questions.answer(GRANTED, "allowed");
  denied.questions.answer({ ...GRANTED, outcome: "denied" }, "allowed");
  expect(await Promise.all([granted.decision, denied.decision])).toMatchObject([
    { optionId: "yes" },
    { optionId: "no" },
  ]);
});

test("a request that is too long to be shown can only be denied", async () => {
  const { questions, decision } = asked({ toolInput: { text: "x".repeat(CHAT_LIMITS.requestChars) } });
  expect(questions.open).toMatchObject([{ input: null, content: null }]);
  expect(() => questions.answer(GRANTED, "allowed")).toThrow(expect.objectContaining({ code: "invalid" }));
  questions.answer({ ...GRANTED, outcome: "denied", reason: "too long" }, "allowed");
  expect(await decision).toEqual({ outcome: "denied", by: "person", optionId: "no", reason: "too long" });
});

test("a question is not open after its agent no longer waits for it", async () => {
  const { questions, decision, stop } = asked();
  stop.abort(new Error("the turn was cancelled"));
  await expect(decision).rejects.toThrow("cancelled");
  expect(questions.open).toEqual([]);
  expect(() => questions.answer(GRANTED, "allowed")).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("an answer that also counts for later questions is refused from a page that may answer only one", () => {
  const forbidden = expect.objectContaining({ code: "forbidden" });
  const always = { id: "ever", kind: "allow_always", name: "Always" } as const;
  const never = { id: "never", kind: "reject_always", name: "Never" } as const;
  const { questions } = asked({ options: [...OPTIONS, always, never] });
  expect(() => questions.answer({ ...GRANTED, optionId: "ever" }, "refused")).toThrow(forbidden);
  const denied = { ...GRANTED, outcome: "denied" } as const;
  expect(() => questions.answer({ ...denied, optionId: "never" }, "refused")).toThrow(forbidden);
  expect(questions.open).toHaveLength(1);
  questions.answer(GRANTED, "refused");
  // Without an option that counts only once, the agent chooses the first one that fits.
  const { questions: lasting } = asked({ options: [always] });
  expect(() => lasting.answer(GRANTED, "refused")).toThrow(forbidden);
  lasting.answer(denied, "refused");
  const { questions: plain } = asked({ options: [] });
  plain.answer(GRANTED, "refused");
  expect([questions, lasting, plain].flatMap(({ open }) => open)).toEqual([]);
});

test("a question with more options than are shown says how many, and they can be chosen by their ids", async () => {
  const many = Array.from({ length: CHAT_LIMITS.options + 2 }, (_, n) => ({
    id: `until-${n}`,
    kind: "allow_always" as const,
    name: `Allow for ${n} minutes`,
  }));
  const { questions, decision } = asked({ options: many });
  expect(questions.open).toMatchObject([{ options: many.slice(0, CHAT_LIMITS.options), moreOptions: 2 }]);
  expect(asked().questions.open[0]).not.toHaveProperty("moreOptions");
  const { id } = many.at(-1) ?? OPTIONS[0];
  questions.answer({ ...GRANTED, optionId: id }, "allowed");
  expect(await decision).toEqual({ outcome: "granted", by: "person", optionId: id });
});
