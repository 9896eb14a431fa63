/** The real VS Code shows and continues the sessions of a machine, through the sockets that `continuo view` and `continuo serve` have for it. */

import { cpSync, mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { createTalkHome, SCRIPT, type TalkHome } from "../cli/talk.ts";
import { sessionPath, talk } from "../lost/claude-recipes.ts";
import { header, TALK, writeThread } from "../lost/codex-recipes.ts";
import { GEMINI_TALK, geminiHead, writeGemini } from "../lost/gemini-recipes.ts";
import { PI_TALK, piHeader, writePi } from "../lost/pi-recipes.ts";
import { makeLostHome, toLines, writeText } from "../lost/recipe.ts";
import { DONE_CALLS, EDITS, ownSession } from "../machine/open-chat.ts";
import { recordTried } from "../tried-editors.ts";
import { startServer, startViewer } from "./viewer-socket.ts";
import { CODE_SERVER, openVscode } from "./vscode.ts";

/** The picture of docs/editors.md. */
const PICTURE = join(import.meta.dirname, "../../docs/pictures/vscode.png");
const OWN = "A talk with the robot";
const CLAUDES = "Make the timer stop";
const OPENCODES = "A name for the timer";
/** A prompt in a session of Codex, of Gemini CLI and of pi. */
const RETRY = "Why does the retry loop never end?";

test("VS Code lists the sessions of five agents, and two windows of it show one conversation and its question", async () => {
  const { home, folder } = await homeOfFiveAgents();
  await using server = await startServer(home.path, folder);
  expect(statSync(join(server.socket, "..")).mode & 0o777).toBe(0o700);
  await using vscode = await openVscode(server.socket, folder);
  const window = await vscode.window();
  for (const [title, count] of [
    [OWN, 1],
    [CLAUDES, 1],
    [OPENCODES, 1],
    [RETRY, 3],
  ] as const)
    await expect.poll(() => window.sessions.filter({ hasText: title }).count()).toBe(count);
  await window.open(CLAUDES);
  await expect.poll(() => window.conversation.innerText()).toContain("It stops now.");

  await window.open(OWN);
  await window.say("edit it");
  await window.button("Yes").waitFor();
  const other = await vscode.window();
  await expect.poll(() => other.sessions.filter({ hasText: OWN }).innerText()).toContain("Input needed");
  await other.open(OWN);
  await other.button("Yes").waitFor();
  if (process.env.CONTINUO_PICTURES === "write") await other.page.screenshot({ path: PICTURE });
  // No window answers the question by itself.
  expect(await window.conversation.innerText()).not.toContain("Done.");
  await other.button("No").click();
  for (const { conversation, button } of [window, other]) {
    await expect.poll(() => conversation.innerText()).toContain('"optionId":"no"');
    await expect.poll(() => conversation.innerText()).toContain("Done.");
    expect(await button("Yes").count()).toBe(0);
  }
  expect(home.prompts()).toEqual(["edit it"]);
  recordTried(CODE_SERVER);
}, 240_000);

test("a command and a change that a person allowed stay in VS Code's turn when they are done", async () => {
  const { home, folder } = await homeOfFiveAgents();
  await using viewer = await startViewer(home.path, folder);
  await using vscode = await openVscode(viewer.socket, folder);
  const window = await vscode.window();
  await window.open(OWN);
  for (const [prompt, end, shown] of [
    ["test it", "All of them pass.", "node --test timer.test.js"],
    ["change it", "It is changed.", "a.ts"],
  ] as const) {
    await window.say(prompt);
    await window.button("Yes").click();
    await expect.poll(() => window.conversation.innerText()).toContain(end);
    // VS Code folds the steps of a turn that is over.
    const steps = window.conversation.locator(".completed-response-summary[aria-expanded=false]");
    await steps.last().click();
    await expect.poll(() => window.conversation.innerText()).toContain(shown);
  }
  recordTried(CODE_SERVER);
}, 240_000);

interface FiveAgents {
  readonly home: TalkHome;
  /** The working folder of the sessions. */
  readonly folder: string;
}

async function homeOfFiveAgents(): Promise<FiveAgents> {
  const home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, ...EDITS, ...DONE_CALLS } });
  const lost = makeLostHome(home.path);
  const said = [
    { role: "user", content: CLAUDES },
    { role: "assistant", content: "It stops now." },
  ] as const;
  writeText(sessionPath(lost), toLines(talk(lost, said)));
  writeThread(lost, [header(lost), ...TALK]);
  writeGemini(lost, [geminiHead(lost), ...GEMINI_TALK]);
  writePi(lost, [piHeader(lost), ...PI_TALK]);
  const data = join(home.path, ".local/share");
  const recorded = join(import.meta.dirname, "../fixtures/opencode/text-and-thinking/home");
  mkdirSync(data, { recursive: true });
  cpSync(recorded, data, { recursive: true });
  using database = new DatabaseSync(join(data, "opencode/opencode.db"));
  database.prepare("update session set directory = ?").run(lost.project);
  await ownSession(home, OWN);
  return { home, folder: lost.project };
}
