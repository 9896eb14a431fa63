import { expect, test } from "vitest";
import { openCommand } from "./open-command.ts";

const ORIGIN = "http://127.0.0.1:4748";

test("the command that opens a page again contains the address of the page", () => {
  const address = `${ORIGIN}/#/session/claude%3A4bf3/turn/7`;
  expect(openCommand(address)).toBe(`continuo view '${address}'`);
  expect(openCommand(`${ORIGIN}/`)).toBe(`continuo view '${ORIGIN}/'`);
  expect(openCommand(`${ORIGIN}/#/${"x".repeat(3_000)}`)).toBe(`continuo view '${ORIGIN}'`);
});

test.each([
  "#/session/x'; echo stolen; '",
  '#/x" `echo stolen` $(echo stolen)\n echo stolen',
  "#/x\u202e\u0000ö\\'; echo stolen #",
])("a link with %j cannot add a command, because the address stays one quoted word", (hash) => {
  expect(openCommand(`${ORIGIN}/${hash}`)).toMatch(
    /^continuo view 'http:\/\/127\.0\.0\.1:4748\/#[!-&(-~]*'$/u,
  );
});
