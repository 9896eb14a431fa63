/**
 * The real VS Code continues a session that a real agent's own program began: VS Code shows the answer of the scripted
 * model, a person allows a change in the page, and the agent's own program resumes the session with all of it.
 */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { CODE_SERVER, openVscode } from "../../ahp/vscode.ts";
import { text } from "../../model-servers/index.ts";
import { recordTried } from "../../tried-editors.ts";
import { AGENTS } from "../append/begin.ts";
import { type Stage, stage } from "../chat/stage.ts";
import { SUBJECTS } from "../drivers/subjects/index.ts";
import { countKinds, proveResumption } from "../proof.ts";

const FIRST = "Remember the number forty-one.";
const SECOND = "Which number was it?";
const WRITE = "Write it down, please.";
const [KEPT, ANSWER, DONE] = ["I keep it in mind.", "It was forty-one.", "It is written down."];
const WORDS = "forty-one";

/** The button that allows a change once, by the words of the agent. */
const ALLOWS = { claude: "Allow", codex: "Accept" } as const;

test.each([["claude"], ["codex"]] as const)(
  "VS Code continues a session that the program of %s began, and a person allows a change in the page",
  async (agent) => {
    let file = "";
    const { prepare, writes } = SUBJECTS[agent];
    await using on = await stage([agent], {
      turns: [
        { user: WRITE, answers: [() => [writes?.(file, WORDS) ?? text("no tool")], [text(DONE)]] },
        { user: SECOND, answers: [[text(ANSWER)]] },
        { user: FIRST, answers: [[text(KEPT)]] },
      ],
    });
    file = join(on.sandbox.project, "written.txt");
    const own = await AGENTS.find((one) => one.agent === agent)?.open(on.sandbox, on.server.url);
    if (own === undefined) throw new Error(`${agent} has no program`);
    const session = await own.begin(FIRST);
    // The program that began the session asks for nothing. These settings make the agent ask.
    await prepare(on.sandbox, on.server.url);
    await continueInPage(on, { file, allows: ALLOWS[agent] });
    // The agent resumes its own session, and what it sends to its model has the turns of the page.
    const items = await proveResumption({
      agent,
      places: { home: on.sandbox.root, env: own.environment },
      sessionId: session.sessionId,
      server: on.server,
      resume: (words) => own.resume(words, session),
    });
    const said = items.flatMap((item) => (item.kind === "text" ? [item.text] : []));
    const known = [FIRST, KEPT, SECOND, ANSWER, WRITE, DONE];
    expect(said.filter((words) => known.includes(words))).toEqual(known);
    expect(countKinds(items)).toMatchObject({ call: 1, result: 1 });
    recordTried(CODE_SERVER);
  },
  480_000,
);

async function continueInPage(
  on: Stage,
  { file, allows }: { readonly file: string; readonly allows: string },
): Promise<void> {
  await using server = on.start(["serve", "--listen", "127.0.0.1:0"]);
  const socket = join(on.sandbox.root, ".continuo/viewer/vscode");
  await expect.poll(() => existsSync(socket), { timeout: 60_000 }).toBe(true);
  await using vscode = await openVscode(socket, on.sandbox.project);
  const { page, sessions, conversation, open, say, button } = await vscode.window();
  await expect.poll(() => sessions.filter({ hasText: FIRST }).count()).toBe(1);
  await open(FIRST);
  await expect.poll(() => conversation.innerText()).toContain(KEPT);
  // The first question is a person's message, and not a notice of the agent.
  const asked = page.locator(".interactive-request");
  expect(await asked.allInnerTexts()).toEqual([expect.stringContaining(FIRST)]);
  await say(SECOND);
  await expect.poll(() => conversation.innerText()).toContain(ANSWER);
  await say(WRITE);
  await button(allows).waitFor();
  expect(existsSync(file)).toBe(false);
  await button(allows).click();
  await expect.poll(() => conversation.innerText()).toContain(DONE);
  // The conversation is still one row, although Continuo stores its turns in a session of its own.
  await expect.poll(() => sessions.filter({ hasText: FIRST }).count()).toBe(1);
  expect(readFileSync(file, "utf8").trim()).toBe(WORDS);
  server.kill();
}
