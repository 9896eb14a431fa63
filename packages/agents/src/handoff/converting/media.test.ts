import type { AgentName, FileBlock, ImageBlock } from "@continuo/core/model";
import { agentOf } from "@continuo/native";
import { expect, test } from "vitest";
import { fitFile, fitImage } from "./media.ts";

const PNG = "iVBORw0KGgoAAAANSUhEUg==";
const HALF = "\ud83d";
const OTHER_TYPE = "the target does not accept images of this type";
const NO_DATA = "the target accepts only images with data";
const MENDED = "its media type made acceptable";

type ImageFields = Omit<ImageBlock, "type">;
type FileFields = Omit<FileBlock, "type">;

test.each<readonly [string, AgentName, ImageFields, ImageFields | null, string]>([
  [
    "a type in upper case",
    "pi",
    { mimeType: "IMAGE/PNG", data: PNG },
    { mimeType: "image/png", data: PNG },
    MENDED,
  ],
  [
    "another name of its type",
    "pi",
    { mimeType: "image/JPG", data: PNG },
    { mimeType: "image/jpeg", data: PNG },
    MENDED,
  ],
  ["no type, data of a PNG", "pi", { mimeType: "", data: PNG }, { mimeType: "image/png", data: PNG }, MENDED],
  [
    "any type, data of a JPEG",
    "pi",
    { mimeType: "image/*", data: "/9j/4A" },
    { mimeType: "image/jpeg", data: "/9j/4A" },
    MENDED,
  ],
  [
    "any type, data of a GIF",
    "pi",
    { mimeType: "image/*", data: "R0lGODlh" },
    { mimeType: "image/gif", data: "R0lGODlh" },
    MENDED,
  ],
  [
    "any type, data of a WebP",
    "pi",
    { mimeType: "image/*", data: "UklGRh4A" },
    { mimeType: "image/webp", data: "UklGRh4A" },
    MENDED,
  ],
  ["any type, data of no known kind", "pi", { mimeType: "image/*", data: "AAAA" }, null, OTHER_TYPE],
  [
    "another type than its data",
    "pi",
    { mimeType: "image/gif", data: PNG },
    { mimeType: "image/gif", data: PNG },
    "",
  ],
  [
    "what its record says besides",
    "pi",
    { mimeType: "image/png", data: PNG, native: 1, blob: "b" },
    { mimeType: "image/png", data: PNG },
    "",
  ],
  [
    "data and an address",
    "codex",
    { mimeType: "image/png", data: PNG, url: "https://e.example/a" },
    { mimeType: "image/png", data: PNG },
    "",
  ],
  [
    "data and an address of data",
    "pi",
    { mimeType: "image/png", data: PNG, url: "data:image/gif;base64,R0lGOD" },
    { mimeType: "image/png", data: PNG },
    "",
  ],
  [
    "an address in upper case",
    "codex",
    { mimeType: "image/png", url: "HTTP://e.example/a" },
    { mimeType: "image/png", url: "HTTP://e.example/a" },
    "",
  ],
  [
    "an address that only holds another",
    "codex",
    { mimeType: "image/png", url: "file:///https://e.example" },
    null,
    NO_DATA,
  ],
  [
    "an address for an agent that takes none",
    "pi",
    { mimeType: "image/png", url: "https://e.example/a" },
    null,
    NO_DATA,
  ],
  ["neither data nor an address", "codex", { mimeType: "image/png" }, null, NO_DATA],
  [
    "an address of data with a parameter",
    "pi",
    { mimeType: "image/png", url: `data:image/png;a=b;base64,${PNG}` },
    { mimeType: "image/png", data: PNG },
    "",
  ],
  [
    "an address of data without a type",
    "pi",
    { mimeType: "image/png", url: `data:;base64,${PNG}` },
    { mimeType: "image/png", data: PNG },
    "",
  ],
  [
    "an address of data with another type",
    "pi",
    { mimeType: "image/png", url: `data:image/gif;base64,${PNG}` },
    { mimeType: "image/gif", data: PNG },
    MENDED,
  ],
  [
    "an address of long data",
    "pi",
    { mimeType: "image/png", url: `data:image/png;base64,${PNG.repeat(20)}` },
    { mimeType: "image/png", data: PNG.repeat(20) },
    "",
  ],
  [
    "an address of no data",
    "pi",
    { mimeType: "image/png", url: "data:image/png;base64," },
    null,
    "an image without data",
  ],
  [
    "an address of data that is not base64",
    "pi",
    { mimeType: "image/png", url: "data:image/png,raw" },
    null,
    NO_DATA,
  ],
])("an image with %s", (_name, to, image, made, reason) => {
  const block = made === null ? null : { type: "image", ...made };
  expect(fitImage({ type: "image", ...image }, agentOf(to).accepts)).toEqual({ block, reason });
});

