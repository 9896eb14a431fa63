import { expect, test } from "vitest";
import { type Arrival, type Gate, gateRefusal, guardHeaders, plainHeaders } from "./gate.ts";

const GATE: Gate = {
  origins: new Set(["https://known.example"]),
  hosts: new Set(["localhost", "127.0.0.1"]),
};

function refusal(given: Partial<Arrival>): string | null {
  const arrival = { url: "/v1/channels/a/ws", host: "localhost:4747", origin: null, ...given };
  return gateRefusal(GATE, arrival)?.code ?? null;
}

test("a URL with a token is refused under each parameter name, after each separator, however often it is escaped", () => {
  for (const name of ["token", "access_token", "authorization", "bearer", "Authorization"]) {
    for (const sign of ["?", "&", ";"]) {
      const url = `/v1/channels/a/ws${sign}${name}=x`;
      expect([url, refusal({ url })]).toEqual([url, "unauthorized"]);
    }
  }
  let text = `continuo_${"0a".repeat(16)}_x`;
  for (let times = 0; times <= 3; times++) {
    expect([times, refusal({ url: `/v1/stream/${text}` })]).toEqual([times, "unauthorized"]);
    text = [...text].map((sign) => `%${sign.charCodeAt(0).toString(16)}`).join("");
  }
  for (const url of ["/v1/channels/token", "/v1/channels/a?tokens=1", "/v1/channels/continuo_1_"]) {
    expect([url, refusal({ url })]).toEqual([url, null]);
  }
});

test("the server answers under its own host names and names below localhost, and under no other name", () => {
  for (const host of ["localhost", "127.0.0.1:80", "a.localhost", "A.LOCALHOST:4747"]) {
    expect([host, refusal({ host })]).toEqual([host, null]);
  }
  for (const host of ["evil-localhost.com", "localhost.evil.example", "evillocalhost", "10.0.0.1", null]) {
    expect([host, refusal({ host })]).toEqual([host, "forbidden"]);
  }
});

test("a page of an unknown origin cannot send a request, and cannot read an answer", () => {
  const allowed = (origin: string): unknown =>
    guardHeaders(GATE, { url: "/", origin, host: "localhost:4747" })["access-control-allow-origin"];
  for (const origin of ["https://known.example", "http://localhost:4747", "https://localhost:4747"]) {
    expect([origin, refusal({ origin }), allowed(origin)]).toEqual([origin, null, origin]);
  }
  for (const origin of ["https://other.example", "http://localhost:80", "null"]) {
    expect([origin, refusal({ origin }), allowed(origin)]).toEqual([origin, "forbidden", undefined]);
  }
});

test("an answer for one page says that it depends on the page, so that no cache gives it to another one", () => {
  const headers = (origin: string | null): unknown =>
    guardHeaders(GATE, { url: "/", origin, host: "localhost:4747" }).vary;
  expect(headers("https://known.example")).toBe("origin");
  expect(headers("https://other.example")).toBeUndefined();
});

test("a page of another site cannot load the server's answers as images, scripts or frames", () => {
  const from = (site: string, mode: string, dest: string, origin: string | null = null): string | null =>
    refusal({ origin, fetched: { site, mode, dest } });
  for (const [mode = "", dest = ""] of [
    ["no-cors", "image"],
    ["no-cors", "script"],
    ["no-cors", "empty"],
    ["navigate", "iframe"],
  ]) {
    expect([mode, dest, from("cross-site", mode, dest)]).toEqual([mode, dest, "forbidden"]);
    for (const site of ["same-origin", "same-site", "none"]) {
      expect([site, mode, dest, from(site, mode, dest)]).toEqual([site, mode, dest, null]);
    }
  }
  // A link that a person follows, and a page whose origin is known.
  expect(from("cross-site", "navigate", "document")).toBeNull();
  expect(from("cross-site", "cors", "empty", "https://known.example")).toBeNull();
  expect(from("cross-site", "cors", "empty", "https://other.example")).toBe("forbidden");
});

test("the server asks browsers for TLS only if clients reach the server over TLS", () => {
  const header = "strict-transport-security";
  expect(plainHeaders({ isHttps: true })[header]).toBe("max-age=31536000; includeSubDomains");
  expect(header in plainHeaders({ isHttps: false })).toBe(false);
  expect(header in plainHeaders({})).toBe(false);
});
