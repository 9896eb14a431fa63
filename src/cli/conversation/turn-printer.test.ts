import { PassThrough } from "node:stream";
import type { PermissionRequest } from "@continuo/core/model";
import { expect, test } from "vitest";
import type { Shell } from "../terminal/index.ts";
import { TurnPrinter } from "./turn-printer.ts";

const REQUEST: PermissionRequest = { approvalId: "p", toolName: "Bash", readOnly: false, options: [] };

test.each([
  ["a terminal", true, 1],
  ["no terminal", false, 0],
])("a question rings the bell once, on %s: %s", async (_, isTTY, rings) => {
  const stream = Object.assign(new PassThrough({ encoding: "utf8" }), { isTTY, columns: 80, rows: 24 });
  const shell = { env: { TERM: "xterm" }, onExit: () => ({ [Symbol.dispose]: () => undefined }) };
  const teller = new TurnPrinter(shell as unknown as Shell, stream as unknown as NodeJS.WriteStream);
  teller.begin("robot");
  const question = { request: REQUEST, deadline: Number.POSITIVE_INFINITY, hidden: 3, comment: null };
  teller.ask(question);
  // The same question, after the rest of it was shown.
  teller.ask({ ...question, hidden: 0 });
  const printed = String(stream.read());
  await teller.end();
  expect(printed.split("\u0007")).toHaveLength(rings + 1);
});
