/** An answer in `continuo repl` that is larger than what a pipe takes at once. */

import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { run } from "./home.ts";
import { createTalkHome, SCRIPT, type TalkHome } from "./talk.ts";

let home: TalkHome;
beforeEach(() => {
  home = createTalkHome();
});

test("an answer of 10 MB in one piece is shown to its end", async () => {
  home[Symbol.dispose]();
  home = createTalkHome({ ...SCRIPT, prompts: { huge: [{ huge: 10_000_000 }, chunk("\n\nDone."), DONE] } });
  const { code, stdout, stderr } = await run(home, ["repl"], {
    cwd: join(home.path, "project"),
    stdin: "huge\n",
  });
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout.replaceAll(/[^x]/gu, "")).toHaveLength(10_000_000);
  expect(stdout).toMatch(/ {2}Done\.\n\n· [^\n]+\n· session /u);
});
