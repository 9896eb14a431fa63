/** Sessions that are not restored, or only with everything that belongs to them. */

import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { returnHiddenSession } from "@continuo/native/editing";
import type { HiddenSession } from "@continuo/native/kit";
import { expect, test } from "vitest";
import { scratchFolder } from "../scratch-folder.ts";
import { folderName, sessionPath, talk } from "./claude-recipes.ts";
import { GEMINI_TALK, geminiHead, geminiPath, writeGemini } from "./gemini-recipes.ts";
import { hiddenIn } from "./prove.ts";
import { contentOf, type LostHome, makeLostHome, placesOfHome, toLines, writeText } from "./recipe.ts";

const ID = "0b7c9c1e-1111-4222-8333-444455556666";

/** A conversation of Claude Code in the folder of a renamed project, with the result of a tool next to it. */
function writeMoved(home: LostHome): { readonly folder: string; readonly beside: string } {
  const folder = folderName(join(home.root, "old-name"));
  const said = [
    { role: "user", content: "Why does the retry loop never end?" },
    { role: "assistant", content: "The counter is reset inside of the loop." },
  ] as const;
  writeText(sessionPath(home, `${ID}.jsonl`, folder), toLines(talk(home, said, ID)));
  const beside = join(ID, "tool-results", "1.txt");
  writeText(sessionPath(home, beside, folder), "a long result\n");
  return { folder, beside };
}

async function onlyHidden(home: LostHome, agent: "claude" | "gemini"): Promise<HiddenSession> {
  const [hidden, ...others] = await hiddenIn(home, agent);
  if (hidden === undefined || others.length > 0)
    throw new Error("one session is hidden in each of these homes");
  return hidden;
}

test("a session that grew since it was found is not replaced", async () => {
  const home = makeLostHome(scratchFolder("lost-grown"));
  writeGemini(home, [geminiHead(home), ...GEMINI_TALK], "retry-loop.jsonl");
  const hidden = await onlyHidden(home, "gemini");
  appendFileSync(geminiPath(home, "chats", "retry-loop.jsonl"), toLines([{ ...GEMINI_TALK[1], id: "m3" }]));
  const before = contentOf(home);
  const returned = returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" });
  await expect(returned).rejects.toMatchObject({ code: "conflict" });
  expect(contentOf(home)).toEqual(before);
});

test("a change after which the list would hide the session still is refused", async () => {
  const home = makeLostHome(scratchFolder("lost-still"));
  const torn = toLines([geminiHead(home), ...GEMINI_TALK]).slice(30);
  writeGemini(home, [geminiHead(home), ...GEMINI_TALK], "retry-loop.jsonl");
  writeText(geminiPath(home, "chats", "retry-loop.jsonl"), torn);
  const hidden = await onlyHidden(home, "gemini");
  const before = contentOf(home);
  const returned = returnHiddenSession(
    { ...hidden, cause: "file_name" },
    { places: placesOfHome(home), write: "in place" },
  );
  await expect(returned).rejects.toMatchObject({
    code: "verification_failed",
    message: expect.stringContaining("would still hide it (torn_header)"),
  });
  expect(contentOf(home)).toEqual(before);
});

test("files next to a session are restored with it, at the place of the session", async () => {
  const home = makeLostHome(scratchFolder("lost-beside"));
  const { folder, beside } = writeMoved(home);
  const hidden = await onlyHidden(home, "claude");
  const { newLocation } = await returnHiddenSession(hidden, {
    places: placesOfHome(home),
    write: "in place",
  });
  expect(newLocation).toBe(sessionPath(home, `${ID}.jsonl`));
  expect(readFileSync(sessionPath(home, beside), "utf8")).toBe("a long result\n");
  expect(existsSync(sessionPath(home, beside, folder))).toBe(false);
});

test("a session that is open in its agent is not brought back", async () => {
  const home = makeLostHome(scratchFolder("lost-open"));
  writeMoved(home);
  // Claude Code keeps such a note for each of its processes.
  const note = { pid: process.pid, sessionId: ID, cwd: home.project };
  writeText(join(home.root, ".claude/sessions", `${process.pid}.json`), JSON.stringify(note));
  const hidden = await onlyHidden(home, "claude");
  const before = contentOf(home);
  const returned = returnHiddenSession(hidden, { places: placesOfHome(home), write: "in place" });
  await expect(returned).rejects.toMatchObject({ code: "session_live" });
  expect(contentOf(home)).toEqual(before);
});
