/** A client under test that is a program. */

import { expect, test, vi } from "vitest";
import { type ClientReport, clientProgram } from "./program.ts";

/** Reports each command to send something, and then waits for more. */
const ECHO = `
let rest = "";
process.stdin.setEncoding("utf8").on("data", (text) => {
  const lines = (rest + text).split("\\n");
  rest = lines.pop();
  for (const line of lines) {
    const { content } = JSON.parse(line);
    process.stdout.write(JSON.stringify({ report: "message", sequence: 1, content }) + "\\n");
  }
});`;

test("a report with a separator of lines that JSON leaves as it is comes as one report", async () => {
  const reports: ClientReport[] = [];
  const client = await clientProgram(process.execPath, ["-e", ECHO])((report) => reports.push(report));
  const content = "one\u2028two\u2029three\r\nfour";
  client.do({ command: "send", name: "first", content });
  await vi.waitFor(() => expect(reports).toHaveLength(1), { timeout: 20_000 });
  await client.stop();
  expect(reports).toEqual([{ report: "message", sequence: 1, content }]);
});
