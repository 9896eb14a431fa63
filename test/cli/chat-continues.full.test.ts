/** `continuo chat` continues a session: by its id, in another agent, as a fork. */

import { beforeEach, describe, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { type ChatOptions, idIn, runChat } from "./chat-run.ts";
import type { Run } from "./home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

function chat(args: readonly string[], options: ChatOptions = {}): Promise<Run> {
  return runChat(home, args, options);
}

describe("a session that chat continues", () => {
  test("is not found for an agent without a session in the folder; the error names the session of another agent", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const { code, stderr } = await chat(["--continue", "-a", "codex", "two"]);
    expect({ code, stderr }).toEqual({
      code: 3,
      stderr: expect.stringContaining(`by --resume ${id} instead`),
    });
  });

  test("is chosen by its id, or is the newest one of the folder", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const resumed = await chat(["--resume", id.slice(0, 20), "two"]);
    expect(resumed.stderr).toContain(`session ${id} · resumed robot:new-1 (checked by agent)`);
    const continued = await chat(["--continue", "three"]);
    expect(continued.stderr).toContain(`session ${id} · resumed robot:new-1 (checked by agent)`);
    expect(home.prompts()).toEqual(["one", "two", "three"]);
    expect(home.methods().filter((method) => method.startsWith("session/"))).toEqual([
      "session/new",
      "session/prompt",
      "session/resume",
      "session/prompt",
      "session/resume",
      "session/prompt",
    ]);
  });

  test("continues with another agent, which receives the messages", async () => {
    using quiet = createTalkHome({ ...SCRIPT, prompts: { "*": [chunk("I hear you."), DONE] } });
    home[Symbol.dispose]();
    home = quiet;
    const id = idIn((await chat(["my name is Ann"])).stderr);
    const { code, stderr } = await chat(["--resume", id, "-a", "other", "who am I?"]);
    expect(code).toBe(0);
    expect(stderr).toContain(`session ${id} · replayed the conversation to other:new-1`);
    const [, told = ""] = home.prompts();
    expect(told).toContain("my name is Ann");
    expect(told).toContain("I hear you.");
    expect(told.endsWith("who am I?")).toBe(true);
    // The first agent then continues its native session, and receives the messages that it missed once.
    await chat(["--resume", id, "-a", "robot", "go on"]);
    expect(home.prompts().at(-1)).toContain("who am I?");
    expect(home.prompts().at(-1)).not.toContain("my name is Ann");
  });

  test("is continued as a fork, which does not change the original", async () => {
    const id = idIn((await chat(["one"])).stderr);
    const fork = idIn((await chat(["--fork", id, "two"])).stderr.split("\n").at(-2) ?? "");
    expect(fork).not.toBe(id);
    expect(home.prompts().at(-1)).toContain("You said: one");
    await chat(["--resume", id, "three"]);
    expect(home.prompts().at(-1)).toBe("three");
  });

  test("is an error with exit code 3 if it, its agent or its folder does not exist, and 2 if two are named", async () => {
    expect(await chat(["--resume", "4bf3", "x"])).toMatchObject({ code: 3, stdout: "" });
    expect(await chat(["--continue", "x"])).toMatchObject({ code: 3 });
    expect(await chat(["--continue", "--fork", "4bf3", "x"])).toMatchObject({ code: 2 });
    expect(await chat(["-a", "nobody", "x"])).toMatchObject({ code: 3 });
    expect(await chat(["--cwd", "/no/such", "x"])).toMatchObject({ code: 3 });
  });
});
