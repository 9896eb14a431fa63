import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Configuration, readConfiguration } from "@continuo/agents/config";
import { expect, test } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { liveSettings } from "./live-settings.ts";

async function configured(yaml: string, of: "home" | "project" = "home"): Promise<Configuration> {
  const home = scratchFolder("live-settings");
  const project = join(home, "project");
  const continuoHome = join(home, ".continuo");
  for (const folder of [continuoHome, project]) mkdirSync(folder);
  writeFileSync(join(of === "home" ? continuoHome : project, "continuo.yaml"), yaml);
  const places = { home, cwd: project, env: {}, platform: "linux" } as const;
  return await readConfiguration({ places });
}

const shell = { home: "/nowhere", env: { KEY: "secret" } } as unknown as Shell;

test("without `live` a server runs continuous sessions with the defaults", async () => {
  const settings = liveSettings(await configured("agent: claude"), shell);
  expect({ ...settings, noteWriters: settings.noteWriters?.map(({ name }) => name) }).toEqual({
    noteWriters: ["extractive"],
    budget: { maxTokens: 2_000_000, maxCostUsd: 2 },
  });
});

test("each key of `live` reaches the server, and a key of an endpoint comes from the environment", async () => {
  const yaml = `live:
  adaptive_batching: false
  backpressure: false
  replay_nightly: true
  keep_audio: true
  frames: { full_days: 2, thumbnail_days: 9 }
  note_writer: claude
  embedder: { url: "http://127.0.0.1:1/v1", model: small, api_key_env: KEY, threshold: 0.7 }
  transcriber: { url: "http://127.0.0.1:1/v1", model: whisper }
  budget: { max_tokens: 5, max_cost_usd: 0.5 }
  notes: { overlap: 0.4, similarity: 0.9, confidence: 0.5, open_questions: 0, question_tokens: 100 }
  levels: { normal: 1, warning: 2, critical: 3 }
`;
  const configuration = await configured(yaml);
  const { noteWriters, embedder, transcriber, ...plain } = liveSettings(configuration, shell);
  expect(plain).toEqual({
    adaptiveBatching: false,
    backpressure: false,
    replayNightly: true,
    keepAudio: true,
    frameDays: { full: 2, thumbnail: 9 },
    budget: { maxTokens: 5, maxCostUsd: 0.5 },
    rules: { overlap: 0.4, similarity: 0.9, confidence: 0.5, openQuestions: 0, questionTokens: 100 },
    levels: { normal: 1, warning: 2, critical: 3 },
  });
  expect(noteWriters?.map(({ name }) => name)).toEqual(["claude", "extractive"]);
  expect([embedder?.name, embedder?.threshold, transcriber?.name]).toEqual(["small", 0.7, "whisper"]);
  const bare = { ...shell, env: {} } as Shell;
  expect(() => liveSettings(configuration, bare)).toThrow(expect.objectContaining({ code: "not_found" }));
  const unknown = { ...configuration, live: { noteWriter: "nobody" } };
  expect(() => liveSettings(unknown, shell)).toThrow(expect.objectContaining({ code: "usage" }));
});

test.each([
  ["{ url: 'http://127.0.0.1:11434/v1', model: llama, key_env: KEY }", "llama"],
  ["{ anthropic: claude-small, key_env: KEY }", "claude-small"],
])(
  "one line of settings makes a model the note writer, %s, and a session then has a budget",
  async (line, name) => {
    const configuration = await configured(`live:\n  note_writer: ${line}\n`);
    expect(configuration.problems).toEqual([]);
    const { noteWriters, budget } = liveSettings(configuration, shell);
    expect(noteWriters?.map((writer) => writer.name)).toEqual([name, "extractive"]);
    expect(budget).toEqual({ maxTokens: 2_000_000, maxCostUsd: 2 });
    const bare = { ...shell, env: {} } as Shell;
    expect(() => liveSettings(configuration, bare)).toThrow(expect.objectContaining({ code: "not_found" }));
  },
);

test("a model of `models` writes notes under its name, and an agent writes them if no model has the name", async () => {
  const models =
    "models:\n  small: { anthropic: claude-small, key_env: KEY }\n  local: { url: 'http://127.0.0.1:1/v1', model: llama }\n";
  for (const name of ["small", "local"]) {
    const configuration = await configured(`${models}live:\n  note_writer: ${name}\n`);
    expect(configuration.problems).toEqual([]);
    expect(liveSettings(configuration, shell).noteWriters?.map((writer) => writer.name)).toEqual([
      name,
      "extractive",
    ]);
  }
  const configuration = await configured(`${models}live: { note_writer: small }\n`);
  const bare = { ...shell, env: {} } as Shell;
  expect(() => liveSettings(configuration, bare)).toThrow(expect.objectContaining({ code: "not_found" }));
});

test("the file of a project cannot say how a server runs continuous sessions", async () => {
  const { live, problems } = await configured("live: { keep_audio: true }", "project");
  expect(live).toEqual({});
  expect(problems).toMatchObject([
    { key: "live", message: expect.stringContaining("only the file in CONTINUO_HOME") },
  ]);
  expect((await configured("live: { embedder: { url: 'file:///x', model: m } }")).problems).toMatchObject([
    { key: "live.embedder.url" },
  ]);
});
