import { expect, test } from "vitest";
import { extensionOf, mediaTypeOf } from "./media-type.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const PNG = "\x89PNG\r\n\x1a\n....";

test.each([
  ["image/png", PNG, "png"],
  ["image/jpeg", "\xff\xd8\xff\xe0", "jpg"],
  ["image/gif", "GIF89a", "gif"],
  ["image/webp", "RIFF....WEBPVP8 ", "webp"],
  ["application/pdf", "%PDF-1.7", "pdf"],
  ["application/zip", "PK\x03\x04", "zip"],
  ["audio/wav", "RIFF....WAVE", "wav"],
  ["video/mp4", "....ftypisom", "mp4"],
  ["video/webm", "\x1aE\xdf\xa3", "webm"],
])("%s is the type of bytes that begin in this way, and of no others", (type, beginning, extension) => {
  expect(mediaTypeOf(type, bytes(beginning))).toBe(type);
  expect(mediaTypeOf(type, bytes(beginning.slice(0, 2)))).toBe("application/octet-stream");
  for (const other of ["MZ\x90\0", "<script>alert(1)</script>", "#!/bin/sh\n", "", `x${beginning}`]) {
    expect(mediaTypeOf(type, bytes(other))).toBe("application/octet-stream");
  }
  expect(extensionOf(type)).toBe(extension);
});

test("a program that is sent with the type of a picture is not accepted as one, and a picture is not accepted with another type", () => {
  expect(mediaTypeOf("image/jpeg", bytes(PNG))).toBe("application/octet-stream");
  expect(mediaTypeOf("IMAGE/PNG; a=b", bytes(PNG))).toBe("IMAGE/PNG; a=b");
});

test("bytes without a zero byte can be text, and the name of a text never ends like that of a program or a page", () => {
  for (const type of ["text/plain", "text/html; charset=utf-8", "application/json", "image/svg+xml"]) {
    const isText = type !== "image/svg+xml";
    expect(mediaTypeOf(type, bytes("<b>"))).toBe(isText ? type : "application/octet-stream");
    expect(mediaTypeOf(type, bytes("MZ\0"))).toBe("application/octet-stream");
    expect(extensionOf(type)).toBe(isText ? "txt" : "bin");
  }
});

test("a type that the bytes cannot confirm is not used", () => {
  for (const type of ["application/x-msdownload", "application/javascript", "", "a/b", null]) {
    expect(mediaTypeOf(type, bytes("x"))).toBe("application/octet-stream");
  }
  expect(extensionOf("application/octet-stream")).toBe("bin");
});

test("a file has the type of its container only with both of its marks", () => {
  const types = ["image/webp", "audio/wav"].flatMap((type) =>
    ["RIFF....AVI LIST", "RIFX....WEBPVP8 ", "RIFX....WAVEfmt "].map((text) =>
      mediaTypeOf(type, bytes(text)),
    ),
  );
  expect(new Set(types)).toEqual(new Set(["application/octet-stream"]));
  expect(mediaTypeOf("image/webp", bytes("RIFF....WAVEfmt "))).toBe("application/octet-stream");
});
