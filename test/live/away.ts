/**
 * A session whose note writer fails at first; after that, it makes one note for each piece of evidence, as a model
 * would.
 */

import { type LiveTest, liveTest, said } from "./live-session.ts";

export const TALK: readonly string[] = [
  "The harbour opens at dawn.",
  "Boats leave with the tide.",
  "The lamp is lit at dusk.",
];

/** The notes of the writer: other words at the same place. */
export const SHORT: readonly string[] = [
  "In short: The harbour",
  "In short: Boats leave",
  "In short: The lamp",
];

/** A service with this writer, which fails until the test makes it work. */
export async function serviceAway(options: Parameters<typeof liveTest>[0] = {}): Promise<LiveTest> {
  const live = await liveTest(options);
  const { writer } = live;
  const { write } = writer;
  writer.write = async (request, call) => {
    const { memory } = await write(request, call);
    const heard = request.evidence.filter(({ type }) => type === "transcript_added");
    const drafts = heard.map(({ id, text, startMs, endMs }, n) => ({
      draftId: `${request.batchId}/${n}`,
      text: `In short: ${text.split(" ").slice(0, 2).join(" ")}`,
      startMs,
      endMs,
      confidence: 0.9,
      evidence: [id],
    }));
    return { drafts, memory };
  };
  writer.failures = Number.POSITIVE_INFINITY;
  return live;
}

export async function away(options: Parameters<typeof liveTest>[0] = {}): Promise<LiveTest> {
  const live = await serviceAway(options);
  await live.service.open("k", { videoId: "v" });
  return live;
}

export async function talk(live: LiveTest, from = 0): Promise<void> {
  for (const [n, text] of TALK.entries()) {
    const startMs = from + n * 60_000;
    await live.send("k", said(text, startMs, { endMs: startMs + 3_000 }));
    await live.clock.advance(13_000);
  }
}

export async function textsIn({ service }: LiveTest): Promise<readonly string[]> {
  return (await service.notes("k")).map(({ text }) => text);
}
