/** `continuo chat` begins, resumes, continues and forks sessions of the real agents, and changes the agent. */

import { utimesSync } from "node:fs";
import { AGENT_NAMES, type AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { text } from "../../model-servers/index.ts";
import { nativeIn, type Stage, sessionIn, stage } from "./stage.ts";

const TALK: Readonly<Record<string, string>> = {
  "Remember the number forty-one.": "I keep forty-one in mind.",
  "Which number was it?": "It was forty-one.",
  "And the one after it?": "Forty-two comes next.",
  "Is that a prime?": "It is not.",
};
const [FIRST, SECOND, THIRD, FOURTH] = Object.keys(TALK) as [string, string, string, string];
/** The newest turn comes first, because a prompt may quote earlier messages. */
const SCRIPT = {
  turns: Object.entries(TALK)
    .toReversed()
    .map(([user, answer]) => ({ user, answers: [[text(answer)]] })),
};

/** Returns the known sentences that the newest request contains, in their order, each once. */
function told({ newest }: Stage): readonly string[] {
  const all = newest()
    .map(([, words]) => words)
    .join("\n");
  return Object.entries(TALK)
    .flat()
    .filter((words) => all.includes(words))
    .toSorted((a, b) => all.indexOf(a) - all.indexOf(b));
}

const until = (last: string): readonly string[] => {
  const all = Object.entries(TALK).flat();
  return all.slice(0, all.indexOf(last) + 1);
};

async function say(on: Stage, words: string, ...flags: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await on.continuo("chat", ...flags, words);
  expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: `${TALK[words]}\n` });
  return stderr;
}

/** Gemini CLI and opencode take long to start, so only the second test uses them. */
const QUICK: readonly AgentName[] = ["claude", "codex", "pi"];
const SLOW_MS = 300_000;

test.each(QUICK)(
  "%s: a session is begun, resumed by its id in a new process, continued as the newest, and forked",
  async (agent) => {
    await using on = await stage([agent], SCRIPT);
    const begun = await say(on, FIRST);
    expect(begun).toContain(`new ${agent}:`);
    const id = sessionIn(begun);
    const native = nativeIn(begun, agent);
    const resumed = await say(on, SECOND, "--resume", id.slice(0, 20));
    expect(resumed).toContain(`session ${id} · resumed ${agent}:${native}`);
    expect(told(on)).toEqual(until(SECOND));
    const forked = await say(on, FOURTH, "--fork", id);
    expect(forked).toContain("forked: a new session ");
    expect(told(on)).toEqual([...until(SECOND), TALK[SECOND], FOURTH]);
    // The fork is the newest session now; the original did not receive its messages.
    await say(on, THIRD, "--resume", id);
    expect(told(on)).toEqual(until(THIRD));
    const continued = await say(on, FOURTH, "--continue");
    expect(continued).toContain(`session ${id} · resumed ${agent}:${native}`);
    expect(told(on)).toEqual(until(FOURTH));
  },
  SLOW_MS,
);

test.each(AGENT_NAMES)(
  "%s: a session that is not in the store is resumed by the agent's id for it, and is imported once",
  async (agent) => {
    await using on = await stage([agent], SCRIPT);
    const native = nativeIn(await say(on, FIRST), agent);
    // Another store does not know this session.
    const other = ["--store", `sqlite:${on.sandbox.root}/other.db`];
    const taken = await say(on, SECOND, ...other, "--resume", native);
    expect(taken).toContain(`${agent}:${native} is imported as session ${sessionIn(taken)}`);
    expect(taken).toContain(`resumed ${agent}:${native}`);
    expect(told(on)).toEqual(until(SECOND));
    const again = await say(on, THIRD, ...other, "--resume", `${agent}:${native}`);
    expect(again).not.toContain("is imported as");
    expect(sessionIn(again)).toBe(sessionIn(taken));
    expect(told(on)).toEqual(until(THIRD));
  },
  SLOW_MS,
);

test.each(["claude", "pi"] as const)(
  "%s: if session.continue_last is 'agent', --continue resumes the session that the agent calls its last one",
  async (agent) => {
    await using on = await stage([agent], SCRIPT);
    const first = await say(on, FIRST);
    await say(on, FOURTH);
    // Both agents continue the session whose file was changed last. Continuo orders sessions by their newest message.
    const { location } = JSON.parse(
      (await on.continuo("session", "info", `${agent}:${nativeIn(first, agent)}`, "--json")).stdout,
    );
    const soon = Date.now() / 1000 + 60;
    utimesSync(location, soon, soon);
    const session = { continue_last: "agent" };
    await on.sandbox.write("project/continuo.yaml", JSON.stringify({ agents: { [agent]: { session } } }));
    const continued = await say(on, SECOND, "--continue");
    const native = `${agent}:${nativeIn(first, agent)}`;
    expect(continued).toContain(
      `session ${sessionIn(first)} · resumed ${native} (checked by agent and disk)`,
    );
    expect(told(on)).toEqual(until(SECOND));
    // In a folder without a session, the agent would begin a new one, which was not requested, so this is an error.
    const empty = await on.sandbox.repository("empty");
    await on.sandbox.write("empty/continuo.yaml", JSON.stringify({ agents: { [agent]: { session } } }));
    const { code, stderr } = await on.continuo("chat", "--continue", "--cwd", empty, THIRD);
    expect(code, stderr).toBe(3);
    expect(stderr).toMatch(/has no session in .*empty to continue/u);
  },
  SLOW_MS,
);

const PAIRS: readonly (readonly [AgentName, AgentName])[] = [
  ["claude", "codex"],
  ["codex", "claude"],
  ["pi", "claude"],
];

test.each(PAIRS)("a conversation moves from %s to %s and back", async (first, second) => {
  await using on = await stage([first, second], SCRIPT);
  const id = sessionIn(await say(on, FIRST));
  const other = await say(on, SECOND, "--resume", id, "-a", second);
  expect(other).toContain(`session ${id} · replayed the conversation to ${second}`);
  expect(told(on)).toEqual(until(SECOND));
  // The first agent receives the messages that it missed, and the second one continues where it was.
  const back = await say(on, THIRD, "--resume", id, "-a", first);
  expect(back).toContain(`resumed ${first}:`);
  expect(told(on)).toEqual(until(THIRD));
  await say(on, FOURTH, "--resume", id, "-a", second);
  expect(told(on)).toEqual(until(FOURTH));
});

test("an agent's own session continues with another agent, which receives its messages", async () => {
  await using on = await stage(["claude", "codex"], SCRIPT);
  const native = nativeIn(await say(on, FIRST), "claude");
  const other = ["--store", `sqlite:${on.sandbox.root}/other.db`];
  const taken = await say(on, SECOND, ...other, "--resume", native, "-a", "codex");
  expect(taken).toContain("replayed the conversation to codex");
  expect(told(on)).toEqual(until(SECOND));
});
