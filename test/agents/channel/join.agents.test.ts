/**
 * Claude Code and Codex in one channel are killed with SIGKILL in the middle of a turn and started again. The requests
 * to their models show that no message was lost or repeated.
 */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { killIfThere } from "../../left-behind/processes.ts";
import { type RequestRecord, type Script, text } from "../../model-servers/index.ts";
import { type Stage, stage } from "../chat/stage.ts";
import { normaliseRequest } from "../requests.ts";
import type { LineProgram } from "../sandbox.ts";
import { startedIn } from "../started-programs.ts";

const STORY = "Once upon a time. ".repeat(60).trim();
const SCRIPT: Script = {
  turns: [
    { user: "Which number was it?", answers: [[text("It was forty-one.")]] },
    { user: "Tell me a long story.", answers: [[{ type: "slow", delayMs: 300 }, text(STORY)]] },
    { user: "Remember the number forty-one.", answers: [[text("I keep it in mind.")]] },
  ],
};
const HANDLES = ["claude", "codex"] as const;
type Handle = (typeof HANDLES)[number];
const PROTOCOLS = { claude: "anthropic", codex: "responses" } as const;

interface Channel {
  send(words: string): Promise<void>;
  /** Returns the answers of one handle that the channel has, with their states. */
  answers(handle: Handle): Promise<readonly (readonly [content: string, state: string])[]>;
  join(handle: Handle): LineProgram;
}

async function channelOf(on: Stage): Promise<Channel & AsyncDisposable> {
  const server = on.start(["serve", "--listen", "127.0.0.1:0"]);
  let url: string | undefined;
  for await (const line of server.lines) {
    url = /listens on (http:\S+)/u.exec(line)?.[1];
    if (url !== undefined) break;
  }
  if (url === undefined) throw new Error(`the server did not start: ${server.stderr()}`);
  const at = ["--server", url];
  const run = async (...args: readonly string[]): Promise<void> => {
    const { code, stderr } = await on.continuo(...args, ...at);
    expect(code, stderr).toBe(0);
  };
  return {
    send: (words) => run("channel", "send", "team", words, "--as", "ann"),
    join: (handle) => on.start(["agent", "join", "team", "--agent", handle, "--as", handle, ...at]),
    answers: async (handle) => {
      const token = readFileSync(join(on.sandbox.root, ".continuo/server-token"), "utf8").trim();
      const response = await fetch(`${url}/v1/channels/team/messages`, {
        headers: { authorization: `Bearer ${token}` },
      });
      const { messages } = (await response.json()) as {
        readonly messages: readonly { handle: string; content: string; state: string }[];
      };
      return messages
        .filter((message) => message.handle === handle)
        .map(({ content, state }) => [content, state] as const);
    },
    async [Symbol.asyncDispose]() {
      server.kill();
      await server.end();
    },
  };
}

const WAIT = { timeout: 120_000, interval: 200 };

async function untilAnswered(channel: Channel, handles: readonly Handle[], count: number): Promise<void> {
  for (const handle of handles) {
    const whole = async (): Promise<number> =>
      (await channel.answers(handle)).filter(([, state]) => state === "complete").length;
    await expect.poll(whole, WAIT).toBe(count);
  }
}

/**
 * Waits until the beginning of the story is in the channel, in the middle of a turn, and then kills the agents and
 * their `join` processes.
 */
async function killWhileTelling(on: Stage, channel: Channel, joined: ReadonlyMap<Handle, LineProgram>) {
  const telling = async () =>
    Promise.all([...joined.keys()].map(async (handle) => (await channel.answers(handle)).at(-1)));
  const begun = [expect.stringMatching(/^Once upon a time\./u), "open"];
  await expect.poll(telling, WAIT).toEqual([...joined.keys()].map(() => begun));
  for (const one of joined.values()) one.kill();
  // Some agents end together with their `join` process.
  for (const pid of startedIn(on.sandbox)) killIfThere(pid);
  const left = [expect.any(String), "interrupted"];
  await expect.poll(telling, WAIT).toEqual([...joined.keys()].map(() => left));
}

