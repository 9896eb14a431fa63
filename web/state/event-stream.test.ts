import fc from "fast-check";
import { expect, test } from "vitest";
import { EventParser } from "./event-stream.ts";

const STREAM =
  'retry: 250\n\nevent: a\nid: 7\ndata: {"x":1}\n\n: nobody reads this\n\ndata: two\ndata:lines\n\nevent: empty\n\nid\nevent: b\ndata\n\n';
const EVENTS = [
  { name: "a", data: '{"x":1}', id: "7" },
  { name: "message", data: "two\nlines", id: "7" },
  { name: "b", data: "", id: "" },
];

test("events are the same for any way of cutting the stream", () => {
  fc.assert(
    fc.property(fc.array(fc.nat(STREAM.length), { maxLength: 20 }), (cuts) => {
      const places = [0, ...cuts.sort((a, b) => a - b), STREAM.length];
      const parser = new EventParser();
      const parts = places.slice(1).map((to, at) => STREAM.slice(places[at], to));
      expect(parts.flatMap((part) => parser.push(part))).toEqual(EVENTS);
      expect(parser.retryMs).toBe(250);
    }),
  );
});

test("an event that is cut by the end of a stream is ignored, and the next stream continues after the last id", () => {
  const parser = new EventParser();
  expect(parser.push("id: 3\ndata: whole\n\nevent: cut\ndata: ha")).toHaveLength(1);
  parser.restart();
  expect(parser.lastId).toBe("3");
  expect(parser.push("data: next\n\n")).toEqual([{ name: "message", data: "next", id: "3" }]);
});

test("line breaks of other systems end lines too", () => {
  expect(new EventParser().push("data: a\r\n\r\n")).toEqual([{ name: "message", data: "a", id: "" }]);
});
