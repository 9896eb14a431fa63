/**
 * Measures the peak resident memory of Continuo's process for a hand-over, a bundle and `session info`, for each agent
 * whose sessions are files. The bound is 500 MB, with the default heap. With `--large`, a hand-over and a bundle have
 * 300 MB, and `session info` reads 1 GB; without it, each has a tenth of that.
 */

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { runContinuo } from "./peak.ts";
import { FILE_AGENTS, type FileAgent, type Shape, writeSession } from "./sessions.ts";

const SHAPES: readonly Shape[] = ["turns", "results"];
const BOUND_BYTES = 500_000_000;

export function run({ large }: { readonly large: boolean }): void {
  const [handedBytes, shownBytes] = large ? [300_000_000, 1_000_000_000] : [30_000_000, 100_000_000];
  for (const shape of SHAPES) {
    for (const agent of FILE_AGENTS) {
      measureIn({ agent, shape, sizeBytes: handedBytes }, (ref, home) => [
        ["handoff", ref, "--to", agent === "codex" ? "claude" : "codex"],
        ["session", "export", ref, "--bundle", join(home, "bundle")],
      ]);
      measureIn({ agent, shape, sizeBytes: shownBytes }, (ref) => [["session", "info", ref]]);
    }
  }
}

interface SessionMeasure {
  readonly agent: FileAgent;
  readonly shape: Shape;
  readonly sizeBytes: number;
}

function measureIn(
  { agent, shape, sizeBytes }: SessionMeasure,
  commands: (ref: string, home: string) => readonly (readonly string[])[],
): void {
  const home = mkdtempSync(join(tmpdir(), "continuo-bench-"));
  const cwd = join(home, "work");
  mkdirSync(cwd);
  try {
    const { sessionId } = writeSession({ agent, home, cwd, sizeBytes, shape });
    for (const args of commands(`${agent}:${sessionId}`, home)) {
      const started = Date.now();
      const { status, stderr, peakBytes } = runContinuo(args, { home });
      if (status !== 0 || peakBytes === null) throw new Error(`${args.join(" ")} failed: ${stderr}`);
      const what = `${agent}, ${sizeBytes / 1e6} MB of ${shape}: ${args[0]} ${args[0] === "session" ? args[1] : ""}`;
      const verdict = peakBytes <= BOUND_BYTES ? "met" : "MISSED";
      const seconds = ((Date.now() - started) / 1000).toFixed(0);
      console.log(`  ${what.padEnd(64)} ${Math.round(peakBytes / 1e6)} MB  ${seconds} s  ${verdict}`);
    }
  } finally {
    rmSync(home, { recursive: true });
  }
}