function joinAll(channel: Channel, handles: readonly Handle[]): Map<Handle, LineProgram> {
  return new Map(handles.map((handle) => [handle, channel.join(handle)]));
}

async function leave(joined: ReadonlyMap<Handle, LineProgram>): Promise<void> {
  for (const one of joined.values()) {
    one.kill();
    await one.end();
  }
}

function requestsOf(on: Stage, handle: Handle): readonly RequestRecord[] {
  const own = on.server.conversation().filter(({ protocol }) => protocol === PROTOCOLS[handle]);
  expect(own.flatMap(({ violations }) => violations)).toEqual([]);
  return own;
}

/** Returns all user messages of a request as one text. */
function saidIn(request: RequestRecord | undefined): string {
  if (request === undefined) throw new Error("the model did not receive this request");
  const items = normaliseRequest(request);
  return items
    .flatMap((item) => (item.kind === "text" && item.role === "user" ? [item.text] : []))
    .join("\n");
}

const times = (words: string, part: string): number => words.split(part).length - 1;

test("Claude Code and Codex are killed while they answer, and receive every message of the channel once", async () => {
  await using on = await stage([...HANDLES], SCRIPT);
  await using channel = await channelOf(on);
  await channel.send("@claude @codex Remember the number forty-one.");
  const first = joinAll(channel, HANDLES);
  await untilAnswered(channel, HANDLES, 1);
  await channel.send("The build is green.");
  await channel.send("@claude @codex Tell me a long story.");
  await killWhileTelling(on, channel, first);
  await channel.send("The build is red.");
  await channel.send("@claude @codex Which number was it?");
  const second = joinAll(channel, HANDLES);
  await untilAnswered(channel, HANDLES, 3);
  await leave(first);
  await leave(second);
  for (const [handle, other] of [
    ["claude", "codex"],
    ["codex", "claude"],
  ] as const) {
    expect(await channel.answers(handle)).toEqual([
      ["I keep it in mind.", "complete"],
      [expect.stringMatching(/^Once upon a time\./u), "interrupted"],
      [STORY, "complete"],
      ["It was forty-one.", "complete"],
    ]);
    const requests = requestsOf(on, handle);
    // The model receives each message once, and the interrupted question twice.
    expect(requests.length).toBe(4);
    const again = saidIn(requests[2]);
    expect(times(again, "Tell me a long story.")).toBe(1);
    expect(times(again, "Which number was it?")).toBe(0);
    const last = saidIn(requests[3]);
    expect(
      [
        "Remember the number forty-one.",
        "The build is green.",
        "Tell me a long story.",
        "The build is red.",
        "Which number was it?",
        `${other}, `,
      ].map((part) => [part, times(last, part)]),
    ).toEqual([
      ["Remember the number forty-one.", 1],
      ["The build is green.", 1],
      ["Tell me a long story.", 1],
      ["The build is red.", 1],
      ["Which number was it?", 1],
      // These are the other agent's answer to the first question and its interrupted story.
      [`${other}, `, 2],
    ]);
  }
}, 600_000);

test.each(HANDLES)(
  "%s is killed in its first turn, and its model then receives every message of the channel once",
  async (handle) => {
    await using on = await stage([handle], SCRIPT);
    await using channel = await channelOf(on);
    await channel.send("The build is green.");
    await channel.send(`@${handle} Tell me a long story.`);
    const first = joinAll(channel, [handle]);
    await killWhileTelling(on, channel, first);
    const second = joinAll(channel, [handle]);
    await untilAnswered(channel, [handle], 1);
    await channel.send(`@${handle} Which number was it?`);
    await untilAnswered(channel, [handle], 2);
    await leave(first);
    await leave(second);
    const requests = requestsOf(on, handle);
    expect(requests.length).toBe(3);
    const last = saidIn(requests[2]);
    expect(times(last, "The build is green.")).toBe(1);
    expect(times(last, "Tell me a long story.")).toBe(1);
    expect(times(last, "Which number was it?")).toBe(1);
  },
  600_000,
);
