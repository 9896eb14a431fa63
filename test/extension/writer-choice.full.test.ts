/** The panel offers a model of Ollama that runs on this machine, and one press makes it the writer of the notes. */

import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { play } from "./harness.ts";
import { openWatched } from "./open-watched.ts";
import { checkPanel } from "./pictures.ts";
import { keysOf } from "./served.ts";

const MODEL = "harbour-small:1b";

interface Ollama {
  /** The bodies of the requests. */
  readonly calls: { readonly model: string; readonly messages: readonly { readonly content: string }[] }[];
}

/**
 * A server at the port of Ollama or of another server. It has one model, which writes a note from the first passage
 * that it receives.
 */
async function openOllama(port = 11_434): Promise<Ollama> {
  const ollama: Ollama = { calls: [] };
  const server: Server = createServer(async (request, response) => {
    const isList = request.url === "/v1/models";
    if (!isList) ollama.calls.push(JSON.parse(await text(request)) as Ollama["calls"][number]);
    const list = { data: [{ id: MODEL, owned_by: "library" }] };
    response.setHeader("content-type", "application/json");
    response.end(JSON.stringify(isList ? list : answerTo(ollama.calls.at(-1))));
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  });
  expect((server.address() as AddressInfo).port).toBe(port);
  return ollama;
}

function answerTo(call: Ollama["calls"][number] | undefined): object {
  const words = JSON.stringify(call?.messages[0]?.content ?? "");
  const name = /\\"name\\":\\"(e\d+)\\"/u.exec(words)?.[1] ?? "e1";
  const draft = { text: "The model of this machine was here.", confidence: 0.9, evidence: [name] };
  const content = JSON.stringify({ drafts: [draft] });
  return { choices: [{ message: { content } }], usage: { prompt_tokens: 900, completion_tokens: 20 } };
}

test("a model of Ollama is offered with its price, and one press makes it write the notes", async () => {
  const ollama = await openOllama();
  await using watched = await openWatched();
  const { served, viewer, site, panel, page, key } = watched;
  await play(page, { fromMs: 0, toMs: 3_000 });
  await panel.bringToFront();
  await panel.getByText("Notes without a model").click();
  const writers = panel.getByRole("list", { name: "Note writers" });
  const row = writers.getByRole("listitem").filter({ hasText: `Ollama: ${MODEL}` });
  await row.getByText("free, on this machine").waitFor();
  await writers.getByRole("listitem").filter({ hasText: "No model" }).getByText("in use").waitFor();
  await checkPanel(panel, "note-writers");
  expect(ollama.calls).toEqual([]);
  await row.getByRole("button", { name: `Use Ollama: ${MODEL}` }).press("Enter");
  await panel.getByText(`Notes by Ollama: ${MODEL}, free, on this machine`).waitFor();
  await row.getByText("in use").waitFor();

  await page.bringToFront();
  await play(page, { fromMs: 3_000, toMs: 12_000 });
  await panel.locator(".note", { hasText: "The model of this machine was here." }).first().waitFor();
  expect(ollama.calls[0]?.model).toBe(MODEL);
  expect((await served.session(key)).noteWriter).toBe(`Ollama: ${MODEL}`);
  await panel.bringToFront();
  await checkPanel(panel, "note-writer-chosen");

  // The server keeps the choice for later sessions, also after a restart.
  await served.kill();
  await served.restart();
  const other = await viewer.context.newPage();
  await other.goto(`${site.url}?other`);
  await expect.poll(() => keysOf(served)).toHaveLength(2);
  const next = (await keysOf(served)).find((one) => one !== key) ?? "";
  expect((await served.session(next)).noteWriter).toBe(`Ollama: ${MODEL}`);
});

test.each([
  ["Ollama", 11_434],
  ["LM Studio", 1_234],
] as const)(
  "a model of %s that starts while the list of note writers is open is found, and writes notes after it is chosen",
  async (name, port) => {
    await using watched = await openWatched({ path: "" });
    const { panel, page } = watched;
    await play(page, { fromMs: 0, toMs: 3_000 });
    await panel.bringToFront();
    await panel.getByText("Notes without a model").click();
    await panel.getByText("No model and no agent was found on this machine").waitFor();
    const server = await openOllama(port);
    const writers = panel.getByRole("list", { name: "Note writers" });
    await writers.getByRole("button", { name: `Use ${name}: ${MODEL}` }).click();
    await panel.getByText(`Notes by ${name}: ${MODEL}, free, on this machine`).waitFor();
    await page.bringToFront();
    await play(page, { fromMs: 3_000, toMs: 12_000 });
    await panel.locator(".note", { hasText: "The model of this machine was here." }).first().waitFor();
    expect(server.calls[0]?.model).toBe(MODEL);
  },
);
