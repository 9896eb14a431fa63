/**
 * The real effect of each policy on the real agents. Each policy is tried on a session that changes from one policy to
 * another, because the permissions of one policy must not stay with the session.
 */

import { existsSync } from "node:fs";
import { join } from "node:path";
import type {
  AgentEvent,
  Conversation,
  OpenConversation,
  PermissionDecision,
  PermissionRequest,
} from "@continuo/core/model";
import { describe, expect, test } from "vitest";
import {
  asObjects,
  asText,
  type ModelServer,
  type Step,
  startModelServer,
  text,
} from "../../model-servers/index.ts";
import { makeSandbox, type Sandbox } from "../sandbox.ts";
import type { AgentSetup } from "./contract.ts";

/** The permissions in the person's own settings of the agent: everything is allowed, or the agent asks. */
export type OwnSettings = "allow everything" | "ask";

export interface PolicySubject {
  readonly title: string;
  prepare(sandbox: Sandbox, modelUrl: string, own: OwnSettings): Promise<AgentSetup>;
  readonly reads: (file: string) => Step;
  readonly writes: (file: string, words: string) => Step;
  readonly runs: (command: string) => Step;
  /** Replaces `runs` in the test of `ask`, for an agent whose sandbox runs that command without a question. */
  readonly asksToRun?: (command: string) => Step;
  /** False if the agent refuses, under every policy, to read a file outside of its folder. */
  readonly readsOutside: boolean;
  /**
   * The tools that the model of a new session is offered under `safe`; `null` means that it is offered all tools, and
   * all that do more than reading are denied.
   */
  readonly offered: readonly string[] | null;
}

const SECRET = "forty-one apples";
const SAID = {
  hello: "Say hello.",
  read: "Read it, please.",
  look: "Read what lies here.",
  write: "Write it down, please.",
  run: "Run it, please.",
  again: "Write it down once more.",
} as const;

interface Stage extends AsyncDisposable {
  readonly server: ModelServer;
  open(options: Partial<OpenConversation>): Promise<Conversation>;
  /** Ends a conversation so that another one can continue its session. */
  end(conversation: Conversation): Promise<void>;
  /** Returns the names of the files that the tools have made so far. */
  made(): readonly string[];
}

async function stage(subject: PolicySubject, own: OwnSettings): Promise<Stage> {
  const sandbox = await makeSandbox();
  const { project } = sandbox;
  const secret = await sandbox.write(
    subject.readsOutside ? "apart/secret.txt" : "project/secret.txt",
    SECRET,
  );
  const near = await sandbox.write("project/near.txt", SECRET);
  const made = { write: "written.txt", run: "run.txt", again: "again.txt" };
  const calls: Readonly<Record<keyof typeof SAID, Step | null>> = {
    hello: null,
    read: subject.reads(secret),
    look: subject.reads(near),
    write: subject.writes(join(project, made.write), "words"),
    run: subject.runs(`touch ${made.run}`),
    again: subject.writes(join(project, made.again), "words"),
  };
  const turns = Object.entries(calls).map(([name, call]) => ({
    user: SAID[name as keyof typeof SAID],
    answers:
      call === null ? [[text("Hello.")]] : [[{ ...call, insists: true } as Step], [text("That is it.")]],
  }));
  const server = await startModelServer({ turns });
  const prepared = await subject.prepare(sandbox, server.url, own);
  return {
    server,
    open: async (options) => await (await prepared.driver()).open({ cwd: prepared.cwd, ...options }),
    end: (conversation) => conversation.close(),
    made: () => Object.values(made).filter((name) => existsSync(join(project, name))),
    async [Symbol.asyncDispose]() {
      await server.close();
      await sandbox[Symbol.asyncDispose]();
    },
  };
}

async function turn(conversation: Conversation, words: string): Promise<readonly AgentEvent[]> {
  return await Array.fromAsync(conversation.prompt([{ type: "text", text: words }]));
}

