import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { openModel } from "./open-model.ts";
import { askWindow, conversationTokens, knownWindow, windowOf } from "./window.ts";

let server: Server | undefined;
afterEach(() => void server?.close());

/** Answers each path with its JSON, everything else with 404. */
async function serving(
  answers: Readonly<Record<string, unknown>>,
): Promise<{ url: string; asked: string[] }> {
  const asked: string[] = [];
  server = createServer((request, response) => {
    asked.push(`${request.method} ${request.url} ${request.headers.authorization ?? ""}`.trim());
    const answer = answers[request.url ?? ""];
    if (answer === undefined) response.writeHead(404).end();
    else response.end(typeof answer === "string" ? answer : JSON.stringify(answer));
  });
  await new Promise<void>((resolve) => server?.listen(0, "127.0.0.1", resolve));
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`, asked };
}

test.each([
  ["anthropic/claude-sonnet-5", 200_000],
  ["claude-haiku-4-5", 200_000],
  ["gpt-5.5", 272_000],
  ["openai/gpt-4.1-mini", 1_047_576],
  ["o3", 200_000],
  ["gemini-3-pro", 1_048_576],
  ["llama3.2", null],
  ["my-gpt-5", null],
  ["o30", null],
])("the window of %s is %s tokens", (model, tokens) => {
  expect(knownWindow(model)).toBe(tokens);
});

test.each([
  ["vLLM", { id: "m", max_model_len: 8_192 }, 8_192],
  ["LM Studio", { id: "m", max_context_length: 131_072, loaded_context_length: 4_096 }, 4_096],
  ["OpenRouter", { id: "m", context_length: 65_536 }, 65_536],
  ["llama.cpp", { id: "m", meta: { n_ctx: 16_384, n_ctx_train: 131_072 } }, 16_384],
])("%s has the window in its list of models", async (_name, row, tokens) => {
  const { url } = await serving({ "/v1/models": { data: [{ id: "other", max_model_len: 1 }, row] } });
  expect(await askWindow({ url, model: "m" })).toBe(tokens);
});

test("Ollama reports the window of a model, and the window with which it runs the model has priority", async () => {
  const model_info = { "general.architecture": "llama", "llama.context_length": 131_072 };
  const list = { "/v1/models": { data: [{ id: "m", owned_by: "library" }] } };
  const first = await serving({ ...list, "/api/show": { model_info } });
  expect(await askWindow({ url: first.url, model: "m" })).toBe(131_072);
  server?.close();
  const parameters = 'num_ctx                        8192\nstop                           "<|eot_id|>"';
  const second = await serving({ ...list, "/api/show": { model_info, parameters } });
  expect(await askWindow({ url: second.url, model: "m" })).toBe(8_192);
});

test("the server of a model that was opened by its address is asked once, with the model's key", async () => {
  const { url, asked } = await serving({ "/v1/models": { data: [{ id: "m", max_model_len: 32_768 }] } });
  const model = await openModel({ type: "openai", url, model: "m", apiKey: "secret" });
  expect([await windowOf(model), await windowOf(model)]).toEqual([32_768, 32_768]);
  expect(asked).toEqual(["GET /v1/models Bearer secret"]);
});

test("if a server does not report a window, the known window of the name is used", async () => {
  const { url } = await serving({ "/v1/models": "no JSON", "/api/show": { model_info: { a: "b" } } });
  const claude = await openModel({ type: "openai", url, model: "claude-sonnet-5" });
  const other = await openModel({ type: "openai", url, model: "m" });
  expect([await windowOf(claude), await windowOf(other)]).toEqual([200_000, 128_000]);
  expect(await windowOf("gpt-5.5")).toBe(272_000);
  expect(conversationTokens(8_192)).toBe(6_144);
});
