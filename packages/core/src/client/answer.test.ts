/** The order in which an agent answers its inputs, as the server demands it. */

import { expect, test } from "vitest";
import { ContinuoError } from "../model/index.ts";
import { type AnswerPort, Answers } from "./answer.ts";
import type { ClientEvent } from "./events.ts";

const LOST = new ContinuoError("unavailable", "the connection was lost");

/** A server with inputs at these sequences: it accepts a claim only for the first that was neither ended nor passed. */
function serverWith(inputs: readonly number[], failing: readonly number[] = []) {
  const open = [...inputs];
  const calls: string[] = [];
  const remove = (sequence: number): void => void open.splice(open.indexOf(sequence), 1);
  const port: AnswerPort = {
    claim: async (sequence) => {
      const [first] = open;
      if (first !== undefined && first < sequence)
        throw new ContinuoError("conflict", "another input comes first", { details: { sequence: first } });
      if (first !== sequence) return { state: "done", runId: null };
      const about = { attempt: 1, content: "?", from: "ann", messageId: `m${sequence}` };
      return { state: "claimed", runId: String(sequence), answerId: `a${sequence}`, ...about };
    },
    pass: async (sequence) => {
      calls.push(`pass ${sequence}`);
      remove(sequence);
    },
    open: async () => undefined,
    update: async () => undefined,
    complete: async () => undefined,
    delete: async () => undefined,
    endRun: async (runId, { status }) => {
      if (failing.includes(Number(runId))) throw LOST;
      calls.push(`${status} ${runId}`);
      remove(Number(runId));
    },
  };
  const answers = new Answers(port);
  const answer = (sequence: number, words: string) => answers.answer(input(sequence), words);
  return { calls, answer };
}

function input(sequence: number): ClientEvent {
  return {
    type: "message",
    state: "complete",
    addressed: true,
    own: false,
    sequence,
  } as unknown as ClientEvent;
}

test("inputs before the answered one that nobody wanted to answer are passed over, and those after it stay", async () => {
  const { calls, answer } = serverWith([3, 5, 8, 9]);
  expect(await answer(8, "yes")).toMatchObject({ status: "completed", text: "yes" });
  expect(calls).toEqual(["pass 3", "pass 5", "completed 8"]);
  expect(await answer(5, "late")).toEqual({ status: "skipped" });
});

test("an input whose answer was begun and could not be ended is not passed over", async () => {
  const { calls, answer } = serverWith([3, 5], [3]);
  await expect(answer(3, "yes")).rejects.toBe(LOST);
  await expect(answer(5, "no")).rejects.toMatchObject({ code: "conflict", details: { sequence: 3 } });
  expect(calls).toEqual([]);
});

test("answers that are given at the same time are ended in the order in which they were asked for", async () => {
  const { calls, answer } = serverWith([1, 2, 3]);
  await Promise.all([answer(1, "a"), answer(2, "b"), answer(3, "c")]);
  expect(calls).toEqual(["completed 1", "completed 2", "completed 3"]);
});

test("what is no whole input of this agent is skipped without a claim", async () => {
  const claim = () => Promise.reject(new Error("nothing is claimed"));
  const answers = new Answers({ claim } as unknown as AnswerPort);
  const others = [{ own: true }, { addressed: false }, { state: "open" }, { type: "presence" }];
  for (const other of others)
    expect(await answers.answer({ ...input(1), ...other } as ClientEvent, "?")).toEqual({
      status: "skipped",
    });
});

test("an answer whose message the server ended continues in another message, which begins with the words so far", async () => {
  const written: string[] = [];
  let claims = 0;
  const port: AnswerPort = {
    claim: async () => {
      const attempt = ++claims;
      const about = { content: "?", from: "ann", messageId: "m1" };
      const earlierAnswerIds = attempt === 1 ? [] : ["a1"];
      return {
        state: "claimed",
        runId: `r${attempt}`,
        answerId: `a${attempt}`,
        attempt,
        ...about,
        earlierAnswerIds,
      };
    },
    pass: async () => undefined,
    open: async (messageId, text) => void written.push(`open ${messageId} ${text}`),
    update: async (messageId, delta) => void written.push(`add ${messageId} ${delta}`),
    complete: async (messageId) => {
      if (messageId === "a1") throw new ContinuoError("conflict", "the message is not in progress");
      written.push(`end ${messageId}`);
    },
    delete: async (messageId) => void written.push(`delete ${messageId}`),
    endRun: async () => undefined,
  };
  const result = await new Answers(port).answer(input(1), "one two");
  expect(result).toEqual({ status: "completed", messageId: "a2", text: "one two" });
  expect(written).toEqual(["open a1 ", "add a1 one two", "delete a1", "open a2 one two", "end a2"]);
});