const PDF = { mimeType: "application/pdf", data: "JVBERi0=" };
const REFUSED = "the target does not accept such files";
const HALVES = "halves of characters are replaced";

test.each<readonly [string, AgentName, FileFields, FileFields | string | null, string]>([
  [
    "a plain text",
    "claude",
    { mimeType: "text/plain", name: "a.txt", text: "A" },
    { mimeType: "text/plain", name: "a.txt", text: "A" },
    "",
  ],
  [
    "a text of another type",
    "claude",
    { mimeType: "text/html", text: "A" },
    { mimeType: "text/plain", text: "A" },
    "as plain text",
  ],
  [
    "half of a character in a text",
    "claude",
    { mimeType: "text/html", text: HALF },
    { mimeType: "text/plain", text: "\ufffd" },
    HALVES,
  ],
  [
    "half of a character in the name of a text",
    "claude",
    { mimeType: "text/plain", name: HALF, text: "A" },
    { mimeType: "text/plain", name: "\ufffd", text: "A" },
    HALVES,
  ],
  ["a text without a name", "pi", { mimeType: "text/plain", text: "A" }, "A", "only its text"],
  [
    "a text with a name",
    "opencode",
    { mimeType: "text/plain", name: "a.txt", text: `A${HALF}` },
    "a.txt:\n\nA\ufffd",
    "only its text",
  ],
  ["an empty text with data", "gemini", { ...PDF, text: "" }, "", "only its text"],
  ["a PDF", "claude", { ...PDF, name: "a.pdf", native: 1 }, { ...PDF, name: "a.pdf" }, ""],
  ["a PDF without a name", "gemini", PDF, PDF, ""],
  [
    "a PDF whose name has half of a character",
    "opencode",
    { ...PDF, name: HALF },
    { ...PDF, name: "\ufffd" },
    HALVES,
  ],
  [
    "a PDF whose name has half of a character and no place",
    "gemini",
    { ...PDF, name: HALF },
    PDF,
    "without its name",
  ],
  ["a PDF for an agent that takes no files", "codex", PDF, null, REFUSED],
  [
    "a sound for an agent that takes documents",
    "claude",
    { mimeType: "audio/mp3", data: "AA==" },
    null,
    REFUSED,
  ],
  [
    "a sound for an agent that takes all files",
    "opencode",
    { mimeType: "audio/mp3", data: "AA==" },
    { mimeType: "audio/mp3", data: "AA==" },
    "",
  ],
  [
    "a PDF that lies elsewhere",
    "opencode",
    { mimeType: "application/pdf", url: "https://e.example/a" },
    null,
    REFUSED,
  ],
  ["a PDF of no data", "pi", { mimeType: "application/pdf", data: "" }, null, "a file without data"],
])("a file: %s", (_name, to, file, made, reason) => {
  const block = typeof made === "string" ? { type: "text", text: made } : made && { type: "file", ...made };
  expect(fitFile({ type: "file", ...file }, agentOf(to).accepts)).toEqual({ block, reason });
});
