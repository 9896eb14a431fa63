/** The page for an unknown address, and the files of a session, through which the keys j and k go. */

import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome } from "../cli/home.ts";
import type { Line } from "../hostile/hostile-session.ts";
import { violations } from "./axe.ts";
import { sessionAddress as session } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

const ID = "4bf3cccc-0000-4000-8000-00000000000a";

function edits(): readonly Line[] {
  const lines: Line[] = [];
  const add = (role: Line["role"], content: unknown): void => {
    const uuid = `f${lines.length}`;
    lines.push({ uuid, parent: lines.at(-1)?.uuid ?? null, role, content, time: "10:00:00" });
  };
  add("user", "Change three files");
  for (const name of ["a", "b", "c"]) {
    const input = {
      file_path: `/home/ann/app/${name}.ts`,
      old_string: "let x = 1;",
      new_string: `let ${name} = 1;`,
    };
    add("assistant", [{ type: "tool_use", id: `t${name}`, name: "Edit", input }]);
    add("user", [{ type: "tool_result", tool_use_id: `t${name}`, content: "done" }]);
  }
  return lines;
}

let viewer: OpenViewer;
beforeAll(async () => {
  const home = createHome();
  home.write(claudeFile(ID), claudeText(ID, edits()));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test("an unknown address reports that there is no page, and links to the list", async () => {
  const { page, errors } = await viewer.open("/nothing/here");
  await page.getByRole("heading", { name: "There is no page at this address" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByRole("link", { name: "All sessions" }).click();
  await page.locator(".row").first().waitFor();
  expect(errors).toEqual([]);
  await page.context().close();
});

test("j and k go through the files of a session, and the address names the file", async () => {
  const { page, errors } = await viewer.open(`${session(ID)}/files`);
  const shown = () => page.locator(".file-list [aria-pressed=true]").getAttribute("title");
  await page.locator(".file-list [aria-pressed=true]").waitFor({ timeout: 100_000 });
  const first = await shown();
  await page.keyboard.press("j");
  await expect.poll(shown).not.toBe(first);
  const second = await shown();
  expect(new URL(page.url()).hash).toContain(`file=${encodeURIComponent(second ?? "")}`);
  await page.reload();
  await page.locator(".file-list [aria-pressed=true]").waitFor({ timeout: 100_000 });
  await expect.poll(shown).toBe(second);
  await page.goBack();
  await expect.poll(shown).toBe(first);
  await page.goForward();
  await expect.poll(shown).toBe(second);
  await page.keyboard.press("k");
  await expect.poll(shown).toBe(first);
  await page.getByRole("button", { name: "Copy the path" }).waitFor();
  expect(await violations(page)).toEqual([]);
  expect(errors).toEqual([]);
  await page.context().close();
});