/** Returns the names of all tools that the agent offered to the model since request number `since`. */
function offeredSince({ server }: Stage, since: number): readonly string[] {
  const names = server
    .conversation()
    .slice(since)
    .flatMap(({ body }) => asObjects(body.tools))
    .flatMap((tool) => [tool, tool.function, ...asObjects(tool.functionDeclarations)])
    .flatMap((tool) => asText((tool as { name?: unknown } | undefined)?.name) || []);
  return [...new Set(names)].sort();
}

const granted = async (): Promise<PermissionDecision> => ({ outcome: "granted", by: "person" });

export function provePolicies(subject: PolicySubject): void {
  describe(`the policies of ${subject.title}`, () => {
    test("safe only reads, whatever the agent's own settings allow; the next policy is not affected", () =>
      provesSafe(subject));
    test("ask, the default, asks before a write and before a command, and does what is granted", () =>
      provesAsk(subject));
    test("unrestricted does not ask; the next policy asks again", () => provesUnrestricted(subject));
  });
}

async function provesSafe(subject: PolicySubject): Promise<void> {
  await using at = await stage(subject, "allow everything");
  const first = await at.open({});
  await turn(first, SAID.hello);
  await at.end(first);

  const before = at.server.conversation().length;
  const safe = await at.open({ permissions: "safe" });
  await turn(safe, SAID.hello);
  if (subject.offered !== null) expect(offeredSince(at, before)).toEqual([...subject.offered].sort());
  await safe.resumeSession(first.sessionId);
  await turn(safe, SAID.read);
  expect(JSON.stringify(at.server.conversation().at(-1)?.body)).toContain(SECRET);
  for (const words of [SAID.write, SAID.run]) {
    const events = await turn(safe, words);
    const decisions = events.filter((event) => event.type === "permission_decision");
    expect(decisions.every(({ outcome, by }) => outcome === "denied" && by === "policy")).toBe(true);
  }
  expect(at.made()).toEqual([]);
  await at.end(safe);

  await using free = await at.open({ resumeSessionId: first.sessionId, onPermission: granted });
  await turn(free, SAID.again);
  expect(at.made()).toEqual(["again.txt"]);
}

/** The folder is not trusted, and the agent has its default settings. */
async function provesAsk(subject: PolicySubject): Promise<void> {
  await using at = await stage({ ...subject, runs: subject.asksToRun ?? subject.runs }, "ask");
  const asked: PermissionRequest[] = [];
  let answer: PermissionDecision = { outcome: "denied", by: "person" };
  await using asking = await at.open({
    onPermission: async (request) => {
      asked.push(request);
      return answer;
    },
  });
  await turn(asking, SAID.look);
  expect(asked).toEqual([]);
  expect(JSON.stringify(at.server.conversation().at(-1)?.body)).toContain(SECRET);
  for (const words of [SAID.write, SAID.run]) await turn(asking, words);
  expect([asked.map(({ readOnly }) => readOnly === true), at.made()]).toEqual([[false, false], []]);
  answer = { outcome: "granted", by: "person" };
  for (const words of [SAID.again, SAID.run]) await turn(asking, words);
  expect([asked.length, at.made()]).toEqual([4, ["run.txt", "again.txt"]]);
  await at.end(asking);

  await using unattended = await at.open({});
  await turn(unattended, SAID.write);
  expect(at.made()).toEqual(["run.txt", "again.txt"]);
}

async function provesUnrestricted(subject: PolicySubject): Promise<void> {
  await using at = await stage(subject, "ask");
  const free = await at.open({ permissions: "unrestricted" });
  const told = [...(await turn(free, SAID.write)), ...(await turn(free, SAID.run))];
  expect(at.made()).toEqual(["written.txt", "run.txt"]);
  for (const event of told) {
    if (event.type === "permission_decision")
      expect(event).toMatchObject({ outcome: "granted", by: "policy" });
  }
  await at.end(free);

  const asked: string[] = [];
  await using asking = await at.open({
    resumeSessionId: free.sessionId,
    permissions: "ask",
    onPermission: async ({ title = "" }) => {
      asked.push(title);
      return { outcome: "denied", by: "person" };
    },
  });
  await turn(asking, SAID.again);
  expect([asked.length, at.made()]).toEqual([1, ["written.txt", "run.txt"]]);
}
