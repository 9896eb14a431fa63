/** `chat` continues a session as the configuration says, and also sessions that only their agent knows. */

import { join } from "node:path";
import { expect, test, vi } from "vitest";
import { chunk, DONE, hello1, type Json, type Script, type ScriptStep } from "../acp/script.ts";
import { CLAUDE_ID, type Run, run, writeSessions } from "./home.ts";
import { createTalkHome, type TalkHome } from "./talk.ts";

// Each call starts several programs.
vi.setConfig({ testTimeout: 180_000 });

let home: TalkHome;

const chat = (...args: readonly string[]): Promise<Run> =>
  run(home, ["chat", ...args], { cwd: join(home.path, "project") });
const idIn = (text: string): string => /session ([0-9a-f-]{36})/u.exec(text)?.[1] ?? "no session was told";
const opened = (): readonly string[] =>
  home.methods().filter((method) => method.startsWith("session/") && method !== "session/prompt");

const TOLD: readonly ScriptStep[] = [
  { update: { sessionUpdate: "user_message_chunk", content: { type: "text", text: "my name is Ann" } } },
  chunk("Hello Ann."),
  { result: {} },
];

/** An agent that offers these abilities; its list has sessions of the folder `project`, and one of another folder. */
function script(offers: Json, more: Script["answers"] = {}): Script {
  return {
    hello: hello1({ ...offers, load: undefined }, { loadSession: offers.load !== undefined }),
    answers: { "session/resume": [{ result: {} }], "session/load": TOLD, ...more },
    prompts: { "*": [chunk("I hear you."), DONE] },
  };
}

function listing(...rows: readonly (readonly [id: string, updatedAt: string])[]): Script["answers"] {
  const sessions = rows.map(([sessionId, updatedAt]) => ({
    sessionId,
    title: `about ${sessionId}`,
    updatedAt,
  }));
  return { "session/list": [{ result: { sessions } }] };
}

const BOTH = { load: {}, resume: {} };

test.each([
  ["auto", BOTH, ["session/resume"]],
  ["resume", BOTH, ["session/resume"]],
  ["load", BOTH, ["session/load"]],
  ["load", { resume: {} }, ["session/load", "session/resume"]],
  ["resume", { load: {} }, ["session/resume", "session/load"]],
])("session.resume_id: %s, if the agent offers %j", async (resume_id, offers, ways) => {
  home = createTalkHome(script(offers), { resume_id });
  const id = idIn((await chat("one")).stderr);
  const { code, stdout } = await chat("--resume", id, "--json", "two");
  const taken = ways.at(-1);
  expect({ code, opened: opened() }).toEqual({ code: 0, opened: ["session/new", taken] });
  const { steps } = JSON.parse(stdout.trimEnd().split("\n").at(-1) ?? "").resumption;
  expect(steps.filter(({ outcome }: Json) => outcome !== "skipped")).toEqual(
    ways.map((step) => ({ step, outcome: step === taken ? "done" : "not offered" })),
  );
});

test("--continue takes the newest session of the agent's own list, in Continuo's order, and imports its history", async () => {
  const list = listing(
    ["old", "2027-01-01T00:00:00Z"],
    ["last", "2027-03-01T00:00:00Z"],
    ["middle", "2027-02-01T00:00:00Z"],
  );
  home = createTalkHome(script({ ...BOTH, list: {} }, list));
  await chat("one");
  const { code, stderr } = await chat("--continue", "two");
  const id = idIn(stderr);
  expect({ code, opened: opened().at(-1) }).toEqual({ code: 0, opened: "session/load" });
  expect(stderr).toContain(`robot:last is imported as session ${id}\n`);
  expect(stderr).toContain(`session ${id} · resumed robot:last (checked by agent)`);
  // Another agent receives the messages of this one.
  await chat("--resume", id, "-a", "other", "who am I?");
  expect(home.prompts().at(-1)).toContain("my name is Ann");
  expect(home.prompts().at(-1)).toContain("Hello Ann.");
  // The next call continues the same session.
  expect(idIn((await chat("--continue", "-a", "robot", "three")).stderr)).toBe(id);
});

test("session.continue_last: agent falls back to the list with a message if the agent has no such way", async () => {
  const list = listing(["old", "2020-01-01T00:00:00Z"], ["last", "2020-03-01T00:00:00Z"]);
  home = createTalkHome(script({ ...BOTH, list: {} }, list), { continue_last: "agent" });
  // This session is newer, but the agent does not list it.
  await chat("one");
  const { code, stderr } = await chat("--continue", "two");
  expect(code).toBe(0);
  expect(stderr).toContain("robot cannot choose its last session itself: the newest one in its list is used");
  expect(stderr).toContain("resumed robot:last");
  expect(stderr).toContain("· continue by the agent not offered, list by the agent done, session/load done");
});

test("a session that only its agent knows is continued by its id, or by the beginning of the id", async () => {
  const list = listing(["abc-1", "2020-01-01T00:00:00Z"], ["abd-2", "2020-01-01T00:00:00Z"]);
  home = createTalkHome(script({ ...BOTH, list: {} }, list));
  const { code, stderr } = await chat("--resume", "robot:abc", "two");
  expect(code).toBe(0);
  expect(stderr).toContain("resumed robot:abc-1");
  expect((await chat("--resume", "abd", "three")).stderr).toContain("resumed robot:abd-2");
  expect((await chat("--resume", "robot:ab", "x")).code).toBe(1);
  expect(await chat("--resume", "xyz", "x")).toMatchObject({ code: 3, stdout: "" });
  const shown = await run(home, ["session", "show", idIn(stderr)]);
  expect(shown.stdout).toContain("my name is Ann");
});

test("an agent's session whose folder no longer exists is reported, and not imported", async () => {
  home = createTalkHome(script(BOTH));
  writeSessions(home);
  const { code, stderr } = await chat("--resume", CLAUDE_ID, "one");
  expect({ code, stderr }).toEqual({
    code: 3,
    stderr: expect.stringMatching(/^continuo: there is no folder \/home\/ann\/app\n/u),
  });
  expect((await run(home, ["session", "list", "--agent", "continuo", "--json"])).stdout).toBe("[]\n");
});

test("messages that an agent does not report are not imported, and a refusal of the agent gives exit code 8", async () => {
  home = createTalkHome(script({ resume: {} }), { resume_id: "resume" });
  expect((await chat("--resume", "robot:here", "one")).stderr).toContain(
    "; only the agent knows its earlier messages\n",
  );
  home[Symbol.dispose]();
  const gone = { error: { code: -32000, message: "No such session" } };
  home = createTalkHome(script(BOTH, { "session/load": [gone], "session/resume": [gone] }));
  const { code, stderr } = await chat("--resume", "robot:gone", "one");
  expect([3, 8]).toContain(code);
  expect(stderr).toContain("could not resume gone");
  expect((await run(home, ["session", "list", "--json"])).stdout).toBe("[]\n");
});
