/** `acpx`, a client from npm, uses `continuo acp`: it prompts, watches and exports a session of a real agent. */

import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentName } from "@continuo/core/model";
import { expect, test } from "vitest";
import { text } from "../../model-servers/index.ts";
import { recordTried } from "../../tried-editors.ts";
import { stage } from "../chat/stage.ts";
import { PINNED, packageFolder } from "../install.ts";
import { acpx, type Row, spokenIn, watched } from "./acpx.ts";

const FIRST = "Remember the number forty-one.";
const SECOND = "Which number was it?";
const SCRIPT = {
  turns: [
    { user: SECOND, answers: [[text("It was forty-one.")]] },
    { user: FIRST, answers: [[text("I keep forty-one in mind.")]] },
  ],
};

test.each([["claude"], ["codex"], ["gemini"], ["opencode"], ["pi"]] as const)(
  "a session of %s is prompted, watched and exported",
  async (agent: AgentName) => {
    await using on = await stage([agent], SCRIPT);
    expect(await acpx(on, "sessions", "list")).toEqual([{ source: "agent", sessions: [] }]);
    await acpx(on, "sessions", "ensure");
    const [{ acpSessionId: id } = {}] = await acpx(on, "sessions", "show");
    expect(id).toMatch(/^continuo:/u);
    const first = await watched(on, [], () => acpx(on, "prompt", FIRST));
    expect(spokenIn(first)).toBe("I keep forty-one in mind.");
    const cursor = String(first.at(-1)?.cursor);
    const second = await watched(on, ["--cursor", cursor], () => acpx(on, "prompt", SECOND));
    // Only events after the position are shown.
    expect(spokenIn(second)).toBe("It was forty-one.");
    const [history] = await acpx(on, "sessions", "history");
    expect(history?.entries).toMatchObject([
      { role: "user", textPreview: FIRST },
      { role: "assistant", textPreview: "I keep forty-one in mind." },
      { role: "user", textPreview: SECOND },
      { role: "assistant", textPreview: "It was forty-one." },
    ]);
    const [list] = await acpx(on, "sessions", "list");
    expect(list?.sessions).toMatchObject([{ sessionId: id, _meta: { continuo: { agent } } }]);
    await acpx(on, "sessions", "close");
    const output = join(on.sandbox.root, "archive.json");
    await acpx(on, "sessions", "export", "--output", output);
    const archive = JSON.parse(readFileSync(output, "utf8")) as Row;
    expect(archive).toMatchObject({ session: { record_id: id } });
    expect(spokenIn(archive.history as Row[])).toBe("I keep forty-one in mind.It was forty-one.");
    recordTried(packageFolder(PINNED.acpx));
  },
);
