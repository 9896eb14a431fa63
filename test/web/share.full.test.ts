/** Sharing in a browser: two keys make a file without the secret, and the receipt says what was masked. */

import { readFileSync } from "node:fs";
import { afterAll, beforeAll, expect, test } from "vitest";
import { claudeFile, claudeText, createHome } from "../cli/home.ts";
import { builtViewer } from "../sizes/shared-programs.ts";
import { violations } from "./axe.ts";
import { sessionAddress } from "./long-session.ts";
import { type OpenViewer, openViewer } from "./open-viewer.ts";

const ID = "4bf3f000-0000-4000-8000-00000000000a";
const SECRET = `ghp_${"a1B2c3".repeat(6)}`;

let viewer: OpenViewer;
beforeAll(async () => {
  await builtViewer();
  const home = createHome();
  const lines = [
    { uuid: "a", parent: null, role: "user", content: `Push with ${SECRET}`, time: "10:00:00" },
    {
      uuid: "b",
      parent: "a",
      role: "assistant",
      content: [{ type: "text", text: "Pushed." }],
      time: "10:00:01",
    },
  ] as const;
  home.write(claudeFile(ID), claudeText(ID, lines));
  viewer = await openViewer(home);
});
afterAll(async () => {
  await viewer?.[Symbol.asyncDispose]();
});

test.each(["write", "read"] as const)(
  "one key makes the masked file and its receipt, on a page that may %s",
  async (access) => {
    const { page, errors } = await viewer.open(sessionAddress(ID), access === "read" ? { access } : {});
    await page.getByRole("button", { name: "Share" }).waitFor();
    const saved = page.waitForEvent("download");
    await page.keyboard.press("s");
    const text = readFileSync(await (await saved).path(), "utf8");
    expect(text).not.toContain(SECRET);
    expect(text).toContain("Push with");
    const receipt = "Masked 1 secret: 1 × GitHub token. Secrets of other forms stay.";
    await page.locator("dialog").getByText(receipt).waitFor();
    expect(text).toContain(receipt);
    expect(await violations(page)).toEqual([]);
    await page.keyboard.press("Escape");
    await page.locator("dialog").waitFor({ state: "detached" });
    expect(errors).toEqual([]);
    await page.context().close();
  },
);
