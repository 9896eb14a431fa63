import { expect, test } from "vitest";
import type { AgentProcess } from "../process/index.ts";
import { toStream } from "./stream.ts";

const line = (message: object) => JSON.stringify({ jsonrpc: "2.0", ...message });

test("lines are read in their order, and no faster than they are consumed", async () => {
  const lines = [
    line({ method: "session/update", params: { n: 1 } }),
    "printed by the program",
    line({ method: "session/update", params: { n: 2 } }),
    line({ id: 1, result: {} }),
  ];
  const happened: string[] = [];
  async function* read(): AsyncGenerator<string> {
    for (const [at, text] of lines.entries()) {
      happened.push(`read ${at}`);
      yield text;
    }
  }
  const taken = Promise.withResolvers<void>();
  const program = { lines: read() } as unknown as AgentProcess;
  const { readable } = toStream(program, {
    onNotification: async ({ params }) => {
      happened.push(`told ${JSON.stringify(params)}`);
      await taken.promise;
    },
    onOddLine: async (odd) => void happened.push(odd),
  });
  const answer = readable.getReader().read();
  await new Promise((done) => setImmediate(done));
  expect(happened).toEqual(["read 0", 'told {"n":1}']);
  taken.resolve();
  expect((await answer).value).toEqual({ jsonrpc: "2.0", id: 1, result: {} });
  expect(happened.slice(2)).toEqual(["read 1", "printed by the program", "read 2", 'told {"n":2}', "read 3"]);
});
