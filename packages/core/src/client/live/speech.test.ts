import { expect, test } from "vitest";
import type { Acknowledgement } from "../../wire/index.ts";
import { LIMITS } from "./limits.ts";
import type { StoredRecording } from "./recordings.ts";
import { Speech } from "./speech.ts";

const STORED = { sequence: 1 } as unknown as Acknowledgement;

function recording(id: string): StoredRecording {
  return { id, bytes: new Uint8Array([1]), mediaType: "audio/webm", startMs: 0, endMs: 1 };
}

function speaking(options: {
  readonly send: (one: StoredRecording) => Promise<Acknowledgement>;
  readonly left?: readonly StoredRecording[];
  readonly isKept?: boolean;
}): { readonly speech: Speech; readonly kept: Map<string, StoredRecording> } {
  const kept = new Map<string, StoredRecording>();
  for (const one of options.left ?? []) kept.set(one.id, one);
  const box = {
    load: async () => [...kept.values()],
    add: async (one: StoredRecording) => void kept.set(one.id, one),
    remove: async (id: string) => void kept.delete(id),
  };
  const { send, left = [], isKept = false } = options;
  return { kept, speech: new Speech({ box, left, send, isKept: () => isKept }) };
}

test("recordings are sent in order, those of a former client first, and leave the outbox when they are stored", async () => {
  const sent: string[] = [];
  const send = async ({ id }: StoredRecording): Promise<Acknowledgement> => {
    await new Promise((resolve) => setTimeout(resolve, { left: 20, a: 10 }[id] ?? 0));
    sent.push(id);
    return STORED;
  };
  const { speech, kept } = speaking({ send, left: [recording("left")] });
  await Promise.all([speech.add(recording("a")), speech.add(recording("b"))]);
  await speech.flushed();
  expect([sent, kept.size]).toEqual([["left", "a", "b"], 0]);
});

test("a recording that was refused leaves the outbox, and one whose client was closed stays", async () => {
  const send = (): Promise<never> => Promise.reject(new Error("no"));
  const refused = speaking({ send });
  await expect(refused.speech.add(recording("a"))).rejects.toThrow("no");
  expect(refused.kept.size).toBe(0);
  const closed = speaking({ send, isKept: true });
  await expect(closed.speech.add(recording("a"))).rejects.toThrow("no");
  expect([...closed.kept.keys()]).toEqual(["a"]);
});

test("the number of recordings that can wait is limited", async () => {
  const { speech } = speaking({ send: () => new Promise(() => undefined) });
  for (let n = 0; n < LIMITS.waitingRecordings; n++) void speech.add(recording(String(n)));
  await expect(speech.add(recording("more"))).rejects.toMatchObject({ code: "too_large" });
});
