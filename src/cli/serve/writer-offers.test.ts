import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { readConfiguration } from "@continuo/agents/config";
import type { WriterOffers } from "@continuo/live";
import { expect, onTestFinished, test, vi } from "vitest";
import { scratchFolder } from "../../../test/scratch-folder.ts";
import type { Shell } from "../terminal/index.ts";
import { writerOffers } from "./writer-offers.ts";

interface Machine {
  readonly home: string;
  /** Counts the searches for model servers. */
  readonly looks: { count: number };
  readonly warnings: string[];
  open(): Promise<WriterOffers>;
}

/** A machine with Ollama, and with the program of one agent. */
function machineWith(
  models: readonly string[],
  agent: string,
  slow: () => Promise<void> = async () => undefined,
): Machine {
  const home = scratchFolder("writer-offers");
  const programs = join(home, "bin");
  for (const folder of [programs, join(home, ".continuo")]) mkdirSync(folder);
  writeFileSync(join(programs, agent), "#!/bin/sh\n");
  chmodSync(join(programs, agent), 0o755);
  const warnings: string[] = [];
  const shell = {
    home,
    cwd: home,
    env: { PATH: programs },
    platform: "linux",
    stderr: { write: (text: string) => warnings.push(text) },
  } as unknown as Shell;
  const looks = { count: 0 };
  return {
    home,
    looks,
    warnings,
    open: async () => {
      const { agents } = await readConfiguration({ places: shell, cwd: null });
      return writerOffers({
        agents,
        shell,
        servers: [{ name: "Ollama", port: 11_434 }],
        findServers: async () => {
          looks.count++;
          await slow();
          return [{ name: "Ollama", models }];
        },
      });
    },
  };
}

test("a search that takes a minute is not repeated at once, and is after five seconds", async () => {
  vi.useFakeTimers({ toFake: ["performance"] });
  onTestFinished(() => void vi.useRealTimers());
  const machine = machineWith(["llama3.2"], "claude", async () => void vi.advanceTimersByTime(60_000));
  const offers = await machine.open();
  for (const [afterMs, looks] of [
    [0, 1],
    [4_000, 1],
    [2_000, 2],
  ] as const) {
    vi.advanceTimersByTime(afterMs);
    await offers.find();
    expect(machine.looks.count).toBe(looks);
  }
});

test("models of a local server and installed agents are offered, and each name is still a writer after a restart", async () => {
  const machine = machineWith(["llama3.2", "qwen: small"], "claude");
  const offers = await machine.open();
  const found = await offers.find();
  expect(found).toEqual([
    { name: "Ollama: llama3.2", kind: "here" },
    { name: "Ollama: qwen: small", kind: "here" },
    { name: "claude", kind: "agent" },
  ]);
  await offers.find();
  expect(machine.looks.count).toBe(1);
  const later = await machine.open();
  expect(found.map(({ name }) => later.named(name)?.name)).toEqual(found.map(({ name }) => name));
  expect(later.named(found[0]?.name ?? "")).toBe(later.named(found[0]?.name ?? ""));
  expect(["Somebody: llama", "Ollama", "nobody", "constructor"].map((name) => later.named(name))).toEqual([
    null,
    null,
    null,
    null,
  ]);
});

test("models of the configuration are offered if their keys are set, and each is a writer with its name", async () => {
  const machine = machineWith([], "claude");
  const models = [
    "models:",
    '  local: { url: "http://127.0.0.1:11434/v1", model: llama3.2 }',
    "  cloud: { anthropic: claude-sonnet-5, key_env: NO_SUCH_KEY }",
  ];
  writeFileSync(join(machine.home, ".continuo/continuo.yaml"), models.join("\n"));
  const offers = await machine.open();
  expect(await offers.find()).toEqual([
    { name: "local", kind: "named" },
    { name: "claude", kind: "agent" },
  ]);
  expect(offers.named("local")?.name).toBe("local");
  offers.choose("local");
  expect((await machine.open()).chosen()).toBe("local");
});

test("the choice is stored in a file, and a file that cannot be read counts as no choice, and stays unchanged", async () => {
  const machine = machineWith([], "claude");
  const offers = await machine.open();
  expect(offers.chosen()).toBeNull();
  offers.choose("claude");
  expect((await machine.open()).chosen()).toBe("claude");
  const file = join(machine.home, ".continuo/note-writer.json");
  writeFileSync(file, "{");
  expect(offers.chosen()).toBeNull();
  expect(machine.warnings).toEqual([expect.stringContaining("the chosen note writer is not used")]);
  expect(() => offers.choose("claude")).toThrow();
  expect(readFileSync(file, "utf8")).toBe("{");
});
