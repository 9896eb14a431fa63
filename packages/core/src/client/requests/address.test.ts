import { expect, test } from "vitest";
import { assertServerUrl, authorizationOf, httpAddress, socketAddress } from "./address.ts";

test.each([
  ["https://example.com", "https://example.com"],
  ["http://localhost:8080//", "http://localhost:8080"],
  ["WSS://Example.com/base/", "https://example.com/base"],
  ["ws://localhost:8080/?token=secret#part", "http://localhost:8080"],
  ["https://example.com/base/?x=1", "https://example.com/base"],
])("paths of the server at %s are added to %s, and over a WebSocket to the same", (serverUrl, address) => {
  expect(httpAddress(serverUrl)).toBe(address);
  expect(socketAddress(serverUrl)).toBe(address.replace("http", "ws"));
});

test("a function that gives the token is called for each request, and without a token there is no header", async () => {
  let calls = 0;
  const token = async (): Promise<string> => `secret ${++calls}`;
  expect(await authorizationOf(token)).toEqual({ authorization: "Bearer secret 1" });
  expect(await authorizationOf(token)).toEqual({ authorization: "Bearer secret 2" });
  expect(await authorizationOf(undefined)).toEqual({});
});

test.each(["https://ann@example.com", "https://:secret@example.com", "wss://ann:secret@example.com/base"])(
  "the URL %s is refused, because it has a name or a password, and the error does not repeat it",
  (serverUrl) => {
    expect(() => assertServerUrl(serverUrl)).toThrow(
      /^(?:https|wss):\/\/example\.com is not the URL of a server$/u,
    );
  },
);
