/** An editor that does not read for a while. */

import { existsSync } from "node:fs";
import { join } from "node:path";
import { Transform, type TransformCallback } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { chunk, DONE } from "../acp/script.ts";
import { createTalkHome, SCRIPT } from "../cli/talk.ts";
import { openEditor, spokenIn } from "./editor.ts";

/** A turn holds 64 events that nobody has taken, so half of the parts are more. */
const PARTS = 192;
const PART_CHARS = 20_000;
/** Buffers of pipes and streams, and the parts that are on their way. */
const MOST_PARTS = 16;
const partAt = (at: number): string => `${at}:`.padEnd(PART_CHARS, "x");

/** Passes nothing on while it is closed. */
class Gate extends Transform {
  #held: (() => void) | null = null;
  isOpen = true;

  override _transform(bytes: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    if (this.isOpen) done(null, bytes);
    else this.#held = () => done(null, bytes);
  }

  open(): void {
    this.isOpen = true;
    this.#held?.();
  }
}

test("an editor that does not read for a while stops the agent's output, and then receives all of it", async () => {
  const parts = Array.from({ length: PARTS }, (_, at) => partAt(at));
  const half = parts.slice(0, PARTS / 2).map(chunk);
  const story = [...half, { touch: "half" } as const, ...parts.slice(PARTS / 2).map(chunk), DONE];
  using home = createTalkHome({ ...SCRIPT, prompts: { ...SCRIPT.prompts, "a story": story } });
  const gate = new Gate();
  await using editor = await openEditor(home, { toEditor: gate });
  const cwd = join(home.path, "project");
  const { sessionId } = await editor.agent.request("session/new", { cwd, mcpServers: [] });
  gate.isOpen = false;
  const prompt = [{ type: "text", text: "a story" } as const];
  const turn = editor.agent.request("session/prompt", { sessionId, prompt });
  await expect.poll(() => gate.writableLength, { timeout: 30_000 }).toBeGreaterThan(0);
  await sleep(2_000);
  expect(gate.writableLength).toBeLessThan(MOST_PARTS * PART_CHARS);
  expect(existsSync(join(home.path, "half"))).toBe(false);
  gate.open();
  expect(await turn).toEqual({ stopReason: "end_turn" });
  expect(existsSync(join(home.path, "half"))).toBe(true);
  // A text of this length may arrive in several updates.
  expect(spokenIn(editor.take())).toBe(parts.join(""));
}, 60_000);
