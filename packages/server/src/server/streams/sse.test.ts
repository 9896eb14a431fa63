/** The control events of an event stream, which tell a reader whether it has everything and where it continues. */

import { ContinuoError, type Store } from "@continuo/core/model";
import { openStore } from "@continuo/store";
import { expect, test } from "vitest";
import { LIMITS } from "../context/index.ts";
import type { Call } from "./call.ts";
import { streamEvents } from "./sse.ts";

const LOG = "streams/log";

interface Control {
  readonly upToDate?: boolean;
  readonly streamClosed?: boolean;
}

/** A call without limits, for the log of this test. */
function callFor(store: Store): Call {
  const nothing = { [Symbol.dispose]: () => undefined };
  return {
    store,
    address: { kind: "stream", name: "log", logId: LOG },
    request: new Request("http://server/v1/stream/log"),
    url: new URL("http://server/v1/stream/log"),
    grant: {},
    context: {
      draining: new AbortController().signal,
      report: (line: string) => expect.unreachable(line),
      quotas: { connect: () => nothing, answer: async () => ({ ...nothing, resize: async () => undefined }) },
    },
  } as unknown as Call;
}

/** The control events of all pages of a stream from the beginning of a log with this many records. */
async function controlsOf(records: number, end: "open" | "closed"): Promise<readonly Control[]> {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG });
  const data = Array.from({ length: records }, (_, n) => ({ type: "note", data: { n } }));
  await store.append(LOG, data);
  if (end === "closed") await store.closeLog(LOG);
  const log = await store.getLog(LOG);
  if (log === null) throw new Error("the log was made");
  const { body } = await streamEvents(callFor(store), log, 0);
  const controls: Control[] = [];
  for await (const text of body?.pipeThrough(new TextDecoderStream()) ?? []) {
    controls.push(JSON.parse(/event: control\ndata:(.*)\n/u.exec(text)?.[1] ?? "null"));
    if (controls.length * LIMITS.sseEvents >= records) break;
  }
  return controls;
}

test("only the page that ends an open log says that the reader is up to date", async () => {
  expect(await controlsOf(1, "open")).toMatchObject([{ upToDate: true }]);
  const [first, last, ...more] = await controlsOf(LIMITS.sseEvents + 1, "open");
  expect([first?.upToDate, last?.upToDate, more]).toEqual([undefined, true, []]);
});

test("the last page of a closed log says that no record follows, and the pages before it do not", async () => {
  const pages = await controlsOf(LIMITS.sseEvents + 1, "closed");
  expect(pages.map(({ streamClosed, upToDate }) => [streamClosed, upToDate])).toEqual([
    [undefined, undefined],
    [true, undefined],
  ]);
});

test("no line of a record ends its event in an event stream, whichever sign ends the line", async () => {
  await using store = await openStore("memory:");
  await store.createLog({ logId: LOG, mediaType: "text/plain" });
  const text = "one\rdata: two\nevent: control\r\nthree";
  await store.append(LOG, [{ type: "bytes", data: Buffer.from(text) }]);
  await store.closeLog(LOG);
  const log = await store.getLog(LOG);
  if (log === null) throw new Error("the log was made");
  const { body } = await streamEvents(callFor(store), log, 0);
  const sent = await new Response(body).text();
  const [data = ""] = sent.split("\n\n");
  expect(data.split(/[\r\n]+/u)).toEqual([
    "event: data",
    "data:one",
    "data:data: two",
    "data:event: control",
    "data:three",
  ]);
});

/** The quotas of one token: its open connections and answers, and the sizes that its answers had. */
function counted(refusal?: ContinuoError) {
  const sizes: number[] = [];
  const open = { connections: 0, answers: 0 };
  const opened = (what: keyof typeof open): Disposable => {
    open[what] += 1;
    return {
      [Symbol.dispose]: () => {
        open[what] -= 1;
      },
    };
  };
  const answer = async () => {
    if (refusal !== undefined) throw refusal;
    return { ...opened("answers"), resize: async (bytes: number) => void sizes.push(bytes) };
  };
  return { sizes, open, quotas: { connect: () => opened("connections"), answer } };
}

test("a batch that was read, and a stream that was never read, no longer count for the answers of the token", async () => {
  await using store = await openStore("memory:");
  const log = await store.createLog({ logId: LOG });
  await store.append(LOG, [{ type: "note", data: {} }]);
  await store.closeLog(LOG);
  const { sizes, open, quotas } = counted();
  const call = callFor(store);
  const stream = async () =>
    await streamEvents({ ...call, context: { ...call.context, quotas } } as unknown as Call, log, 0);
  await (await stream()).text();
  expect([sizes.length, (sizes[0] ?? 0) > 0, sizes.at(-1)]).toEqual([2, true, 0]);
  expect(open).toEqual({ connections: 0, answers: 0 });
  await (await stream()).body?.cancel();
  expect(open).toEqual({ connections: 0, answers: 0 });
});

test("a stream that the quota of its token refuses leaves no connection open", async () => {
  await using store = await openStore("memory:");
  const log = await store.createLog({ logId: LOG });
  const refusal = new ContinuoError("rate_limited", "other answers are not read");
  const { open, quotas } = counted(refusal);
  const call = callFor(store);
  const context = { ...call.context, quotas };
  await expect(streamEvents({ ...call, context } as unknown as Call, log, 0)).rejects.toBe(refusal);
  expect(open.connections).toBe(0);
});
