/**
 * `continuo live demo`: plays a recorded viewing into a server, and prints transcripts and the notes made from them.
 */

import { readFile } from "node:fs/promises";
import { openLive } from "@continuo/core/client/live";
import { ContinuoError } from "@continuo/core/model";
import { visibleText } from "@continuo/core/transcript";
import type { EvidenceInput, LiveServerFrame } from "@continuo/core/wire";
import { packageFile } from "@continuo/files";
import { allowEverybody, createServer, listen } from "@continuo/server";
import { openStore } from "@continuo/store";
import { accessOf, type ServerAccess } from "../channel/index.ts";
import { type Shell, toJsonText } from "../terminal/index.ts";
import type { DemoFlags } from "./flags.ts";
import { lineOfNote, timeOf } from "./lines.ts";

/** The words that are printed before notes of these events; other notes have the word `note`. */
const LABELS: Readonly<Record<string, string>> = { note_updated: "better", note_merged: "merged" };

const RECORDING = "examples/live/harbour.jsonl";

interface DemoStep {
  readonly atMs: number;
  readonly evidence: EvidenceInput;
}

export async function runDemo(flags: DemoFlags, shell: Shell): Promise<number> {
  const recording = await readRecording(packageFile(RECORDING) ?? RECORDING);
  await using server =
    flags.server === undefined ? await ownServer() : { ...(await accessOf(flags, shell)), ...NOTHING };
  const stop = new AbortController();
  using _interrupts = shell.holdInterrupts(() => stop.abort());
  using _termination = shell.holdTermination(() => stop.abort());
  const { serverUrl, token } = server;
  const key = `demo ${new Date().toISOString()}`;
  const onFrame = (frame: LiveServerFrame): void => {
    const line = flags.json ? `${JSON.stringify(frame)}\n` : lineOf(frame);
    if (line !== "") shell.stdout.write(line);
  };
  const client = await openLive({ serverUrl, token, key, videoId: "harbour", title: "The harbour", onFrame });
  try {
    if (!flags.json)
      shell.stdout.write(
        `Playing a viewing of ${lengthOf(recording)} s at ${flags.speed} times its speed.\n\n`,
      );
    const beganMs = performance.now();
    for (const { atMs, evidence } of recording) {
      await pause(beganMs + atMs / flags.speed - performance.now(), stop.signal);
      if (stop.signal.aborted) return 130;
      await client.add(evidence);
    }
    const session = await client.end();
    // The last notes arrive with the end of the session.
    const notes = await client.notes();
    if (flags.json) shell.stdout.write(`${toJsonText({ type: "end", session, notes })}\n`);
    else {
      shell.stdout.write(`\nThe session is ${session.state}. Its ${notes.length} notes:\n\n`);
      for (const note of notes) shell.stdout.write(lineOfNote(note));
    }
    return 0;
  } finally {
    client.close();
  }
}

const NOTHING: AsyncDisposable = { [Symbol.asyncDispose]: async () => undefined };

/** Starts a server on loopback, with a store in memory, for the time of the demonstration. */
async function ownServer(): Promise<ServerAccess & AsyncDisposable> {
  const store = await openStore("memory:");
  const server = createServer({
    store: (workspaceId, by) => store.forWorkspace(workspaceId, by),
    authenticate: allowEverybody(store.workspaceId),
    hosts: ["127.0.0.1"],
  });
  const listening = await listen(server, { host: "127.0.0.1", port: 0 });
  return {
    serverUrl: listening.url,
    [Symbol.asyncDispose]: async () => {
      await listening.close();
      await store.close();
    },
  };
}

/** Errors: `not_found` if the package has no examples. */
async function readRecording(path: string): Promise<readonly DemoStep[]> {
  const text = await readFile(path, "utf8").catch((cause: unknown) => {
    throw new ContinuoError("not_found", `the recording ${RECORDING} is missing`, {
      hint: "Install the package again.",
      cause,
    });
  });
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => {
      const { atMs, ...evidence } = JSON.parse(line) as EvidenceInput & { readonly atMs: number };
      return { atMs, evidence: evidence as EvidenceInput };
    });
}

function lineOf(frame: LiveServerFrame): string {
  if (frame.type === "backpressure" && frame.level !== "normal") {
    return `       level ${frame.level}, ${frame.depth} pending\n`;
  }
  if (frame.type !== "event") return "";
  const { type, data } = frame.event;
  const { text, content, mediaTimeMs, endMs, status, speaker, description } = data as Readonly<
    Record<string, unknown>
  >;
  const at = timeOf(Number(mediaTimeMs ?? 0));
  if (type === "transcript_added" || type === "remark_added") {
    return `  ${at}  ${visibleText(String(speaker ?? "somebody"))}: ${visibleText(String(text))}\n`;
  }
  if (type === "frame_captured") return `  ${at}  [${visibleText(String(description ?? "a frame"))}]\n`;
  if (!type.startsWith("note_") || typeof content !== "string") return "";
  const note = { startMs: Number(mediaTimeMs), endMs: Number(endMs), text: content, status: String(status) };
  return `${(LABELS[type] ?? "note").padEnd(8)}${lineOfNote(note)}`;
}

function lengthOf(recording: readonly DemoStep[]): number {
  return Math.ceil((recording.at(-1)?.atMs ?? 0) / 1_000);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener("abort", done, { once: true });
  });
}
