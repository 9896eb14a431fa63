/** The page that a model writes: its decisions and open questions appear in the panel and in exports. */

import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { talksIn } from "../live/captions/draw.ts";
import { play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";

const BEES = talksIn("tune").find(({ name }) => name === "bees");

interface Call {
  readonly messages: readonly { readonly content: unknown }[];
}

/** A model server that writes no notes, but a page from the first passages that it receives. */
async function openModel(): Promise<string> {
  const server = createServer(async (request, response) => {
    const words = JSON.stringify((JSON.parse(await text(request)) as Call).messages);
    const [first = "e1", second = first] = [...words.matchAll(/\\"name\\":\\"(e\d+)\\"/gu)].map(
      ([, name]) => name,
    );
    const page = {
      summary: [{ text: "A hive and its queen.", evidence: [first] }],
      chapters: [
        { title: "The queen", text: "She lays the eggs.", startMs: 0, endMs: 4_000, evidence: [first] },
      ],
      decisions: [{ text: "They keep a second hive.", evidence: [second] }],
      questions: [{ text: "Who feeds the queen?", evidence: [first] }],
    };
    const content = JSON.stringify(words.includes("You write the page") ? page : { drafts: [] });
    response.setHeader("content-type", "application/json");
    response.end(
      JSON.stringify({
        choices: [{ message: { content } }],
        usage: { prompt_tokens: 900, completion_tokens: 20 },
      }),
    );
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`;
}

test("the decisions and open questions of a model are on the page of a session in the panel, and in its export", async () => {
  const yaml = `live: { note_writer: { url: "${await openModel()}", model: small } }\n`;
  await using watched = await openWatched({ yaml, sources: { frames: false } });
  const { page, panel, served, key } = watched;
  await play(page, { fromMs: 0, toMs: 2_500 });
  // The transcript of a talk that is long enough for a page.
  const evidence = (BEES?.pieces ?? []).map(({ text: spoken, mediaTimeMs, endMs, lang = "en" }) => {
    return { type: "transcript_added", text: spoken, lang, mediaTimeMs, endMs };
  });
  for (let n = 0; n < evidence.length; n += 400) {
    const batch = { producerId: "bees", epoch: 0, sequence: n / 400, evidence: evidence.slice(n, n + 400) };
    await served.send("POST", `/v1/live/${encodeURIComponent(key)}/evidence`, batch);
  }
  await page.close();
  await expect.poll(async () => (await served.session(key)).state).toBe("closed");
  await panel.bringToFront();
  await panel.getByRole("button", { name: "Sessions", exact: true }).click();
  await panel.getByRole("button", { name: "A day at the harbour" }).click();
  const shown = panel.locator(".page");
  await shown.waitFor();
  for (const [name, sentence] of [
    ["Decisions", "They keep a second hive."],
    ["Open questions", "Who feeds the queen?"],
  ] as const) {
    const items = shown.getByRole("region", { name }).getByRole("listitem");
    expect(await items.count()).toBe(1);
    expect(await items.innerText()).toMatch(new RegExp(`^0:\\d\\d\\s+${sentence}`, "u"));
  }
  await checkPanel(panel, "model-page");
  const download = panel.waitForEvent("download");
  await panel.getByRole("button", { name: "Markdown" }).click();
  const markdown = readFileSync(await (await download).path(), "utf8");
  expect(markdown).toMatch(/## Decisions\n\n.*They keep a second hive/u);
  expect(markdown).toMatch(/## Open questions\n\n.*Who feeds the queen/u);
});