interface PlayedServer {
  readonly port: AnswerPort;
  readonly calls: string[];
}

/** A server that gives one claim, and writes down what it is asked for. */
function recordingServer(more: Partial<AnswerPort> = {}, claim: object = {}): PlayedServer {
  const calls: string[] = [];
  const about = { attempt: 1, content: "?", from: "ann", messageId: "m1", runId: "r1", answerId: "a1" };
  let claims = 0;
  const port = {
    claim: async () => {
      claims += 1;
      if (claims > 5) throw new Error("the input is claimed without end");
      return { state: "claimed", ...about, ...claim };
    },
    open: async (id: string, text: string) => void calls.push(`open ${id} ${text}`),
    update: async (_: string, delta: string) => void calls.push(`add ${delta}`),
    complete: async (id: string) => void calls.push(`end ${id}`),
    delete: async (id: string) => void calls.push(`delete ${id}`),
    endRun: async (_: string, end: object) => void calls.push(JSON.stringify(end)),
    ...more,
  };
  return { port: port as unknown as AnswerPort, calls };
}

test("words that fail end with a sentence, and only the server and the caller get the error", async () => {
  const { port, calls } = recordingServer();
  const words = async function* (): AsyncGenerator<string> {
    yield "One.";
    throw new Error("the key sk-1 is wrong");
  };
  const result = await new Answers(port).answer(input(1), words());
  expect(result).toMatchObject({ status: "failed", text: "One.\n\nThe answer failed." });
  const error = { code: "agent_failed", message: "the key sk-1 is wrong" };
  expect(calls).toEqual([
    "open a1 ",
    "add One.",
    "add \n\nThe answer failed.",
    "end a1",
    JSON.stringify({ status: "failed", error }),
  ]);
});

test("an answer without words ends its run without a message", async () => {
  const { port, calls } = recordingServer();
  expect(await new Answers(port).answer(input(1), "")).toMatchObject({ status: "completed", text: "" });
  expect(calls).toEqual([JSON.stringify({ status: "completed", answer: "" })]);
});

test("an input that was edited has the id of its edit, and another text than before is another input", async () => {
  const idOf = async (claim: object): Promise<unknown> => {
    let id: unknown;
    const { port } = recordingServer({}, claim);
    await new Answers(port).answer(input(1), (given) => {
      id = given.id;
      return "yes";
    });
    return id;
  };
  expect([await idOf({}), await idOf({ editId: "e1" })]).toEqual(["m1", "e1"]);
});

test("a message that the server refuses again in the same run is an error, and its words are closed", async () => {
  let isClosed = false;
  const words = async function* (): AsyncGenerator<string> {
    try {
      yield "One.";
      yield "Two.";
    } finally {
      isClosed = true;
    }
  };
  const refused = new ContinuoError("conflict", "the message is not in progress");
  const open = async (): Promise<never> => {
    throw refused;
  };
  await expect(new Answers(recordingServer({ open }).port).answer(input(1), words())).rejects.toBe(refused);
  expect(isClosed).toBe(true);
});

test("an earlier answer that cannot be hidden for another reason than that it is hidden already is an error", async () => {
  const failing = (error: ContinuoError) =>
    recordingServer({ delete: () => Promise.reject(error) }, { attempt: 2, earlierAnswerIds: ["a0"] }).port;
  const hidden = new ContinuoError("not_found", "there is no such message");
  expect(await new Answers(failing(hidden)).answer(input(1), "yes")).toMatchObject({ status: "completed" });
  await expect(new Answers(failing(LOST)).answer(input(1), "yes")).rejects.toBe(LOST);
});
