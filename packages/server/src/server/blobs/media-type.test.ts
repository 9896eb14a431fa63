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
])("%s is the type of bytes that begin so, and of no others", (type, beginning, extension) => {
  expect(mediaTypeOf(type, bytes(beginning))).toBe(type);
  expect(mediaTypeOf(type, bytes(beginning.slice(0, 2)))).toBe("application/octet-stream");
  for (const other of ["MZ\x90\0", "<script>alert(1)</script>", "#!/bin/sh\n", "", `x${beginning}`]) {
    expect(mediaTypeOf(type, bytes(other))).toBe("application/octet-stream");
  }
  expect(extensionOf(type)).toBe(extension);
});

test("a program with the type of a picture is no picture, and a picture with another type is none of that", () => {
  expect(mediaTypeOf("image/jpeg", bytes(PNG))).toBe("application/octet-stream");
  expect(mediaTypeOf("IMAGE/PNG; a=b", bytes(PNG))).toBe("IMAGE/PNG; a=b");
});

test("text is text without a zero byte, and its name never ends as that of a program or a page", () => {
  for (const type of ["text/plain", "text/html; charset=utf-8", "application/json", "image/svg+xml"]) {
    const isText = type !== "image/svg+xml";
    expect(mediaTypeOf(type, bytes("<b>"))).toBe(isText ? type : "application/octet-stream");
    expect(mediaTypeOf(type, bytes("MZ\0"))).toBe("application/octet-stream");
    expect(extensionOf(type)).toBe(isText ? "txt" : "bin");
  }
});

test("a type that cannot be told from the bytes is not taken over", () => {
  for (const type of ["application/x-msdownload", "application/javascript", "", "a/b", null]) {
    expect(mediaTypeOf(type, bytes("x"))).toBe("application/octet-stream");
  }
  expect(extensionOf("application/octet-stream")).toBe("bin");
});
