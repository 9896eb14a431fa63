import { expect, test } from "vitest";
import { parseExport, parseExportHead } from "./export-file.ts";

const INFO = { id: "ses_1", title: 'a "}" \\ {', time: { created: 1, archived: 2 }, summary: { files: {} } };

test.each([
  ["without spaces", `{"info":${JSON.stringify(INFO)},"messages":[`],
  ["with spaces", ` {\n "info" : ${JSON.stringify(INFO, null, 2)}, "messages" : [ {`],
])("the facts of an export %s are read without its messages", (_name, head) => {
  const whole = parseExport(Buffer.from(JSON.stringify({ info: INFO, messages: [] })));
  expect(parseExportHead(head)).toEqual(whole.info);
  expect(parseExportHead(head)?.data).toMatchObject({ time_archived: 2 });
});

test.each([
  ["ends in a string", '{"info":{"id":"ses_1","title":"}'],
  ["ends after a backslash", '{"info":{"id":"ses_1","title":"}\\'],
  ["ends between the keys", '{"info":{"id":"ses_1","time":{}'],
  ["is no JSON", '{"info":{id:"ses_1"},"messages":['],
])("a head that %s says nothing", (_name, head) => {
  expect(parseExportHead(head)).toBeNull();
});

test("a long string that does not end is passed over once", () => {
  expect(parseExportHead(`{"info":{"id":"${'\\"{'.repeat(1_000_000)}`)).toBeNull();
});
