import type { IncomingHttpHeaders, IncomingMessage } from "node:http";
import { expect, test } from "vitest";
import { credentialsOf, pageCredentialsOf, socketCredentials } from "./credentials.ts";

const COOKIE = "other=1; __Host-continuo-page-4747=secret";

function socketOf(headers: IncomingHttpHeaders): unknown {
  return pageCredentialsOf({ headers } as IncomingMessage);
}

test("the cookie of a socket counts only for a page of the server that set it", () => {
  const headers = { cookie: COOKIE, host: "a.example:4747", origin: "https://a.example:4747" };
  expect(socketOf(headers)).toEqual({ sentAs: "cookie", secret: "secret" });
  expect(socketOf({ cookie: COOKIE, host: "a.example:4747" })).toBe(undefined);
  expect(socketOf({ ...headers, host: "a.example:4748" })).toBe(undefined);
  expect(socketOf({ ...headers, host: "a.example" })).toBe(undefined);
  expect(socketOf({ ...headers, host: "no host" })).toBe(undefined);
});

test("a token takes precedence over the cookie of the page", () => {
  const page = { sentAs: "cookie", secret: "secret" } as const;
  expect(socketCredentials("token", page)).toEqual({ sentAs: "frame", secret: "token" });
  expect(socketCredentials(undefined, page)).toBe(page);
  expect(socketCredentials(undefined, undefined)).toEqual({ sentAs: "frame" });
  const headers = { authorization: "Bearer token", cookie: COOKIE };
  expect(credentialsOf(new Request("http://a.example:4747/", { headers }))).toEqual({
    sentAs: "header",
    secret: "token",
  });
});

test("a change with a cookie needs an origin, and reading does not", () => {
  const asked = (method: string, more: Record<string, string> = {}) =>
    credentialsOf(new Request("http://a.example:4747/", { method, headers: { cookie: COOKIE, ...more } }));
  for (const method of ["GET", "HEAD"]) expect(asked(method)).toEqual({ sentAs: "cookie", secret: "secret" });
  for (const method of ["POST", "PUT", "DELETE"]) {
    expect(() => asked(method)).toThrow(expect.objectContaining({ code: "forbidden" }));
    expect(asked(method, { origin: "http://a.example:4747" })).toMatchObject({ secret: "secret" });
  }
});
